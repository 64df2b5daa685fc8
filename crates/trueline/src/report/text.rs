//! The report as text: the first screen tells what may be quoted.

use std::collections::BTreeSet;

use trueline_core::{Finding, Need, Severity};

use super::lines::{ends, width};
use super::{Report, inert, wrap};
use crate::judge::{Judged, RESTS_ON_REVOKED, Status};
use trueline_core::number::short;

/// How the text is to look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextOptions {
    /// Columns of a line.
    pub columns: usize,
    /// Whether to colour the fates, for a terminal.
    pub colour: bool,
    /// Whether to print every finding and everything that was not observed.
    pub all: bool,
}

impl Default for TextOptions {
    fn default() -> Self {
        Self { columns: 100, colour: false, all: false }
    }
}

/// How many lines a first screen has.
const SCREEN: usize = 40;

/// How many lines about claims it shows, whatever else there is to say.
const LEAST_SHOWN: usize = 12;

/// How many claims of each fate the first screen tells apart.
const CLAIMS_SHOWN: usize = 5;

/// How many conclusions it names that fall with a claim.
const FALLEN_SHOWN: usize = 4;

/// How many lines of preface it shows.
const PREFACE_SHOWN: usize = 3;

/// How many characters of one statement it shows.
const STATEMENT_SHOWN: usize = 400;

impl Report {
    /// The report as text.
    ///
    /// Whatever came from a file is shown inert: it can neither colour, move nor hide anything.
    pub fn to_text(&self, options: TextOptions) -> String {
        let mut lines = Vec::new();
        let most = if options.all { usize::MAX } else { PREFACE_SHOWN };
        for line in self.preface.iter().take(most) {
            lines.extend(wrap(&Self::cut(line, options), options.columns, 0, 2));
        }
        if !self.preface.is_empty() {
            lines.push(String::new());
        }
        let before = lines.len();
        if self.are_rows {
            self.row_lines(options, &mut lines);
        } else if self.tabled {
            self.tabled_lines(options, &mut lines);
        } else {
            self.claim_lines(options, &mut lines);
        }
        // Rows are told below their table, claims above it.
        let (head, table_at) = if self.are_rows { (0, before) } else { (lines.len(), lines.len()) };
        if !self.body.is_empty() {
            if lines.last().is_some_and(|line| !line.is_empty()) {
                lines.push(String::new());
            }
            for line in &self.body {
                // A table's columns stay as they are; a sentence is broken where it is too long.
                if width(line) <= options.columns {
                    lines.push(line.clone());
                } else {
                    lines.extend(wrap(line, options.columns, 0, 2));
                }
            }
        }
        self.finding_lines(options, &mut lines);
        self.not_observed_lines(options, &mut lines);
        if !self.overrides.is_empty() {
            lines.push(String::new());
            let set = format!("Thresholds set: {}", self.overrides.join(", "));
            lines.extend(wrap(&set, options.columns, 0, 2));
        }
        let closing = self.closing(options);
        let is_spaced = lines.last().is_none_or(String::is_empty);
        lines.extend(closing.into_iter().skip(usize::from(is_spaced)));
        if let Some(table) = &self.table {
            let room =
                if options.all { usize::MAX } else { SCREEN.saturating_sub(lines.len() + 1) };
            let mut told = Self::table_lines(table, room, options.columns);
            if !self.are_rows {
                told.insert(0, String::new());
            }
            if lines.get(table_at).is_some_and(|line| !line.is_empty()) {
                told.push(String::new());
            }
            lines.splice(table_at..table_at, told);
        }
        if !options.all && lines.len() > SCREEN {
            // The claims give way: what to do and what is missing must be seen.
            let rest = lines.len() - head;
            let keep = SCREEN.saturating_sub(rest + 1).max(LEAST_SHOWN).min(head);
            let left = head - keep;
            if left > 1 {
                let more = format!("… and {left} more lines about claims (--all)");
                lines.splice(keep..head, [more]);
            }
        }
        let mut text = String::new();
        for line in lines {
            // Lines were made inert before they were broken; a table's were not broken.
            let line = inert(&line);
            text += &if options.colour { coloured(&line) } else { line };
            text.push('\n');
        }
        text
    }

    fn claim_lines(&self, options: TextOptions, lines: &mut Vec<String>) {
        let (fallen, revoked): (Vec<&Judged>, Vec<&Judged>) = self
            .claims
            .iter()
            .filter(|c| c.status == Status::Revoked)
            .partition(|c| c.revoked_by == [RESTS_ON_REVOKED.code]);
        let mut fallen = fallen;
        let most = if options.all { usize::MAX } else { CLAIMS_SHOWN };
        let groups = by_text(&revoked);
        more(lines, groups.len(), most, "revoked");
        for group in groups.into_iter().take(most) {
            self.revoked_lines(&group, options, lines);
            // What rests on it, at once or through others, is said with it.
            let mut down: BTreeSet<&str> = group.iter().map(|j| j.claim.id.as_str()).collect();
            let mut with_it: Vec<&str> = Vec::new();
            while let Some(at) = fallen
                .iter()
                .position(|j| j.claim.rests_on.iter().any(|id| down.contains(id.as_str())))
            {
                let judged = fallen.remove(at);
                down.insert(&judged.claim.id);
                with_it.push(&judged.claim.text);
            }
            let shown = if options.all { usize::MAX } else { FALLEN_SHOWN };
            let left = with_it.len().saturating_sub(shown);
            with_it.truncate(shown);
            let left = if left > 0 { format!("; and {left} more") } else { String::new() };
            if !with_it.is_empty() {
                let text = format!("Falls with it: {}{left}", with_it.join("; "));
                lines.extend(wrap(&Self::cut(&text, options), options.columns, 2, 4));
            }
        }
        for (status, word) in [(Status::Supported, "Survives"), (Status::NotShown, "Not shown")] {
            let word =
                if self.revoked() || status == Status::NotShown { word } else { "Supported" };
            let of_this_fate = || self.claims.iter().filter(|c| c.status == status);
            more(lines, of_this_fate().count(), most, word);
            for judged in of_this_fate().take(most) {
                let text = format!("{word}: {} ({})", judged.claim.text, self.standing(judged));
                lines.extend(wrap(&Self::cut(&text, options), options.columns, 0, 2));
            }
        }
    }

    fn revoked_lines(&self, group: &[&Judged], options: TextOptions, lines: &mut Vec<String>) {
        let Some(first) = group.first() else { return };
        let kinds: Vec<&str> = group.iter().map(|j| j.claim.kind.name()).collect();
        let text = format!("Do not quote: {}", first.claim.text);
        lines.extend(ends(
            &Self::cut(&text, options),
            &format!("{}: revoked", kinds.join(", ")),
            options.columns,
        ));
        let mut reasons: Vec<String> = Vec::new();
        for judged in group {
            for finding in self.reasons(judged) {
                let message = capital(&finding.message);
                if !reasons.contains(&message) {
                    reasons.push(message);
                }
            }
        }
        let reasons = format!("{}.", reasons.join(". "));
        lines.extend(wrap(&Self::cut(&reasons, options), options.columns, 2, 2));
        if let Some(instead) = group.iter().find_map(|j| j.instead.as_ref()) {
            let text = format!("  Quote instead: {}", instead.text);
            // The same answer to another claim is told in a word.
            let text = if lines
                .iter()
                .any(|line| text.starts_with(line.as_str()) && line.starts_with("  Quote"))
            {
                format!("  Quote instead: the same {} {}", short(instead.value, 3), instead.unit)
            } else {
                text
            };
            lines.extend(wrap(&text, options.columns, 2, 4));
        }
    }

    /// A statement, cut where it is too long for a first screen.
    pub(super) fn cut(text: &str, options: TextOptions) -> String {
        let most = if options.all { usize::MAX } else { STATEMENT_SHOWN };
        match text.char_indices().nth(most) {
            Some((at, _)) => format!("{} …", text.get(..at).unwrap_or_default()),
            None => text.to_owned(),
        }
    }

    /// The findings that revoke a claim, as their codes stand in it.
    pub(super) fn reasons<'a>(&'a self, judged: &'a Judged) -> impl Iterator<Item = &'a Finding> {
        judged.revoked_by.iter().filter(|code| **code != RESTS_ON_REVOKED.code).filter_map(|code| {
            self.outcomes.findings().find(|f| {
                f.code == *code
                    && f.severity == Severity::Error
                    && f.touches.contains(&judged.claim.kind)
                    && judged.claim.is_concerned_by(&f.about)
            })
        })
    }

    /// What a claim that stands, or is not shown, stands on or lacks.
    fn standing(&self, judged: &Judged) -> String {
        let mut parts: Vec<String> = judged.measured.iter().cloned().collect();
        for code in &judged.weakened_by {
            let weakening = self.outcomes.findings().find(|f| {
                f.code == *code
                    && f.severity == Severity::Warning
                    && judged.claim.is_concerned_by(&f.about)
            });
            parts.extend(weakening.map(|f| f.message.clone()));
        }
        if judged.status == Status::NotShown {
            // What was said about a piece of evidence tells more than its absence.
            // Without the log there is nothing to say about its rows.
            let lacks = |need| judged.missing.iter().any(|m| m.need == need);
            let moot = |need| {
                matches!(need, Need::RowsInCell | Need::MixCovered) && lacks(Need::ProductionLog)
            };
            let told = || judged.missing.iter().filter(|m| !moot(m.need));
            let mut details: Vec<&String> = Vec::new();
            for detail in told().filter_map(|m| m.detail.as_ref()) {
                if !details.contains(&detail) {
                    details.push(detail);
                }
            }
            let bare = told().filter(|m| m.detail.is_none());
            // Where the arms are missing the rest goes without saying, unless there is no data at
            // all: then the question is what evidence the claim would need.
            let no_data = self.results["runs"].as_array().is_some_and(Vec::is_empty);
            let without_arms = lacks(Need::BothArms) && !no_data;
            parts.extend(details.into_iter().cloned());
            if !without_arms {
                let bare: Vec<&str> = bare.map(|m| m.need.words()).collect();
                if !bare.is_empty() {
                    parts.push(format!("missing: {}", bare.join(", ")));
                }
            }
        }
        if parts.len() == usize::from(judged.measured.is_some()) {
            parts.push(format!("{}, all evidence there", judged.claim.kind));
        }
        if !judged.claim.unjudged.is_empty() {
            parts.push(format!("not judged yet: {}", judged.claim.unjudged.join(", ")));
        }
        parts.join("; ")
    }

    fn closing(&self, options: TextOptions) -> Vec<String> {
        let mut text = String::new();
        if self.are_rows {
            text += &self.rows_closing();
        } else if self.tabled {
            text += &self.tabled_closing();
        } else if self.claims.is_empty() && self.program == "audit" {
            text += "Nothing was judged: there is no claim, and no result with a headline value. What \
                     a log holds: read_log.";
        }
        let summed = self.tabled || self.are_rows;
        if !summed && !self.claims.is_empty() && !self.revoked() {
            text += "Nothing in these data contradicts what is claimed.";
            if self.not_shown() {
                text += " What is not shown needs the evidence named above.";
            }
        }
        if text.is_empty() {
            return Vec::new();
        }
        let mut lines = vec![String::new()];
        lines.extend(wrap(&text, options.columns, 0, 0));
        lines
    }
}

/// Says that only the first few are told.
fn more(lines: &mut Vec<String>, n: usize, most: usize, what: &str) {
    if n > most {
        lines.push(format!(
            "{n} claims: {}; the first {most} here, all with --all",
            what.to_lowercase()
        ));
    }
}

/// Claims that say the same, together, in the order of the first of each.
fn by_text<'a>(claims: &[&'a Judged]) -> Vec<Vec<&'a Judged>> {
    let mut groups: Vec<Vec<&Judged>> = Vec::new();
    for judged in claims {
        let known = groups
            .iter_mut()
            .find(|g| g.first().is_some_and(|first| first.claim.text == judged.claim.text));
        match known {
            Some(group) => group.push(judged),
            None => groups.push(vec![judged]),
        }
    }
    groups
}

/// A sentence's beginning; a name with an underscore keeps its case.
pub(crate) fn capital(text: &str) -> String {
    if text.split_whitespace().next().is_some_and(|word| word.contains('_')) {
        return text.to_owned();
    }
    let mut chars = text.chars();
    chars.next().map_or(String::new(), |first| first.to_uppercase().chain(chars).collect())
}

fn coloured(line: &str) -> String {
    const RED: &str = "\x1b[1;31m";
    const GREEN: &str = "\x1b[1;32m";
    const YELLOW: &str = "\x1b[1;33m";
    for (head, colour) in [
        ("Do not quote:", RED),
        ("  Falls with it:", RED),
        ("  Quote instead:", GREEN),
        ("Survives:", GREEN),
        ("Supported:", GREEN),
        ("Not shown:", YELLOW),
    ] {
        if let Some(rest) = line.strip_prefix(head) {
            return format!("{colour}{head}\x1b[0m{rest}");
        }
    }
    line.to_owned()
}
