//! A table of ratios, and what is to be said of its rows.

use std::collections::BTreeSet;

use trueline_baseline::comparison::Verdict;
use trueline_core::Need;

use super::lines::ends;
use super::text::capital;
use super::{Report, Table, TextOptions, wrap};
use crate::audit::quantity;
use crate::judge::{Judged, Status};

/// How many groups of rows are told apart.
const GROUPS_SHOWN: usize = 3;

/// Fewest rows that a first screen shows.
const LEAST_ROWS: usize = 4;

impl Report {
    /// The table with as many rows as there is room for, in lines.
    pub(super) fn table_lines(table: &Table, room: usize, columns: usize) -> Vec<String> {
        let mut lines = vec![table.head.clone()];
        let foot: Vec<String> =
            table.foot.iter().flat_map(|line| wrap(line, columns, 0, 2)).collect();
        let fits = room.saturating_sub(foot.len() + 2).max(LEAST_ROWS);
        let shown = if table.rows.len() > fits { fits } else { table.rows.len() };
        lines.extend(table.rows.iter().take(shown).cloned());
        if shown < table.rows.len() {
            lines.push(format!("and {} more rows (--all)", table.rows.len() - shown));
        }
        lines.extend(foot);
        lines.retain(|line| !line.is_empty());
        lines
    }

    /// What is to be said of the rows: those that something revokes or that are not shown, those with
    /// the same causes together.
    pub(super) fn row_lines(&self, options: TextOptions, lines: &mut Vec<String>) {
        let most = if options.all { usize::MAX } else { GROUPS_SHOWN };
        let revoked = grouped(self.claims.iter().filter(|j| j.status == Status::Revoked), |j| {
            j.revoked_by.join(" ")
        });
        let left = revoked.len().saturating_sub(most);
        for group in revoked.iter().take(most) {
            let title = format!("Do not quote: {}", rows_words(group));
            lines.extend(ends(&Self::cut(&title, options), "relative: revoked", options.columns));
            let mut reasons: Vec<String> = Vec::new();
            for finding in group.iter().flat_map(|judged| self.reasons(judged)) {
                let message = capital(&finding.message);
                if !reasons.contains(&message) {
                    reasons.push(message);
                }
            }
            let reasons = format!("{}.", reasons.join(". "));
            lines.extend(wrap(&Self::cut(&reasons, options), options.columns, 2, 2));
        }
        if left > 0 {
            lines.push(format!("… and {left} more groups of rows (--all)"));
        }
        let unshown = self.claims.iter().filter(|j| j.status == Status::NotShown);
        // What an interval leaves open stands in the table, with what would close it.
        let unshown = unshown.filter(|j| j.missing.iter().any(|m| m.need != Need::Direction));
        let unshown = grouped(unshown, |j| lacks(j).join("; "));
        let left = unshown.len().saturating_sub(most);
        for group in unshown.iter().take(most) {
            let why = group.first().map_or_else(Vec::new, |judged| lacks(judged));
            let text = format!("Not shown: {}: {}", rows_words(group), why.join("; "));
            lines.extend(wrap(&Self::cut(&text, options), options.columns, 0, 2));
        }
        if left > 0 {
            lines.push(format!("… and {left} more groups of rows (--all)"));
        }
        let weak: BTreeSet<&str> = self
            .claims
            .iter()
            .filter(|j| j.status != Status::Revoked)
            .flat_map(|j| j.weakened_by.iter().copied())
            .collect();
        if !weak.is_empty() {
            let weak: Vec<&str> = weak.into_iter().collect();
            let text = format!("Weakened by {}", weak.join(", "));
            lines.extend(wrap(&text, options.columns, 0, 2));
        }
    }

    /// What the rows come to.
    pub(super) fn rows_closing(&self) -> String {
        let count = |fits: &dyn Fn(&Judged, Verdict) -> bool| {
            self.claims.iter().filter(|j| j.verdict.is_some_and(|v| fits(j, v))).count()
        };
        let is_open = |v| matches!(v, Verdict::Inconclusive { .. });
        let told = count(&|_, v| !is_open(v) && v != Verdict::NotComparable);
        // A direction stands without its size.
        let direction = count(&|j, v| is_open(v) && j.status == Status::Supported);
        let open = count(&|j, v| is_open(v) && j.status != Status::Supported);
        let mut more = String::new();
        if direction > 0 {
            let show = if direction == 1 { "shows" } else { "show" };
            more += &format!(" {direction} {show} a direction and no size.");
        }
        if open > 0 {
            let is = if open == 1 { "is" } else { "are" };
            more += &format!(" {open} {is} open.");
        }
        let all = self.claims.len();
        let told = match told {
            _ if all == 0 => {
                "Nothing was compared: the arms have no quantity in common.".to_owned()
            }
            0 if more.is_empty() => "Not one of these ratios may be quoted.".to_owned(),
            0 => "No verdict can be quoted.".to_owned(),
            n if n == all && n > 1 => "Each verdict may be quoted with its interval.".to_owned(),
            1 if all == 1 => "The verdict may be quoted with its interval.".to_owned(),
            n => format!("{n} of {all} verdicts may be quoted, with the interval."),
        };
        told + &more
    }
}

/// Claims by what a key makes of them, in the order of the first of each.
fn grouped<'a>(
    claims: impl Iterator<Item = &'a Judged>,
    key: impl Fn(&Judged) -> String,
) -> Vec<Vec<&'a Judged>> {
    let mut groups: Vec<(String, Vec<&Judged>)> = Vec::new();
    for judged in claims {
        let key = key(judged);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, group)) => group.push(judged),
            None => groups.push((key, vec![judged])),
        }
    }
    groups.into_iter().map(|(_, group)| group).collect()
}

/// Which rows these are: their quantities, and their loads where there are several.
fn rows_words(group: &[&Judged]) -> String {
    let mut quantities: Vec<String> = Vec::new();
    let mut loads: Vec<String> = Vec::new();
    for judged in group {
        let what = judged.claim.metric.map(|metric| quantity(metric, judged.claim.statistic));
        let load = judged.claim.load.map(|load| load.to_string());
        for (said, all) in [(what, &mut quantities), (load, &mut loads)] {
            if let Some(said) = said.filter(|said| !all.contains(said)) {
                all.push(said);
            }
        }
    }
    let at = if loads.is_empty() { String::new() } else { format!(" at {}", loads.join(", ")) };
    format!("{}{at}", quantities.join(", "))
}

/// Why a row is not shown: what was said of the evidence it lacks, else what that is.
fn lacks(judged: &Judged) -> Vec<String> {
    let mut why: Vec<String> = Vec::new();
    let told = judged.missing.iter().filter(|m| m.detail.is_some());
    for detail in told.filter_map(|m| m.detail.clone()) {
        if !why.contains(&detail) {
            why.push(detail);
        }
    }
    if judged.missing.iter().any(|m| m.need == Need::MaterialConditions && m.detail.is_some()) {
        why.push("say them with --condition KEY=VALUE where they are alike".to_owned());
    }
    if why.is_empty() {
        why.extend(judged.missing.iter().map(|m| m.need.words().to_owned()));
    }
    why
}
