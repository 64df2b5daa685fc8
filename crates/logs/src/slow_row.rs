//! A row by way of serde, for lines that are not in the common form.

use std::fmt::{self, Write as _};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::scalar::Scalar;
use crate::shape::{DEPTH_LIMIT, Shape, Slots, Target};

/// A value of a damaged line, which may have had to be decoded.
#[derive(Debug)]
enum Held {
    Scalar(Scalar<'static>),
    Text(String),
    /// An array, written again.
    List(String),
}

impl Held {
    /// Writes it behind the items of a list so far. What stands for nothing in one (a text, a list,
    /// an object) is written as null, which no list of numbers may hold.
    fn push_to(&self, list: &mut String) {
        if list.len() > 1 {
            list.push(',');
        }
        // A text takes whatever is written to it.
        let _ = match self {
            Self::Scalar(Scalar::Whole(n)) => write!(list, "{n}"),
            Self::Scalar(Scalar::Negative(n)) => write!(list, "{n}"),
            Self::Scalar(Scalar::Float(x)) => write!(list, "{x:?}"),
            _ => list.write_str("null"),
        };
    }
}

/// The values of a damaged line, to be put into slots.
#[derive(Debug, Default)]
pub(crate) struct Found {
    values: Vec<(usize, Held)>,
    hits: u32,
}

impl Found {
    /// Puts them into slots.
    pub(crate) fn fill<'x>(&'x self, slots: &mut Slots<'x>) {
        slots.begin();
        for (slot, value) in &self.values {
            slots.set(
                *slot,
                match value {
                    Held::Scalar(scalar) => *scalar,
                    Held::Text(text) => Scalar::Text(text),
                    Held::List(text) => Scalar::List(text),
                },
            );
        }
        slots.hit(self.hits);
    }
}

/// Reads one object by way of serde.
pub(crate) struct Row<'s> {
    pub(crate) shape: &'s mut Shape,
    pub(crate) found: &'s mut Found,
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(Object { shape: self.shape, found: self.found, node: 0, depth: 1 })
    }
}

struct Object<'s> {
    shape: &'s mut Shape,
    found: &'s mut Found,
    node: usize,
    depth: u32,
}

impl<'de> DeserializeSeed<'de> for Object<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Object<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        if self.depth > DEPTH_LIMIT {
            return Err(A::Error::custom(TOO_DEEP));
        }
        let mut before = None;
        loop {
            let guess = self.shape.guess_after(self.node, before);
            let key = Key { shape: self.shape, node: self.node, guess };
            let Some((at, target)) = map.next_key_seed(key)? else { break };
            if at != guess {
                self.shape.learn(self.node, before, at);
            }
            before = Some(at);
            match target {
                Target::Slot(slot) => {
                    let value =
                        map.next_value_seed(Leaf { depth: self.depth, list: List::Kept })?;
                    self.found.values.push((slot, value));
                }
                Target::Unread(slot) => {
                    map.next_value_seed(Leaf { depth: self.depth, list: List::Walked })?;
                    self.found.values.push((slot, Held::Scalar(Scalar::Unusable)));
                }
                Target::Node(node) => {
                    self.found.hits += 1;
                    map.next_value_seed(Object {
                        shape: self.shape,
                        found: self.found,
                        node,
                        depth: self.depth + 1,
                    })?;
                }
                Target::Unknown => {
                    map.next_value_seed(Leaf { depth: self.depth, list: List::Walked })?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, seq: A) -> Result<(), A::Error> {
        skip_seq(seq, self.depth)
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    /// An object written as a text holds what an object there would hold; a text that is none holds nothing.
    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        if !text.starts_with('{') || self.depth > WRITTEN_DEPTH {
            return Ok(());
        }
        let (held, hits) = (self.found.values.len(), self.found.hits);
        let inner =
            Object { shape: self.shape, found: self.found, node: self.node, depth: self.depth + 1 };
        let mut from = serde_json::Deserializer::from_str(text);
        if inner.deserialize(&mut from).is_err() || from.end().is_err() {
            self.found.values.truncate(held);
            self.found.hits = hits;
        }
        Ok(())
    }
}

/// How deep an object that is written as a text may stand.
pub(crate) const WRITTEN_DEPTH: u32 = 8;
/// The message of a row that nests too deep.
const TOO_DEEP: &str = "nested too deep";

struct Key<'s> {
    shape: &'s mut Shape,
    node: usize,
    guess: usize,
}

impl<'de> DeserializeSeed<'de> for Key<'_> {
    type Value = (usize, Target);

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Self::Value, D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Key<'_> {
    type Value = (usize, Target);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(self.shape.find(self.node, key, self.guess))
    }
}

/// What becomes of an array.
#[derive(Clone, Copy)]
enum List {
    /// It is written again, to be read where a list belongs.
    Kept,
    /// It is walked, not kept.
    Walked,
}

/// Reads one value; an object is walked, not kept.
struct Leaf {
    depth: u32,
    list: List,
}

impl<'de> DeserializeSeed<'de> for Leaf {
    type Value = Held;

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<Held, D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Leaf {
    type Value = Held;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Held, E> {
        Ok(Held::Scalar(Scalar::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Held, E> {
        Ok(Held::Scalar(Scalar::Bool(value)))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Held, E> {
        Ok(Held::Scalar(Scalar::Whole(value)))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Held, E> {
        Ok(Held::Scalar(u64::try_from(value).map_or(Scalar::Negative(value), Scalar::Whole)))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Held, E> {
        Ok(Held::Scalar(Scalar::Float(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Held, E> {
        Ok(Held::Text(value.to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Held, A::Error> {
        if self.depth >= DEPTH_LIMIT {
            return Err(A::Error::custom(TOO_DEEP));
        }
        let inner = || Leaf { depth: self.depth + 1, list: List::Walked };
        while map.next_key_seed(inner())?.is_some() {
            map.next_value_seed(inner())?;
        }
        Ok(Held::Scalar(Scalar::Unusable))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Held, A::Error> {
        let depth = self.depth + 1;
        if matches!(self.list, List::Walked) {
            skip_seq(seq, depth)?;
            return Ok(Held::Scalar(Scalar::Unusable));
        }
        if depth > DEPTH_LIMIT {
            return Err(A::Error::custom(TOO_DEEP));
        }
        let mut list = String::from("[");
        while let Some(item) = seq.next_element_seed(Leaf { depth, list: List::Walked })? {
            item.push_to(&mut list);
        }
        list.push(']');
        Ok(Held::List(list))
    }
}

fn skip_seq<'de, A: SeqAccess<'de>>(mut seq: A, depth: u32) -> Result<(), A::Error> {
    if depth > DEPTH_LIMIT {
        return Err(A::Error::custom(TOO_DEEP));
    }
    while seq.next_element_seed(Leaf { depth, list: List::Walked })?.is_some() {}
    Ok(())
}
