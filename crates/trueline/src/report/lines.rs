//! Lines of a given width.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::inert;

/// The width of a text as a terminal shows it: wide characters take two columns.
pub(super) fn width(text: &str) -> usize {
    text.width()
}

/// Breaks text at blanks into lines of at most `columns` columns; the first is indented by
/// `first`, the others by `rest` blanks. A word longer than a line is cut. The text is made inert
/// first, so that what it becomes fits as well.
///
/// # Examples
/// ```
/// use trueline::report::wrap;
/// assert_eq!(wrap("one two three", 9, 0, 2), ["one two", "  three"]);
/// ```
pub fn wrap(text: &str, columns: usize, first: usize, rest: usize) -> Vec<String> {
    let text = inert(text);
    let mut lines = Vec::new();
    let mut line = " ".repeat(first);
    let mut empty = true;
    for word in text.split_whitespace() {
        let mut word = word.to_owned();
        loop {
            let room = columns.saturating_sub(width(&line) + usize::from(!empty));
            // A line that holds nothing yet takes at least one character, or nothing would move.
            let room = if empty { room.max(1) } else { room };
            if width(&word) <= room {
                if !empty {
                    line.push(' ');
                }
                line += &word;
                empty = false;
                break;
            }
            if empty {
                // It does not fit a line of its own either: cut it.
                let at = fitting(&word, room);
                line += word.get(..at).unwrap_or_default();
                word = word.get(at..).unwrap_or_default().to_owned();
            }
            lines.push(std::mem::replace(&mut line, " ".repeat(rest)));
            empty = true;
        }
    }
    if !empty || lines.is_empty() {
        lines.push(line);
    }
    lines
}

/// Where to cut a word so that its head takes at most `room` columns, one character at least.
fn fitting(word: &str, room: usize) -> usize {
    let mut used = 0;
    for (at, c) in word.char_indices() {
        used += c.width().unwrap_or(0);
        if used > room && at > 0 {
            return at;
        }
    }
    word.len()
}

/// `left` and `right` at the two ends of a line, or one under the other where they do not fit.
pub(super) fn ends(left: &str, right: &str, columns: usize) -> Vec<String> {
    let (left, right) = (&inert(left), &inert(right));
    let used = width(left) + width(right);
    if used + 2 <= columns {
        return vec![format!("{left}{}{right}", " ".repeat(columns - used))];
    }
    let mut lines = wrap(left, columns, 0, 2);
    lines.extend(wrap(right, columns, 2, 2));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_line_is_wider_than_asked_and_no_word_is_lost() {
        let text = "a bb ccc 9 % ".repeat(30) + &"x".repeat(250) + " end";
        let lines = wrap(&text, 40, 0, 2);
        for columns in 7..40 {
            assert!(wrap(&text, columns, 0, 2).iter().all(|l| width(l) <= columns));
        }
        let joined: String = lines.concat().split_whitespace().collect();
        assert_eq!(joined, text.split_whitespace().collect::<String>());
    }

    #[test]
    fn ends_meet_the_margins() {
        let lines = ends("left", "right", 20);
        assert_eq!(lines, ["left           right"]);
        assert_eq!(ends("a long left part", "right", 20).len(), 2);
    }
}
