//! Whether threads of client or server could have run and had to wait.

use trueline_core::number::{percent, short};
use trueline_core::{Finding, Need, Outcomes, Severity};

use super::super::checks::CPU_RUN_DELAY;
use super::super::family::ProcessRole;
use super::added::{Delay, delay};
use super::conclusion::conclude;
use super::seen::{seen, whose};
use crate::judge::View;

/// Checks the share of the wanted processor time that was spent waiting for it.
///
/// # Formula
/// `waited / (ran + waited)` over all threads of a family, where the wait is more than a hundredth
/// of the run: a family that hardly runs loses little by a large share of it.
pub(super) fn check_run_delay(view: &View<'_>, outcomes: &mut Outcomes) {
    let check = &CPU_RUN_DELAY;
    let seen = seen(view);
    let mut missing = None;
    let mut judged = false;
    let mut worst: Option<(Severity, Delay)> = None;
    for role in [ProcessRole::Server, ProcessRole::Client] {
        match delay(view, &seen, role) {
            Err(need) => missing = Some(need),
            Ok(None) => {}
            Ok(Some(delay)) => {
                judged = true;
                let found = severity(view, &delay).map(|severity| (severity, delay));
                worst = match (worst, found) {
                    (Some(a), Some(b)) if rank(&a) >= rank(&b) => Some(a),
                    (a, b) => b.or(a),
                };
            }
        }
    }
    if !judged && missing.is_none() {
        missing = Some(seen.missing.unwrap_or(Need::HostWatched));
    }
    let found = worst.map(|(severity, delay)| finding(view, severity, &delay));
    conclude(view, outcomes, check, found, missing);
}

fn rank((severity, delay): &(Severity, Delay)) -> (bool, u64) {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share of one")]
    let share = (delay.share() * 1e9) as u64;
    (*severity == Severity::Error, share)
}

/// Whether a delay is one that shows.
pub(super) fn is_error(view: &View<'_>, delay: &Delay) -> bool {
    severity(view, delay) == Some(Severity::Error)
}

/// Whether a delay is long enough for its share to say something.
pub(super) fn matters(view: &View<'_>, delay: &Delay) -> bool {
    delay.waited_cores() > view.thresholds.get(&CPU_RUN_DELAY, "waited_cores")
}

/// How much a delay weighs; `None` for one that is usual.
fn severity(view: &View<'_>, delay: &Delay) -> Option<Severity> {
    let limit = |name| view.thresholds.get(&CPU_RUN_DELAY, name);
    if !matters(view, delay) {
        return None;
    }
    let share = delay.share();
    if share > limit("error_share") {
        return Some(Severity::Error);
    }
    (share > limit("warning_share")).then_some(Severity::Warning)
}

fn finding(view: &View<'_>, severity: Severity, delay: &Delay) -> Finding {
    let message = format!(
        "{} threads waited for a processor {} of the time they wanted one ({} s beside {} s of running)",
        whose(delay.role),
        percent(delay.share()),
        short(delay.waited_s, 2),
        short(delay.ran_s, 2),
    );
    Finding::new(&CPU_RUN_DELAY, view.about.clone(), message)
        .at(severity)
        .with("run_delay_share", delay.share())
        .with("waited_s", delay.waited_s)
        .with("ran_s", delay.ran_s)
        .with("watched_s", delay.took_s)
        .with("of", whose(delay.role))
}

#[cfg(test)]
mod tests {
    use super::super::super::threads::RunTime;
    use super::super::made::*;
    use super::*;

    const CODE: &str = "cpu-run-delay";

    /// Ten ticks of a second each in which the server runs and waits some milliseconds.
    fn ran(ran_ms: u64, waited_ms: u64) -> Made {
        let mut made = made();
        for tick in &mut ticks(10) {
            let time = RunTime { ran_ns: ran_ms * 1_000_000, waited_ns: waited_ms * 1_000_000 };
            tick.cpu.server_delay = is(time);
            made.record.ticks.push(tick.clone());
        }
        made
    }

    #[test]
    fn a_delay_above_five_percent_is_an_error_and_above_one_a_warning() {
        // By hand: 100 of 1,000 ms are 10 %, 30 of 1,000 are 3 %, 5 of 1,000 are 0.5 %.
        assert_eq!(ran(900, 100).severity(CODE), Some(Severity::Error));
        assert_eq!(ran(970, 30).severity(CODE), Some(Severity::Warning));
        assert_eq!(ran(995, 5).outcome(CODE), "clear");
    }

    #[test]
    fn a_large_share_of_next_to_nothing_is_none() {
        // Half of what it wanted, and 0.5 % of the run.
        assert_eq!(ran(5, 5).outcome(CODE), "clear");
    }

    #[test]
    fn snapshots_alone_tell_it_with_threads_that_began_and_ended() {
        let mut made = made();
        let threads = |ran_ms: u64, waited_ms: u64, tid: u32| {
            let mut one = thread(tid);
            one.time = is(RunTime { ran_ns: ran_ms * 1_000_000, waited_ns: waited_ms * 1_000_000 });
            one
        };
        // Ten seconds. Thread 30 adds 2 s and 0.1 s, 31 ends, 32 begins and takes 1 s and 0.9 s.
        made.server(|s| s.set_threads(vec![threads(0, 0, 30), threads(9_000, 9_000, 31)]));
        made.after(|s| s.set_threads(vec![threads(2_000, 100, 30), threads(1_000, 900, 32)]));
        // By hand: 1.0 of 4.0 s.
        assert_eq!(made.severity(CODE), Some(Severity::Error));
        assert_eq!(made.number(CODE, "run_delay_share"), "0.25");
    }

    #[test]
    fn a_program_that_took_the_state_at_the_end_alone_says_nothing_of_the_stretch() {
        let mut made = made();
        made.readings(|read| {
            read.ours.truncate(1);
            read.server = trueline_core::Known::Not(trueline_core::Why::NotApplicable);
        });
        made.client(|client| client.stands_in = true);
        let after = made.record.after.as_mut().unwrap();
        let client = &mut after.processes.ours[0];
        (client.pid, client.start_ticks) = (21, 21);
        let time = RunTime { ran_ns: 600_000_000, waited_ns: 700_000_000 };
        client.threads.listed[0].time = is(time);
        client.threads.time = is(time);
        assert_eq!(made.outcome(CODE), "needs HostWatched");
    }

    #[test]
    fn one_moment_and_a_kernel_that_does_not_count_are_not_observed() {
        let mut one = made();
        one.record.after = None;
        assert_eq!(one.outcome(CODE), "needs HostWatched");
        let mut uncounted = made();
        uncounted.both(|s| s.threads.time = trueline_core::Known::Not(trueline_core::Why::Absent));
        uncounted.both(|s| s.threads.listed.clear());
        assert_eq!(uncounted.outcome(CODE), "needs HostReading");
    }
}
