//! A document as a tree that keeps the order of its keys and tells missing, null and non-finite
//! apart.

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use trueline_core::{By, Known, Why};

/// One value of a document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Node {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Map(Map),
}

/// An object: its keys in their order. A key that stands twice stands here twice.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct Map(pub(crate) Vec<(String, Node)>);

impl Map {
    /// The first value of a key.
    pub(crate) fn get(&self, key: &str) -> Option<&Node> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, value)| value)
    }

    /// The value at the end of a path of keys.
    pub(crate) fn at(&self, path: &[&str]) -> Option<&Node> {
        let (first, rest) = path.split_first()?;
        rest.iter().try_fold(self.get(first)?, |node, key| node.map()?.get(key))
    }

    pub(crate) fn has(&self, key: &str) -> bool {
        self.get(key).is_some()
    }

    /// Whether all of some keys are there.
    pub(crate) fn has_all(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.has(key))
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &Node)> {
        self.0.iter().map(|(key, value)| (key.as_str(), value))
    }

    /// Keys that stand twice with different values.
    pub(crate) fn doubled(&self) -> BTreeSet<&str> {
        let mut first: HashMap<&str, &Node> = HashMap::with_capacity(self.0.len());
        let mut doubled = BTreeSet::new();
        for (key, value) in self.iter() {
            if *first.entry(key).or_insert(value) != value {
                doubled.insert(key);
            }
        }
        doubled
    }
}

impl Node {
    pub(crate) fn map(&self) -> Option<&Map> {
        match self {
            Self::Map(map) => Some(map),
            _ => None,
        }
    }

    pub(crate) fn list(&self) -> Option<&[Node]> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    /// A finite number as it stands, in a text too.
    pub(crate) fn number(&self) -> Option<f64> {
        known_number(Some(self)).value()
    }

    /// A whole number that is not negative.
    pub(crate) fn count(&self) -> Option<u64> {
        known_count(Some(self)).value()
    }

    /// What the value is in a few characters, for a message; a text may be a prompt and is not shown.
    pub(crate) fn brief(&self) -> String {
        match self {
            Self::Null => "null".to_owned(),
            Self::Bool(b) => b.to_string(),
            Self::Number(x) => x.to_string(),
            Self::Text(text) => format!("a text of {} characters", text.chars().count()),
            Self::List(list) => format!("a list of {}", list.len()),
            Self::Map(map) => format!("an object of {} keys", map.0.len()),
        }
    }
}

/// The number that a place in a document holds, or why it holds none: the four states of a value.
pub(crate) fn known_number(node: Option<&Node>) -> Known<f64> {
    match node {
        None => Known::Not(Why::Absent),
        Some(Node::Null) => Known::Not(Why::Null),
        Some(Node::Number(x)) if x.is_finite() => Known::is(*x, By::Reported),
        Some(Node::Number(_)) => Known::Not(Why::NonFinite),
        Some(Node::Text(text)) => text_number(text),
        Some(Node::Bool(_) | Node::List(_) | Node::Map(_)) => Known::Not(Why::Impossible),
    }
}

/// A number in a text, such as `1,029.75`; bare `inf` and `nan` in any spelling are not finite.
pub(crate) fn text_number(text: &str) -> Known<f64> {
    let text = text.trim();
    if text.is_empty() || text == "-" || text.eq_ignore_ascii_case("n/a") {
        return Known::Not(Why::Absent);
    }
    if text.eq_ignore_ascii_case("null") || text.eq_ignore_ascii_case("none") {
        return Known::Not(Why::Null);
    }
    let plain = if is_grouped(text) { text.replace(',', "") } else { text.to_owned() };
    match plain.parse::<f64>() {
        Ok(x) if x.is_finite() => Known::is(x, By::Reported),
        Ok(_) => Known::Not(Why::NonFinite),
        Err(_) => Known::Not(Why::Impossible),
    }
}

/// Whether commas stand only where thousands end.
fn is_grouped(text: &str) -> bool {
    let whole = text.split('.').next().unwrap_or(text);
    let mut groups = whole.trim_start_matches('-').split(',');
    let first = groups.next().map_or(0, str::len);
    let rest: Vec<&str> = groups.collect();
    (1..=3).contains(&first) && !rest.is_empty() && rest.iter().all(|g| g.len() == 3)
}

/// The number at a path of keys.
pub(crate) fn number_at(map: &Map, path: &[&str]) -> Option<f64> {
    known_number(map.at(path)).value()
}

/// The count at a path of keys.
pub(crate) fn count_at(map: &Map, path: &[&str]) -> Option<u64> {
    map.at(path).and_then(Node::count)
}

/// The text at a path of keys, if it says anything.
pub(crate) fn text_at<'m>(map: &'m Map, path: &[&str]) -> Option<&'m str> {
    map.at(path).and_then(Node::text).filter(|text| !text.is_empty())
}

/// The count that a place in a document holds, or why it holds none.
pub(crate) fn known_count(node: Option<&Node>) -> Known<u64> {
    counted(known_number(node))
}

/// A number as the count that it is.
pub(crate) fn counted(number: Known<f64>) -> Known<u64> {
    match number {
        Known::Is { value, .. } => whole(value),
        Known::Not(why) => Known::Not(why),
    }
}

/// Below this a float holds every whole number; nothing that is counted comes near it.
pub(crate) const MOST_COUNTED: u64 = 9_000_000_000_000_000;

/// A whole number that is not negative.
pub(crate) fn whole(value: f64) -> Known<u64> {
    #[expect(clippy::cast_precision_loss, reason = "the bound is one that a float holds")]
    let most = MOST_COUNTED as f64;
    if value >= 0.0 && value.fract() == 0.0 && value < most {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "whole, not negative and within bounds"
        )]
        let count = value as u64;
        Known::is(count, By::Reported)
    } else {
        Known::Not(Why::Impossible)
    }
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node, E> {
        Ok(Node::Bool(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Node, E> {
        #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        Ok(Node::Number(value as f64))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Node, E> {
        #[expect(clippy::cast_precision_loss, reason = "a stamp in ns loses under a microsecond")]
        Ok(Node::Number(value as f64))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Node, E> {
        Ok(Node::Number(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Node, E> {
        Ok(Node::Text(value.to_owned()))
    }

    fn visit_string<E>(self, value: String) -> Result<Node, E> {
        Ok(Node::Text(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = seq.next_element()? {
            list.push(value);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut map = Map::default();
        while let Some(entry) = entries.next_entry()? {
            map.0.push(entry);
        }
        Ok(Node::Map(map))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_four_states_of_a_value_are_told_apart() {
        let node: Node =
            serde_json::from_str(r#"{"b":null,"a":"Infinity","c":2.5,"d":[1],"b":3}"#).unwrap();
        let map = node.map().unwrap();
        assert_eq!(known_number(map.get("x")), Known::Not(Why::Absent));
        assert_eq!(known_number(map.get("b")), Known::Not(Why::Null));
        assert_eq!(known_number(map.get("a")), Known::Not(Why::NonFinite));
        assert_eq!(known_number(map.get("c")).value(), Some(2.5));
        assert_eq!(known_number(map.get("d")), Known::Not(Why::Impossible));
        assert_eq!(map.doubled().into_iter().collect::<Vec<_>>(), ["b"]);
        assert_eq!(map.iter().map(|(k, _)| k).collect::<String>(), "bacdb");
    }

    #[test]
    fn numbers_in_texts_may_have_their_thousands_apart() {
        assert_eq!(text_number("1,029.75").value(), Some(1029.75));
        assert_eq!(text_number("-1,234,567").value(), Some(-1_234_567.0));
        assert_eq!(text_number("12,34"), Known::Not(Why::Impossible));
        assert_eq!(text_number("inf"), Known::Not(Why::NonFinite));
        assert_eq!(text_number("-nan"), Known::Not(Why::NonFinite));
        assert_eq!(text_number("N/A"), Known::Not(Why::Absent));
        assert_eq!(text_number("fast"), Known::Not(Why::Impossible));
        assert_eq!(whole(1.5), Known::Not(Why::Impossible));
    }
}
