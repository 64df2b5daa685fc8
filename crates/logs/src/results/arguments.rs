//! The arguments that a tool was called with, as it echoes them or as a command line gives them.

use std::collections::BTreeMap;

use super::secret::{is_secret, scrubbed};

/// Arguments by name: no leading dashes, underscores between words.
///
/// # Examples
/// ```
/// use trueline_logs::Arguments;
/// let echoed = Arguments::from_echo("Namespace(model='m', request_rate=-1.0, seed=None)").unwrap();
/// assert_eq!(echoed.number("request_rate"), Some(-1.0));
/// assert_eq!(echoed.get("seed"), None);
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Arguments(BTreeMap<String, String>);

impl Arguments {
    /// Records one argument under its name. What may hold a key, a password or a prompt is left out,
    /// and so are credentials inside a value.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        let name = name.trim_start_matches('-').replace('-', "_").to_ascii_lowercase();
        let value = value.into();
        if !is_secret(&name, &value) {
            self.0.insert(name, scrubbed(value));
        }
    }

    /// An argument's value; `None` where it was not given.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }

    /// An argument that is a finite number.
    pub fn number(&self, name: &str) -> Option<f64> {
        self.get(name)?.parse().ok().filter(|x: &f64| x.is_finite())
    }

    /// An argument that is a whole number above zero.
    pub fn count(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok().filter(|n| *n > 0)
    }

    /// All of them, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The arguments in a line such as `Namespace(model='m', seed=1)`, as Python's argument parser
    /// prints them. `None` in the line is an argument that was not given.
    pub fn from_echo(line: &str) -> Option<Self> {
        let (_, rest) = line.split_once("Namespace(")?;
        let mut arguments = Self::default();
        for part in top_level(rest) {
            let (name, value) = part.split_once('=')?;
            if value != "None" {
                arguments.set(name.trim(), value.trim_matches(['\'', '"']));
            }
        }
        (!arguments.is_empty()).then_some(arguments)
    }
}

/// What stands between commas, up to the bracket that closes the list; commas in quotes and inner
/// brackets do not part.
fn top_level(text: &str) -> Vec<&str> {
    let (mut parts, mut from, mut depth, mut quote) = (Vec::new(), 0, 0_u32, None);
    let mut escaped = false;
    let mut part = |from: usize, to: usize| {
        let part = text.get(from..to).unwrap_or_default().trim();
        if !part.is_empty() {
            parts.push(part);
        }
    };
    for (at, c) in text.char_indices() {
        match (quote, c) {
            _ if escaped => escaped = false,
            (Some(_), '\\') => escaped = true,
            (Some(q), c) => quote = Some(q).filter(|q| *q != c),
            (None, '\'' | '"') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')') if depth == 0 => {
                part(from, at);
                return parts;
            }
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, ',') if depth == 0 => {
                part(from, at);
                from = at + 1;
            }
            _ => {}
        }
    }
    // The line is cut: its last part may be cut too.
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_passwords_are_never_kept() {
        let line =
            "Namespace(api_key='sk-1', header=['Authorization: x'], hf_token='y', tokenizer='t')";
        let kept = Arguments::from_echo(line).unwrap();
        assert_eq!(kept.iter().collect::<Vec<_>>(), [("tokenizer", "t")]);
    }

    #[test]
    fn an_echo_is_read_with_its_quotes_and_lists() {
        let line = "benchmark_args=Namespace(url='http://a:1,2', levels=[1, 2], note='it\\'s (x)', \
                    seed=None, rate=inf, n=12)";
        let a = Arguments::from_echo(line).unwrap();
        assert_eq!(a.get("url"), Some("http://a:1,2"));
        assert_eq!(a.get("levels"), Some("[1, 2]"));
        assert_eq!((a.get("seed"), a.number("rate"), a.count("n")), (None, None, Some(12)));
        let cut = Arguments::from_echo("Namespace(a=1, b='un").unwrap();
        assert_eq!(cut.iter().count(), 1);
        assert_eq!(Arguments::from_echo("Mean TTFT (ms): 3"), None);
    }
}
