//! What hangs on to client or server: tracers, profilers, variables that slow them down.

use trueline_core::{Finding, Outcomes};

use super::super::checks::{PROCESS_TRACED, SLOWING_ENVIRONMENT};
use super::super::environment::effect_of;
use super::super::process::Process;
use super::conclusion::conclude;
use super::seen::{seen, whose};
use crate::judge::View;

/// Checks that nobody traces client or server, and that no profiler is loaded.
pub(super) fn check_traced(view: &View<'_>, outcomes: &mut Outcomes) {
    let check = &PROCESS_TRACED;
    let seen = seen(view);
    let (traced, unread) = seen.find(|process| &process.tracer, |_, tracer| tracer.is_some());
    let (profiled, unmapped) =
        seen.find(|process| &process.profilers, |_, profilers| !profilers.is_empty());
    let traced = traced.and_then(|(process, tracer)| Some((process, tracer.as_ref()?)));
    let finding = |process: &Process, message: String| {
        let pid = u64::from(process.pid);
        Finding::new(check, view.about.clone(), message).with("pid", pid)
    };
    let found = match (traced, profiled) {
        (Some((process, by)), _) => {
            let name = by.name.as_deref().unwrap_or("a process that cannot be seen");
            let message = format!(
                "{name} ({}) traces {} {}: its signals and system calls wait for it",
                by.pid,
                whose(process.role),
                process.words()
            );
            let pid = u64::from(by.pid);
            Some(finding(process, message).with("tracer", name).with("tracer_pid", pid))
        }
        (None, Some((process, profilers))) => {
            let names = profilers.join(", ");
            let of = whose(process.role);
            let message = format!("{names} is loaded into {of} {}", process.words());
            Some(
                finding(process, message)
                    .with("profilers", profilers.clone())
                    .advising("start it without the profiler, and measure again"),
            )
        }
        (None, None) => None,
    };
    conclude(view, outcomes, check, found, unread.or(unmapped));
}

/// Checks that no environment variable slows client or server down.
pub(super) fn check_environment(view: &View<'_>, outcomes: &mut Outcomes) {
    let check = &SLOWING_ENVIRONMENT;
    let seen = seen(view);
    let (slowed, unread) =
        seen.find(|process| &process.slowing_environment, |_, names| !names.is_empty());
    let found = slowed.map(|(process, names)| {
        let words: Vec<String> = names
            .iter()
            .map(|name| match effect_of(name) {
                Some(effect) => format!("{name} ({effect})"),
                None => name.clone(),
            })
            .collect();
        let message =
            format!("{} {} runs with {}", whose(process.role), process.words(), words.join(", "));
        Finding::new(check, view.about.clone(), message)
            .with("variables", names.clone())
            .with("pid", u64::from(process.pid))
            .advising(format!("unset {}, and start it again", names.join(" ")))
    });
    conclude(view, outcomes, check, found, unread);
}

#[cfg(test)]
mod tests {
    use trueline_core::{Known, Severity, Why};

    use super::super::super::process::Tracer;
    use super::super::made::*;

    const TRACED: &str = "process-traced";
    const ENVIRONMENT: &str = "slowing-environment";

    #[test]
    fn a_tracer_is_an_error_and_named() {
        let mut made = made();
        let strace = || Tracer { pid: 99, name: Some("strace".to_owned()) };
        made.after(|server| server.tracer = is(Some(strace())));
        assert_eq!(made.severity(TRACED), Some(Severity::Error));
        assert!(made.message(TRACED).contains("strace (99) traces the server's server (30)"));
        // It was attached for a while, and is gone at the end.
        made.after(|server| server.tracer = is(None));
        assert_eq!(made.outcome(TRACED), "clear");
        let mut tick = ticks(1);
        let mut traced = process(20);
        traced.tracer = is(Some(strace()));
        tick[0].cpu.processes.push(traced);
        made.record.ticks = tick;
        assert_eq!(made.outcome(TRACED), "error");
    }

    #[test]
    fn a_profiler_is_an_error() {
        let mut made = made();
        made.both(|server| server.profilers = is(vec!["Nsight Systems".to_owned()]));
        assert!(made.message(TRACED).contains("Nsight Systems is loaded into the server's"));
    }

    #[test]
    fn what_may_not_be_read_is_not_observed_and_what_is_skipped_beside_a_run_is_not_missing() {
        let mut made = made();
        let mut tick = ticks(1);
        let mut glanced = process(21);
        glanced.profilers = Known::Not(Why::NeedsMore);
        tick[0].cpu.processes.push(glanced);
        made.record.ticks = tick;
        assert_eq!(made.outcome(TRACED), "clear");
        made.both(|server| server.profilers = Known::Not(Why::Denied));
        assert_eq!(made.outcome(TRACED), "needs HostReading");
        made.both(|server| server.slowing_environment = Known::Not(Why::Denied));
        assert_eq!(made.outcome(ENVIRONMENT), "needs HostReading");
    }

    #[test]
    fn a_variable_is_named_with_what_it_does() {
        let mut made = made();
        assert_eq!(made.outcome(ENVIRONMENT), "clear");
        made.both(|server| server.slowing_environment = is(vec!["CUDA_LAUNCH_BLOCKING".into()]));
        assert_eq!(made.severity(ENVIRONMENT), Some(Severity::Warning));
        let message = made.message(ENVIRONMENT);
        assert!(message.contains("CUDA_LAUNCH_BLOCKING (every launch waits"), "{message}");
        assert!(message.contains("unset CUDA_LAUNCH_BLOCKING"), "{message}");
        assert_eq!(Made::nothing().outcome(ENVIRONMENT), "needs HostWatched");
    }
}
