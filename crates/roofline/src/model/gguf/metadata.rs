//! Keys and values of a GGUF header: those that describe the model are kept, the rest is passed
//! over.

use std::collections::BTreeMap;
use std::io::Read;

use super::source::Source;
use crate::model::{ModelError, ModelErrorKind};

/// More keys than any file has.
const MOST_KEYS: u64 = 100_000;
/// The format's limit of a key.
const LONGEST_KEY: u64 = 65_535;
/// The longest text that is kept; chat templates and the like are passed over.
const LONGEST_TEXT: u64 = 256;
/// The longest list that is kept: one value for each layer.
const LONGEST_LIST: u64 = 4096;
/// More keys than describe any model.
const MOST_KEPT: usize = 1_000;
/// Lists in lists deeper than any file has them.
const DEEPEST: u8 = 4;

/// Types of values, by their number in the file.
const STRING: u32 = 8;
const ARRAY: u32 = 9;

/// A value that describes the model.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Number(u64),
    Numbers(Vec<u64>),
    Text(String),
}

/// The keys that describe the model.
#[derive(Debug, Clone, Default)]
pub(super) struct Metadata {
    values: BTreeMap<String, Value>,
}

impl Metadata {
    pub(super) fn read(source: &mut Source<impl Read>) -> Result<Self, ModelError> {
        let keys = source.u64()?;
        if keys > MOST_KEYS {
            return Err(ModelError::new(
                ModelErrorKind::TooLarge,
                format!("expected at most {MOST_KEYS} keys, found {keys}"),
            ));
        }
        let mut metadata = Self::default();
        for _ in 0..keys {
            let key = source.text(LONGEST_KEY)?;
            let kind = source.u32()?;
            // The tokenizer's lists are the bulk of a header and describe no tensor.
            let wanted = !key.starts_with("tokenizer.") && key.len() <= 128;
            let value = value(source, kind, wanted)?;
            if let Some(value) = value
                && metadata.values.len() < MOST_KEPT
            {
                metadata.values.insert(key, value);
            }
        }
        Ok(metadata)
    }

    /// Whose model it is.
    pub(super) fn architecture(&self) -> Option<&str> {
        match self.values.get("general.architecture") {
            Some(Value::Text(name)) => Some(name),
            _ => None,
        }
    }

    /// How many files the model is cut into.
    pub(super) fn files(&self) -> u64 {
        match self.values.get("split.count") {
            Some(Value::Number(n)) => *n,
            _ => 1,
        }
    }

    /// What the data is aligned to.
    ///
    /// # Errors
    /// An alignment that is no power of two of a sane size.
    pub(super) fn alignment(&self) -> Result<u64, ModelError> {
        match self.values.get("general.alignment") {
            None => Ok(32),
            Some(Value::Number(n)) if n.is_power_of_two() && *n <= 1 << 20 => Ok(*n),
            Some(_) => Err(ModelError::new(
                ModelErrorKind::OutOfRange,
                "expected a power of two up to 2^20 in general.alignment, found another",
            )),
        }
    }

    /// A number of the architecture: that of all layers, or the largest of a list.
    pub(super) fn number(&self, name: &str) -> Option<u64> {
        match self.of_architecture(name)? {
            Value::Number(n) => Some(*n),
            Value::Numbers(list) => list.iter().copied().max(),
            Value::Text(_) => None,
        }
    }

    /// A list of the architecture with a value for each layer.
    pub(super) fn list(&self, name: &str) -> Option<&[u64]> {
        match self.of_architecture(name)? {
            Value::Numbers(list) => Some(list),
            _ => None,
        }
    }

    fn of_architecture(&self, name: &str) -> Option<&Value> {
        self.values.get(&format!("{}.{name}", self.architecture()?))
    }
}

/// Reads a value; `None` for one that is passed over.
fn value(
    source: &mut Source<impl Read>,
    kind: u32,
    wanted: bool,
) -> Result<Option<Value>, ModelError> {
    match kind {
        STRING => {
            let length = source.u64()?;
            if !wanted || length > LONGEST_TEXT {
                source.skip(length)?;
                return Ok(None);
            }
            let mut text = Vec::new();
            for _ in 0..length {
                text.extend(source.bytes::<1>()?);
            }
            Ok(Some(Value::Text(String::from_utf8_lossy(&text).into_owned())))
        }
        ARRAY => list(source, wanted, 0),
        _ => Ok(number(source, kind)?.filter(|_| wanted).map(Value::Number)),
    }
}

fn list(
    source: &mut Source<impl Read>,
    wanted: bool,
    depth: u8,
) -> Result<Option<Value>, ModelError> {
    let (kind, length) = (source.u32()?, source.u64()?);
    match kind {
        ARRAY if depth < DEEPEST => {
            for _ in 0..length {
                list(source, false, depth + 1)?;
            }
            Ok(None)
        }
        ARRAY => Err(ModelError::new(
            ModelErrorKind::TooLarge,
            format!("expected lists at most {DEEPEST} deep, found deeper ones"),
        )),
        STRING => {
            for _ in 0..length {
                let bytes = source.u64()?;
                source.skip(bytes)?;
            }
            Ok(None)
        }
        _ if wanted && length <= LONGEST_LIST => {
            let mut numbers = Vec::new();
            for _ in 0..length {
                numbers.extend(number(source, kind)?);
            }
            // A list with a value that is no size is none of sizes.
            let whole = numbers.len() as u64 == length;
            Ok(whole.then_some(Value::Numbers(numbers)))
        }
        _ => {
            let bytes = width(kind)?.checked_mul(length).ok_or_else(|| {
                ModelError::new(
                    ModelErrorKind::TooLarge,
                    format!("expected a list that fits the file, found {length} values"),
                )
            })?;
            source.skip(bytes)?;
            Ok(None)
        }
    }
}

/// Reads a number; `None` for one that is negative or no whole number.
fn number(source: &mut Source<impl Read>, kind: u32) -> Result<Option<u64>, ModelError> {
    Ok(match width(kind)? {
        1 => {
            let [byte] = source.bytes()?;
            if kind == 1 {
                u64::try_from(i8::from_le_bytes([byte])).ok()
            } else {
                Some(byte.into())
            }
        }
        2 => {
            let bytes = source.bytes()?;
            if kind == 3 {
                u64::try_from(i16::from_le_bytes(bytes)).ok()
            } else {
                Some(u16::from_le_bytes(bytes).into())
            }
        }
        4 => {
            let bytes = source.bytes()?;
            match kind {
                5 => u64::try_from(i32::from_le_bytes(bytes)).ok(),
                6 => None,
                _ => Some(u32::from_le_bytes(bytes).into()),
            }
        }
        _ => {
            let bytes = source.bytes()?;
            match kind {
                11 => u64::try_from(i64::from_le_bytes(bytes)).ok(),
                12 => None,
                _ => Some(u64::from_le_bytes(bytes)),
            }
        }
    })
}

/// Bytes of a number of this type.
fn width(kind: u32) -> Result<u64, ModelError> {
    match kind {
        0 | 1 | 7 => Ok(1),
        2 | 3 => Ok(2),
        4..=6 => Ok(4),
        10..=12 => Ok(8),
        _ => Err(ModelError::new(
            ModelErrorKind::UnknownFormat,
            format!("expected a type of value from 0 to 12 in a GGUF file, found {kind}"),
        )),
    }
}
