//! Safetensors headers: weights meet their scales, and nothing is lost.

use trueline_roofline::{
    Bytes, Model, ModelErrorKind, ModelPart, Role, Scales, Stored, Tensor, Warning, Zeros,
};

use crate::files::{Safetensors, safetensors};
use crate::sizes;

fn read(file: &Safetensors) -> Model {
    let model = Model::from_safetensors_header(file.finish().as_slice()).unwrap();
    let bytes: Bytes = model.tensors().iter().map(trueline_roofline::Tensor::bytes).sum();
    assert_eq!(bytes, Bytes::from_count(file.data), "the tensors are the data");
    model
}

fn only(model: &Model) -> &Tensor {
    let [tensor] = model.tensors() else { panic!("{:?}", model.tensors()) };
    tensor
}

#[test]
fn block_scales_belong_to_their_weight() {
    let mut file = Safetensors::default();
    for layer in 0..3 {
        let name = format!("model.layers.{layer}.self_attn.kv_a_proj_with_mqa");
        file.tensor(&format!("{name}.weight"), "F8_E4M3", &[576, 7168]);
        file.tensor(&format!("{name}.weight_scale_inv"), "F32", &[5, 56]);
    }
    let model = read(&file);
    let tensor = only(&model);
    assert_eq!(tensor.stored(), Stored::Fp8(Scales::Block { rows: 128, cols: 128 }));
    assert_eq!(tensor.parameters().get(), 3 * 576 * 7168);
    assert_eq!(tensor.scales(), 3 * 5 * 56);
    assert_eq!(tensor.role(), Role::Attn);
}

#[test]
fn packed_floats_have_their_logical_shape() {
    // gpt-oss: blocks of 16 bytes; 32 experts in one tensor.
    let mut file = Safetensors::default();
    let name = "model.layers.0.mlp.experts.down_proj";
    file.tensor(&format!("{name}_blocks"), "U8", &[32, 2880, 90, 16]);
    file.tensor(&format!("{name}_scales"), "U8", &[32, 2880, 90]);
    let model = read(&file);
    let tensor = only(&model);
    assert_eq!((tensor.stored(), tensor.copies()), (Stored::Mxfp4, 32));
    assert_eq!(tensor.shape(), [2880, 2880]);
    assert_eq!(tensor.scales(), 32 * 2880 * 90);

    // Model Optimizer: two values a byte, one fp8 scale for 16, one f32 for all.
    let mut file = Safetensors::default();
    let name = "model.layers.0.mlp.up_proj";
    file.tensor(&format!("{name}.weight"), "U8", &[512, 128]);
    file.tensor(&format!("{name}.weight_scale"), "F8_E4M3", &[512, 16]);
    file.tensor(&format!("{name}.weight_scale_2"), "F32", &[]);
    let model = read(&file);
    let tensor = only(&model);
    assert_eq!((tensor.stored(), tensor.shape()), (Stored::Nvfp4, [512, 256].as_slice()));
    assert_eq!(tensor.bytes(), Bytes::from_count(512 * 256 * 9 / 16 + 4));
}

#[test]
fn packed_integers_have_their_logical_shape() {
    let int4 = |zeros| Stored::Integer { bits: 4, scales: Scales::Group(128), zeros };
    // AutoAWQ packs outputs: [in, out / 8].
    let mut awq = Safetensors::default();
    let name = "model.layers.0.mlp.up_proj";
    awq.tensor(&format!("{name}.qweight"), "I32", &[4096, 14336 / 8]);
    awq.tensor(&format!("{name}.qzeros"), "I32", &[32, 14336 / 8]);
    awq.tensor(&format!("{name}.scales"), "F16", &[32, 14336]);
    // AutoGPTQ packs inputs: [in / 8, out].
    let mut gptq = Safetensors::default();
    gptq.tensor(&format!("{name}.qweight"), "I32", &[4096 / 8, 14336]);
    gptq.tensor(&format!("{name}.qzeros"), "I32", &[32, 14336 / 8]);
    gptq.tensor(&format!("{name}.scales"), "F16", &[32, 14336]);
    gptq.tensor(&format!("{name}.g_idx"), "I32", &[4096]);
    // compressed-tensors packs inputs of each output: [out, in / 8].
    let mut packed = Safetensors::default();
    packed.tensor(&format!("{name}.weight_packed"), "I32", &[14336, 512]);
    packed.tensor(&format!("{name}.weight_scale"), "BF16", &[14336, 32]);
    packed.tensor(&format!("{name}.weight_shape"), "I64", &[2]);
    for (file, zeros) in [(awq, Zeros::Packed), (gptq, Zeros::Packed), (packed, Zeros::None)] {
        let model = read(&file);
        let tensor = only(&model);
        assert_eq!(tensor.stored(), int4(zeros));
        assert_eq!(tensor.shape(), [14336, 4096]);
        assert_eq!(tensor.scales(), 32 * 14336);
    }
}

#[test]
fn scales_by_channel_and_by_tensor_are_told_apart() {
    for (shape, scales) in [
        (vec![], Scales::Tensor),
        (vec![1], Scales::Tensor),
        (vec![512, 1], Scales::Channel),
        (vec![512], Scales::Channel),
        (vec![512, 2], Scales::Group(128)),
    ] {
        let mut file = Safetensors::default();
        file.tensor("model.layers.0.mlp.up_proj.weight", "F8_E4M3", &[512, 256]);
        file.tensor("model.layers.0.mlp.up_proj.weight_scale", "BF16", &shape);
        let model = read(&file);
        assert_eq!(only(&model).stored(), Stored::Fp8(scales), "{shape:?}");
    }
}

#[test]
fn layers_for_further_tokens_and_towers_stand_apart() {
    let mut file = Safetensors::default();
    file.tensor("model.embed_tokens.weight", "BF16", &[100, 64]);
    for layer in 0..3 {
        file.tensor(&format!("model.layers.{layer}.mlp.up_proj.weight"), "BF16", &[128, 64]);
    }
    file.tensor("model.layers.2.eh_proj.weight", "BF16", &[64, 128]);
    file.tensor("model.layers.2.embed_tokens.weight", "BF16", &[100, 64]);
    file.tensor("model.visual.blocks.0.attn.qkv.weight", "BF16", &[96, 32]);
    file.tensor("model.layers.0.self_attn.k_scale", "F32", &[]);
    let model = read(&file);
    let totals = model.totals();
    assert_eq!(totals.text.get(), 100 * 64 + 2 * 128 * 64);
    assert_eq!(totals.mtp.get(), 128 * 64 + 64 * 128 + 100 * 64);
    assert_eq!(totals.vision.get(), 96 * 32);
    assert_eq!(totals.scales, 1);
    assert_eq!(model.bytes(ModelPart::Vision), Bytes::from_count(2 * 96 * 32));
    assert_eq!((model.hidden(), model.vocabulary()), (Some(64), Some(100)));
}

#[test]
fn a_config_tells_the_layers_and_the_files_tell_the_bytes() {
    // Qwen3-30B-A3B in two files, a weight and its scale in different ones; experts in fp8.
    let mut files = [Safetensors::default(), Safetensors::default()];
    let [first, second] = &mut files;
    first.tensor("model.embed_tokens.weight", "BF16", &[151_936, 2048]);
    first.tensor("lm_head.weight", "BF16", &[151_936, 2048]);
    first.tensor("model.norm.weight", "BF16", &[2048]);
    for layer in 0..48 {
        let name = |what: &str| format!("model.layers.{layer}.{what}.weight");
        for (what, shape) in [
            ("self_attn.q_proj", vec![4096, 2048]),
            ("self_attn.k_proj", vec![512, 2048]),
            ("self_attn.v_proj", vec![512, 2048]),
            ("self_attn.o_proj", vec![2048, 4096]),
            ("self_attn.q_norm", vec![128]),
            ("self_attn.k_norm", vec![128]),
            ("input_layernorm", vec![2048]),
            ("post_attention_layernorm", vec![2048]),
            ("mlp.gate", vec![128, 2048]),
        ] {
            first.tensor(&name(what), "BF16", &shape);
        }
        for expert in 0..128 {
            for (what, shape) in
                [("gate_proj", [768, 2048]), ("up_proj", [768, 2048]), ("down_proj", [2048, 768])]
            {
                let name = name(&format!("mlp.experts.{expert}.{what}"));
                first.tensor(&name, "F8_E4M3", &shape);
                second.tensor(&format!("{name}_scale"), "F32", &[shape[0], 1]);
            }
        }
    }
    let bytes = files.each_ref().map(Safetensors::finish);
    let header = Model::from_safetensors_headers(bytes.iter().map(Vec::as_slice)).unwrap();
    let needs = "the model's config.json".to_owned();
    assert_eq!(header.warnings(), [Warning::LayerKindsUnknown { needs }]);
    assert_eq!(header.totals().text.get(), 30_532_122_624);
    assert_eq!(header.active(), None);
    assert!(header.tensors().len() < 20);

    let config = sizes::model(sizes::QWEN3_30B);
    let model = config.clone().with_tensors_of(header);
    assert_eq!(model.warnings(), []);
    assert_eq!(model.active(), config.active());
    assert_eq!(model.totals().scales, 48 * 128 * (768 + 768 + 2048));
    for tensor in model.tensors() {
        let kind = tensor.run().and_then(|run| model.layers().get(run)).map(|r| r.kind.name());
        let expected = match tensor.role() {
            Role::Attn => Some("full"),
            Role::Expert | Role::Router => Some("moe"),
            _ => None,
        };
        assert_eq!(kind, expected, "{}", tensor.name());
    }
    // Eight experts of each layer, a byte a weight and four a row.
    let each = 3 * 768 * 2048 + 4 * (768 + 768 + 2048);
    let streamed = model.streamed().unwrap();
    assert_eq!(streamed.fewest(), streamed.fixed + Bytes::from_count(48 * 8 * each));
}

#[test]
fn a_header_of_another_model_is_said_to_disagree() {
    let mut file = Safetensors::default();
    file.tensor("model.embed_tokens.weight", "BF16", &[100, 64]);
    let model = sizes::model(sizes::LLAMA_8B).with_tensors_of(read(&file));
    assert!(matches!(model.warnings(), [Warning::Disagrees { .. }]), "{:?}", model.warnings());
}

#[test]
fn a_header_without_its_end_is_cut() {
    let mut file = Safetensors::default();
    file.tensor("lm_head.weight", "BF16", &[10, 10]);
    let whole = file.finish();
    for end in 0..whole.len() {
        let error = Model::from_safetensors_header(whole.get(..end).unwrap()).unwrap_err();
        assert_eq!(error.kind(), ModelErrorKind::Truncated, "cut at {end}");
    }
}

#[test]
fn hostile_headers_end_in_errors() {
    let kind = |bytes: &[u8]| Model::from_safetensors_header(bytes).unwrap_err().kind();
    let json = |text: &str| kind(&safetensors(text));
    // Lengths of 2^63, and of a sane size with nothing behind.
    assert_eq!(kind(&(1_u64 << 63).to_le_bytes()), ModelErrorKind::TooLarge);
    assert_eq!(kind(&99_000_000_u64.to_le_bytes()), ModelErrorKind::Truncated);
    assert_eq!(json(&"[".repeat(200_000)), ModelErrorKind::NotJson);
    assert_eq!(json(r#"{"__metadata__": {}}"#), ModelErrorKind::Missing);
    let deep = format!(r#"{{"__metadata__": {}}}"#, "[".repeat(200_000));
    assert_eq!(json(&deep), ModelErrorKind::NotJson);
    let entry = |dtype: &str, shape: &str, offsets: &str| {
        json(&format!(
            r#"{{"a": {{"dtype": "{dtype}", "shape": {shape}, "data_offsets": {offsets}}}}}"#
        ))
    };
    let long = format!("[{}0]", "0,".repeat(1_000_000));
    assert_eq!(entry("F32", &long, "[0, 0]"), ModelErrorKind::NotJson);
    assert_eq!(entry("F32", "[-1]", "[0, 4]"), ModelErrorKind::NotJson);
    assert_eq!(entry("F32", "[1152921504606846976, 64]", "[0, 4]"), ModelErrorKind::Layout);
    assert_eq!(entry("F32", "[1]", "[4, 0]"), ModelErrorKind::Layout);
    assert_eq!(entry("F32", "[1]", "[0, 8]"), ModelErrorKind::Layout);
    assert_eq!(entry("F32", "[1]", "[4, 8]"), ModelErrorKind::Layout);
    assert_eq!(entry("Q99", "[1]", "[0, 4]"), ModelErrorKind::UnknownFormat);
    let whole = 1_u64 << 60;
    let offsets = format!("[0, {whole}]");
    assert_eq!(entry("U8", &format!("[{whole}]"), &offsets), ModelErrorKind::OutOfRange);
    let twice = r#"{"a": {"dtype": "U8", "shape": [1], "data_offsets": [0, 1]},
                    "a": {"dtype": "U8", "shape": [1], "data_offsets": [1, 2]}}"#;
    assert_eq!(json(twice), ModelErrorKind::Layout);
    let overlap = r#"{"a": {"dtype": "U8", "shape": [2], "data_offsets": [0, 2]},
                      "b": {"dtype": "U8", "shape": [2], "data_offsets": [1, 3]}}"#;
    assert_eq!(json(overlap), ModelErrorKind::Layout);
}
