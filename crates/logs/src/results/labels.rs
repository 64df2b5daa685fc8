//! Console output as labels and values: `Mean TTFT (ms):   32.17` inside a section.

use super::input::Line;

/// One label with its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Label<'a> {
    /// The heading that it stands under; empty above the first.
    pub(crate) section: &'a str,
    /// The whole label, without the colon.
    pub(crate) name: &'a str,
    /// What stands behind the colon.
    pub(crate) value: &'a str,
    /// The line's number.
    pub(crate) line: usize,
}

/// The labels of some lines.
pub(crate) fn labels<'a>(lines: impl IntoIterator<Item = Line<'a>>) -> Vec<Label<'a>> {
    let mut section = "";
    let mut found = Vec::new();
    for line in lines {
        if let Some(name) = heading(line.text) {
            section = name;
        } else if let Some((label, value)) = split(line.text) {
            found.push(Label { section, name: label, value, line: line.number });
        }
    }
    found
}

/// The name in a line such as `-----Time to First Token-----` or `==== Result ====`.
pub(crate) fn heading(line: &str) -> Option<&str> {
    let line = line.trim();
    let mark = line.chars().next().filter(|c| matches!(c, '-' | '=' | '#' | '*'))?;
    let framed = line.starts_with(&mark.to_string().repeat(3))
        && line.ends_with(&mark.to_string().repeat(3));
    let name = line.trim_matches(mark).trim();
    (framed && !name.is_empty()).then_some(name)
}

/// A line as label and value: the label ends at the first colon that a blank or the line's end
/// follows.
pub(crate) fn split(line: &str) -> Option<(&str, &str)> {
    let mut from = 0;
    loop {
        let at = from + line.get(from..)?.find(':')?;
        let (label, value) = (line.get(..at)?, line.get(at + 1..)?);
        if value.is_empty() || value.starts_with([' ', '\t']) {
            let label = label.trim();
            return (!label.is_empty()).then_some((label, value.trim()));
        }
        from = at + 1;
    }
}

/// The step in which a number is written: 0.01 for `32.17`, 1 for `12`.
pub(crate) fn step_of(text: &str) -> f64 {
    let number = text.trim();
    let decimals = number
        .split_once('.')
        .map_or(0, |(_, after)| after.chars().take_while(char::is_ascii_digit).count());
    10_f64.powi(-i32::try_from(decimals).unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_end_at_their_own_colon_and_know_their_section() {
        let text =
            ["--------Time to First Token--------", "Mean TTFT (ms):   32.17", "http://a:80"];
        let lines = text.iter().enumerate().map(|(i, text)| Line { number: i + 1, text });
        let found = labels(lines);
        assert_eq!(found.len(), 1);
        assert_eq!(
            (found[0].section, found[0].name, found[0].value),
            ("Time to First Token", "Mean TTFT (ms)", "32.17")
        );
        assert_eq!(split("SLOs (ms):   ttft:100 tpot:50"), Some(("SLOs (ms)", "ttft:100 tpot:50")));
        assert_eq!(split("Speculative:"), Some(("Speculative", "")));
        assert_eq!(heading("=================="), None);
        assert!((step_of("32.17") - 0.01).abs() < 1e-12 && (step_of("12") - 1.0).abs() < 1e-12);
    }
}
