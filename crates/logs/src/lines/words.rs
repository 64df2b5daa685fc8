//! Words that are looked for in line after line.

use std::sync::OnceLock;

use memchr::memmem::Finder;

/// Words, with what makes looking for them cheap: it is made once and not for each line.
#[derive(Debug)]
pub(crate) struct Words {
    words: &'static str,
    finder: OnceLock<Finder<'static>>,
}

impl Words {
    pub(crate) const fn new(words: &'static str) -> Self {
        Self { words, finder: OnceLock::new() }
    }

    /// Where they first stand in a text.
    pub(crate) fn find(&self, text: &str) -> Option<usize> {
        self.finder.get_or_init(|| Finder::new(self.words)).find(text.as_bytes())
    }

    /// Whether they stand in a text.
    pub(crate) fn are_in(&self, text: &str) -> bool {
        self.find(text).is_some()
    }

    /// What stands before and behind them where they first stand.
    pub(crate) fn split<'t>(&self, text: &'t str) -> Option<(&'t str, &'t str)> {
        let at = self.find(text)?;
        Some((text.get(..at)?, text.get(at + self.words.len()..)?))
    }

    /// What stands behind them where they first stand.
    pub(crate) fn after<'t>(&self, text: &'t str) -> Option<&'t str> {
        Some(self.split(text)?.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_split_a_text_where_they_first_stand() {
        static TASK: Words = Words::new(" | task ");
        let line = "é id 0 | task 3 | task 4";
        assert_eq!(TASK.split(line), line.split_once(" | task "));
        assert_eq!(TASK.after(line), Some("3 | task 4"));
        assert!(!TASK.are_in("id 0 | tas"));
    }
}
