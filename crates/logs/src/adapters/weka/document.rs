//! What stands in a document: a conversation with its requests, those of nested conversations among them.

use std::borrow::Cow;
use std::rc::Rc;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::request::{PATHS, Request, written};
use crate::objects::{Item, Objects};
use crate::scalar::Scalar;
use crate::scan::Scanner;
use crate::shape::{DEPTH_LIMIT, Shape, Slots};

/// A conversation.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    pub(super) id: Option<String>,
    pub(super) block_size: u64,
    /// In the order of the document.
    pub(super) entries: Vec<Entry>,
    /// Entries that cannot be read: each is counted and the others are taken.
    pub(super) rejected: u64,
}

/// A request and where it stands.
#[derive(Debug)]
pub(super) struct Entry {
    pub(super) request: Request,
    /// The nested conversation that it is of.
    pub(super) within: Rc<str>,
    /// Its place there.
    pub(super) place: usize,
    /// When that conversation began.
    pub(super) begun: f64,
}

impl Conversation {
    /// Reads a document.
    ///
    /// # Errors
    /// What is none.
    pub(super) fn of(text: &str) -> Result<Self, serde_json::Error> {
        if let Some(found) = common(text) {
            return Ok(found);
        }
        let Document { id, block_size, requests } = serde_json::from_str(text)?;
        let mut reader = Reader::default();
        reader.texts(&requests, &outermost(), 1);
        Ok(Self { id: id.map(Cow::into_owned), block_size, ..reader.found })
    }
}

/// A document in the common form, which is passed through once.
fn common(text: &str) -> Option<Conversation> {
    let mut scanner = Scanner { text, bytes: text.as_bytes(), at: 0 };
    let (mut id, mut block_size, mut requests) = (None, None, None);
    scanner.blank();
    scanner.take(b'{')?;
    loop {
        scanner.blank();
        let name = scanner.string()?;
        scanner.blank();
        scanner.take(b':')?;
        scanner.blank();
        let before = match name {
            "id" => id.replace(scanner.value(1)?).is_some(),
            "block_size" => block_size.replace(scanner.value(1)?).is_some(),
            "requests" => {
                let mut reader = Reader::default();
                scanner = reader.list(Objects::at(scanner)?, &outermost(), 1)?;
                requests.replace(reader.found).is_some()
            }
            _ => scanner.skip(1).map(|()| false)?,
        };
        if before {
            return None;
        }
        scanner.blank();
        if scanner.take(b',').is_none() {
            break;
        }
    }
    scanner.take(b'}')?;
    scanner.blank();
    let Some(Scalar::Whole(block_size)) = block_size else { return None };
    let found = Conversation { id: written(id.as_ref()).ok()?, block_size, ..requests? };
    (scanner.at == text.len()).then_some(found)
}

/// A document in any form.
#[derive(Deserialize)]
struct Document<'t> {
    #[serde(borrow)]
    id: Option<Cow<'t, str>>,
    block_size: u64,
    #[serde(borrow)]
    requests: Vec<&'t RawValue>,
}

/// The entries of a nested conversation.
#[derive(Deserialize)]
struct Nested<'t> {
    #[serde(borrow)]
    requests: Option<Vec<&'t RawValue>>,
}

/// The conversation that entries stand in: its name and its begin.
type Within = (Rc<str>, f64);

fn outermost() -> Within {
    ("".into(), 0.0)
}

/// Takes entries, which have their keys in one order.
struct Reader {
    shape: Shape,
    found: Conversation,
}

impl Default for Reader {
    fn default() -> Self {
        Self { shape: Shape::new(PATHS), found: Conversation::default() }
    }
}

impl Reader {
    /// Takes the entries of a list that stands `depth` lists deep; what stands behind it, if it does not break
    /// off.
    fn list<'t>(
        &mut self,
        mut items: Objects<'t>,
        within: &Within,
        depth: u32,
    ) -> Option<Scanner<'t, false>> {
        let mut slots = Slots::of(&self.shape);
        let mut place = 0;
        while let Some(item) = items.next(&mut self.shape, &mut slots) {
            match item {
                Item::Object => self.object(&slots, within, place, depth),
                Item::Other(text) => self.text(text, within, place, depth),
            }
            place += 1;
        }
        items.behind()
    }

    fn texts(&mut self, entries: &[&RawValue], within: &Within, depth: u32) {
        for (place, entry) in entries.iter().enumerate() {
            self.text(entry.get(), within, place, depth);
        }
    }

    /// Takes an entry whose values stand in slots.
    fn object(&mut self, slots: &Slots<'_>, within: &Within, place: usize, depth: u32) {
        let nested = match slots.get(7) {
            None | Some(Scalar::Null) => None,
            Some(Scalar::List(nested)) if depth < DEPTH_LIMIT => Objects::of(nested),
            Some(_) => {
                self.found.rejected += 1;
                return;
            }
        };
        match (Request::of(slots), nested) {
            (Some(request), None) => self.keep(request, within, place),
            (Some(request), Some(nested)) => {
                self.list(nested, &inner(&request, within, place), depth + 1);
            }
            (None, _) => self.found.rejected += 1,
        }
    }

    /// Takes an entry in any form.
    fn text(&mut self, text: &str, within: &Within, place: usize, depth: u32) {
        let nested = serde_json::from_str::<Nested<'_>>(text).map(|nested| nested.requests);
        match (serde_json::from_str::<Request>(text), nested) {
            (Ok(request), Ok(None)) => self.keep(request, within, place),
            (Ok(request), Ok(Some(nested))) if depth < DEPTH_LIMIT => {
                self.texts(&nested, &inner(&request, within, place), depth + 1);
            }
            _ => self.found.rejected += 1,
        }
    }

    fn keep(&mut self, request: Request, (within, begun): &Within, place: usize) {
        self.found.entries.push(Entry { request, within: within.clone(), place, begun: *begun });
    }
}

/// What is nested in an entry: its clock begins with that.
fn inner(entry: &Request, (within, begun): &Within, place: usize) -> Within {
    (format!("{within}/{place}").into(), begun + entry.t.unwrap_or(f64::NAN))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A document in the common form, and the same with an id that has to be read with care.
    fn both(requests: &str) -> [Conversation; 2] {
        ["a", "\\u0061"].map(|id| {
            let text = format!(r#"{{"id":"{id}","block_size":64,"requests":[{requests}]}}"#);
            assert_eq!(common(&text).is_some(), id == "a");
            Conversation::of(&text).unwrap()
        })
    }

    #[test]
    fn both_ways_of_reading_a_document_say_the_same() {
        for (requests, taken, rejected) in [
            (r#"{"t":1.5,"model":"m","in":3,"out":null,"hash_ids":[1, 2],"ttft":-1}"#, 1, 0),
            (r#"{"t":1},{"in":2.0},{"in":"2"},{"model":7},{"hash_ids":null},7,null"#, 1, 6),
            (r#"{"hash_ids":[1,-2]},{"hash_ids":[1,"2"]},{"hash_ids":[]},{"t":1,"t":2}"#, 1, 3),
            (r#"{"model":"\u0041","hash_ids":[18446744073709551615]}"#, 1, 0),
            (
                r#"{"t":7,"requests":[{"t":1},{"in":-1},{"requests":[{"t":2}]}]},{"requests":7}"#,
                2,
                2,
            ),
            (r#"{"t":1,"requests":null},{"t":"x","requests":[{"t":1}]}"#, 1, 1),
        ] {
            let [fast, slow] = both(requests);
            assert_eq!((fast.entries.len(), fast.rejected), (taken, rejected), "{requests}");
            assert_eq!(format!("{fast:?}"), format!("{slow:?}"), "{requests}");
        }
    }
}
