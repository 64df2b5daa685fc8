//! The names under which people ask for a storage: `bf16`, `fp8`, `int4`, `Q4_K`.

use std::str::FromStr;

use super::{GgmlType, Scales, Stored, Zeros};

/// A text that names no storage.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected}, found {found:?}")]
pub struct StoredError {
    expected: String,
    found: String,
}

/// The names that are no type of GGUF files, with what they stand for.
const NAMES: [(&str, Stored); 22] = [
    ("bf16", Stored::Bf16),
    ("bfloat16", Stored::Bf16),
    ("f16", Stored::F16),
    ("fp16", Stored::F16),
    ("float16", Stored::F16),
    ("half", Stored::F16),
    ("f32", Stored::F32),
    ("fp32", Stored::F32),
    ("float32", Stored::F32),
    ("fp8", Stored::Fp8(Scales::Tensor)),
    ("f8", Stored::Fp8(Scales::Tensor)),
    ("fp8_e4m3", Stored::Fp8(Scales::Tensor)),
    ("fp8_e5m2", Stored::Fp8(Scales::Tensor)),
    ("fp8_block", Stored::Fp8(Scales::Block { rows: 128, cols: 128 })),
    ("int8", Stored::Integer { bits: 8, scales: Scales::Channel, zeros: Zeros::None }),
    ("w8a8", Stored::Integer { bits: 8, scales: Scales::Channel, zeros: Zeros::None }),
    ("int4", Stored::int4(128)),
    ("awq", Stored::int4(128)),
    ("gptq", Stored::int4(128)),
    ("w4a16", Stored::int4(128)),
    ("nvfp4", Stored::Nvfp4),
    ("mxfp4", Stored::Mxfp4),
];

/// Endings of the mixtures that llama.cpp makes of several types: `Q4_K_M`.
const MIXTURES: [&str; 5] = ["_s", "_m", "_l", "_xl", "_xs"];

impl FromStr for Stored {
    type Err = StoredError;

    /// The storage that a text names, in either case.
    ///
    /// # Formula
    /// `fp8` has one scale for a tensor, `fp8_block` one for 128 x 128 values, `int8` one for a row, `int4`
    /// one and a zero point for 128 values. A type of GGUF files goes by the name that llama.cpp prints.
    /// `fp4` alone is none, since nvfp4 and mxfp4 differ in size; a mixture such as `Q4_K_M` is none either.
    ///
    /// # Errors
    /// Any other text, with the names that are known.
    ///
    /// # Examples
    /// ```
    /// use trueline_roofline::{GgmlType, Stored};
    /// assert_eq!("BF16".parse(), Ok(Stored::Bf16));
    /// assert_eq!("q6_k".parse(), Ok(Stored::Gguf(GgmlType::Q6K)));
    /// let error = "Q4_K_M".parse::<Stored>().unwrap_err().to_string();
    /// assert!(error.contains("a mixture of several types"));
    /// ```
    fn from_str(text: &str) -> Result<Self, StoredError> {
        let name = text.trim().to_ascii_lowercase().replace('-', "_");
        let gguf = |name: &str| GgmlType::all().find(|t| t.name().to_ascii_lowercase() == name);
        if let Some((_, stored)) = NAMES.iter().find(|(known, _)| *known == name) {
            return Ok(*stored);
        }
        // `i8` and the like hold positions and masks, no weights.
        if let Some(found) = gguf(&name).filter(|_| !name.starts_with(['i', 'f']) || is_iq(&name)) {
            return Ok(Self::Gguf(found));
        }
        let is_mixture = name.starts_with('q')
            && MIXTURES.iter().any(|end| name.strip_suffix(end).is_some_and(|n| gguf(n).is_some()));
        let expected = if is_mixture {
            "one storage, not a mixture of several types: the file itself tells them, give the .gguf".to_owned()
        } else {
            let plain: Vec<&str> = NAMES.iter().map(|(name, _)| *name).collect();
            let of_gguf: Vec<&str> = GgmlType::all()
                .map(GgmlType::name)
                .filter(|n| n.starts_with(['Q', 'T']) || is_iq(n))
                .collect();
            format!("a storage ({}, or of GGUF files {})", plain.join(", "), of_gguf.join(", "))
        };
        Err(StoredError { expected, found: super::error::shown(text) })
    }
}

fn is_iq(name: &str) -> bool {
    name.get(..2).is_some_and(|head| head.eq_ignore_ascii_case("iq"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_read_and_every_type_of_weights_goes_by_its_own() {
        for (name, stored) in NAMES {
            assert_eq!(name.to_uppercase().parse(), Ok(stored));
        }
        let weights = GgmlType::all().filter(|t| t.name().starts_with('Q') || is_iq(t.name()));
        for t in weights {
            assert_eq!(t.name().parse(), Ok(Stored::Gguf(t)));
        }
        assert_eq!(" fp8-block ".parse(), Ok(Stored::Fp8(Scales::Block { rows: 128, cols: 128 })));
    }

    #[test]
    fn names_cost_what_their_layouts_do() {
        // By hand: 8 bits; 4 + (16 + 4) / 128; 4 + 8 / 16; 144 B for 256 values.
        for (name, bits) in [("fp8", 8.0), ("awq", 4.156_25), ("nvfp4", 4.5), ("Q4_K", 4.5)] {
            let stored: Stored = name.parse().unwrap();
            assert!((stored.bits_per_weight().get() - bits).abs() < 1e-12, "{name}");
        }
    }

    #[test]
    fn what_is_no_storage_says_what_is_known() {
        for text in ["", "fp4", "int3", "i32", "fast", "bf17", "\u{1b}[31m"] {
            let error = text.parse::<Stored>().unwrap_err().to_string();
            assert!(error.contains("bf16, bfloat16") && error.contains("Q4_K"), "{error}");
            assert!(!error.contains('\u{1b}'));
        }
        for text in ["Q4_K_M", "q3_k_xl", "Q5_K_S"] {
            assert!(text.parse::<Stored>().unwrap_err().to_string().contains("give the .gguf"));
        }
    }
}
