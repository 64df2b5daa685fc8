//! Claims that a table shows one by one, summed up: which values fall, and for what.

use std::collections::BTreeSet;

use trueline_core::number::things;
use trueline_core::{CheckOutcome, ClaimKind, Finding, Need, Severity};

use super::lines::ends;
use super::text::capital;
use super::{Origin, Report, TextOptions, wrap};
use crate::judge::{Judged, Status};

/// How many groups of revoked values the first screen tells apart.
const GROUPS_SHOWN: usize = 4;

/// How many reasons of one group it gives.
const REASONS_SHOWN: usize = 4;

impl Report {
    /// The revoked claims, those with the same causes together.
    pub(super) fn tabled_lines(&self, options: TextOptions, lines: &mut Vec<String>) {
        let mut groups: Vec<(&[&'static str], Vec<&Judged>)> = Vec::new();
        for judged in self.claims.iter().filter(|c| c.status == Status::Revoked) {
            match groups.iter_mut().find(|(codes, _)| *codes == judged.revoked_by) {
                Some((_, group)) => group.push(judged),
                None => groups.push((&judged.revoked_by, vec![judged])),
            }
        }
        let left = groups.len().saturating_sub(if options.all { usize::MAX } else { GROUPS_SHOWN });
        let shown = groups.len() - left;
        for (_, group) in groups.into_iter().take(shown) {
            let title = format!("Do not quote: {}", self.title(&group));
            let kinds: BTreeSet<&str> = group.iter().map(|j| j.claim.kind.name()).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            let fate = format!("{}: revoked", kinds.join(", "));
            lines.extend(ends(&Self::cut(&title, options), &fate, options.columns));
            let reasons = self.reasons_of(&group, options);
            lines.extend(wrap(&Self::cut(&reasons, options), options.columns, 2, 2));
            let instead: BTreeSet<&str> =
                group.iter().filter_map(|j| Some(j.instead.as_ref()?.text.as_str())).collect();
            if let (1, Some(only)) = (instead.len(), instead.first()) {
                lines.extend(wrap(&format!("  Quote instead: {only}"), options.columns, 2, 4));
            }
        }
        if left > 0 {
            lines.push(format!("… and {left} more groups of values (--all)"));
        }
        let standing = self.claims.iter().filter(|c| c.status == Status::Supported).count();
        if standing > 0 {
            let word = if self.revoked() { "Survives" } else { "Supported" };
            lines.push(format!("{word}: {}, all evidence there", things(standing, "value")));
        }
    }

    /// Which values a group holds: their words where they are one run's, else a count.
    fn title(&self, group: &[&Judged]) -> String {
        let run = |judged: &Judged| judged.claim.of.clone().unwrap_or_default();
        let label = |judged: &Judged| judged.claim.text.split_once(": ").map(|(l, _)| l.to_owned());
        let bare = |judged: &Judged| match judged.claim.text.split_once(": ") {
            Some((_, text)) if self.claims.len() > 1 => text.to_owned(),
            _ => judged.claim.text.clone(),
        };
        let runs: BTreeSet<String> =
            group.iter().map(|j| label(j).unwrap_or_else(|| run(j))).collect();
        let texts: BTreeSet<String> = group
            .iter()
            .map(|j| bare(j).split(" at ").next().unwrap_or_default().to_owned())
            .collect();
        if let (1, Some(only)) = (texts.len(), texts.first()) {
            return match runs.len() {
                1 => only.clone(),
                n => format!("{only} ({n} runs)"),
            };
        }
        if runs.len() == 1 {
            let all: Vec<String> = group.iter().map(|j| bare(j)).collect();
            return all.join("; ");
        }
        let metrics: Vec<&str> = {
            let mut seen = Vec::new();
            for what in group.iter().filter_map(|j| Some(j.claim.metric?.words().1)) {
                if !seen.contains(&what) {
                    seen.push(what);
                }
            }
            seen
        };
        format!("{} of {} runs: {}", things(group.len(), "value"), runs.len(), metrics.join(", "))
    }

    /// The reasons of a group: those of its first run; how many runs have others of the kind is said.
    fn reasons_of(&self, group: &[&Judged], options: TextOptions) -> String {
        let mut messages: Vec<String> = Vec::new();
        let mut codes: Vec<&str> = Vec::new();
        let mut more = 0;
        for finding in group.iter().flat_map(|judged| self.reasons(judged)) {
            let message = capital(&finding.message);
            if messages.contains(&message) {
                continue;
            }
            if codes.contains(&finding.code) && !options.all {
                more += 1;
                continue;
            }
            codes.push(finding.code);
            messages.push(message);
        }
        let cut =
            messages.len().saturating_sub(if options.all { usize::MAX } else { REASONS_SHOWN });
        messages.truncate(messages.len() - cut);
        let mut text = format!("{}.", messages.join(". "));
        if more + cut > 0 {
            text += &format!(" And {} more (--all).", more + cut);
        }
        text
    }

    /// What is to be said of the values that nothing revokes.
    pub(super) fn tabled_closing(&self) -> String {
        if self.claims.is_empty() {
            return "Nothing was judged: these files hold no value that anybody would quote."
                .to_owned();
        }
        let not_shown: Vec<&Judged> =
            self.claims.iter().filter(|c| c.status == Status::NotShown).collect();
        let mut text = match (self.revoked(), not_shown.is_empty()) {
            (true, true) => return String::new(),
            (true, false) if not_shown.len() == 1 => {
                "Nothing contradicts the other value.".to_owned()
            }
            (true, false) => format!("Nothing contradicts the other {} values.", not_shown.len()),
            (false, _) if self.is_contradicted() => {
                "The headline values stand; the errors above are about others.".to_owned()
            }
            (false, _) => match self.origin {
                Origin::Read => "Nothing in these files contradicts the numbers.".to_owned(),
                Origin::Measured | Origin::Logged => {
                    "Nothing in these data contradicts the numbers.".to_owned()
                }
            },
        };
        let mut needs: Vec<Need> = Vec::new();
        let absolute = not_shown.iter().filter(|j| j.claim.kind == ClaimKind::Absolute);
        for need in absolute.flat_map(|j| &j.missing).map(|m| m.need) {
            if !needs.contains(&need) {
                needs.push(need);
            }
        }
        let needs_host = needs.contains(&Need::HostRecord);
        if !needs.is_empty() {
            let words: Vec<&str> = needs.iter().map(|need| need.words()).collect();
            let (last, rest) = words.split_last().unwrap_or((&"", &[]));
            let joined = if rest.is_empty() {
                (*last).to_owned()
            } else {
                format!("{} and {last}", rest.join(", "))
            };
            text += &format!(" Not enough to quote them as absolute: not recorded: {joined}.");
            match self.origin {
                Origin::Read if needs_host => {
                    text += " audit takes a host record (--host) and the server's log (--log) beside results.";
                }
                Origin::Measured if self.lacks_counters() => {
                    text += " --metrics-url tells who else was served.";
                }
                Origin::Read | Origin::Measured | Origin::Logged => {}
            }
        }
        text
    }
}

impl Report {
    /// Whether nobody asked the server what it counted.
    fn lacks_counters(&self) -> bool {
        self.outcomes.iter().any(|outcome| {
            matches!(outcome, CheckOutcome::NotObserved { need: Need::ServerCounters, .. })
        })
    }

    /// Whether an error was found, whatever it touches.
    fn is_contradicted(&self) -> bool {
        let is_error = |f: &Finding| f.severity == Severity::Error && f.allowed.is_none();
        self.outcomes.findings().any(is_error)
    }
}
