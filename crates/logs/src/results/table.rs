//! Tables drawn with bars, `│ a │ b │` or `| a | b |`, as rows of cells.

/// The cells of a line that is a row of a drawn table; `None` for any other line and for rules.
///
/// # Shape
/// What stands between two bars, trimmed. A heading that spans columns (`|||`) leaves empty cells.
pub(crate) fn cells(line: &str) -> Option<Vec<&str>> {
    let line = line.trim();
    let bar = line.chars().next().filter(|c| matches!(c, '│' | '┃' | '|'))?;
    let ends = line.ends_with(bar) && line.chars().count() > 1;
    let inner = line.strip_prefix(bar)?.strip_suffix(bar).filter(|_| ends)?;
    let is_rule = inner.chars().all(|c| matches!(c, '-' | '=' | ':' | '+' | ' ' | '|' | '─' | '━'));
    (!is_rule).then(|| inner.split(bar).map(str::trim).collect())
}

#[cfg(test)]
mod tests {
    use super::cells;

    #[test]
    fn rows_are_told_from_rules_and_text() {
        assert_eq!(cells("│ warmup │ 2.02 req/s │"), Some(vec!["warmup", "2.02 req/s"]));
        assert_eq!(cells("| qwen2 | pp512 | 7340.20 ± 23.45 |").map(|c| c.len()), Some(3));
        assert_eq!(cells("| Timings   ||| Requests |").map(|c| c.len()), Some(4));
        for line in ["|---|---:|", "├────┼───┤", "|====|====|", "a | b", "", "|"]
        {
            assert_eq!(cells(line), None, "{line}");
        }
    }
}
