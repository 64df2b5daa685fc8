//! How a tensor is stored, and what that costs with its scales.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::GgmlType;
use crate::BitsPerWeight;

/// What one scale of a quantised tensor covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Scales {
    /// There are none.
    None,
    /// The whole tensor.
    Tensor,
    /// One output row.
    Channel,
    /// This many neighbouring values of a row.
    Group(u32),
    /// A rectangle of the matrix.
    Block {
        /// Output rows of it.
        rows: u32,
        /// Input columns of it.
        cols: u32,
    },
}

/// Whether a zero point is stored beside each scale.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Zeros {
    /// The range is symmetric: none is stored.
    None,
    /// One for each scale, as wide as a weight.
    Packed,
}

/// How the values of a tensor are stored, its scales counted in.
///
/// # Units
/// Scales of fp8 are 4 bytes (f32), those of integers 2 bytes (f16 or bf16), those of nvfp4 one
/// byte per 16 values with 4 bytes for the tensor, those of mxfp4 one byte per 32 values.
///
/// # Source
/// fp8: the `weight_scale_inv` tensors of DeepSeek-V3, whose published number of scales this
/// reproduces. Integers: the layouts of `AutoAWQ` and `AutoGPTQ` (zero points packed) and of
/// compressed-tensors; the order of rows that `AutoGPTQ` may store (`g_idx`) is not counted.
/// nvfp4 and mxfp4: the block layouts of Model Optimizer's and gpt-oss's checkpoints.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Stored {
    /// 64-bit floats.
    F64,
    /// 32-bit floats.
    F32,
    /// 16-bit floats, 5 bits of exponent.
    F16,
    /// 16-bit floats, 8 bits of exponent.
    Bf16,
    /// 8-bit floats, either split.
    Fp8(Scales),
    /// Integers of a few bits.
    Integer {
        /// Bits of one value.
        bits: u8,
        /// What one scale covers.
        scales: Scales,
        /// Whether zero points are stored.
        zeros: Zeros,
    },
    /// 4-bit floats in blocks of 16 under an fp8 scale each and one scale for the tensor.
    Nvfp4,
    /// 4-bit floats in blocks of 32 under a power of two each.
    Mxfp4,
    /// A type of GGUF files.
    Gguf(GgmlType),
    /// Something that is no weight: positions, masks, tables.
    Opaque {
        /// Bits of one value.
        bits: u8,
    },
}

/// What a tensor takes: bytes with scales, and how many scale values are among them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) bytes: u64,
    pub(crate) scales: u64,
}

impl Stored {
    /// Four-bit integers with one 16-bit scale and one 4-bit zero point for each `group`.
    pub const fn int4(group: u32) -> Self {
        Self::Integer { bits: 4, scales: Scales::Group(group), zeros: Zeros::Packed }
    }

    /// Bits that one weight takes on average, scales counted in.
    ///
    /// # Formula
    /// `block bytes x 8 / block values`; a scale for a whole row or tensor counts nothing.
    ///
    /// # Examples
    /// ```
    /// use trueline_roofline::Stored;
    /// assert_eq!(Stored::Nvfp4.bits_per_weight().get(), 4.5);
    /// assert_eq!(Stored::int4(128).bits_per_weight().get(), 4.15625);
    /// ```
    #[expect(
        clippy::missing_panics_doc,
        reason = "sums and ratios of small numbers that are not negative"
    )]
    pub fn bits_per_weight(self) -> BitsPerWeight {
        let bits = match self {
            Self::F64 => 64.0,
            Self::F32 => 32.0,
            Self::F16 | Self::Bf16 => 16.0,
            Self::Fp8(scales) => 8.0 + 32.0 / values_under(scales),
            Self::Integer { bits, scales, zeros } => {
                let zero = if zeros == Zeros::Packed { f64::from(bits) } else { 0.0 };
                f64::from(bits) + (16.0 + zero) / values_under(scales)
            }
            Self::Nvfp4 => 4.5,
            Self::Mxfp4 => 4.25,
            #[expect(clippy::cast_precision_loss, reason = "block sizes are under 300")]
            Self::Gguf(t) => t.block_bytes() as f64 * 8.0 / t.block_values() as f64,
            Self::Opaque { bits } => f64::from(bits),
        };
        BitsPerWeight::new(bits).expect("a few bits and a share of a scale")
    }

    /// What a tensor of this shape takes; `None` where it does not fit in 64 bits, or where a row
    /// holds no whole number of blocks.
    pub(crate) fn extent(self, shape: &[u64]) -> Option<Extent> {
        let values = elements(shape)?;
        let cols = shape.last().copied().unwrap_or(1).max(1);
        let rows = values / cols;
        let plain = |bytes| Some(Extent { bytes: values.checked_mul(bytes)?, scales: 0 });
        let with = |bytes: u64, scales: u64, each: u64| {
            let bytes = bytes.checked_add(scales.checked_mul(each)?)?;
            Some(Extent { bytes, scales })
        };
        match self {
            Self::F64 => plain(8),
            Self::F32 => plain(4),
            Self::F16 | Self::Bf16 => plain(2),
            Self::Fp8(scales) => with(values, scale_values(scales, rows, cols)?, 4),
            Self::Integer { bits, scales, zeros } => {
                let scales = scale_values(scales, rows, cols)?;
                let packed = match zeros {
                    Zeros::None => 0,
                    Zeros::Packed => bits_to_bytes(scales, bits)?,
                };
                with(bits_to_bytes(values, bits)?.checked_add(packed)?, scales, 2)
            }
            Self::Nvfp4 => {
                let blocks = rows.checked_mul(cols.div_ceil(16))?;
                let bytes = bits_to_bytes(values, 4)?.checked_add(blocks)?.checked_add(4)?;
                Some(Extent { bytes, scales: blocks.checked_add(1)? })
            }
            Self::Mxfp4 => with(bits_to_bytes(values, 4)?, rows.checked_mul(cols.div_ceil(32))?, 1),
            Self::Gguf(t) => {
                let whole = cols.is_multiple_of(t.block_values());
                let blocks = whole.then(|| values / t.block_values())?;
                Some(Extent { bytes: blocks.checked_mul(t.block_bytes())?, scales: 0 })
            }
            Self::Opaque { bits } => {
                Some(Extent { bytes: bits_to_bytes(values, bits)?, scales: 0 })
            }
        }
    }
}

/// The product of a shape; `None` beyond 64 bits.
pub(crate) fn elements(shape: &[u64]) -> Option<u64> {
    shape.iter().try_fold(1_u64, |all, side| all.checked_mul(*side))
}

fn bits_to_bytes(values: u64, bits: u8) -> Option<u64> {
    values.checked_mul(u64::from(bits)).map(|all| all.div_ceil(8))
}

fn scale_values(scales: Scales, rows: u64, cols: u64) -> Option<u64> {
    match scales {
        Scales::None => Some(0),
        Scales::Tensor => Some(1),
        Scales::Channel => Some(rows),
        Scales::Group(n) => rows.checked_mul(cols.div_ceil(u64::from(n.max(1)))),
        Scales::Block { rows: high, cols: wide } => {
            rows.div_ceil(u64::from(high.max(1))).checked_mul(cols.div_ceil(u64::from(wide.max(1))))
        }
    }
}

/// Values under one scale; without end where a scale covers a whole row or tensor.
fn values_under(scales: Scales) -> f64 {
    match scales {
        Scales::None | Scales::Tensor | Scales::Channel => f64::INFINITY,
        Scales::Group(n) => f64::from(n.max(1)),
        Scales::Block { rows, cols } => f64::from(rows.max(1)) * f64::from(cols.max(1)),
    }
}

impl fmt::Display for Stored {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::F64 => f.write_str("f64"),
            Self::F32 => f.write_str("f32"),
            Self::F16 => f.write_str("f16"),
            Self::Bf16 => f.write_str("bf16"),
            Self::Fp8(scales) => write!(f, "fp8{scales}"),
            Self::Integer { bits, scales, .. } => write!(f, "int{bits}{scales}"),
            Self::Nvfp4 => f.write_str("nvfp4"),
            Self::Mxfp4 => f.write_str("mxfp4"),
            Self::Gguf(t) => f.write_str(t.name()),
            Self::Opaque { bits } => write!(f, "{bits}-bit values"),
        }
    }
}

impl fmt::Display for Scales {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None | Self::Tensor => Ok(()),
            Self::Channel => f.write_str(" per channel"),
            Self::Group(n) => write!(f, " g{n}"),
            Self::Block { rows, cols } => write!(f, " {rows}x{cols}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn checkpoint_formats_cost_what_the_reference_derives() {
        // By hand: 4 + 8/16, 4 + 8/32, 8 + 32/16384, 4 + 16/128 + 4/128.
        let block = Stored::Fp8(Scales::Block { rows: 128, cols: 128 });
        for (stored, bits) in [
            (Stored::Nvfp4, 4.5),
            (Stored::Mxfp4, 4.25),
            (block, 8.001_953_125),
            (Stored::int4(128), 4.156_25),
        ] {
            assert!((stored.bits_per_weight().get() - bits).abs() < 1e-12, "{stored}");
        }
    }

    #[test]
    fn scales_are_counted_by_hand() {
        let check = |stored: Stored, shape: &[u64], bytes, scales| {
            assert_eq!(stored.extent(shape), Some(Extent { bytes, scales }), "{stored} {shape:?}");
        };
        check(Stored::Bf16, &[3, 5], 30, 0);
        // 576 rows of 7,168: ceil(4.5) x 56 blocks, 4 bytes each.
        let block = Stored::Fp8(Scales::Block { rows: 128, cols: 128 });
        check(block, &[576, 7168], 576 * 7168 + 280 * 4, 280);
        check(Stored::Fp8(Scales::Tensor), &[4, 4], 20, 1);
        check(Stored::Fp8(Scales::Channel), &[4, 8], 48, 4);
        // 2 rows of 256: 4 groups, 256 bytes of weights, 8 of scales, 2 of zero points.
        check(Stored::int4(128), &[2, 256], 266, 4);
        // 2 rows of 32: 32 bytes of weights, 4 block scales, 4 bytes for the tensor.
        check(Stored::Nvfp4, &[2, 32], 40, 5);
        check(Stored::Mxfp4, &[2, 64], 68, 4);
        check(Stored::Gguf(GgmlType::Q4K), &[2, 512], 576, 0);
    }

    #[test]
    fn a_row_without_whole_blocks_has_no_size() {
        assert_eq!(Stored::Gguf(GgmlType::Q4K).extent(&[2, 100]), None);
    }

    #[test]
    fn a_shape_beyond_64_bits_has_no_size() {
        assert_eq!(Stored::F32.extent(&[u64::MAX, 2]), None);
        assert_eq!(Stored::F32.extent(&[u64::MAX]), None);
        assert_eq!(Stored::Fp8(Scales::Group(0)).extent(&[0, 0]).map(|e| e.bytes), Some(0));
    }
}
