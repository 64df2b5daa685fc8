//! GGUF headers: what they list is what the model has.

use trueline_roofline::{
    Bytes, GgmlType, LayerKind, LayerRun, Model, ModelErrorKind, ModelPart, Role, Stored, Warning,
};

use crate::files::{F16, F32, Gguf, MXFP4, Q4_K, Q6_K};

/// Llama-3.1-8B as llama.cpp converts it; the type of each matrix by its name and layer.
fn llama(kind: impl Fn(&str, u64) -> (u32, u64, u64)) -> Gguf {
    let mut file = Gguf::new("llama");
    file.number("llama.block_count", 32);
    file.number("llama.embedding_length", 4096);
    file.number("llama.feed_forward_length", 14336);
    file.number("llama.attention.head_count", 32);
    file.number("llama.attention.head_count_kv", 8);
    file.texts("tokenizer.ggml.tokens", &["a", "b", "llama.block_count"]);
    file.numbers("tokenizer.ggml.token_type", &[1, 1, 3]);
    file.tensor("token_embd.weight", &[128_256, 4096], kind("token_embd", 0));
    for layer in 0..32 {
        for (name, shape) in [
            ("attn_q", [4096, 4096]),
            ("attn_k", [1024, 4096]),
            ("attn_v", [1024, 4096]),
            ("attn_output", [4096, 4096]),
            ("ffn_gate", [14336, 4096]),
            ("ffn_up", [14336, 4096]),
            ("ffn_down", [4096, 14336]),
        ] {
            file.tensor(&format!("blk.{layer}.{name}.weight"), &shape, kind(name, layer));
        }
        file.tensor(&format!("blk.{layer}.attn_norm.weight"), &[4096], F32);
        file.tensor(&format!("blk.{layer}.ffn_norm.weight"), &[4096], F32);
    }
    file.tensor("output_norm.weight", &[4096], F32);
    file.tensor("output.weight", &[128_256, 4096], kind("output", 0));
    file
}

/// What llama.cpp stores in more bits under `Q4_K_M`: the head, and half of the layers' values and
/// down projections (`llama_tensor_get_type`, `use_more_bits`).
fn q4_k_m(name: &str, layer: u64) -> (u32, u64, u64) {
    let more = !(4..28).contains(&layer) || (layer - 4) % 3 == 2;
    match name {
        "output" => Q6_K,
        "attn_v" | "ffn_down" if more => Q6_K,
        _ => Q4_K,
    }
}

fn read(file: &Gguf) -> Model {
    Model::from_gguf_header(file.finish().as_slice()).unwrap()
}

#[test]
fn a_llama_file_is_the_model_that_its_config_is() {
    let file = llama(|_, _| F16);
    let model = read(&file);
    assert_eq!(model.totals().text.get(), 8_030_261_248);
    assert_eq!(model.active().unwrap().total().get(), 7_504_658_432);
    assert_eq!(model.bytes(ModelPart::Text), Bytes::from_count(file.bytes));
    assert_eq!(model.kv_per_token(Stored::F16), Bytes::from_count(131_072));
    assert_eq!((model.hidden(), model.vocabulary()), (Some(4096), Some(128_256)));
    assert_eq!(model.family(), "llama");
    assert!(!model.is_tied());
    // The width of a head is in no key of such a file.
    assert_eq!(model.warnings(), [Warning::MissingHeadDim { assumed: 128 }]);
    assert!(model.tensors().len() <= 12);
}

#[test]
fn a_mix_of_types_is_summed_by_tensor() {
    let file = llama(q4_k_m);
    let model = read(&file);
    assert_eq!(model.bytes(ModelPart::Text), Bytes::from_count(file.bytes));
    // llama.cpp prints "4.58 GiB (4.89 BPW)" for this mix of Llama 3 8B.
    let bits = model.bytes(ModelPart::Text).get() * 8.0 / 8_030_261_248.0;
    assert!((bits - 4.89).abs() < 0.005, "{bits}");
    // The size of a published file, 4.92 GB, gives 4.93 bits streamed: 0.17 % more, which is the
    // header with its vocabulary.
    let streamed = model.streamed().unwrap().fixed.get() * 8.0;
    let weights = 8_030_261_248.0 - 525_336_576.0;
    assert!((streamed / weights / 4.93 - 1.0).abs() < 0.002, "{}", streamed / weights);
    // Layers stored differently are still 32 equal layers.
    let attention = LayerKind::Full { heads: 32, kv_heads: 8, head_dim: 128 };
    assert_eq!(
        model.layers(),
        [
            LayerRun { kind: attention, count: 32 },
            LayerRun { kind: LayerKind::DenseFfn { width: 14336 }, count: 32 },
        ]
    );
}

#[test]
fn experts_in_one_tensor_are_one_copy_each() {
    let mut file = Gguf::new("gpt-oss");
    for (name, value) in [
        ("block_count", 4),
        ("attention.head_count", 64),
        ("attention.head_count_kv", 8),
        ("attention.key_length", 64),
        ("attention.sliding_window", 128),
        ("expert_count", 32),
        ("expert_used_count", 4),
    ] {
        file.number(&format!("gpt-oss.{name}"), value);
    }
    file.tensor("token_embd.weight", &[1000, 2880], F16);
    for layer in 0..4 {
        file.tensor(&format!("blk.{layer}.attn_q.weight"), &[4096, 2880], F16);
        file.tensor(&format!("blk.{layer}.attn_k.weight"), &[512, 2880], F16);
        for name in ["ffn_gate_exps", "ffn_up_exps", "ffn_down_exps"] {
            file.tensor(&format!("blk.{layer}.{name}.weight"), &[32, 2880, 2880], MXFP4);
            file.tensor(&format!("blk.{layer}.{name}.bias"), &[32, 2880], F32);
        }
    }
    let model = read(&file);
    let attention = (64, 8, 64);
    let (heads, kv_heads, head_dim) = attention;
    let expected = [
        LayerRun { kind: LayerKind::Full { heads, kv_heads, head_dim }, count: 2 },
        LayerRun { kind: LayerKind::Window { heads, kv_heads, head_dim, window: 128 }, count: 2 },
        LayerRun {
            kind: LayerKind::Moe { experts: 32, top_k: 4, width: 2880, shared: 0 },
            count: 4,
        },
    ];
    assert_eq!(model.layers(), expected);
    let experts = model.tensors().iter().find(|t| t.role() == Role::Expert && t.is_matrix());
    let experts = experts.unwrap();
    assert_eq!((experts.copies(), experts.shape()), (128, [2880, 2880].as_slice()));
    assert_eq!(experts.stored(), Stored::Gguf(GgmlType::Mxfp4));
    // 4 of 32 experts of each layer: 3 matrices of 4.25 bits and 3 biases of 4 bytes a row.
    let each = 3 * (2880 * 2880 * 17 / 32 + 2880 * 4);
    let streamed = model.streamed().unwrap();
    assert_eq!(streamed.fewest(), streamed.fixed + Bytes::from_count(4 * 4 * each));
    assert!(model.is_tied());
}

#[test]
fn layers_with_a_window_have_heads_of_their_own() {
    // As Gemma 4 is converted: which layers have a window, and heads, are listed by layer.
    let mut file = Gguf::new("gemma4");
    for (name, value) in [
        ("block_count", 3),
        ("attention.head_count", 32),
        ("attention.key_length", 512),
        ("attention.key_length_swa", 256),
        ("attention.sliding_window", 1024),
    ] {
        file.number(&format!("gemma4.{name}"), value);
    }
    file.numbers("gemma4.attention.head_count_kv", &[16, 16, 4]);
    file.numbers("gemma4.attention.sliding_window_pattern", &[1, 1, 0]);
    for layer in 0..3 {
        let rows = if layer == 2 { 4 * 512 } else { 16 * 256 };
        file.tensor(&format!("blk.{layer}.attn_k.weight"), &[rows, 5376], F16);
    }
    let model = read(&file);
    let full = LayerKind::Full { heads: 32, kv_heads: 4, head_dim: 512 };
    let window = LayerKind::Window { heads: 32, kv_heads: 16, head_dim: 256, window: 1024 };
    assert_eq!(
        model.layers(),
        [LayerRun { kind: full, count: 1 }, LayerRun { kind: window, count: 2 }]
    );
    assert_eq!(model.warnings(), []);
}

#[test]
fn latent_attention_and_layers_for_further_tokens_are_told_from_keys_and_names() {
    let mut file = Gguf::new("deepseek2");
    for (name, value) in [
        ("block_count", 3),
        ("nextn_predict_layers", 1),
        ("attention.head_count", 16),
        ("attention.head_count_kv", 1),
        ("attention.kv_lora_rank", 512),
        ("attention.key_length", 576),
        ("attention.value_length", 512),
        ("attention.key_length_mla", 192),
        ("attention.value_length_mla", 128),
        ("rope.dimension_count", 64),
    ] {
        file.number(&format!("deepseek2.{name}"), value);
    }
    file.tensor("token_embd.weight", &[100, 256], F16);
    file.tensor("output.weight", &[100, 256], F16);
    for layer in 0..3 {
        file.tensor(&format!("blk.{layer}.attn_kv_a_mqa.weight"), &[576, 256], F16);
        file.tensor(&format!("blk.{layer}.ffn_up.weight"), &[512, 256], F16);
        file.tensor(&format!("blk.{layer}.ffn_gate.weight"), &[512, 256], F16);
    }
    file.tensor("blk.2.nextn.eh_proj.weight", &[256, 512], F16);
    let model = read(&file);
    assert_eq!(
        model.layers().first(),
        Some(&LayerRun {
            kind: LayerKind::Mla {
                heads: 16,
                rank: 512,
                nope_dim: 128,
                rope_dim: 64,
                value_dim: 128,
                indexer: None
            },
            count: 2
        })
    );
    assert_eq!(model.totals().mtp.get(), 576 * 256 + 2 * 512 * 256 + 256 * 512);
    assert_eq!(model.warnings(), []);
    assert_eq!(model.kv_per_token(Stored::Bf16), Bytes::from_count(2 * 576 * 2));
}

#[test]
fn one_file_of_several_says_that_others_are_missing() {
    let mut file = llama(|_, _| F16);
    file.number("split.count", 2);
    let model = read(&file);
    let missing = Warning::NotCounted { what: "1 further files of the model".to_owned() };
    assert!(model.warnings().contains(&missing));
    let mut second = Gguf::new("llama");
    second.tensor("blk.31.more.weight", &[32, 32], F16);
    let files = [file.finish(), second.finish()];
    let both = Model::from_gguf_headers(files.iter().map(Vec::as_slice)).unwrap();
    assert!(!both.warnings().contains(&missing));
    assert_eq!(both.totals().text.get(), 8_030_261_248 + 1024);
    let twice = Model::from_gguf_headers([files[0].as_slice(), files[0].as_slice()]);
    assert_eq!(twice.unwrap_err().kind(), ModelErrorKind::Layout);
}

#[test]
fn a_key_that_is_missing_leaves_the_tensors_and_says_what_would_tell() {
    let mut file = Gguf::new("llama");
    file.tensor("blk.0.attn_k.weight", &[64, 64], F16);
    let model = read(&file);
    assert_eq!(model.layers(), []);
    let needs = "the key llama.attention.head_count".to_owned();
    assert_eq!(model.warnings(), [Warning::LayerKindsUnknown { needs }]);
}
