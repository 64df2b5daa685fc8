//! Headers of GGUF files.
//!
//! Layout, little-endian: `GGUF`, version, number of tensors, number of keys; keys with typed
//! values; tensors with name, sides, type and offset; padding; data. Source: `docs/gguf.md` of
//! ggml.

mod kinds;
mod metadata;
mod softmax;
mod source;

use std::collections::HashSet;
use std::io::Read;

use super::assembly::Assembly;
use super::error::shown;
use super::header::{Dialect, Listed, Listing, MOST_SIDES};
use super::{GgmlType, Model, ModelError, ModelErrorKind, Stored, Warning};
use metadata::Metadata;
use source::Source;

/// More tensors than any GGUF file has; experts of a layer are one tensor there.
const MOST_TENSORS: u64 = 100_000;

/// The longest name of a tensor that llama.cpp takes is 63 bytes; some leeway.
const LONGEST_NAME: u64 = 256;

pub(super) fn read<R: Read>(readers: impl IntoIterator<Item = R>) -> Result<Model, ModelError> {
    let mut listing = Listing::new(Dialect::Gguf);
    let mut names = HashSet::new();
    let mut first: Option<Metadata> = None;
    let mut files = 0_u64;
    for reader in readers {
        let metadata = read_one(reader, &mut listing, &mut names)?;
        first.get_or_insert(metadata);
        files += 1;
    }
    let Some(metadata) = first else {
        return Err(ModelError::new(ModelErrorKind::Missing, "expected a GGUF file, found none"));
    };
    let mut assembly = Assembly::new(&shown(metadata.architecture().unwrap_or("unknown")));
    listing.finish(&mut assembly)?;
    let mut model = assembly.finish();
    if let Some(missing) = metadata.files().checked_sub(files).filter(|n| *n > 0) {
        let what = format!("{missing} further files of the model");
        model.warnings.push(Warning::NotCounted { what });
    }
    match kinds::layers(&metadata, &model) {
        Ok((layers, warnings)) => {
            model.layers = layers;
            model.warnings.extend(warnings);
            model.place();
        }
        Err(needs) => model.warnings.push(Warning::LayerKindsUnknown { needs }),
    }
    Ok(model)
}

fn read_one(
    reader: impl Read,
    listing: &mut Listing,
    names: &mut HashSet<String>,
) -> Result<Metadata, ModelError> {
    let mut source = Source::new(reader);
    if source.bytes::<4>()? != *b"GGUF" {
        return Err(unknown_format("the letters GGUF at the start", "others"));
    }
    let version = source.u32()?;
    if !(2..=3).contains(&version) {
        return Err(unknown_format("version 2 or 3, little-endian", &version.to_string()));
    }
    let tensors = source.u64()?;
    if tensors > MOST_TENSORS {
        return Err(ModelError::new(
            ModelErrorKind::TooLarge,
            format!("expected at most {MOST_TENSORS} tensors, found {tensors}"),
        ));
    }
    let metadata = Metadata::read(&mut source)?;
    list(&mut source, tensors, metadata.alignment()?, listing, names)?;
    Ok(metadata)
}

/// Reads the list of tensors and holds it to the layout of the data.
fn list(
    source: &mut Source<impl Read>,
    tensors: u64,
    alignment: u64,
    listing: &mut Listing,
    names: &mut HashSet<String>,
) -> Result<(), ModelError> {
    let mut end = 0_u64;
    for _ in 0..tensors {
        let name = source.text(LONGEST_NAME)?;
        if name.is_empty() {
            return Err(layout(&name, "a name", "none"));
        }
        let rank = source.u32()?;
        if rank as usize > MOST_SIDES {
            return Err(layout(&name, &format!("at most {MOST_SIDES} sides"), &rank.to_string()));
        }
        // The file lists the side that lies together in memory first.
        let mut shape = Vec::new();
        for _ in 0..rank {
            shape.insert(0, source.u64()?);
        }
        let (id, offset) = (source.u32()?, source.u64()?);
        let Some(ggml) = GgmlType::from_id(id) else {
            let known: Vec<&str> = GgmlType::all().map(GgmlType::name).collect();
            return Err(unknown_format(
                &format!("a type of {}", known.join(", ")),
                &format!("type {id} of {:?}", shown(&name)),
            ));
        };
        let stored = storage(ggml);
        let Some(extent) = Stored::Gguf(ggml).extent(&shape) else {
            let expected = format!("rows of whole blocks of {}", ggml.name());
            return Err(layout(&name, &expected, &format!("{shape:?}")));
        };
        // Each tensor starts where the one before ends, rounded up; nothing is left between.
        if offset != end {
            return Err(layout(&name, &format!("offset {end}"), &offset.to_string()));
        }
        end = end
            .checked_add(extent.bytes)
            .and_then(|sum| sum.checked_next_multiple_of(alignment))
            .ok_or_else(|| layout(&name, "data of less than 2^64 bytes", "more"))?;
        // A short convolution over positions multiplies nothing: its width stands apart.
        if let (true, [channels, width]) = (name.contains("conv1d.weight"), shape.as_slice()) {
            shape = vec![*channels, 1, *width];
        }
        listing.add(&Listed { name: &name, shape: &shape, stored, dtype: id, bytes: extent.bytes });
        if !names.insert(name.clone()) {
            return Err(layout(&name, "one tensor of this name", "two"));
        }
    }
    Ok(())
}

/// Plain types are those of any other file.
const fn storage(ggml: GgmlType) -> Stored {
    match ggml {
        GgmlType::F64 => Stored::F64,
        GgmlType::F32 => Stored::F32,
        GgmlType::F16 => Stored::F16,
        GgmlType::Bf16 => Stored::Bf16,
        GgmlType::I8 => Stored::Opaque { bits: 8 },
        GgmlType::I16 => Stored::Opaque { bits: 16 },
        GgmlType::I32 => Stored::Opaque { bits: 32 },
        GgmlType::I64 => Stored::Opaque { bits: 64 },
        other => Stored::Gguf(other),
    }
}

fn unknown_format(expected: &str, found: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::UnknownFormat,
        format!("expected {expected} of a GGUF file, found {found}"),
    )
}

fn layout(name: &str, expected: &str, found: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Layout,
        format!("expected {expected} for {:?}, found {found}", shown(name)),
    )
}
