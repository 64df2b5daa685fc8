//! Text from files, made harmless for a terminal.

/// Text in which nothing acts: control characters, terminal escapes, invisible characters and those
/// that turn the writing direction become visible escapes.
///
/// # Examples
/// ```
/// use trueline::report::inert;
/// assert_eq!(inert("a\u{1b}[31mb"), "a\\u{1b}[31mb");
/// assert_eq!(inert("20–32k tokens"), "20–32k tokens");
/// ```
pub fn inert(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if acts(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{feff}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_moves_hides_or_colours_gets_through() {
        for hostile in [
            "\x1b]0;title\x07",
            "a\rb",
            "a\nb",
            "\u{202e}evil",
            "x\u{200b}y",
            "\u{9b}31m",
            "\u{e0041}",
        ] {
            let text = inert(hostile);
            assert!(!text.chars().any(acts), "{text:?}");
            assert!(text.contains("\\u{"), "{text:?}");
        }
    }
}
