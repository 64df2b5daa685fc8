//! Whether macOS runs client or server as background work.

use trueline_core::{CheckInfo, Finding, Need, Severity, Why};

use super::{Verdict, state};
use crate::judge::View;
use crate::platform::macos::MacosTask;
use crate::platform::reading::seen;

/// # Source
/// xnu, `osfmk/kern/sched.h`: background work has priority 4 (`MAXPRI_THROTTLE`), utility work 20,
/// other work 31 or more, less its nice value.
pub(super) fn background(view: &View<'_>, check: &CheckInfo) -> Verdict {
    state(view)?;
    let ends = [&view.record.before, &view.record.after];
    let mut unread = None;
    let mut tasks: Vec<&MacosTask> = Vec::new();
    for end in ends.into_iter().flatten() {
        match (&end.platform.macos.why(), seen(&end.platform.macos)) {
            // Another system has no such thing.
            (Some(Why::NotApplicable), _) => return Ok(None),
            (_, Some(macos)) => match (macos.tasks.why(), seen(&macos.tasks)) {
                (_, Some(found)) => tasks.extend(found),
                (Some(Why::NeedsMore), _) => unread = Some(Need::ServerProcess),
                _ => unread = Some(Need::HostReading),
            },
            _ => unread = Some(Need::HostReading),
        }
    }
    let threshold = |name| view.thresholds.get(check, name);
    let Some(worst) = tasks.iter().min_by_key(|task| task.priority) else {
        return Err(unread.unwrap_or(Need::ServerProcess));
    };
    let priority = f64::from(worst.priority);
    let is_background = priority <= threshold("background_priority");
    // A nice value alone brings 31 down to 20 and less.
    let by_nice = worst.nice > 10 && !is_background;
    if priority > threshold("utility_priority") || by_nice {
        return Ok(None);
    }
    let background = ("background", Severity::Error);
    let (kind, severity) = if is_background { background } else { ("utility", Severity::Warning) };
    let message = format!(
        "{} (process {}) runs as {kind} work, at priority {}",
        worst.program, worst.pid, worst.priority
    );
    let finding = Finding::new(check, view.about.clone(), message)
        .at(severity)
        .with("pid", u64::from(worst.pid))
        .with("priority", priority)
        .with("nice", f64::from(worst.nice));
    Ok(Some(finding))
}

#[cfg(test)]
mod tests {
    use trueline_core::Severity::{Error, Warning};

    use crate::platform::made::{Said, Tree, at_once};
    use crate::snapshot::{ServerProcess, Snapshot, Wanted};

    const CODE: &str = "macos-background-qos";

    // Made up by the manual of ps; none was captured.
    fn macos(ps: &str) -> Snapshot {
        let tree = Tree::new().with(&[("macos/sysctl", "kern.osrelease: 24.0.0")]);
        if !ps.is_empty() {
            tree.write("macos/ps", ps);
        }
        let wanted = Wanted { server: Some(ServerProcess::Pid(501)), ..Wanted::default() };
        Snapshot::take(&tree.root(), &wanted)
    }

    #[test]
    fn background_work_is_an_error_and_utility_work_a_warning() {
        // dryvist/nix-ai#916: a launchd job of type Background decoded at an eighth of its rate.
        let said = at_once(&macos("  501   0   4 /usr/local/bin/llama-server"), CODE);
        assert!(matches!(said, Said::Found(Error, m) if m.starts_with("llama-server")));
        let said = at_once(&macos("  501   0  20 /usr/local/bin/llama-server"), CODE);
        assert!(matches!(said, Said::Found(Warning, _)));
        // A nice value of 5 takes 5 off: another check's matter.
        assert_eq!(at_once(&macos("  501   5  26 /usr/local/bin/llama-server"), CODE), Said::Clear);
        assert_eq!(at_once(&macos("  501   0  31 /usr/local/bin/llama-server"), CODE), Said::Clear);
    }

    #[test]
    fn other_systems_are_clear_and_no_processes_are_not_observed() {
        assert_eq!(at_once(&Tree::new().snapshot(100, &[]), CODE), Said::Clear);
        assert_eq!(at_once(&macos(""), CODE), Said::NotObserved);
    }
}
