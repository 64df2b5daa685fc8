//! Whether programs that are neither client nor server keep processors busy.

use std::collections::BTreeMap;

use trueline_core::number::{percent, short};
use trueline_core::{Finding, Need, Outcomes, Severity, Why};

use super::super::checks::FOREIGN_CPU_LOAD;
use super::super::family::ProcessRole;
use super::super::tick::CpuTick;
use super::added::{delay, mean};
use super::conclusion::conclude;
use super::run_delay::is_error;
use super::seen::seen;
use super::unwatched::{foreign_between, who_between};
use crate::judge::View;

/// What others took over a stretch of time.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Foreign {
    /// Over how many processors.
    pub(super) cpus: f64,
    /// On average.
    pub(super) cores: f64,
    /// For how long.
    pub(super) seconds: f64,
    /// The part of the time in which it was more than the share that is an error, and more than
    /// what warns; `None` where only the average is known.
    pub(super) above: Option<(f64, f64)>,
    /// Who, with seconds of processor time, the busiest first.
    pub(super) who: Vec<(String, f64)>,
}

/// Checks that nobody else keeps processors busy for long. A peak is no load.
pub(super) fn check_foreign_load(view: &View<'_>, outcomes: &mut Outcomes) {
    let check = &FOREIGN_CPU_LOAD;
    let foreign = match foreign(view) {
        Ok(foreign) => foreign,
        Err(need) => return conclude(view, outcomes, check, None, Some(need)),
    };
    if foreign.seconds < view.thresholds.get(check, "seconds") {
        return conclude(view, outcomes, check, None, Some(Need::HostWatched));
    }
    let limit = |name| view.thresholds.get(check, name);
    let found = severity(view, &foreign).map(|(severity, why)| {
        let mut message = format!(
            "other programs kept {} of {} processors busy on average",
            short(foreign.cores, 2),
            short(foreign.cpus, 3),
        );
        match foreign.above {
            Some((error, above)) if above < view.thresholds.get(check, "sustained_share") => {
                message += &format!(", in a peak of {} of the time", percent(error));
            }
            _ => {}
        }
        // Who took little of it is not whom it is about.
        let is_main = |(_, seconds): &&(String, f64)| {
            seconds / foreign.seconds >= limit("named_share") * foreign.cores
        };
        if let Some((name, seconds)) = foreign.who.first().filter(is_main) {
            message +=
                &format!(", above all {name} ({} cores)", short(seconds / foreign.seconds, 2));
        } else {
            message += ", of which none was seen long enough to be named";
        }
        message += why;
        let names = foreign.who.iter().take(3).map(|(name, _)| name.clone()).collect::<Vec<_>>();
        let mut finding = Finding::new(check, view.about.clone(), message)
            .at(severity)
            .with("foreign_cores", foreign.cores)
            .with("cpus", foreign.cpus)
            .with("watched_s", foreign.seconds)
            .with("who", names);
        if let Some((error, warning)) = foreign.above {
            finding = finding.with("above_error_share", error).with("above_warning_share", warning);
        }
        finding
    });
    conclude(view, outcomes, check, found, None);
}

fn severity(view: &View<'_>, foreign: &Foreign) -> Option<(Severity, &'static str)> {
    let limit = |name| view.thresholds.get(&FOREIGN_CPU_LOAD, name);
    let lasts = |share: f64| share >= limit("sustained_share");
    let (above_error, above_warning) = foreign.above.unwrap_or((1.0, 1.0));
    if foreign.cores > limit("error_share") * foreign.cpus && lasts(above_error) {
        return Some((Severity::Error, ""));
    }
    let seen = seen(view);
    let delays = [ProcessRole::Client, ProcessRole::Server].into_iter().any(|role| {
        let delay = delay(view, &seen, role).ok().flatten().filter(|delay| is_error(view, delay));
        delay.is_some_and(|d| foreign.cores > limit("delays_share") * d.waited_cores())
    });
    if delays && lasts(above_warning) {
        return Some((Severity::Error, ", and client or server waited for processors"));
    }
    let long = foreign.cores > warning_cores(view, foreign.cpus) && lasts(above_warning);
    let peak = foreign.above.is_some()
        && above_error > limit("peak_share")
        && foreign.cores > limit("peak_mean_share") * foreign.cpus;
    (long || peak).then_some((Severity::Warning, ""))
}

fn warning_cores(view: &View<'_>, cpus: f64) -> f64 {
    let limit = |name| view.thresholds.get(&FOREIGN_CPU_LOAD, name);
    (limit("warning_share") * cpus).min(limit("warning_cores"))
}

/// What others took: from the ticks, else from the two ends.
fn foreign(view: &View<'_>) -> Result<Foreign, Need> {
    if server_is_hidden(view) {
        return Err(Need::HostReading);
    }
    let ticks: Vec<&CpuTick> = view.ticks().iter().map(|tick| &tick.cpu).collect();
    let Some((cores, seconds)) = mean(&ticks, |tick| &tick.foreign_cores) else {
        return foreign_between(view);
    };
    let (mut cpus, mut error, mut warning) = (0.0, 0.0, 0.0);
    for tick in &ticks {
        let Some(foreign) = tick.foreign_cores.value() else { continue };
        let took = tick.took.as_secs_f64();
        #[expect(clippy::cast_precision_loss, reason = "a number of processors")]
        let on = tick.cpus as f64;
        cpus += on * took / seconds;
        let error_share = view.thresholds.get(&FOREIGN_CPU_LOAD, "error_share");
        error += if foreign > error_share * on { took / seconds } else { 0.0 };
        warning += if foreign > warning_cores(view, on) { took / seconds } else { 0.0 };
    }
    // A short watch lists everybody at its two ends alone.
    let named = who(&ticks);
    let who = if named.is_empty() { who_between(view, cores * seconds) } else { named };
    Ok(Foreign { cpus, cores, seconds, above: Some((error, warning)), who })
}

/// Whether the server is here and nobody can tell which process it is: then its time looks like that
/// of others.
fn server_is_hidden(view: &View<'_>) -> bool {
    let ends = [&view.record.before, &view.record.after].into_iter().flatten();
    ends.filter_map(|state| state.processes.server.why())
        .any(|why| matches!(why, Why::Denied | Why::NeedsMore | Why::Unreadable))
}

/// Seconds of processor time by name, most first.
fn who(ticks: &[&CpuTick]) -> Vec<(String, f64)> {
    let mut by_name: BTreeMap<String, f64> = BTreeMap::new();
    for busy in ticks.iter().flat_map(|tick| &tick.who) {
        let name = busy.command.clone().unwrap_or_else(|| busy.name.clone());
        *by_name.entry(name).or_default() += busy.cores * busy.over.as_secs_f64();
    }
    let mut who: Vec<(String, f64)> = by_name.into_iter().collect();
    who.sort_by(|a, b| b.1.total_cmp(&a.1));
    who
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::super::super::threads::RunTime;
    use super::super::super::tick::Busy;
    use trueline_core::Known;

    use super::super::made::*;
    use super::*;

    const CODE: &str = "foreign-cpu-load";

    /// Ticks of a second on eight processors, with what others took in each.
    fn with(cores: impl IntoIterator<Item = f64>) -> Made {
        let mut made = made();
        let cores: Vec<f64> = cores.into_iter().collect();
        let mut all = ticks(cores.len() as u64);
        for (tick, cores) in all.iter_mut().zip(cores) {
            tick.cpu.foreign_cores = is(cores);
        }
        made.record.ticks = all;
        made
    }

    #[test]
    fn a_quarter_of_the_processors_for_the_whole_run_is_an_error_that_names_who() {
        let mut made = with([2.5; 60]);
        made.record.ticks[9].cpu.who = vec![Busy {
            name: "node".to_owned(),
            pid: 77,
            command: Some("node server-main.js".to_owned()),
            cores: 2.4,
            over: Duration::from_secs(60),
        }];
        assert_eq!(made.severity(CODE), Some(Severity::Error));
        let message = made.message(CODE);
        assert!(message.contains("kept 2.5 of 8 processors busy"), "{message}");
        assert!(message.contains("node server-main.js (2.4 cores)"), "{message}");
        // On a hundred processors the same is a warning still: it lasts.
        for tick in &mut made.record.ticks {
            tick.cpu.cpus = 100;
        }
        assert_eq!(made.severity(CODE), Some(Severity::Warning));
    }

    #[test]
    fn a_peak_is_at_most_a_warning() {
        let peak = |minutes: usize| {
            let long = (0..minutes * 60).map(|s| if s < 30 { 8.0 } else { 0.05 });
            with(long).outcome(CODE)
        };
        // By hand: 30 s are 8.3 % of six minutes and 1.7 % of half an hour.
        assert_eq!(peak(6), "warning");
        assert_eq!(peak(30), "clear");
    }

    #[test]
    fn a_tick_of_a_daemon_is_no_peak() {
        // Seen on a quiet machine of two processors: one tick of 20 with a third of a core.
        let mut made = with((0..20).map(|s| if s == 7 { 0.66 } else { 0.0 }));
        made.record.ticks.iter_mut().for_each(|tick| tick.cpu.cpus = 2);
        assert_eq!(made.outcome(CODE), "clear");
    }

    #[test]
    fn the_background_of_a_machine_is_quiet_unless_it_delays() {
        let mut made = with([0.5; 60]);
        assert_eq!(made.outcome(CODE), "clear");
        // 0.9 cores for the whole run, 0.8 is what warns; the server waits 10 % of what it wanted.
        made = with([0.9; 60]);
        assert_eq!(made.outcome(CODE), "warning");
        for tick in &mut made.record.ticks {
            tick.cpu.server_delay = is(RunTime { ran_ns: 900_000_000, waited_ns: 100_000_000 });
        }
        assert_eq!(made.severity(CODE), Some(Severity::Error));
        // It took far less than what the server waited: that has another cause.
        for tick in &mut made.record.ticks {
            tick.cpu.server_delay = is(RunTime { ran_ns: 9_000_000_000, waited_ns: 4_000_000_000 });
        }
        assert_eq!(made.severity(CODE), Some(Severity::Warning));
    }

    #[test]
    fn the_time_of_a_server_that_cannot_be_told_is_not_that_of_others() {
        // Seen with a server of another user: it kept a core busy, and its open files were denied.
        let hidden = |why| {
            let mut made = with([4.0; 60]);
            for state in [&mut made.record.before, &mut made.record.after].into_iter().flatten() {
                state.processes.server = Known::Not(why);
            }
            made.outcome(CODE)
        };
        assert_eq!(hidden(Why::Denied), "needs HostReading");
        assert_eq!(hidden(Why::NeedsMore), "needs HostReading");
        // It is elsewhere, or nobody asked for one: who is busy here is somebody else.
        assert_eq!(hidden(Why::Absent), "error");
        assert_eq!(hidden(Why::NotApplicable), "error");
    }

    #[test]
    fn one_moment_is_not_observed() {
        let mut one = made();
        one.record.after = None;
        assert_eq!(one.outcome(CODE), "needs HostWatched");
        assert_eq!(Made::nothing().outcome(CODE), "needs HostWatched");
        assert_eq!(with([3.0]).outcome(CODE), "needs HostWatched");
    }
}
