//! Scales, zero points and tables that belong to a quantised weight.
//!
//! A checkpoint keeps them as tensors of their own beside a packed weight. Joined, the weight has
//! its logical shape, its storage by name, and bytes that include them; nothing is lost, so the sum
//! of bytes stays that of the file.

use std::collections::BTreeMap;

use super::listing::Row;
use crate::model::stored::elements;
use crate::model::{ModelPart, Scales, Stored, Zeros};

/// Last parts of the names of quantised weights, each with those of its companions.
const FAMILIES: [(&str, &[&str]); 4] = [
    (
        ".weight_packed",
        &[
            ".weight_scale",
            ".weight_zero_point",
            ".weight_shape",
            ".weight_g_idx",
            ".weight_global_scale",
            ".input_global_scale",
        ],
    ),
    (".qweight", &[".scales", ".qzeros", ".g_idx"]),
    ("_blocks", &["_scales"]),
    (".weight", &[".weight_scale_inv", ".weight_scale", ".weight_scale_2", ".input_scale"]),
];

/// Joins companions to their weights.
pub(super) fn joined(rows: Vec<Row>) -> Vec<Row> {
    let mut places: BTreeMap<(String, u8, u64), Vec<usize>> = BTreeMap::new();
    for (place, row) in rows.iter().enumerate() {
        places.entry((row.pattern.clone(), rank(row.part), row.copies)).or_default().push(place);
    }
    let mut rows: Vec<Option<Row>> = rows.into_iter().map(Some).collect();
    for place in 0..rows.len() {
        let Some(weight) = rows.get(place).and_then(Option::as_ref) else { continue };
        let Some((base, names)) = quantised(weight) else { continue };
        let (part, copies) = (rank(weight.part), weight.copies);
        let mut found: Vec<(&'static str, Row)> = Vec::new();
        for name in names {
            let key = (format!("{base}{name}"), part, copies);
            let Some(there) = places.get_mut(&key).and_then(Vec::pop) else { continue };
            if let Some(row) = rows.get_mut(there).and_then(Option::take) {
                found.push((name, row));
            }
        }
        if let Some(weight) = rows.get_mut(place).and_then(Option::as_mut) {
            join(weight, &base, &found);
        }
    }
    rows.into_iter().flatten().collect()
}

const fn rank(part: ModelPart) -> u8 {
    match part {
        ModelPart::Text => 0,
        ModelPart::Mtp => 1,
        ModelPart::Vision => 2,
    }
}

/// The name without its last part, and the companions to look for, of a packed weight.
fn quantised(row: &Row) -> Option<(String, &'static [&'static str])> {
    let packed = matches!(row.stored, Stored::Opaque { .. } | Stored::Fp8(_));
    let (end, names) = FAMILIES.iter().find(|(end, _)| row.pattern.ends_with(end))?;
    let base = row.pattern.strip_suffix(end).filter(|_| packed)?;
    Some((base.to_owned(), *names))
}

/// Makes a packed weight what it means, and gives it the bytes of its companions.
fn join(weight: &mut Row, base: &str, found: &[(&'static str, Row)]) {
    let of =
        |wanted: &[&str]| found.iter().find(|(name, _)| wanted.contains(name)).map(|(_, row)| row);
    let Some(scale) = of(&[".weight_scale_inv", ".weight_scale", ".scales", "_scales"]) else {
        restore(weight, found);
        return;
    };
    let meaning = match (weight.stored, scale.stored) {
        (Stored::Fp8(_), _) => {
            Some((weight.shape.clone(), Stored::Fp8(covered(&weight.shape, &scale.shape))))
        }
        (Stored::Opaque { bits: 8 }, Stored::Fp8(_)) => {
            widened(&weight.shape, 2).map(|shape| (shape, Stored::Nvfp4))
        }
        (Stored::Opaque { bits: 8 }, Stored::Opaque { bits: 8 }) => {
            blocks_of_32(&weight.shape).map(|shape| (shape, Stored::Mxfp4))
        }
        (Stored::Opaque { bits: 8 }, _) => {
            let scales = covered(&weight.shape, &scale.shape);
            let stored = Stored::Integer { bits: 8, scales, zeros: Zeros::None };
            Some((weight.shape.clone(), stored))
        }
        (Stored::Opaque { bits: 32 }, _) => match of(&[".qzeros"]) {
            Some(zeros) => packed_by_columns(&weight.shape, &scale.shape, &zeros.shape),
            None => packed_by_rows(&weight.shape, &scale.shape),
        },
        _ => None,
    };
    if let Some((shape, stored)) = meaning {
        weight.shape = shape;
        weight.stored = stored;
    }
    restore(weight, found);
    if !base.is_empty() && weight.pattern.ends_with("_blocks") {
        base.clone_into(&mut weight.pattern);
    }
}

/// Adds the bytes and scale values of companions.
fn restore(weight: &mut Row, found: &[(&'static str, Row)]) {
    for (name, row) in found {
        weight.bytes = weight.bytes.saturating_add(row.bytes);
        if name.contains("scale") {
            weight.scales = weight.scales.saturating_add(elements(&row.shape).unwrap_or(0));
        }
    }
}

/// What one scale covers, from the shapes of weight and scales.
fn covered(weight: &[u64], scale: &[u64]) -> Scales {
    let [rows, cols] = sides(weight);
    let [high, wide] = sides(scale);
    if high * wide <= 1 {
        return Scales::Tensor;
    }
    // A list of scales has its length last: it is one for each row.
    if (high == rows && wide <= 1) || (scale.len() == 1 && wide == rows) {
        return Scales::Channel;
    }
    if high == rows {
        return Scales::Group(narrow(cols.div_ceil(wide.max(1))));
    }
    let usual = rows.div_ceil(128) == high && cols.div_ceil(128) == wide;
    if usual {
        return Scales::Block { rows: 128, cols: 128 };
    }
    Scales::Block {
        rows: narrow(rows.div_ceil(high.max(1))),
        cols: narrow(cols.div_ceil(wide.max(1))),
    }
}

/// Rows of all outer sides together, and the last side.
fn sides(shape: &[u64]) -> [u64; 2] {
    match shape.split_last() {
        Some((cols, rows)) => [elements(rows).unwrap_or(u64::from(u32::MAX)), *cols]
            .map(|side| side.min(u64::from(u32::MAX))),
        None => [1, 1],
    }
}

fn narrow(side: u64) -> u32 {
    u32::try_from(side).unwrap_or(u32::MAX)
}

/// The shape with its last side this many times as wide.
fn widened(shape: &[u64], times: u64) -> Option<Vec<u64>> {
    let (last, outer) = shape.split_last()?;
    let mut shape = outer.to_vec();
    shape.push(last.checked_mul(times)?);
    Some(shape)
}

/// `[.., blocks, 16]` bytes of two values each are `[.., blocks x 32]` values.
fn blocks_of_32(shape: &[u64]) -> Option<Vec<u64>> {
    match shape {
        [outer @ .., 16] if outer.len() >= 2 => widened(outer, 32),
        _ => widened(shape, 2),
    }
}

/// `AutoGPTQ` keeps `[in / n, out]`, `AutoAWQ` `[in, out / n]`; zero points `[groups, out / n]`.
fn packed_by_columns(weight: &[u64], scale: &[u64], zeros: &[u64]) -> Option<(Vec<u64>, Stored)> {
    let ([high, wide], [groups, out], [_, packed]) = (weight, scale, zeros) else { return None };
    let bits = packed.checked_mul(32)?.checked_div(*out)?;
    let each = 32_u64.checked_div(bits)?;
    let inner = if wide == out { high.checked_mul(each)? } else { *high };
    let scales = Scales::Group(narrow(inner.checked_div(*groups)?));
    let bits = u8::try_from(bits).ok().filter(|bits| (1..=8).contains(bits))?;
    Some((vec![*out, inner], Stored::Integer { bits, scales, zeros: Zeros::Packed }))
}

/// compressed-tensors keeps `[out, in / 8]` of four bits.
fn packed_by_rows(weight: &[u64], scale: &[u64]) -> Option<(Vec<u64>, Stored)> {
    let shape = widened(weight, 8)?;
    let scales = covered(&shape, scale);
    Some((shape, Stored::Integer { bits: 4, scales, zeros: Zeros::None }))
}
