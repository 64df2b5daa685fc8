//! A way through a processor's arithmetic: what is multiplied, what is summed in, dense or sparse.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The type of the factors of a multiplication.
///
/// How a weight is stored is another matter: a four-bit weight may well be multiplied as `f16`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum DType {
    /// 32-bit floats on the ordinary cores.
    F32,
    /// 32-bit floats cut to 19 bits for the matrix units.
    Tf32,
    /// bfloat16.
    Bf16,
    /// IEEE half precision.
    F16,
    /// Eight-bit floats, E4M3 or E5M2.
    Fp8,
    /// Eight-bit integers.
    Int8,
    /// Four-bit floats with block scales, NVFP4 or MXFP4.
    Fp4,
}

impl DType {
    /// All of them.
    pub const ALL: [Self; 7] =
        [Self::F32, Self::Tf32, Self::Bf16, Self::F16, Self::Fp8, Self::Int8, Self::Fp4];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::Tf32 => "tf32",
            Self::Bf16 => "bf16",
            Self::F16 => "f16",
            Self::Fp8 => "fp8",
            Self::Int8 => "int8",
            Self::Fp4 => "fp4",
        }
    }
}

/// The type in which products are summed. On consumer parts it decides over half of the rate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Accumulate {
    /// 32-bit floats.
    F32,
    /// 16-bit floats.
    F16,
    /// 32-bit integers.
    Int32,
}

impl Accumulate {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::F32, Self::F16, Self::Int32];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::F32 => "f32",
            Self::F16 => "f16",
            Self::Int32 => "int32",
        }
    }
}

/// Whether half of the factors are known to be zero and skipped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Density {
    /// All factors count. LLM inference is dense unless somebody pruned the model for it.
    Dense,
    /// Two of each four weights are zero; the skipped operations are counted all the same.
    Sparse2To4,
}

/// A way through a processor's arithmetic.
///
/// There is no default: a rate asked for without its accumulate type is not answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct MathPath {
    /// What is multiplied.
    pub dtype: DType,
    /// What it is summed in.
    pub accumulate: Accumulate,
    /// Dense or sparse.
    pub density: Density,
}

/// A text that names no math path.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a math path, dtype and accumulate type joined by an underscore \
     (f32, tf32, bf16, f16, fp8, int8 or fp4; f32, f16 or int32), as in bf16_f32; found {0:?}"
)]
pub struct MathPathError(String);

impl MathPath {
    /// A dense path.
    pub const fn dense(dtype: DType, accumulate: Accumulate) -> Self {
        Self { dtype, accumulate, density: Density::Dense }
    }

    /// The path that skips zeros, over the same types.
    #[must_use]
    pub const fn sparse(self) -> Self {
        Self { density: Density::Sparse2To4, ..self }
    }

    /// A dense path from its name in files, as `bf16_f32`.
    ///
    /// # Errors
    /// A text that is no dtype and accumulate type joined by an underscore.
    pub fn parse_dense(text: &str) -> Result<Self, MathPathError> {
        let refused = || MathPathError(text.to_owned());
        let (dtype, accumulate) = text.split_once('_').ok_or_else(refused)?;
        let dtype = DType::ALL.into_iter().find(|d| d.name() == dtype).ok_or_else(refused)?;
        let accumulate =
            Accumulate::ALL.into_iter().find(|a| a.name() == accumulate).ok_or_else(refused)?;
        Ok(Self::dense(dtype, accumulate))
    }

    /// Its name in files without the density, as `bf16_f32`.
    pub fn types(self) -> String {
        format!("{}_{}", self.dtype.name(), self.accumulate.name())
    }

    /// Whether the matrix units compute it; plain `f32` runs on the ordinary cores, which skip nothing.
    pub(crate) fn can_skip_zeros(self) -> bool {
        self.dtype != DType::F32
    }
}

impl fmt::Display for MathPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let density = match self.density {
            Density::Dense => "dense",
            Density::Sparse2To4 => "2:4 sparse",
        };
        write!(f, "{} summed in {}, {density}", self.dtype.name(), self.accumulate.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_survives_its_name() {
        for dtype in DType::ALL {
            for accumulate in Accumulate::ALL {
                let path = MathPath::dense(dtype, accumulate);
                assert_eq!(MathPath::parse_dense(&path.types()), Ok(path));
            }
        }
    }

    #[test]
    fn a_dtype_without_its_accumulate_type_is_no_path_known_error_3() {
        for bad in ["bf16", "bf16_", "_f32", "bf16_f64", "BF16_F32", "", "f16_f32_dense"] {
            let error = MathPath::parse_dense(bad).unwrap_err().to_string();
            assert!(error.contains("as in bf16_f32") && error.contains(bad), "{error}");
        }
    }

    #[test]
    fn a_path_is_told_in_words() {
        let path = MathPath::dense(DType::F16, Accumulate::F16);
        assert_eq!(path.to_string(), "f16 summed in f16, dense");
        assert_eq!(path.sparse().to_string(), "f16 summed in f16, 2:4 sparse");
    }
}
