//! What the server counted over a run, held against every request that the runs sent to it.

use std::time::Duration;

use trueline_baseline::{
    Balance, Doubt, InFlight, Ledger, Verdict, balance_counters, check_balance,
};
use trueline_core::{BenchRun, Known, Outcomes, Scope, ServerCounters, Side, WallTime, Window};

use super::Work;
use super::groups::Group;
use super::hosts::HostOf;

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
    host: &'a HostOf,
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
        let looked_before = |host: &&HostOf| host.record.before.is_some() && here(host, group);
        let mut looked = self.audit.hosts.iter().filter(looked_before);
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
        let here = self.audit.hosts.iter().filter(|host| host.is_of_machine(run));
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
        let here = || self.audit.runs.iter().filter(|run| counted.host.is_of_machine(run));
        let ledger = Ledger::of(here().flat_map(|run| &run.requests));
        let Counted { before, after, .. } = counted;
        let in_flight = counted.in_flight();
        let connected =
            counted.host.record.visitors().into_iter().map(|visitor| visitor.to_string());
        let balance = balance_counters(before, after, &ledger, &in_flight, &self.audit.thresholds)
            .with_connected(connected);
        // What is left over may be of a run of ours of which only sums are known.
        let mut sums = here().filter(|run| run.side == Side::Client && run.requests.is_empty());
        match sums.next() {
            Some(_) if by_counts(&balance) => Balance::unverified(Doubt::NoTimes),
            _ => balance,
        }
    }
}

/// Whether a record is of the machine of a group.
fn here(host: &HostOf, group: &Group<'_>) -> bool {
    group.runs.iter().any(|run| host.is_of_machine(run))
}

/// Whether others were found by what the server counted.
fn by_counts(balance: &Balance) -> bool {
    matches!(balance.verdict, Verdict::Contaminated { share: Some(_), .. })
}

impl<'a> Counted<'a> {
    fn of(host: &'a HostOf) -> Option<Self> {
        let record = &host.record;
        let before = known(&record.before.as_ref()?.server)?;
        let after = known(&record.after.as_ref()?.server)?;
        let read = before.at.value().zip(after.at.value());
        let window = read.map(|(from, to)| Window::new(from, to)).or(record.window)?;
        Some(Self { host, before, after, window })
    }

    /// What the server had in flight at the moments in between.
    fn in_flight(&self) -> Vec<InFlight> {
        let Some(began) = self.host.record.window.map(|window| window.from) else {
            return Vec::new();
        };
        let at = |after: Duration| -> Option<WallTime> { began.plus(after) };
        let ticks = self.host.record.ticks.iter();
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

#[cfg(test)]
mod tests {
    use trueline_core::{
        By, CheckOutcome, Claim, ClaimKind, Need, Outcome, RequestRecord, Stretch,
    };
    use trueline_host::{HostRecord, parse_host_record};

    use super::*;
    use crate::Audit;
    use crate::judge::Status;
    use crate::report::Report;

    fn run(label: &str, at: i64) -> BenchRun {
        let mut request = RequestRecord::default();
        request.started = Known::is(WallTime::from_nanos(at * 1_000_000_000), By::Measured);
        request.spans.set(Stretch::ClientE2e, Known::is(Duration::from_secs(5), By::Measured));
        request.spans.set(Stretch::ClientTtft, Known::is(Duration::from_secs(1), By::Measured));
        request.tokens.prompt = RequestRecord::counted(100);
        request.tokens.output = RequestRecord::counted(10);
        request.outcome = Outcome::Ok;
        BenchRun::new(label, Side::Client, vec![request; 4])
    }

    fn reading(at: i64, requests: u64) -> String {
        let known = |n: u64| format!(r#"{{"is":{{"value":{n},"by":"reported"}}}}"#);
        let nanos = known(u64::try_from(at).unwrap() * 1_000_000_000);
        let absent = r#"{"not":"absent"}"#;
        format!(
            r#"{{"server":{{"is":{{"by":"measured","value":{{"server":"vllm","at":{nanos},
               "started":{absent},"counting":"as_served","running":{none},"waiting":{none},
               "unreadable_lines":0,"engines":[{{"labels":"","requests":{count},"aborted":{absent},
               "prompt_tokens":{absent},"new_tokens":{absent},"output_tokens":{absent},
               "decode_steps":{absent}}}]}}}}}}}}"#,
            none = known(0),
            count = known(requests)
        )
    }

    /// A record from one second to another over which a server counted some requests.
    fn record(from: i64, to: i64, counted: u64) -> HostRecord {
        let (before, after) = (reading(from, 7), reading(to, 7 + counted));
        let text = format!(
            r#"{{"schema":"trueline.host/1","started_at_s":{from},"ended_at_s":{to},
               "conditions":{{"nice":0}},"before":{before},"after":{after}}}"#
        );
        parse_host_record(&text).unwrap()
    }

    fn judged(audit: Audit) -> Report {
        let mut claim = Claim::new("c", ClaimKind::Absolute, "t");
        claim.metric = Some(trueline_core::Metric::TtftS);
        claim.of = Some("a".into());
        audit.judge(&[claim])
    }

    fn need(report: &Report) -> Option<Need> {
        report.outcomes.iter().find_map(|outcome| match outcome {
            CheckOutcome::NotObserved { code: "foreign-traffic", need, .. } => Some(*need),
            _ => None,
        })
    }

    #[test]
    fn counts_that_balance_are_evidence_and_others_revoke() {
        let with =
            |counted| judged(Audit::new().run(run("a", 110)).host(record(100, 120, counted)));
        let clean = with(4);
        assert_eq!((need(&clean), clean.outcomes.has("foreign-traffic")), (None, false));
        let lacks = |m: &crate::judge::Missing| m.need == Need::ForeignTraffic;
        assert!(!clean.claims[0].missing.iter().any(lacks));
        assert_eq!(with(8).claims[0].status, Status::Revoked);
        // A warm-up of no record, or somebody else's.
        assert_eq!(need(&with(5)), Some(Need::ForeignTraffic));
    }

    #[test]
    fn every_run_inside_the_record_is_ours() {
        let audit = || Audit::new().run(run("a", 110)).host(record(100, 140, 8));
        assert_eq!(judged(audit()).claims[0].status, Status::Revoked);
        let both = judged(audit().run(run("b", 130)));
        assert!(!both.outcomes.has("foreign-traffic") && need(&both).is_none());
        // A run that does not say when it ran may be what is left over.
        let sums = BenchRun::new("b", Side::Client, Vec::new());
        assert_eq!(need(&judged(audit().run(sums))), Some(Need::WallTimes));
    }

    #[test]
    fn the_closest_record_around_a_run_tells_of_it() {
        let wide = || record(0, 500, 60);
        let audit = Audit::new().run(run("a", 110)).host(wide()).host(record(100, 120, 4));
        assert!(!judged(audit).outcomes.has("foreign-traffic"));
        assert!(
            judged(Audit::new().run(run("a", 110)).host(wide())).outcomes.has("foreign-traffic")
        );
    }

    #[test]
    fn counts_of_another_time_or_of_nobody_are_not_observed() {
        let beside = judged(Audit::new().run(run("a", 110)).host(record(112, 120, 4)));
        assert_eq!(need(&beside), Some(Need::ServerCounters));
        let text = r#"{"schema":"trueline.host/1","started_at_s":100,"ended_at_s":120,
                       "conditions":{},"before":{},"after":{}}"#;
        let unasked = parse_host_record(text).unwrap();
        let unasked = judged(Audit::new().run(run("a", 110)).host(unasked));
        assert_eq!(need(&unasked), Some(Need::ServerCounters));
        // Without a record that looked at all, a log is what is missing.
        assert_eq!(need(&judged(Audit::new().run(run("a", 110)))), Some(Need::ForeignTraffic));
    }
}
