//! Rows of another format between those of a file's own.

use std::sync::Arc;

use crate::adapters::{LOG_FORMATS, Table};
use crate::envelope::Keys;

/// What tells rows of other formats from those of a file's own.
#[derive(Debug, Clone)]
pub(crate) struct Foreign {
    /// Keys that only the file's own format has.
    own: &'static [&'static str],
    /// Keys that only one other format has, and that the file's own does not know.
    others: Arc<[&'static str]>,
}

impl Foreign {
    /// For a format; a format without a key of its own has nothing to tell them by.
    pub(crate) fn to(table: &Table) -> Self {
        let knows = |key: &str| table.fields.iter().any(|f| f.path.split('.').next() == Some(key));
        let of = |marks: &'static [&'static str]| marks.iter().copied().filter(|key| !knows(key));
        let others: Vec<&'static str> = if table.marks.is_empty() {
            Vec::new()
        } else {
            let tables = LOG_FORMATS.iter().filter(|format| format.name != table.name);
            tables.flat_map(|format| of((format.table)().marks)).collect()
        };
        Self { own: table.marks, others: others.into() }
    }

    /// The keys of other formats.
    pub(crate) fn marks(&self) -> Arc<[&'static str]> {
        Arc::clone(&self.others)
    }

    /// Whether a row is of another format: it has a key that only another one has, and none that only its
    /// own has.
    pub(crate) fn is_row(&self, text: &str) -> bool {
        let Ok(Keys(keys)) = serde_json::from_str(text) else { return false };
        let has = |marks: &[&str]| keys.iter().any(|key| marks.contains(&key.as_str()));
        has(&self.others) && !has(self.own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::LogFormat;

    fn foreign(format: &str) -> Foreign {
        Foreign::to(&(LogFormat::named(format).unwrap().table)())
    }

    #[test]
    fn a_row_is_foreign_by_a_key_of_another_format_and_none_of_its_own() {
        let ollama = foreign("ollama");
        let other = r#"{"id":"a","timings":{"prompt_n":5},"model":"m"}"#;
        assert!(ollama.is_row(other));
        assert!(!ollama.is_row(&other.replace("\"model\"", "\"eval_count\"")));
        // Keys that several formats have tell nothing, and neither does a key inside.
        assert!(!ollama.is_row(r#"{"model":"m","done":true}"#));
        assert!(!ollama.is_row(r#"{"model":"m","x":{"timings":5}}"#));
        assert!(!ollama.is_row("[1]"));
    }

    #[test]
    fn a_format_without_keys_of_its_own_knows_no_foreign_row() {
        assert!(!foreign("openai-usage").is_row(r#"{"timings":{},"usage":{}}"#));
    }
}
