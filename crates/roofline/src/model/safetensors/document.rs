//! The JSON of a safetensors header, read one tensor at a time.

use std::fmt;
use std::io::{BufReader, Read, Take};

use serde::Deserialize;
use serde::de::{DeserializeSeed, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::model::header::MOST_SIDES;
use crate::model::{ModelError, ModelErrorKind};

/// What the header says of one tensor.
#[derive(Debug, Deserialize)]
pub(super) struct Entry {
    pub(super) dtype: String,
    #[serde(deserialize_with = "sides")]
    pub(super) shape: Vec<u64>,
    pub(super) data_offsets: [u64; 2],
}

/// Calls `each` with every tensor; metadata is passed over, and nothing else is kept.
///
/// # Errors
/// A header that ends early or is none, and the first error of `each`.
pub(super) fn read<R: Read>(
    header: Take<R>,
    mut each: impl FnMut(&str, &Entry) -> Result<(), ModelError>,
) -> Result<(), ModelError> {
    let mut failed = None;
    let mut header = BufReader::new(header);
    let mut deserializer = serde_json::Deserializer::from_reader(&mut header);
    let visitor = Tensors { each: &mut each, failed: &mut failed };
    let outcome = visitor.deserialize(&mut deserializer).and_then(|()| deserializer.end());
    if let Some(error) = failed {
        return Err(error);
    }
    match outcome {
        Err(e) if e.is_io() => {
            Err(ModelError::caused(ModelErrorKind::Io, "the header could not be read", e))
        }
        Err(e) if !e.is_eof() => Err(ModelError::caused(
            ModelErrorKind::NotJson,
            "expected a JSON object of tensors with dtype, shape and data_offsets",
            e,
        )),
        // The text has ended, be it whole or not: has the header?
        outcome => match (header.get_ref().limit(), outcome) {
            (0, Ok(())) => Ok(()),
            (0, Err(e)) => Err(ModelError::caused(
                ModelErrorKind::NotJson,
                "expected a JSON object of tensors, found a part of one",
                e,
            )),
            (left, _) => Err(ModelError::new(
                ModelErrorKind::Truncated,
                format!("expected {left} more bytes of the header, found its end"),
            )),
        },
    }
}

/// Hands each entry of a map on; an error of the receiver ends the reading.
struct Tensors<'a, F> {
    each: &'a mut F,
    failed: &'a mut Option<ModelError>,
}

impl<'de, F> DeserializeSeed<'de> for Tensors<'_, F>
where
    F: FnMut(&str, &Entry) -> Result<(), ModelError>,
{
    type Value = ();

    fn deserialize<D: serde::Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de, F> Visitor<'de> for Tensors<'_, F>
where
    F: FnMut(&str, &Entry) -> Result<(), ModelError>,
{
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of tensors")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<String>()? {
            if name == "__metadata__" {
                map.next_value::<IgnoredAny>()?;
                continue;
            }
            let entry = map.next_value::<Entry>()?;
            if let Err(error) = (self.each)(&name, &entry) {
                *self.failed = Some(error);
                return Err(A::Error::custom("refused"));
            }
        }
        Ok(())
    }
}

/// A shape of a few sides; a longer one is refused before it fills memory.
fn sides<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
    struct Sides;

    impl<'de> Visitor<'de> for Sides {
        type Value = Vec<u64>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "a list of at most {MOST_SIDES} sizes")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<u64>, A::Error> {
            let mut sides = Vec::new();
            while let Some(side) = seq.next_element()? {
                if sides.len() == MOST_SIDES {
                    return Err(A::Error::invalid_length(MOST_SIDES + 1, &self));
                }
                sides.push(side);
            }
            Ok(sides)
        }
    }

    deserializer.deserialize_seq(Sides)
}
