//! What one request of a conversation says.

use memchr::memchr_iter;
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::value::RawValue;
use trueline_core::Why;

use crate::scalar::{Scalar, plain_hashes};
use crate::shape::Slots;

/// The paths of what is needed of a request; slots are numbered by them.
pub(super) const PATHS: [&str; 8] =
    ["t", "model", "in", "out", "hash_ids", "ttft", "api_time", "requests"];

/// What a request says.
#[derive(Debug, Default, PartialEq, Deserialize)]
pub(super) struct Request {
    pub(super) t: Option<f64>,
    pub(super) model: Option<String>,
    #[serde(rename = "in")]
    pub(super) input: Option<u64>,
    #[serde(rename = "out")]
    pub(super) output: Option<u64>,
    #[serde(default, deserialize_with = "blocks")]
    pub(super) hash_ids: Vec<u64>,
    pub(super) ttft: Option<f64>,
    pub(super) api_time: Option<f64>,
}

impl Request {
    /// A request whose values stand in slots; `None` where one of them is none.
    pub(super) fn of(slots: &Slots<'_>) -> Option<Self> {
        let count = |slot| match slots.get(slot) {
            Some(Scalar::Whole(n)) => Some(Some(*n)),
            None | Some(Scalar::Null) => Some(None),
            Some(_) => None,
        };
        let number = |slot| match slots.get(slot) {
            None | Some(Scalar::Null) => Some(None),
            Some(value @ (Scalar::Whole(_) | Scalar::Negative(_) | Scalar::Float(_))) => {
                Some(Some(value.number().ok()?))
            }
            Some(_) => None,
        };
        let hash_ids = match slots.get(4) {
            None => Vec::new(),
            Some(Scalar::List(list)) => ids(list).ok()?,
            Some(_) => return None,
        };
        Some(Self {
            t: number(0)?,
            model: written(slots.get(1)).ok()?,
            input: count(2)?,
            output: count(3)?,
            hash_ids,
            ttft: number(5)?,
            api_time: number(6)?,
        })
    }
}

/// A text that may be absent.
pub(super) fn written(value: Option<&Scalar<'_>>) -> Result<Option<String>, Why> {
    match value {
        Some(Scalar::Text(text)) => Ok(Some((*text).to_owned())),
        None | Some(Scalar::Null) => Ok(None),
        Some(_) => Err(Why::Impossible),
    }
}

/// A list of whole numbers: that of a long prompt has hundreds.
fn ids(list: &str) -> Result<Vec<u64>, serde_json::Error> {
    let mut ids = Vec::with_capacity(memchr_iter(b',', list.as_bytes()).count() + 1);
    if plain_hashes(list.as_bytes(), &mut ids).is_none() {
        ids = serde_json::from_str(list)?;
    }
    Ok(ids)
}

fn blocks<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<u64>, D::Error> {
    ids(<&RawValue>::deserialize(from)?.get()).map_err(D::Error::custom)
}
