//! What a filter in a pipeline lets through.

use regex_lite::{Regex, RegexBuilder};

use super::secret::scrubbed;

/// A filter that a tool's output went through.
#[derive(Debug, Clone)]
pub struct Filter {
    /// The command as it was given, without credentials.
    pub text: String,
    kind: Kind,
}

#[derive(Debug, Clone)]
enum Kind {
    /// Lines that match any of these, or none where `inverted`.
    Match { patterns: Vec<Pattern>, inverted: bool },
    /// Every line.
    All,
    /// Nobody can say here.
    Opaque,
}

/// One alternative of a pattern.
#[derive(Debug, Clone)]
struct Pattern {
    text: String,
    regex: Regex,
}

impl Filter {
    /// The filter that a program of a pipeline is.
    pub(crate) fn of(program: &[String]) -> Self {
        let text = scrubbed(program.join(" "));
        let name = program.first().map_or("", String::as_str);
        let name = name.rsplit('/').next().unwrap_or(name);
        let kind = match name {
            "tee" | "cat" | "ts" | "stdbuf" | "unbuffer" => Kind::All,
            "grep" | "egrep" | "fgrep" | "rg" | "ag" => grep(name, program).unwrap_or(Kind::Opaque),
            _ => Kind::Opaque,
        };
        Self { text, kind }
    }

    /// Whether it lets a line through; `None` where nobody can say.
    pub fn keeps(&self, line: &str) -> Option<bool> {
        match &self.kind {
            Kind::All => Some(true),
            Kind::Opaque => None,
            Kind::Match { patterns, inverted } => {
                Some(patterns.iter().any(|p| p.regex.is_match(line)) != *inverted)
            }
        }
    }

    /// The alternatives of its pattern that match none of some lines: what was looked for and is
    /// not written like that. Empty for a filter that leaves lines out.
    pub fn alternatives_in_vain<'a>(&self, lines: &[&'a str]) -> Vec<&str>
    where
        Self: 'a,
    {
        match &self.kind {
            Kind::Match { patterns, inverted: false } => patterns
                .iter()
                .filter(|p| !lines.iter().any(|line| p.regex.is_match(line)))
                .map(|p| p.text.as_str())
                .collect(),
            _ => Vec::new(),
        }
    }
}

/// How a pattern is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Syntax {
    Basic,
    Extended,
    Fixed,
}

/// The longest pattern that is tried, in bytes, and the most memory that one alternative of it may
/// take: what people look for in a console is far below either.
const LONGEST: usize = 2 << 10;
const LARGEST: usize = 1 << 18;

fn grep(name: &str, program: &[String]) -> Option<Kind> {
    let mut syntax = match name {
        "grep" => Syntax::Basic,
        "fgrep" => Syntax::Fixed,
        _ => Syntax::Extended,
    };
    let (mut ignore_case, mut inverted, mut word) = (false, false, false);
    let mut given: Vec<String> = Vec::new();
    let mut rest = program.iter().skip(1);
    let mut positional = None;
    while let Some(part) = rest.next() {
        if let Some(long) = part.strip_prefix("--") {
            match long.split_once('=').unwrap_or((long, "")) {
                ("extended-regexp" | "perl-regexp", _) => syntax = Syntax::Extended,
                ("fixed-strings", _) => syntax = Syntax::Fixed,
                ("ignore-case", _) => ignore_case = true,
                ("invert-match", _) => inverted = true,
                ("word-regexp", _) => word = true,
                ("regexp", pattern) if !pattern.is_empty() => given.push(pattern.to_owned()),
                ("regexp", _) => given.extend(rest.next().cloned()),
                // Colours, line buffering and the like change no line.
                _ => {}
            }
        } else if let Some(flags) = part.strip_prefix('-').filter(|f| !f.is_empty()) {
            for flag in flags.chars() {
                match flag {
                    'E' | 'P' => syntax = Syntax::Extended,
                    'F' => syntax = Syntax::Fixed,
                    'i' => ignore_case = true,
                    'v' => inverted = true,
                    'w' => word = true,
                    // They print something else than the lines that match, or count.
                    'c' | 'o' | 'q' | 'L' | 'l' | 'f' => return None,
                    _ => {}
                }
            }
            match flags.chars().last() {
                Some('e') => given.extend(rest.next().cloned()),
                Some('A' | 'B' | 'C' | 'm') => drop(rest.next()),
                _ => {}
            }
        } else if positional.is_none() {
            positional = Some(part.clone());
        }
    }
    if given.is_empty() {
        given.extend(positional);
    }
    let mut patterns = Vec::new();
    if given.iter().map(String::len).sum::<usize>() > LONGEST {
        return None;
    }
    for alternative in given.iter().flat_map(|p| alternatives(p, syntax)) {
        let mut source = match syntax {
            Syntax::Basic => from_basic(&alternative),
            Syntax::Extended => alternative.clone(),
            Syntax::Fixed => regex_lite::escape(&alternative),
        };
        if word {
            source = format!(r"\b(?:{source})\b");
        }
        let regex = RegexBuilder::new(&source)
            .case_insensitive(ignore_case)
            .size_limit(LARGEST)
            .build()
            .ok()?;
        patterns.push(Pattern { text: alternative, regex });
    }
    (!patterns.is_empty()).then_some(Kind::Match { patterns, inverted })
}

/// A pattern's alternatives outside all brackets.
fn alternatives(pattern: &str, syntax: Syntax) -> Vec<String> {
    let (mut parts, mut depth, mut in_class) = (vec![String::new()], 0_u32, false);
    let mut chars = pattern.chars().peekable();
    while let Some(c) = chars.next() {
        let escaped = (c == '\\').then(|| chars.next()).flatten();
        let bar = match syntax {
            Syntax::Basic => escaped == Some('|') || c == '\n',
            Syntax::Extended => escaped.is_none() && c == '|',
            Syntax::Fixed => c == '\n',
        };
        match (c, escaped) {
            ('[', _) => in_class = true,
            (']', _) => in_class = false,
            ('(', _) if !in_class => depth += 1,
            (')', _) if !in_class => depth = depth.saturating_sub(1),
            _ => {}
        }
        if bar && depth == 0 && !in_class {
            parts.push(String::new());
        } else if let Some(part) = parts.last_mut() {
            part.push(c);
            part.extend(escaped);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// A basic expression as an extended one: there `\+` repeats and `+` is a character.
fn from_basic(pattern: &str) -> String {
    let mut out = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some(special @ ('+' | '?' | '|' | '(' | ')' | '{' | '}')) => out.push(special),
                Some(other) => out.extend(['\\', other]),
                None => out.push_str("\\\\"),
            },
            '+' | '?' | '|' | '(' | ')' | '{' | '}' => out.extend(['\\', c]),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filter(words: &[&str]) -> Filter {
        Filter::of(&words.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn filters_let_through_what_grep_does() {
        let f = filter(&["grep", "-E", "Throughput|TPOT|ITL|Output"]);
        let line = "Output token throughput (tok/s):         359.04";
        assert_eq!(f.keeps(line), Some(true));
        assert_eq!(f.keeps("Mean TTFT (ms):   32"), Some(false));
        let lines = [line, "Mean TPOT (ms): 4", "Mean ITL (ms): 4"];
        assert_eq!(f.alternatives_in_vain(&lines), ["Throughput"]);
        assert_eq!(filter(&["grep", "-iE", "THROUGHPUT"]).keeps(line), Some(true));
        assert_eq!(filter(&["grep", r"TPOT\|ITL"]).keeps("Mean ITL (ms)"), Some(true));
        assert_eq!(filter(&["grep", "TPOT|ITL"]).keeps("Mean ITL (ms)"), Some(false));
        assert_eq!(filter(&["grep", "-F", "(tok/s)"]).keeps(line), Some(true));
        assert_eq!(filter(&["grep", "-v", "warn"]).keeps(line), Some(true));
        assert_eq!(filter(&["grep", "-e", "TTFT", "-e", "output"]).keeps(line), Some(false));
        assert_eq!(filter(&["tee", "log"]).keeps(line), Some(true));
        for opaque in [&["awk", "/x/"][..], &["grep", "-c", "x"], &["grep", "["], &["grep"]] {
            assert_eq!(filter(opaque).keeps(line), None, "{opaque:?}");
        }
    }
}
