//! What the server counted over a run, held against every request that the runs sent to it.

use std::time::Duration;

use trueline_baseline::{
    Balance, Doubt, InFlight, Ledger, Verdict, balance_counters, check_balance,
};
use trueline_core::{BenchRun, Known, Outcomes, Scope, ServerCounters, Side, WallTime, Window};
use trueline_host::HostRecord;

use super::Work;
use super::groups::Group;
use super::hosts::is_of_machine;

/// What counters say of a group of runs.
#[derive(Debug, Default)]
pub(super) struct Balanced {
    /// The outcomes of the check.
    pub(super) outcomes: Outcomes,
    /// Why they do not tell whether others were served; `None` where they do.
    pub(super) doubt: Option<Doubt>,
}

/// A record with the server's counts at both of its ends.
#[derive(Debug, Clone, Copy)]
struct Counted<'a> {
    record: &'a HostRecord,
    before: &'a ServerCounters,
    after: &'a ServerCounters,
    window: Window,
}

impl Work<'_> {
    /// Balances the counters around each run of a group; `None` without a record that looked at the
    /// machine before a run.
    ///
    /// # Shape
    /// It is told of the group only where it is told of each of its runs. One record may reach over
    /// several runs: what it finds then concerns each of them.
    pub(super) fn balance(&self, group: &Group<'_>) -> Option<Balanced> {
        let mut looked =
            self.audit.hosts.iter().filter(|record| record.before.is_some() && here(record, group));
        looked.next()?;
        let mut balanced = Balanced::default();
        for run in &group.runs {
            let balance =
                self.counted_over(run).map_or_else(Balance::unverified, |c| self.balance_of(c));
            let about = Scope::of_run(run);
            balanced.outcomes.extend_new(check_balance(about, &balance, &self.audit.thresholds));
            balanced.doubt = balanced.doubt.or(balance.doubt());
        }
        Some(balanced)
    }

    /// The closest record around a run that has the server's counts.
    fn counted_over(&self, run: &BenchRun) -> Result<Counted<'_>, Doubt> {
        let here = self.audit.hosts.iter().filter(|record| is_of_machine(record, run));
        let counted: Vec<Counted<'_>> = here.filter_map(Counted::of).collect();
        if counted.is_empty() {
            return Err(Doubt::NotRead);
        }
        let window = run.window().ok_or(Doubt::NoTimes)?;
        let around =
            counted.iter().filter(|c| c.window.from <= window.from && c.window.to >= window.to);
        around.min_by_key(|c| c.window.length()).copied().ok_or(Doubt::NotOverTheRun)
    }

    /// The balance of one record with every request of every run of its machine.
    fn balance_of(&self, counted: Counted<'_>) -> Balance {
        let here = || self.audit.runs.iter().filter(|run| is_of_machine(counted.record, run));
        let ledger = Ledger::of(here().flat_map(|run| &run.requests));
        let Counted { before, after, .. } = counted;
        let in_flight = counted.in_flight();
        let balance = balance_counters(before, after, &ledger, &in_flight, &self.audit.thresholds);
        // What is left over may be of a run of ours of which only sums are known.
        let mut sums = here().filter(|run| run.side == Side::Client && run.requests.is_empty());
        match sums.next() {
            Some(_) if by_counts(&balance) => Balance::unverified(Doubt::NoTimes),
            _ => balance,
        }
    }
}

/// Whether a record is of the machine of a group.
fn here(record: &HostRecord, group: &Group<'_>) -> bool {
    group.runs.iter().any(|run| is_of_machine(record, run))
}

/// Whether others were found by what the server counted.
fn by_counts(balance: &Balance) -> bool {
    matches!(balance.verdict, Verdict::Contaminated { share: Some(_), .. })
}

impl<'a> Counted<'a> {
    fn of(record: &'a HostRecord) -> Option<Self> {
        let before = known(&record.before.as_ref()?.server)?;
        let after = known(&record.after.as_ref()?.server)?;
        let read = before.at.value().zip(after.at.value());
        let window = read.map(|(from, to)| Window::new(from, to)).or(record.window)?;
        Some(Self { record, before, after, window })
    }

    /// What the server had in flight at the moments in between.
    fn in_flight(&self) -> Vec<InFlight> {
        let Some(began) = self.record.window.map(|window| window.from) else { return Vec::new() };
        let at = |after: Duration| -> Option<WallTime> { began.plus(after) };
        let ticks = self.record.ticks.iter();
        ticks
            .filter_map(|tick| {
                Some(InFlight { at: at(tick.at)?, requests: tick.in_flight.value()? })
            })
            .collect()
    }
}

const fn known<T>(value: &Known<T>) -> Option<&T> {
    match value {
        Known::Is { value, .. } => Some(value),
        Known::Not(_) => None,
    }
}
