//! Formats of text, by what their lines say.

use memchr::memmem;

use crate::adapters::{LOG_FORMATS, Reads};
use crate::lines::{Seen, bare, uncoloured};

/// How many lines of text decide: a server says much before its first request.
const TEXT_LINES: usize = 4_096;

/// The formats of text of which some of the first lines are, that of most lines first.
pub(super) fn all_of_lines(head: &str) -> Vec<(&'static str, Seen)> {
    let lines = || head.lines().filter(|line| !line.trim().is_empty()).take(TEXT_LINES);
    let mut buffers: Vec<String> = lines().map(|_| String::new()).collect();
    let lines: Vec<&str> = lines()
        .zip(&mut buffers)
        .map(|(line, buffer)| bare(uncoloured(line, buffer), false).text)
        .collect();
    let mut seen: Vec<(&str, Seen)> = LOG_FORMATS
        .iter()
        .filter_map(|format| match format.reads {
            Reads::Lines { words, is, .. } if any_holds(&lines, words) => {
                Some((format.name, is(&lines)?))
            }
            _ => None,
        })
        .collect();
    // Of formats with as many lines the last one is taken, as ever.
    seen.reverse();
    seen.sort_by_key(|(_, seen)| std::cmp::Reverse(seen.lines));
    seen
}

/// Whether one of some lines holds one of some words.
fn any_holds(lines: &[&str], words: &[&str]) -> bool {
    words.iter().any(|words| {
        let words = memmem::Finder::new(words);
        lines.iter().any(|line| words.find(line.as_bytes()).is_some())
    })
}
