//! The storage types of GGUF files.

use serde::{Deserialize, Serialize};

/// One row of the table: id in the file, type, name, values per block, bytes per block.
type Row = (u32, GgmlType, &'static str, u64, u64);

/// How a GGUF file stores a tensor.
///
/// # Source
/// Ids: `ggml/include/ggml.h` of llama.cpp. Block geometry: gguf-parser-go `ggml.go` at 8dc7a62,
/// ollama `fs/ggml` at fb30760, and for `Q1_0` and `Q2_0` llama.cpp `ggml-common.h` at b10451;
/// read 2026-11-29.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum GgmlType {
    /// `F32`: 32-bit floats.
    F32,
    /// `F16`: 16-bit floats, 5 bits of exponent.
    F16,
    /// `Q4_0`: 4.5 bits a value, blocks of 32.
    Q4_0,
    /// `Q4_1`: 5 bits a value, blocks of 32.
    Q4_1,
    /// `Q5_0`: 5.5 bits a value, blocks of 32.
    Q5_0,
    /// `Q5_1`: 6 bits a value, blocks of 32.
    Q5_1,
    /// `Q8_0`: 8.5 bits a value, blocks of 32.
    Q8_0,
    /// `Q8_1`: 9 bits a value, blocks of 32.
    Q8_1,
    /// `Q2_K`: 2.625 bits a value, blocks of 256.
    Q2K,
    /// `Q3_K`: 3.4375 bits a value, blocks of 256.
    Q3K,
    /// `Q4_K`: 4.5 bits a value, blocks of 256.
    Q4K,
    /// `Q5_K`: 5.5 bits a value, blocks of 256.
    Q5K,
    /// `Q6_K`: 6.5625 bits a value, blocks of 256.
    Q6K,
    /// `Q8_K`: 9.125 bits a value, blocks of 256.
    Q8K,
    /// `IQ2_XXS`: 2.0625 bits a value, blocks of 256.
    Iq2Xxs,
    /// `IQ2_XS`: 2.3125 bits a value, blocks of 256.
    Iq2Xs,
    /// `IQ3_XXS`: 3.0625 bits a value, blocks of 256.
    Iq3Xxs,
    /// `IQ1_S`: 1.5625 bits a value, blocks of 256.
    Iq1S,
    /// `IQ4_NL`: 4.5 bits a value, blocks of 32.
    Iq4Nl,
    /// `IQ3_S`: 3.4375 bits a value, blocks of 256.
    Iq3S,
    /// `IQ2_S`: 2.5625 bits a value, blocks of 256.
    Iq2S,
    /// `IQ4_XS`: 4.25 bits a value, blocks of 256.
    Iq4Xs,
    /// `I8`: 8-bit integers.
    I8,
    /// `I16`: 16-bit integers.
    I16,
    /// `I32`: 32-bit integers.
    I32,
    /// `I64`: 64-bit integers.
    I64,
    /// `F64`: 64-bit floats.
    F64,
    /// `IQ1_M`: 1.75 bits a value, blocks of 256.
    Iq1M,
    /// `BF16`: 16-bit floats, 8 bits of exponent.
    Bf16,
    /// `TQ1_0`: 1.6875 bits a value, blocks of 256.
    Tq1_0,
    /// `TQ2_0`: 2.0625 bits a value, blocks of 256.
    Tq2_0,
    /// `MXFP4`: 4.25 bits a value, blocks of 32.
    Mxfp4,
    /// `NVFP4`: 4.5 bits a value, blocks of 64.
    Nvfp4,
    /// `Q1_0`: 1.125 bits a value, blocks of 128.
    Q1_0,
    /// `Q2_0`: 2.25 bits a value, blocks of 64.
    Q2_0,
}

const TABLE: [Row; 35] = [
    (0, GgmlType::F32, "F32", 1, 4),
    (1, GgmlType::F16, "F16", 1, 2),
    (2, GgmlType::Q4_0, "Q4_0", 32, 18),
    (3, GgmlType::Q4_1, "Q4_1", 32, 20),
    (6, GgmlType::Q5_0, "Q5_0", 32, 22),
    (7, GgmlType::Q5_1, "Q5_1", 32, 24),
    (8, GgmlType::Q8_0, "Q8_0", 32, 34),
    (9, GgmlType::Q8_1, "Q8_1", 32, 36),
    (10, GgmlType::Q2K, "Q2_K", 256, 84),
    (11, GgmlType::Q3K, "Q3_K", 256, 110),
    (12, GgmlType::Q4K, "Q4_K", 256, 144),
    (13, GgmlType::Q5K, "Q5_K", 256, 176),
    (14, GgmlType::Q6K, "Q6_K", 256, 210),
    (15, GgmlType::Q8K, "Q8_K", 256, 292),
    (16, GgmlType::Iq2Xxs, "IQ2_XXS", 256, 66),
    (17, GgmlType::Iq2Xs, "IQ2_XS", 256, 74),
    (18, GgmlType::Iq3Xxs, "IQ3_XXS", 256, 98),
    (19, GgmlType::Iq1S, "IQ1_S", 256, 50),
    (20, GgmlType::Iq4Nl, "IQ4_NL", 32, 18),
    (21, GgmlType::Iq3S, "IQ3_S", 256, 110),
    (22, GgmlType::Iq2S, "IQ2_S", 256, 82),
    (23, GgmlType::Iq4Xs, "IQ4_XS", 256, 136),
    (24, GgmlType::I8, "I8", 1, 1),
    (25, GgmlType::I16, "I16", 1, 2),
    (26, GgmlType::I32, "I32", 1, 4),
    (27, GgmlType::I64, "I64", 1, 8),
    (28, GgmlType::F64, "F64", 1, 8),
    (29, GgmlType::Iq1M, "IQ1_M", 256, 56),
    (30, GgmlType::Bf16, "BF16", 1, 2),
    (34, GgmlType::Tq1_0, "TQ1_0", 256, 54),
    (35, GgmlType::Tq2_0, "TQ2_0", 256, 66),
    (39, GgmlType::Mxfp4, "MXFP4", 32, 17),
    (40, GgmlType::Nvfp4, "NVFP4", 64, 36),
    (41, GgmlType::Q1_0, "Q1_0", 128, 18),
    (42, GgmlType::Q2_0, "Q2_0", 64, 18),
];

impl GgmlType {
    /// Every type that is known.
    pub fn all() -> impl Iterator<Item = Self> {
        TABLE.iter().map(|row| row.1)
    }

    /// The type with this id in a file; `None` for an id that is not known.
    pub fn from_id(id: u32) -> Option<Self> {
        TABLE.iter().find(|row| row.0 == id).map(|row| row.1)
    }

    /// Its name as llama.cpp prints it.
    pub fn name(self) -> &'static str {
        self.row().2
    }

    /// Values in one block; a row of a tensor holds whole blocks.
    pub fn block_values(self) -> u64 {
        self.row().3
    }

    /// Bytes of one block, its scales included.
    pub fn block_bytes(self) -> u64 {
        self.row().4
    }

    fn row(self) -> &'static Row {
        TABLE.iter().find(|row| row.1 == self).expect("the table holds every variant: tested")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "small numbers")]
    fn bits_per_weight_are_those_of_the_published_block_sizes() {
        // Bits a weight as gguf-parser-go and ollama give them.
        let published = [
            ("Q4_0", 4.5),
            ("Q4_1", 5.0),
            ("Q5_0", 5.5),
            ("Q5_1", 6.0),
            ("Q8_0", 8.5),
            ("Q2_K", 2.625),
            ("Q3_K", 3.4375),
            ("Q4_K", 4.5),
            ("Q5_K", 5.5),
            ("Q6_K", 6.5625),
            ("IQ1_S", 1.5625),
            ("IQ1_M", 1.75),
            ("IQ2_XXS", 2.0625),
            ("IQ2_XS", 2.3125),
            ("IQ2_S", 2.5625),
            ("IQ3_XXS", 3.0625),
            ("IQ3_S", 3.4375),
            ("IQ4_XS", 4.25),
            ("IQ4_NL", 4.5),
            ("TQ1_0", 1.6875),
            ("TQ2_0", 2.0625),
            ("MXFP4", 4.25),
            ("NVFP4", 4.5),
        ];
        for (name, bits) in published {
            let found = GgmlType::all().find(|t| t.name() == name).unwrap();
            let computed = found.block_bytes() as f64 * 8.0 / found.block_values() as f64;
            assert!((computed - bits).abs() < 1e-12, "{name}: {computed} for {bits}");
        }
    }

    #[test]
    fn every_id_leads_to_one_type_and_back() {
        for (place, row) in TABLE.iter().enumerate() {
            assert_eq!(GgmlType::from_id(row.0), Some(row.1));
            assert_eq!(row.1.name(), row.2);
            assert_eq!(row.1 as usize, place, "the table is in the order of the variants");
        }
        assert_eq!(GgmlType::Q2_0 as usize + 1, TABLE.len());
        for gone in [4, 5, 31, 36, 43, u32::MAX] {
            assert_eq!(GgmlType::from_id(gone), None);
        }
    }
}
