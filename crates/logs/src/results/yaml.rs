//! YAML results as documents.

use std::collections::HashMap;

use yaml_rust2::Yaml;
use yaml_rust2::parser::{Event, Parser, Tag};
use yaml_rust2::scanner::TScalarStyle;

use super::input::{DEEPEST, Input};
use super::node::{Map, Node};

/// The largest YAML that is read, in bytes: results in YAML are summaries.
const MOST_BYTES: usize = 64 << 20;

/// The documents of an input that is YAML; none where it is not.
pub(crate) fn documents(input: &Input) -> Vec<Node> {
    let text = input.text();
    if text.len() > MOST_BYTES || !begins_with_key(text) {
        return Vec::new();
    }
    parsed(text).unwrap_or_default()
}

/// Whether the first line that says anything is a key at the margin with nothing or a plain value
/// behind it, and the file calls itself YAML or has another such key.
fn begins_with_key(text: &str) -> bool {
    let says = |line: &&str| !line.trim().is_empty() && !line.starts_with('#') && *line != "---";
    let is_key = |line: &str| {
        line.split_once(':').is_some_and(|(key, after)| {
            !key.is_empty()
                && key.chars().all(|c| c.is_ascii_lowercase() || c == '_')
                && (after.is_empty() || after.starts_with(' '))
        })
    };
    let at_margin = |line: &&str| !line.starts_with([' ', '-']);
    let mut lines = text.lines().filter(says).filter(at_margin);
    lines.next().is_some_and(is_key) && lines.all(is_key)
}

/// The documents of a text; `None` where it is no YAML, nests too deep, or stands for more values by
/// its aliases than a text of its length has.
fn parsed(text: &str) -> Option<Vec<Node>> {
    let mut parser = Parser::new_from_str(text);
    let mut tree = Tree { left: text.len(), ..Tree::default() };
    loop {
        match parser.next_token().ok()?.0 {
            Event::StreamEnd => return Some(tree.documents),
            Event::SequenceStart(anchor, _) => tree.open(Node::List(Vec::new()), anchor)?,
            Event::MappingStart(anchor, _) => tree.open(Node::Map(Map::default()), anchor)?,
            Event::SequenceEnd | Event::MappingEnd => tree.close()?,
            Event::Scalar(text, style, anchor, tag) => {
                tree.add(scalar(text, style, tag.as_ref()), anchor)?;
            }
            Event::Alias(anchor) => tree.repeat(anchor)?,
            Event::Nothing | Event::StreamStart | Event::DocumentStart | Event::DocumentEnd => {}
        }
    }
}

/// Documents while their events come in. No step of it calls itself, so that no depth of nesting
/// outgrows the stack.
#[derive(Debug, Default)]
struct Tree {
    documents: Vec<Node>,
    open: Vec<Open>,
    /// Values with an anchor, and how many values each is.
    anchors: HashMap<usize, (Node, usize)>,
    /// How many values aliases may still stand for.
    left: usize,
}

/// A list or object that is not closed yet.
#[derive(Debug)]
struct Open {
    node: Node,
    /// The key that waits for its value.
    key: Option<String>,
    anchor: usize,
    /// How many values it is so far, itself included.
    size: usize,
}

impl Tree {
    fn open(&mut self, node: Node, anchor: usize) -> Option<()> {
        self.open.push(Open { node, key: None, anchor, size: 1 });
        (self.open.len() <= DEEPEST).then_some(())
    }

    fn close(&mut self) -> Option<()> {
        let Open { node, anchor, size, .. } = self.open.pop()?;
        self.keep(&node, anchor, size);
        self.put(node, size)
    }

    fn add(&mut self, node: Node, anchor: usize) -> Option<()> {
        self.keep(&node, anchor, 1);
        self.put(node, 1)
    }

    /// The value of an anchor once more.
    fn repeat(&mut self, anchor: usize) -> Option<()> {
        // An alias inside its own value has none yet.
        let Some((node, size)) = self.anchors.get(&anchor) else { return self.put(Node::Null, 1) };
        self.left = self.left.checked_sub(*size)?;
        let (node, size) = (node.clone(), *size);
        self.put(node, size)
    }

    /// Anchors are numbered from 1.
    fn keep(&mut self, node: &Node, anchor: usize, size: usize) {
        if anchor > 0 {
            self.anchors.insert(anchor, (node.clone(), size));
        }
    }

    fn put(&mut self, value: Node, size: usize) -> Option<()> {
        let Some(open) = self.open.last_mut() else {
            self.documents.push(value);
            return Some(());
        };
        open.size = open.size.checked_add(size)?;
        match (&mut open.node, open.key.take()) {
            (Node::Map(map), Some(key)) => map.0.push((key, value)),
            (Node::Map(_), None) => open.key = Some(name(&value)),
            (Node::List(list), _) => list.push(value),
            _ => {}
        }
        Some(())
    }
}

/// A scalar: plain ones by the rules of YAML, those in quotes or with a tag of their own as text.
fn scalar(text: String, style: TScalarStyle, tag: Option<&Tag>) -> Node {
    let is_text = tag.is_some_and(|t| t.handle != "tag:yaml.org,2002:" || t.suffix == "str");
    if style != TScalarStyle::Plain || is_text {
        return Node::Text(text);
    }
    match Yaml::from_str(&text) {
        #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        Yaml::Integer(n) => Node::Number(n as f64),
        Yaml::Boolean(b) => Node::Bool(b),
        Yaml::Null => Node::Null,
        _ => Node::Text(text),
    }
}

fn name(key: &Node) -> String {
    match key {
        Node::Text(text) => text.clone(),
        Node::Number(n) => n.to_string(),
        Node::Bool(b) => b.to_string(),
        Node::Null | Node::List(_) | Node::Map(_) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_stand_for_their_values() {
        let text = "a: &x {b: [1, 'two', 3.5, true, ~]}\nc: *x\nd: [*x, *x]\n";
        let [Node::Map(map)] = &parsed(text).unwrap()[..] else { panic!("one object") };
        assert_eq!(map.get("c"), map.get("a"));
        let list = map.at(&["c", "b"]).and_then(Node::list).unwrap();
        let text = |t: &str| Node::Text(t.to_owned());
        let expected = [Node::Number(1.0), text("two"), text("3.5"), Node::Bool(true), Node::Null];
        assert_eq!(list, expected);
        assert_eq!(map.get("d").and_then(Node::list).map(<[Node]>::len), Some(2));
    }

    #[test]
    fn aliases_that_multiply_are_refused() {
        let mut text = "a: &a [1]\n".to_owned();
        for (before, key) in ('a'..='y').zip('b'..='z') {
            text += &format!("{key}: &{key} [{}]\n", format!("*{before},").repeat(9));
        }
        assert_eq!(parsed(&text), None);
        assert_eq!(parsed("a: &a [*a]\n").unwrap().len(), 1);
    }

    #[test]
    fn nesting_without_end_is_refused() {
        for item in ["- ", "["] {
            assert_eq!(parsed(&format!("a:\n {}1\n", item.repeat(100_000))), None, "{item}");
        }
        assert!(parsed(&format!("a:\n {}1\n", "- ".repeat(50))).is_some());
    }
}
