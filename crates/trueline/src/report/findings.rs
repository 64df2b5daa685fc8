//! The findings and what was not observed, as text.

use std::collections::{BTreeMap, BTreeSet};

use trueline_core::number::things;
use trueline_core::{CheckOutcome, Finding, Input};

use super::text::capital;
use super::{Origin, Report, TextOptions, wrap};
use crate::judge::RESTS_ON_REVOKED;

/// An input, what it is and how to add it.
type Supply = (Input, (&'static str, &'static str));

/// How many findings the first screen shows.
const SHOWN: usize = 3;

impl Report {
    /// The findings that nothing explains, most severe first, what to do behind each.
    pub(super) fn finding_lines(&self, options: TextOptions, lines: &mut Vec<String>) {
        // The same finding on several runs is said once.
        let mut groups: Vec<(&Finding, usize)> = Vec::new();
        for finding in self.outcomes.findings() {
            if finding.because_of.is_some() || finding.code == RESTS_ON_REVOKED.code {
                continue;
            }
            // A table of many runs tells a code once; each run's numbers stand with --all.
            let alike = (self.tabled || self.are_rows) && !options.all;
            let same = |f: &Finding| {
                f.code == finding.code
                    && (f.message == finding.message || (alike && f.severity == finding.severity))
            };
            match groups.iter_mut().find(|(first, _)| same(first)) {
                // What a claim quotes weighs more than the same finding on the run.
                Some((first, n)) if finding.severity > first.severity => {
                    (*first, *n) = (finding, 1);
                }
                Some((first, n)) if finding.severity == first.severity => *n += 1,
                Some(_) => {}
                None => groups.push((finding, 1)),
            }
        }
        groups.sort_by_key(|(f, _)| std::cmp::Reverse(f.severity));
        let total = groups.len();
        if total == 0 {
            return;
        }
        separate(lines);
        let shown = if options.all { total } else { SHOWN };
        lines.push(if total > shown {
            format!("Findings ({shown}, and {} more with --all)", total - shown)
        } else {
            format!("Findings ({total})")
        });
        for (finding, times) in groups.into_iter().take(shown) {
            let mut head = format!("{}[{}]", finding.severity, finding.code);
            if let Some(reason) = &finding.allowed {
                head += &format!(" (allowed: {reason})");
            }
            // A reason given above is not said again: here stands what to do about it.
            let said = !options.all && self.is_a_reason(finding);
            if !said {
                let times = if times > 1 { format!(" ({times} times)") } else { String::new() };
                head += &format!(" {}{times}.", finding.message);
            }
            let text = format!("{head} {}", capital(&finding.advice));
            lines.extend(wrap(&text, options.columns, 2, 4));
        }
        let folded = self.outcomes.findings().filter(|f| f.because_of.is_some()).count();
        if folded > 0 && !options.all {
            let follow = if folded == 1 { "follows" } else { "follow" };
            lines.push(format!("  {folded} more {follow} from these"));
        }
    }

    /// Whether a finding was given as the reason why a claim is revoked.
    fn is_a_reason(&self, finding: &Finding) -> bool {
        self.claims.iter().any(|judged| {
            judged.revoked_by.contains(&finding.code)
                && self.reasons(judged).any(|reason| std::ptr::eq(reason, finding))
        })
    }

    /// What was not observed, by the input that would supply it.
    pub(super) fn not_observed_lines(&self, options: TextOptions, lines: &mut Vec<String>) {
        let mut of_runs = BTreeSet::new();
        // In the order of the inputs, each with what it is and how to add it.
        let mut by_input: BTreeMap<Supply, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
        for outcome in self.outcomes.iter() {
            if let CheckOutcome::NotObserved { code, need, about } = outcome {
                // A summary says at its end which evidence would be given elsewhere.
                let elsewhere = matches!(need.input(), Input::HostRecord | Input::ProductionLog);
                if self.tabled && elsewhere {
                    continue;
                }
                // What a single run lacks is told by the program that reads single runs.
                let of_arms =
                    elsewhere || matches!(need.input(), Input::OtherArm | Input::HostWatch);
                if self.are_rows && !options.all && !of_arms {
                    of_runs.insert(*code);
                    continue;
                }
                let (codes, runs) =
                    by_input.entry((need.input(), self.origin.supply(*need))).or_default();
                codes.insert(code);
                runs.extend(about.run.as_deref().filter(|_| self.origin != Origin::Logged));
            }
        }
        if by_input.is_empty() && of_runs.is_empty() {
            return;
        }
        separate(lines);
        let mut parts: Vec<String> = by_input
            .into_iter()
            .map(|((_, (what, add)), (codes, runs))| {
                let of = match runs.len() {
                    0 => String::new(),
                    _ if self.tabled || self.are_rows => String::new(),
                    n if n > 2 && !options.all => format!(" of {n} runs"),
                    _ => format!(" of {}", runs.into_iter().collect::<Vec<_>>().join(", ")),
                };
                let checks = if options.all {
                    codes.into_iter().collect::<Vec<_>>().join(", ")
                } else {
                    things(codes.len(), "check")
                };
                format!("{what}: {checks}{of}, {add}")
            })
            .collect();
        if !of_runs.is_empty() {
            parts.push(format!("{} of single runs, --all", things(of_runs.len(), "check")));
        }
        let text = format!("Not observed: {}", parts.join("; "));
        lines.extend(wrap(&text, options.columns, 0, 2));
    }
}

/// An empty line, where there is none: without a claim what stands before has one.
fn separate(lines: &mut Vec<String>) {
    if lines.last().is_none_or(|line| !line.is_empty()) {
        lines.push(String::new());
    }
}
