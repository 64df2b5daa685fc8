//! How a run was served, by the words in which it says so itself.

use trueline_core::Conditions;
use trueline_roofline::{Scales, Speculation, Stored};

/// What a run says of how its weights are stored.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Said {
    /// Nothing, or that they are as the model's own files have them.
    Nothing,
    /// So.
    Stored(Stored),
    /// In words that do not tell the bytes of a weight.
    Unclear(String),
}

/// Words for weights as they are in the model's files.
const AS_THEY_ARE: [&str; 6] = ["", "none", "null", "no", "false", "auto"];

/// Parts of names that say that weights are small, whatever a configuration beside them holds.
const SMALL: [&str; 24] = [
    "awq",
    "gptq",
    "fp8",
    "fp4",
    "nvfp4",
    "mxfp4",
    "int8",
    "int4",
    "4bit",
    "8bit",
    "3bit",
    "6bit",
    "gguf",
    "w4a16",
    "w8a8",
    "w8a16",
    "w4a8",
    "bnb",
    "hqq",
    "exl2",
    "exl3",
    "marlin",
    "quantized",
    "quant",
];

/// Reads what the condition `quantization` says.
pub(super) fn by_word(text: &str) -> Said {
    let word = text.trim().to_lowercase().replace(['-', '_', ' '], "");
    if AS_THEY_ARE.contains(&word.as_str()) {
        return Said::Nothing;
    }
    match word.as_str() {
        "bf16" | "bfloat16" => Said::Stored(Stored::Bf16),
        "fp16" | "f16" | "float16" | "half" => Said::Stored(Stored::F16),
        "fp32" | "f32" | "float32" => Said::Stored(Stored::F32),
        "fp8" | "fp8e4m3" | "float8" => Said::Stored(Stored::Fp8(Scales::Tensor)),
        "nvfp4" | "modeloptfp4" => Said::Stored(Stored::Nvfp4),
        "mxfp4" => Said::Stored(Stored::Mxfp4),
        _ => Said::Unclear(text.trim().to_owned()),
    }
}

/// The part of a model's name that says that its weights are small.
pub(super) fn small_by_name(name: &str) -> Option<&str> {
    let is_small = |word: &str| {
        let lower = word.to_lowercase();
        // GGUF file types: Q4_K_M is split at its underscores, IQ2_XXS as well.
        let digits = lower.strip_prefix("iq").or_else(|| lower.strip_prefix('q'));
        let ggml = digits.is_some_and(|d| d.len() == 1 && ('1'..='8').contains(&first(d)));
        ggml || SMALL.contains(&lower.as_str())
    };
    name.split(|c: char| !c.is_ascii_alphanumeric()).find(|word| is_small(word))
}

/// A kind of parallelism over more devices than were given.
pub(super) fn more_devices(conditions: &Conditions, devices: u64) -> Option<String> {
    let widths = conditions.iter().filter(|(key, _)| key.ends_with("parallel"));
    widths.into_iter().find_map(|(key, _)| {
        let n: u64 = conditions.get(key)?.trim().parse().ok().filter(|n| *n > devices)?;
        Some(format!("{} {n}", key.replace('_', " ")))
    })
}

/// What a run says of drafts: that there are none, or the word for them; nothing where it does not say.
pub(super) fn drafts(conditions: &Conditions) -> Option<Result<Speculation, &str>> {
    let word = conditions.get("speculative_decoding")?.trim();
    let off = ["", "none", "off", "false", "no", "0", "null"];
    let is_off = off.contains(&word.to_lowercase().as_str());
    Some(if is_off { Ok(Speculation::None) } else { Err(word) })
}

/// The size by which a model's name calls it, where it is not that of the model described: `7B` of 8.03 billion
/// parameters is, `70B` is not.
///
/// A mixture's name may hold several sizes, of which one has to fit.
pub(super) fn other_size(name: &str, parameters: f64) -> Option<&str> {
    let sizes = name.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.')).filter_map(|word| {
        let number = word.strip_suffix(['b', 'B'])?;
        let size: f64 = number.parse().ok().filter(|n| (0.05..1e4).contains(n))?;
        Some((word, size * 1e9))
    });
    let sizes: Vec<(&str, f64)> = sizes.collect();
    let fits = |size: f64| (parameters / size).max(size / parameters) <= SIZE;
    let (word, _) = sizes.first()?;
    (!sizes.iter().any(|(_, size)| fits(*size))).then_some(*word)
}

/// How far the size in a name may be from the parameters counted.
const SIZE: f64 = 1.3;

fn first(text: &str) -> char {
    text.chars().next().unwrap_or(' ')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_words_are_read_and_others_are_kept() {
        assert_eq!(by_word("FP8"), Said::Stored(Stored::Fp8(Scales::Tensor)));
        assert_eq!(by_word("bfloat16"), Said::Stored(Stored::Bf16));
        assert_eq!(by_word("None"), Said::Nothing);
        assert_eq!(by_word(" awq_marlin"), Said::Unclear("awq_marlin".into()));
    }

    #[test]
    fn more_devices_and_drafts_than_were_given_are_seen() {
        let says = |key: &str, value: &str| Conditions::from_iter([(key, value)]);
        assert_eq!(
            more_devices(&says("tensor_parallel", "8"), 1),
            Some("tensor parallel 8".into())
        );
        assert_eq!(more_devices(&says("tensor_parallel", "8"), 8), None);
        assert_eq!(more_devices(&says("tensor_parallel", "auto"), 1), None);
        assert_eq!(drafts(&says("speculative_decoding", "None")), Some(Ok(Speculation::None)));
        assert_eq!(drafts(&says("speculative_decoding", "mtp")), Some(Err("mtp")));
        assert_eq!(drafts(&Conditions::default()), None);
    }

    #[test]
    fn a_name_of_another_size_is_another_models() {
        for (name, parameters, other) in [
            ("llama 7B Q4_K - Medium", 8.03e9, None),
            ("meta-llama/Llama-3.1-70B", 8.03e9, Some("70B")),
            ("Qwen/Qwen3-30B-A3B", 30.5e9, None),
            ("mistralai/Mixtral-8x7B-v0.1", 46.7e9, None),
            ("openai/gpt-oss-120b", 116.8e9, None),
            ("Qwen/Qwen3-0.6B", 0.6e9, None),
            ("gemma-3-27b-it", 27.0e9, None),
            ("deepseek-ai/DeepSeek-V3", 671e9, None),
        ] {
            assert_eq!(other_size(name, parameters), other, "{name}");
        }
    }

    #[test]
    fn a_models_name_may_say_that_it_is_small() {
        for (name, small) in [
            ("llama 7B Q4_K - Medium", Some("Q4")),
            ("bartowski/Meta-Llama-3.1-8B-Instruct-IQ2_XXS", Some("IQ2")),
            ("RedHatAI/Llama-3.3-70B-FP8-dynamic", Some("FP8")),
            ("mlx-community/Qwen3-8B-4bit", Some("4bit")),
            ("Qwen/Qwen3-8B", None),
            ("Qwen/Qwen2.5-7B-Instruct", None),
            ("lukealonso/GLM-5-NVFP4", Some("NVFP4")),
        ] {
            assert_eq!(small_by_name(name), small, "{name}");
        }
    }
}
