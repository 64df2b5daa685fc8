//! Metrics text, in the format of Prometheus or `OpenMetrics`, as samples.

use std::borrow::Cow;
use std::collections::BTreeSet;

/// One line of metrics: a name, its labels, a value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Sample<'a> {
    /// Its name, `_total`, `_sum` and the like included.
    pub(super) name: &'a str,
    /// Its labels, in order of name.
    pub(super) labels: Vec<(&'a str, Cow<'a, str>)>,
    /// What it says; NaN and infinities as they stand.
    pub(super) value: f64,
}

/// All that metrics text says.
///
/// # Shape
/// `samples` in the order of the lines; every line that is neither blank, comment nor sample is
/// counted in `bad_lines`.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Exposition<'a> {
    /// The samples.
    pub(super) samples: Vec<Sample<'a>>,
    /// Names for which a type is declared: a metric may be declared long before its first sample.
    pub(super) declared: BTreeSet<&'a str>,
    /// Lines that could not be read.
    pub(super) bad_lines: u64,
}

/// Reads metrics text. Timestamps and exemplars are left out: a scrape is read as of now.
pub(super) fn parse_exposition(text: &str) -> Exposition<'_> {
    let mut read = Exposition::default();
    for line in text.lines() {
        let line = line.trim();
        if let Some(comment) = line.strip_prefix('#') {
            let mut words = comment.split_whitespace();
            // What follows an `# EOF` is another scrape, appended: it is read as well.
            if words.next() == Some("TYPE") {
                read.declared.extend(words.next());
            }
        } else if let Some(sample) = parse_sample(line) {
            read.samples.push(sample);
        } else if !line.is_empty() {
            read.bad_lines += 1;
        }
    }
    read
}

fn parse_sample(line: &str) -> Option<Sample<'_>> {
    let end = line.find(|c: char| !is_of_a_name(c)).unwrap_or(line.len());
    let (name, rest) = line.split_at_checked(end)?;
    if name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let (mut labels, rest) = match rest.trim_start().strip_prefix('{') {
        Some(inside) => parse_labels(inside)?,
        None => (Vec::new(), rest),
    };
    labels.sort();
    let mut words = rest.split_whitespace();
    let value = parse_value(words.next()?)?;
    // A time, an exemplar behind `#`; any other word means that the line was misunderstood.
    match words.next() {
        None | Some("#") => {}
        Some(time) => {
            time.parse::<f64>().ok()?;
        }
    }
    Some(Sample { name, labels, value })
}

/// Labels up to their closing brace, and what follows it.
type Labels<'a> = (Vec<(&'a str, Cow<'a, str>)>, &'a str);

fn parse_labels(mut rest: &str) -> Option<Labels<'_>> {
    let mut labels = Vec::new();
    loop {
        rest = rest.trim_start();
        if let Some(after) = rest.strip_prefix('}') {
            return Some((labels, after));
        }
        let (name, quoted) = rest.split_once('=')?;
        let name = name.trim_end();
        if name.is_empty() || !name.chars().all(|c| is_of_a_name(c) && c != ':') {
            return None;
        }
        let (value, after) = parse_quoted(quoted.trim_start().strip_prefix('"')?)?;
        labels.push((name, value));
        rest = after.trim_start();
        match rest.strip_prefix(',') {
            Some(next) => rest = next,
            None if rest.starts_with('}') => {}
            None => return None,
        }
    }
}

/// A value up to its closing quote, with `\\`, `\"` and `\n` undone, and what follows it.
fn parse_quoted(text: &str) -> Option<(Cow<'_, str>, &str)> {
    let mut undone: Option<String> = None;
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                let (value, rest) = text.split_at_checked(at)?;
                let value = undone.map_or(Cow::Borrowed(value), Cow::Owned);
                return Some((value, rest.strip_prefix('"')?));
            }
            '\\' => {
                let kept = undone.get_or_insert_with(|| text.get(..at).unwrap_or("").to_owned());
                match chars.next()?.1 {
                    'n' => kept.push('\n'),
                    // An unknown escape stands for itself.
                    other => kept.push(other),
                }
            }
            c => {
                if let Some(kept) = &mut undone {
                    kept.push(c);
                }
            }
        }
    }
    None
}

fn parse_value(word: &str) -> Option<f64> {
    match word {
        "+Inf" | "Inf" => Some(f64::INFINITY),
        "-Inf" => Some(f64::NEG_INFINITY),
        "NaN" => Some(f64::NAN),
        // `inf` and `nan` of Rust's own are nobody's spelling here.
        word if word.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c)) => {
            word.parse().ok().filter(|x: &f64| x.is_finite())
        }
        _ => None,
    }
}

const fn is_of_a_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '_' | ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn one(line: &str) -> Option<Sample<'_>> {
        let read = parse_exposition(line);
        assert_eq!(read.samples.len() as u64 + read.bad_lines, 1, "{line}");
        read.samples.into_iter().next()
    }

    #[test]
    fn labels_are_read_with_their_escapes_and_in_order() {
        let sample =
            one(r#"a:b_total{z="1", path="C:\\x\"y\"\n}" ,} 1.5e3 1795954698368"#).unwrap();
        assert_eq!((sample.name, sample.value), ("a:b_total", 1500.0));
        let labels: Vec<(&str, &str)> = sample.labels.iter().map(|(n, v)| (*n, &**v)).collect();
        assert_eq!(labels, [("path", "C:\\x\"y\"\n}"), ("z", "1")]);
        assert_eq!(one("up{} 1").unwrap().labels, []);
    }

    #[test]
    fn what_is_not_finite_is_a_value_and_no_bad_line() {
        assert!(one("x NaN").unwrap().value.is_nan());
        assert!(one("x +Inf").unwrap().value.is_infinite());
        assert_eq!(one(r#"x_bucket{le="+Inf"} 7"#).unwrap().labels[0].1, "+Inf");
    }

    #[test]
    fn an_exemplar_and_the_end_mark_are_no_bad_lines() {
        let text =
            "# TYPE x counter\n# HELP x Of \"it\".\nx_total 3 # {trace=\"a\"} 1 1.5\n\n# EOF\n";
        let read = parse_exposition(text);
        assert_eq!((read.samples.len(), read.bad_lines), (1, 0));
        assert!(read.declared.contains("x"));
    }

    #[test]
    fn torn_lines_are_counted_and_the_rest_is_read() {
        let bad = [
            "x",
            "x ",
            "{a=\"b\"} 1",
            "x{a=\"b\" 1",
            "x{a=b} 1",
            "x{a} 1",
            "x{=\"b\"} 1",
            "x one",
            "x 1 two",
            "9x 1",
            "x{a=\"b\\",
            "x 1e999",
            "x nan",
            "<html>",
            "x{a=\"1\"b=\"2\"} 1",
        ];
        for line in bad {
            assert_eq!(one(line.trim_end()), None, "{line}");
        }
        let read = parse_exposition("x{a=\"b\nx_total 1\r\n");
        assert_eq!((read.samples.len(), read.bad_lines), (1, 1));
    }
}
