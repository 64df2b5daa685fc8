//! Quantisation blocks of configs: which weights are stored how.

use trueline_roofline::{Model, ModelErrorKind, Role, Scales, Stored, Warning, Zeros};

use crate::config::{changed, check};
use crate::sizes::{self, model};

/// A config with this quantisation block.
fn quantised(config: &str, block: &str) -> String {
    changed(
        config,
        "{\"model_type\"",
        &format!("{{\"quantization_config\": {block}, \"model_type\""),
    )
}

/// How the matrices of a role are stored, with how many copies.
fn stored(model: &Model, role: Role) -> Vec<(Stored, u64)> {
    let of = model.tensors().iter().filter(|t| t.role() == role && t.is_matrix());
    let mut found: Vec<(Stored, u64)> = Vec::new();
    for tensor in of {
        match found.iter_mut().find(|(stored, _)| *stored == tensor.stored()) {
            Some((_, copies)) => *copies += tensor.copies(),
            None => found.push((tensor.stored(), tensor.copies())),
        }
    }
    found
}

#[test]
fn blocks_of_the_known_methods_say_how_weights_are_stored() {
    let int = |bits, scales, zeros| Stored::Integer { bits, scales, zeros };
    let group = Scales::Group;
    for (block, expected) in [
        (r#"{"quant_method": "fp8"}"#, Stored::Fp8(Scales::Tensor)),
        (r#"{"quant_method": "fbgemm_fp8"}"#, Stored::Fp8(Scales::Channel)),
        (
            r#"{"quant_method": "awq", "bits": 4, "group_size": 128, "zero_point": false}"#,
            int(4, group(128), Zeros::None),
        ),
        (
            r#"{"quant_method": "gptq", "bits": 8, "group_size": -1, "sym": true}"#,
            int(8, Scales::Channel, Zeros::Packed),
        ),
        (
            r#"{"quant_method": "compressed-tensors", "ignore": ["lm_head"], "config_groups":
                {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float",
                "strategy": "channel", "symmetric": true}}}}"#,
            Stored::Fp8(Scales::Channel),
        ),
        (
            r#"{"quant_method": "compressed-tensors", "ignore": ["lm_head"], "config_groups":
                {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "float",
                "strategy": "tensor_group", "group_size": 16}}}}"#,
            Stored::Nvfp4,
        ),
        (
            r#"{"quant_method": "compressed-tensors", "ignore": ["lm_head"], "config_groups":
                {"group_0": {"targets": ["Linear"], "weights": {"num_bits": 4, "type": "int",
                "strategy": "group", "group_size": 128, "symmetric": true}}}}"#,
            int(4, group(128), Zeros::None),
        ),
        (
            r#"{"quant_method": "modelopt", "quant_algo": "FP8", "ignore": ["lm_head"]}"#,
            Stored::Fp8(Scales::Tensor),
        ),
    ] {
        let model = model(&quantised(sizes::LLAMA_8B, block));
        assert_eq!(stored(&model, Role::Attn), [(expected, 4 * 32)], "{block}");
        assert_eq!(stored(&model, Role::FfnDense), [(expected, 3 * 32)], "{block}");
        assert_eq!(stored(&model, Role::Head), [(Stored::Bf16, 1)], "{block}");
        assert_eq!(stored(&model, Role::Embed), [(Stored::Bf16, 1)], "{block}");
        assert_eq!(model.totals().text.get(), 8_030_261_248, "{block}");
        assert_eq!(model.warnings(), [], "{block}");
    }
}

#[test]
fn the_storage_of_the_cache_is_told_where_it_is_stated() {
    let block = |scheme: &str| {
        format!(
            r#"{{"quant_method": "compressed-tensors", "config_groups": {{}}, "ignore": [],
                "kv_cache_scheme": {scheme}}}"#
        )
    };
    let stated = |block: &str| model(&quantised(sizes::LLAMA_8B, block)).stated_kv();
    let fp8 = r#"{"num_bits": 8, "type": "float", "strategy": "tensor"}"#;
    assert_eq!(stated(&block(fp8)), Some(Stored::Fp8(Scales::Tensor)));
    assert_eq!(stated(&block("null")), None);
    assert_eq!(model(sizes::LLAMA_8B).stated_kv(), None);
}

#[test]
fn layers_that_are_left_out_stay_as_they_were() {
    let block = r#"{"quant_method": "compressed-tensors", "config_groups": {"group_0":
        {"targets": ["Linear"], "weights": {"num_bits": 8, "type": "float", "strategy": "tensor"}}},
        "ignore": ["lm_head", "re:.*mlp.gate$", "model.layers.0.self_attn.q_proj",
        "model.layers.1.self_attn.q_proj", "model.layers.47.mlp.experts", "re:.*(a|b)"]}"#;
    let model = model(&quantised(sizes::QWEN3_30B, block));
    let fp8 = Stored::Fp8(Scales::Tensor);
    assert_eq!(stored(&model, Role::Attn), [(fp8, 4 * 48 - 2), (Stored::Bf16, 2)]);
    assert_eq!(stored(&model, Role::Router), [(Stored::Bf16, 48)]);
    let experts = 3 * 128;
    assert_eq!(stored(&model, Role::Expert), [(fp8, 47 * experts), (Stored::Bf16, experts)]);
    let pattern = "re:.*(a|b)".to_owned();
    assert_eq!(model.warnings(), [Warning::UnreadPattern { pattern }]);
}

#[test]
fn a_quantisation_that_is_not_known_is_refused() {
    for (block, kind, words) in [
        (
            r#"{"quant_method": "bitsandbytes"}"#,
            ModelErrorKind::UnknownQuantisation,
            "bitsandbytes",
        ),
        (r"{}", ModelErrorKind::UnknownQuantisation, "found none"),
        (r#""fp8""#, ModelErrorKind::WrongType, "an object"),
        (r#"{"quant_method": "awq", "group_size": 128}"#, ModelErrorKind::Missing, "bits"),
        (
            r#"{"quant_method": "awq", "bits": 40, "group_size": 128}"#,
            ModelErrorKind::OutOfRange,
            "from 1 to 8",
        ),
        (
            r#"{"quant_method": "modelopt", "quant_algo": "FP3"}"#,
            ModelErrorKind::UnknownQuantisation,
            "FP3",
        ),
        (
            r#"{"quant_method": "fp8", "weight_block_size": [128]}"#,
            ModelErrorKind::WrongType,
            "two sizes",
        ),
    ] {
        check(&quantised(sizes::LLAMA_8B, block), kind, &[words]);
    }
}
