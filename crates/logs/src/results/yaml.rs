//! YAML results as documents.

use yaml_rust2::{Yaml, YamlLoader};

use super::input::Input;
use super::node::{Map, Node};

/// The largest YAML that is read, in bytes: results in YAML are summaries.
const MOST_BYTES: usize = 64 << 20;

/// The documents of an input that is YAML; none where it is not.
pub(crate) fn documents(input: &Input) -> Vec<Node> {
    let text = input.text();
    if text.len() > MOST_BYTES || !begins_with_key(text) {
        return Vec::new();
    }
    YamlLoader::load_from_str(text).unwrap_or_default().into_iter().map(node).collect()
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

fn node(yaml: Yaml) -> Node {
    match yaml {
        #[expect(clippy::cast_precision_loss, reason = "counts stay far below 2^53")]
        Yaml::Integer(n) => Node::Number(n as f64),
        Yaml::Real(text) | Yaml::String(text) => Node::Text(text),
        Yaml::Boolean(b) => Node::Bool(b),
        Yaml::Array(list) => Node::List(list.into_iter().map(node).collect()),
        Yaml::Hash(hash) => {
            let entries = hash.into_iter().map(|(key, value)| (name(&key), node(value)));
            Node::Map(Map(entries.collect()))
        }
        Yaml::Alias(_) | Yaml::Null | Yaml::BadValue => Node::Null,
    }
}

fn name(key: &Yaml) -> String {
    match key {
        Yaml::String(text) | Yaml::Real(text) => text.clone(),
        Yaml::Integer(n) => n.to_string(),
        Yaml::Boolean(b) => b.to_string(),
        _ => String::new(),
    }
}
