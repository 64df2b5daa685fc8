//! What a tensor does, by its name.

use crate::model::{ModelPart, Role};

/// Whose names a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::model) enum Dialect {
    /// Names of Hugging Face modules.
    HuggingFace,
    /// Names of llama.cpp.
    Gguf,
}

/// A name with `*` for each number in it, and the first two numbers.
pub(super) fn pattern(name: &str) -> (String, [Option<u64>; 2]) {
    let mut numbers = [None; 2];
    let parts: Vec<&str> = name
        .split('.')
        .map(|part| {
            let digits = !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
            let Some(number) = digits.then(|| part.parse().ok()).flatten() else { return part };
            if let Some(free) = numbers.iter_mut().find(|n| n.is_none()) {
                *free = Some(number);
            }
            "*"
        })
        .collect();
    (parts.join("."), numbers)
}

/// Names of modules that only layers of multi-token prediction have.
const AHEAD: [&str; 5] = ["eh_proj", "enorm", "hnorm", "shared_head", "nextn"];

/// Whether a tensor of this name marks its layer as one of multi-token prediction.
pub(super) fn marks_mtp(pattern: &str) -> bool {
    pattern.split('.').any(|part| AHEAD.contains(&part))
}

/// The part a name belongs to, its layer apart.
pub(super) fn part(dialect: Dialect, pattern: &str) -> ModelPart {
    let first = pattern.split('.').next().unwrap_or_default();
    match dialect {
        Dialect::Gguf if matches!(first, "v" | "mm" | "a") => ModelPart::Vision,
        Dialect::HuggingFace if pattern.split('.').any(is_tower) => ModelPart::Vision,
        Dialect::HuggingFace if first == "mtp" || pattern.starts_with("model.mtp.") => {
            ModelPart::Mtp
        }
        _ => ModelPart::Text,
    }
}

fn is_tower(part: &str) -> bool {
    part.contains("vision")
        || part.starts_with("visual")
        || part.starts_with("audio")
        || part.starts_with("multi_modal")
        || part.starts_with("mm_")
}

/// The role of a tensor by its name.
pub(super) fn role(dialect: Dialect, pattern: &str) -> Role {
    match dialect {
        Dialect::HuggingFace => hugging_face(pattern),
        Dialect::Gguf => gguf(pattern),
    }
}

fn hugging_face(pattern: &str) -> Role {
    let parts: Vec<&str> = pattern.split('.').collect();
    let any = |fits: &dyn Fn(&str) -> bool| parts.iter().any(|part| fits(part));
    let is = |names: &'static [&'static str]| any(&|part| names.contains(&part));
    if any(&|p| p.ends_with("_scale") || p.ends_with("_scale_inv") || p.ends_with("_scales")) {
        return Role::Scale;
    }
    if is(&["embed_tokens_per_layer", "position_embeddings", "wpe"]) {
        return Role::Lookup;
    }
    if is(&["embed_tokens", "embeddings", "embed_in", "wte", "word_embeddings"]) {
        return Role::Embed;
    }
    let outside = !pattern.contains('*') || marks_mtp(pattern);
    if is(&["lm_head", "embed_out"]) || (outside && is(&["head", "output"])) {
        return Role::Head;
    }
    if any(&|p| p.contains("norm") || p.starts_with("ln_")) {
        return Role::Norm;
    }
    if any(&|p| p.starts_with("shared_expert")) {
        return Role::Shared;
    }
    if is(&["experts"]) {
        return Role::Expert;
    }
    if is(&["gate", "router", "e_score_correction_bias"]) {
        return Role::Router;
    }
    if is(&["indexer"]) {
        return Role::Indexer;
    }
    let states = ["A_log", "D", "dt_bias", "in_proj", "out_proj", "conv1d"];
    if is(&["linear_attn", "mamba", "ssm"]) || (is(&["mixer"]) && any(&|p| states.contains(&p))) {
        return Role::State;
    }
    if any(&|p| p.contains("mlp") || p == "feed_forward" || p == "ffn") {
        return Role::FfnDense;
    }
    if any(&|p| p.contains("attn") || p.contains("attention")) {
        return Role::Attn;
    }
    match parts.iter().rev().nth(1) {
        Some(&"up_proj" | &"down_proj" | &"gate_proj") => Role::FfnDense,
        Some(&"q_proj" | &"k_proj" | &"v_proj" | &"o_proj") => Role::Attn,
        _ => Role::Other,
    }
}

fn gguf(pattern: &str) -> Role {
    let rest = pattern.strip_prefix("blk.*.").unwrap_or(pattern);
    let name = rest.strip_prefix("nextn.").unwrap_or(rest);
    let name = name.split('.').next().unwrap_or_default();
    match name {
        "token_embd" | "embed_tokens" => Role::Embed,
        "output" | "shared_head_head" => Role::Head,
        "per_layer_token_embd" | "position_embd" | "token_types" => Role::Lookup,
        "ffn_gate_inp" | "exp_probs_b" => Role::Router,
        _ if name.ends_with("norm") || name == "layer_output_scale" => Role::Norm,
        _ if name.ends_with("_shexp") => Role::Shared,
        _ if name.ends_with("_exps") => Role::Expert,
        // Files of early 2024 hold each expert by its number.
        _ if name.starts_with("ffn_") && rest.contains(".*.") => Role::Expert,
        _ if name.starts_with("indexer") => Role::Indexer,
        _ if name.starts_with("ssm_") || name == "shortconv" => Role::State,
        _ if name.starts_with("attn_") => Role::Attn,
        _ if name.starts_with("ffn_") => Role::FfnDense,
        _ => Role::Other,
    }
}

/// Names that are known to be none of the roles.
pub(super) fn is_known_other(pattern: &str) -> bool {
    marks_mtp(pattern)
        || pattern.contains("rope_freqs")
        || pattern.contains("rotary_emb")
        || pattern.contains("rope_factors")
        || pattern.starts_with("mtp.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_follow_from_published_names() {
        let hf = |name: &str, expected| {
            let found = role(Dialect::HuggingFace, &pattern(name).0);
            assert_eq!(found, expected, "{name}");
        };
        hf("model.embed_tokens.weight", Role::Embed);
        hf("lm_head.weight", Role::Head);
        hf("model.layers.3.self_attn.q_a_layernorm.weight", Role::Norm);
        hf("model.layers.3.self_attn.kv_b_proj.weight", Role::Attn);
        hf("model.layers.3.self_attn.indexer.wq_b.weight", Role::Indexer);
        hf("model.layers.3.mlp.experts.17.up_proj.weight", Role::Expert);
        hf("model.layers.3.mlp.experts.gate_up_proj", Role::Expert);
        hf("model.layers.3.mlp.shared_experts.up_proj.weight", Role::Shared);
        hf("model.layers.3.mlp.shared_expert_gate.weight", Role::Shared);
        hf("model.layers.3.mlp.gate.weight", Role::Router);
        hf("model.layers.3.mlp.gate.e_score_correction_bias", Role::Router);
        hf("model.layers.3.mlp.gate_proj.weight", Role::FfnDense);
        hf("model.layers.3.block_sparse_moe.gate.weight", Role::Router);
        hf("model.layers.3.linear_attn.conv1d.weight", Role::State);
        hf("backbone.layers.3.mixer.in_proj.weight", Role::State);
        hf("backbone.layers.3.mixer.q_proj.weight", Role::Attn);
        hf("backbone.layers.3.mixer.up_proj.weight", Role::FfnDense);
        hf("model.layers.3.self_attn.k_scale", Role::Scale);
        hf("something.else", Role::Other);
        let llama_cpp = |name: &str, expected| {
            assert_eq!(role(Dialect::Gguf, &pattern(name).0), expected, "{name}");
        };
        llama_cpp("token_embd.weight", Role::Embed);
        llama_cpp("output.weight", Role::Head);
        llama_cpp("output_norm.weight", Role::Norm);
        llama_cpp("blk.7.attn_q_norm.weight", Role::Norm);
        llama_cpp("blk.7.attn_kv_a_mqa.weight", Role::Attn);
        llama_cpp("blk.7.ffn_gate_exps.weight", Role::Expert);
        llama_cpp("blk.7.ffn_gate.3.weight", Role::Expert);
        llama_cpp("blk.7.ffn_gate_inp.weight", Role::Router);
        llama_cpp("blk.7.ffn_up_shexp.weight", Role::Shared);
        llama_cpp("blk.7.ffn_up.weight", Role::FfnDense);
        llama_cpp("blk.7.ssm_conv1d.weight", Role::State);
        llama_cpp("per_layer_token_embd.weight", Role::Lookup);
        llama_cpp("rope_freqs.weight", Role::Other);
    }

    #[test]
    fn numbers_of_layer_and_expert_are_taken_out() {
        let (name, numbers) = pattern("model.layers.3.mlp.experts.17.up_proj.weight");
        assert_eq!(name, "model.layers.*.mlp.experts.*.up_proj.weight");
        assert_eq!(numbers, [Some(3), Some(17)]);
        // A number beyond 64 bits is a name like any other.
        let long = "a.99999999999999999999999.b";
        assert_eq!(pattern(long), (long.to_owned(), [None, None]));
    }
}
