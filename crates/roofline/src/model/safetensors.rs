//! Headers of safetensors files.
//!
//! Layout: eight bytes little-endian length, then JSON of that length, then the data. Source: the
//! format's README and `safetensors/src/tensor.rs` of huggingface/safetensors.

mod document;

use std::collections::HashSet;
use std::io::{ErrorKind, Read, Take};

use super::assembly::Assembly;
use super::error::shown;
use super::header::{Dialect, Listed, Listing, MOST_TENSORS};
use super::stored::elements;
use super::{Model, ModelError, ModelErrorKind, Scales, Stored, Warning};
use document::Entry;

/// The format's own limit of a header.
const MOST_BYTES: u64 = 100_000_000;

/// The dtypes of the format: name, bits, storage.
const DTYPES: [(&str, u64, Stored); 20] = [
    ("BOOL", 8, Stored::Opaque { bits: 8 }),
    ("F4", 4, Stored::Opaque { bits: 4 }),
    ("F6_E2M3", 6, Stored::Opaque { bits: 6 }),
    ("F6_E3M2", 6, Stored::Opaque { bits: 6 }),
    ("U8", 8, Stored::Opaque { bits: 8 }),
    ("I8", 8, Stored::Opaque { bits: 8 }),
    ("F8_E5M2", 8, Stored::Fp8(Scales::None)),
    ("F8_E4M3", 8, Stored::Fp8(Scales::None)),
    ("F8_E8M0", 8, Stored::Opaque { bits: 8 }),
    ("I16", 16, Stored::Opaque { bits: 16 }),
    ("U16", 16, Stored::Opaque { bits: 16 }),
    ("F16", 16, Stored::F16),
    ("BF16", 16, Stored::Bf16),
    ("I32", 32, Stored::Opaque { bits: 32 }),
    ("U32", 32, Stored::Opaque { bits: 32 }),
    ("F32", 32, Stored::F32),
    ("C64", 64, Stored::Opaque { bits: 64 }),
    ("F64", 64, Stored::F64),
    ("I64", 64, Stored::Opaque { bits: 64 }),
    ("U64", 64, Stored::Opaque { bits: 64 }),
];

pub(super) fn read<R: Read>(readers: impl IntoIterator<Item = R>) -> Result<Model, ModelError> {
    let mut listing = Listing::new(Dialect::HuggingFace);
    let mut names = HashSet::new();
    for reader in readers {
        read_one(header(reader)?, &mut listing, &mut names)?;
    }
    if names.is_empty() {
        return Err(ModelError::new(
            ModelErrorKind::Missing,
            "expected a safetensors header with tensors, found none",
        ));
    }
    let mut assembly = Assembly::new("safetensors");
    assembly.warn(Warning::LayerKindsUnknown { needs: "the model's config.json".to_owned() });
    listing.finish(&mut assembly)?;
    Ok(assembly.finish())
}

/// The part of a file that its header fills, by the length at its start.
fn header<R: Read>(mut reader: R) -> Result<Take<R>, ModelError> {
    let mut length = [0_u8; 8];
    reader.read_exact(&mut length).map_err(|e| match e.kind() {
        ErrorKind::UnexpectedEof => {
            ModelError::new(ModelErrorKind::Truncated, "expected 8 bytes of length, found fewer")
        }
        _ => ModelError::caused(ModelErrorKind::Io, "the header could not be read", e),
    })?;
    let length = u64::from_le_bytes(length);
    if length > MOST_BYTES {
        return Err(ModelError::new(
            ModelErrorKind::TooLarge,
            format!("expected a header of at most {MOST_BYTES} bytes, found {length}"),
        ));
    }
    Ok(reader.take(length))
}

fn read_one<R: Read>(
    header: Take<R>,
    listing: &mut Listing,
    names: &mut HashSet<String>,
) -> Result<(), ModelError> {
    let mut spans: Vec<[u64; 2]> = Vec::new();
    document::read(header, |name, entry| {
        let bytes = add(listing, name, entry)?;
        if names.len() as u64 >= MOST_TENSORS {
            return Err(ModelError::new(
                ModelErrorKind::TooLarge,
                format!("expected at most {MOST_TENSORS} tensors, found more"),
            ));
        }
        if !names.insert(name.to_owned()) {
            return Err(layout(name, "one tensor of this name", "two"));
        }
        if bytes > 0 {
            spans.push(entry.data_offsets);
        }
        Ok(())
    })?;
    // The data has no holes, so the sum of the tensors is the length of the data.
    spans.sort_unstable();
    let mut end = 0;
    for [from, to] in spans {
        if from != end {
            return Err(ModelError::new(
                ModelErrorKind::Layout,
                format!("expected tensors without holes or overlap, found {from} after {end}"),
            ));
        }
        end = to;
    }
    Ok(())
}

/// Adds one tensor and returns its bytes.
fn add(listing: &mut Listing, name: &str, entry: &Entry) -> Result<u64, ModelError> {
    let found = DTYPES.iter().enumerate().find(|(_, (known, ..))| *known == entry.dtype);
    let Some((place, (_, bits, stored))) = found else {
        let known: Vec<&str> = DTYPES.iter().map(|(name, ..)| *name).collect();
        return Err(ModelError::new(
            ModelErrorKind::UnknownFormat,
            format!("expected a dtype of {}; found {:?}", known.join(", "), shown(&entry.dtype)),
        ));
    };
    let [from, to] = entry.data_offsets;
    let bytes = to.checked_sub(from).ok_or_else(|| layout(name, "offsets in order", "others"))?;
    let expected = elements(&entry.shape)
        .and_then(|values| values.checked_mul(*bits))
        .filter(|bits| bits.is_multiple_of(8))
        .map(|bits| bits / 8);
    if expected != Some(bytes) {
        let expected = expected.map_or_else(|| "a sane shape".to_owned(), |n| format!("{n} bytes"));
        return Err(layout(name, &expected, &format!("{bytes} bytes")));
    }
    let dtype = u32::try_from(place).unwrap_or(u32::MAX);
    listing.add(&Listed { name, shape: &entry.shape, stored: *stored, dtype, bytes });
    Ok(bytes)
}

fn layout(name: &str, expected: &str, found: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Layout,
        format!("expected {expected} for {:?}, found {found}", shown(name)),
    )
}
