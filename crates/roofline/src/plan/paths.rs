//! On which paths a stored weight may be multiplied.

use super::Arithmetic;
use crate::{Accumulate, DType, GgmlType, MathPath, Stored};

const BF16: MathPath = MathPath::dense(DType::Bf16, Accumulate::F32);
const F16: MathPath = MathPath::dense(DType::F16, Accumulate::F32);
const F16_IN_F16: MathPath = MathPath::dense(DType::F16, Accumulate::F16);
const FP8: MathPath = MathPath::dense(DType::Fp8, Accumulate::F32);
const FP8_IN_F16: MathPath = MathPath::dense(DType::Fp8, Accumulate::F16);
const FP4: MathPath = MathPath::dense(DType::Fp4, Accumulate::F32);
const INT8: MathPath = MathPath::dense(DType::Int8, Accumulate::Int32);
const F32: MathPath = MathPath::dense(DType::F32, Accumulate::F32);
const TF32: MathPath = MathPath::dense(DType::Tf32, Accumulate::F32);

/// What 16-bit arithmetic may be.
const SIXTEEN: &[MathPath] = &[F16, F16_IN_F16, BF16];

/// The paths on which weights stored so may be multiplied.
///
/// # Source
/// llama.cpp multiplies quantised weights as int8 and f16 ones summed in f16 (pull requests 7676 and 7860);
/// int4 checkpoints are widened to 16 bits (`AutoAWQ` issue 276), or multiplied with 8-bit activations
/// (TensorRT-LLM's `W4A8_AWQ`).
pub(super) fn of_weights(stored: Stored, arithmetic: Arithmetic) -> Vec<MathPath> {
    let small: &[MathPath] = match stored {
        Stored::F64 | Stored::F32 | Stored::Gguf(GgmlType::F32 | GgmlType::F64) => {
            return vec![TF32, F32, BF16, F16];
        }
        Stored::Bf16 | Stored::Gguf(GgmlType::Bf16) => return vec![BF16, F16],
        Stored::F16 | Stored::Gguf(GgmlType::F16) => return SIXTEEN.to_vec(),
        Stored::Fp8(_) => &[FP8, FP8_IN_F16],
        Stored::Nvfp4 | Stored::Mxfp4 => &[FP4, FP8, FP8_IN_F16],
        Stored::Integer { bits: 0..8, .. } => &[INT8, FP8, FP8_IN_F16],
        Stored::Gguf(GgmlType::Mxfp4 | GgmlType::Nvfp4) => &[FP4, INT8],
        Stored::Integer { .. } | Stored::Gguf(_) | Stored::Opaque { .. } => &[INT8],
    };
    match arithmetic {
        Arithmetic::AsStored => small.to_vec(),
        Arithmetic::SixteenBit => SIXTEEN.to_vec(),
        Arithmetic::Unknown => [small, SIXTEEN].concat(),
    }
}

/// The paths on which queries meet keys and values cached so.
///
/// # Assumptions
/// A cache of 16 bits is scored in 16 bits. Engines that round it to eight before they score it are not
/// known to serve by default.
pub(super) fn of_attention(kv: Option<Stored>) -> Vec<MathPath> {
    let small: &[MathPath] = match kv {
        Some(
            Stored::F64
            | Stored::F32
            | Stored::F16
            | Stored::Bf16
            | Stored::Gguf(GgmlType::F32 | GgmlType::F16 | GgmlType::Bf16),
        ) => &[],
        Some(_) | None => &[FP8, FP8_IN_F16, INT8],
    };
    [small, SIXTEEN].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Source: `AutoAWQ` issues 106, 172 and 276, marlin issue 21.
    #[test]
    fn four_bit_weights_alone_are_multiplied_in_sixteen_bits_known_error_15() {
        let int4 = of_weights(Stored::int4(128), Arithmetic::SixteenBit);
        assert_eq!(int4, of_weights(Stored::F16, Arithmetic::Unknown));
    }

    /// Source: ggml-org/llama.cpp pull request 7676.
    #[test]
    fn a_q4_file_may_be_multiplied_as_int8_known_error_16() {
        let q4 = of_weights(Stored::Gguf(GgmlType::Q4K), Arithmetic::AsStored);
        assert_eq!(q4, [INT8]);
        assert!(
            of_weights(Stored::Gguf(GgmlType::F16), Arithmetic::AsStored).contains(&F16_IN_F16)
        );
    }
}
