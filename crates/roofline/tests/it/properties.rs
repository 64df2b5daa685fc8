//! What holds for any bytes: a model or an error, never a panic.

use proptest::prelude::*;
use trueline_core::Tokens;
use trueline_roofline::{KvStorage, Model, ModelError, ModelPart, Stored};

use crate::files::{F16, Gguf, MXFP4, Safetensors, safetensors};
use crate::sizes;

const CONFIGS: [&str; 8] = [
    sizes::LLAMA_8B,
    sizes::QWEN3_30B,
    sizes::QWEN3_NEXT,
    sizes::DEEPSEEK_V32,
    sizes::GPT_OSS_120B,
    sizes::GEMMA3_27B,
    sizes::NEMOTRON_NANO,
    sizes::KIMI_LINEAR,
];

/// Asks a model everything; what it answers must hold together.
fn ask(read: Result<Model, ModelError>) {
    let model = match read {
        Ok(model) => model,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return;
        }
    };
    let context = Tokens::new(u64::MAX);
    for kv in [Stored::Bf16, Stored::F64, Stored::int4(1)] {
        let held = model.kv_held(context, kv, KvStorage::Whole);
        assert!(model.kv_read(context, kv) <= held);
        assert!(model.kv_held(context, kv, KvStorage::Window) <= held);
        assert!(model.kv_per_token(kv) <= held);
    }
    for run in model.layers() {
        let _ = run.kind.mixer();
        let _ = run.kind.state_bytes();
    }
    let totals = model.totals();
    if let Some(active) = model.active() {
        assert!(active.total() <= totals.text, "{active:?} of {totals:?}");
    }
    if let Some(streamed) = model.streamed() {
        assert!(streamed.fewest() <= model.bytes(ModelPart::Text));
        assert!(streamed.expected(u64::MAX) >= streamed.fixed);
    }
    for warning in model.warnings() {
        assert!(!warning.to_string().is_empty());
    }
    serde_json::to_string(&model).unwrap();
}

fn small_gguf() -> Vec<u8> {
    let mut file = Gguf::new("llama");
    file.number("llama.block_count", 2);
    file.numbers("llama.attention.head_count", &[4, 4]);
    file.number("llama.expert_count", 4);
    file.number("llama.expert_used_count", 2);
    file.texts("tokenizer.ggml.tokens", &["a", "b"]);
    file.tensor("token_embd.weight", &[64, 64], F16);
    for layer in 0..2 {
        file.tensor(&format!("blk.{layer}.attn_k.weight"), &[64, 64], F16);
        file.tensor(&format!("blk.{layer}.ffn_down_exps.weight"), &[4, 64, 64], MXFP4);
    }
    file.finish()
}

fn small_safetensors() -> Vec<u8> {
    let mut file = Safetensors::default();
    file.tensor("model.embed_tokens.weight", "BF16", &[8, 8]);
    file.tensor("model.layers.0.mlp.up_proj.weight", "F8_E4M3", &[8, 8]);
    file.tensor("model.layers.0.mlp.up_proj.weight_scale", "F32", &[8, 1]);
    file.tensor("model.layers.0.mlp.down_proj.qweight", "I32", &[8, 8]);
    file.tensor("model.layers.0.mlp.down_proj.scales", "F16", &[1, 8]);
    file.tensor("model.layers.0.mlp.down_proj.qzeros", "I32", &[1, 1]);
    file.tensor("model.layers.0.mlp.experts.down_proj_blocks", "U8", &[2, 8, 2, 16]);
    file.tensor("model.layers.0.mlp.experts.down_proj_scales", "U8", &[2, 8, 2]);
    file.finish()
}

#[test]
fn a_config_cut_anywhere_is_an_error() {
    for config in CONFIGS {
        for end in 0..config.len() {
            assert!(Model::from_hf_config(config.get(..end).unwrap()).is_err());
        }
    }
}

#[test]
fn the_models_that_are_changed_below_can_be_read() {
    for config in CONFIGS {
        ask(Ok(sizes::model(config)));
    }
    ask(Ok(Model::from_gguf_header(small_gguf().as_slice()).unwrap()));
    ask(Ok(Model::from_safetensors_header(small_safetensors().as_slice()).unwrap()));
}

fn arbitrary_size() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<u64>().prop_map(|n| n.to_string()),
        any::<i64>().prop_map(|n| n.to_string()),
        (0_u64..40).prop_map(|n| n.to_string()),
        (0_u32..64).prop_map(|n| (1_u64 << n).to_string()),
        any::<f64>().prop_map(|f| format!("{f:e}")),
        Just("null".to_owned()),
        Just("[]".to_owned()),
        Just("{}".to_owned()),
        Just("\"*-ME\"".to_owned()),
        Just("NaN".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn any_bytes_are_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        ask(Model::from_hf_config(&String::from_utf8_lossy(&bytes)));
        ask(Model::from_safetensors_header(bytes.as_slice()));
        ask(Model::from_gguf_header(bytes.as_slice()));
        let text = String::from_utf8_lossy(&bytes);
        ask(Model::from_safetensors_header(safetensors(&text).as_slice()));
        let mut file = b"GGUF\x03\0\0\0".to_vec();
        file.extend(&bytes);
        ask(Model::from_gguf_header(file.as_slice()));
    }

    #[test]
    fn a_file_with_changed_bytes_is_no_panic(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        for file in [small_gguf(), small_safetensors()] {
            let mut file = file;
            for (place, byte) in &changes {
                let place = place.index(file.len());
                file[place] = *byte;
            }
            ask(Model::from_gguf_header(file.as_slice()));
            ask(Model::from_safetensors_header(file.as_slice()));
        }
    }

    #[test]
    fn a_config_with_any_sizes_is_no_panic(
        which in any::<prop::sample::Index>(),
        changes in proptest::collection::vec(
            (any::<prop::sample::Index>(), arbitrary_size()), 1..4),
    ) {
        let config = CONFIGS[which.index(CONFIGS.len())];
        // Every number of the config, by where it starts.
        let mut parts: Vec<String> = Vec::new();
        for part in config.split_inclusive([',', ':', '[', ']', '}']) {
            parts.push(part.to_owned());
        }
        for (place, size) in &changes {
            let place = place.index(parts.len());
            let part = &parts[place];
            let digits: String = part.chars().filter(char::is_ascii_digit).collect();
            if !digits.is_empty() && !part.contains('"') {
                parts[place] = part.replace(&digits, size);
            }
        }
        ask(Model::from_hf_config(&parts.concat()));
    }
}
