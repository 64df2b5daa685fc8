//! What the fields of a log mean, line by line.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::FieldMeaning;

/// How many fields share a source at least for it to be said once.
const SHARED: usize = 3;

/// What each field counts and spans, as lines of text. The source that most of them share stands above them, and
/// behind none.
pub fn explain_fields(fields: &[FieldMeaning]) -> Vec<String> {
    let mut sources: BTreeMap<&str, usize> = BTreeMap::new();
    for field in fields.iter().filter(|field| !field.source.is_empty()) {
        *sources.entry(&field.source).or_default() += 1;
    }
    let most = sources.into_iter().max_by_key(|(_, n)| *n).filter(|(_, n)| *n >= SHARED);
    let common = most.map(|(source, _)| source);
    let head = common.map(|source| format!("Where a field names no other source: {source}"));
    let lines = fields.iter().map(|field| {
        let shown = if Some(&*field.source) == common {
            FieldMeaning { source: Cow::Borrowed(""), ..field.clone() }
        } else {
            field.clone()
        };
        shown.to_string()
    });
    head.into_iter().chain(lines).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::LogFormat;

    #[test]
    fn a_source_that_fields_share_is_said_once() {
        let fields = LogFormat::named("sglang-export").unwrap().fields();
        let lines = explain_fields(&fields);
        assert_eq!(lines.len(), fields.len() + 1);
        let of = |text: &str| lines.iter().filter(|line| line.contains(text)).count();
        assert_eq!(of("req_time_stats.py"), 1, "{lines:#?}");
        // Fields of another source keep it.
        assert!(of("pull request 19011") > 1);
        assert_eq!(explain_fields(&fields[..2]), [fields[0].to_string(), fields[1].to_string()]);
    }
}
