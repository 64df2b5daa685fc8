//! Why a process is nice: who started it so, and how to start it otherwise.

use super::super::process::{Ancestor, Process};

/// What zsh adds to the nice of a background job.
///
/// # Source
/// `zshoptions(1)`, `BG_NICE`, on by default; 5 measured with zsh 5.9.
const ZSH: i32 = 5;

/// What Ray sets for its workers.
///
/// # Source
/// `worker_niceness` in `src/ray/common/ray_config_def.h` of ray-project/ray, read 2026-11.
const RAY: i32 = 15;

/// The likely cause, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cause {
    pub(super) words: String,
    pub(super) fix: String,
}

/// Who made a process nice.
pub(super) fn cause(process: &Process) -> Cause {
    if process.nice == 0 {
        return Cause {
            words: "it set so for some of its own threads".to_owned(),
            fix: "see which option of it lowers the priority of threads".to_owned(),
        };
    }
    // The ancestors that are as nice passed it on; the next one made it so.
    let passed = process.ancestors.iter().take_while(|up| up.nice == process.nice);
    let first = passed.clone().last();
    let from = process.ancestors.get(passed.count());
    let added = process.nice - from.map_or(0, |from| from.nice);
    let is_zsh = |up: &Ancestor| up.name.trim_start_matches('-') == "zsh";
    if added == ZSH && process.ancestors.iter().any(is_zsh) {
        return zsh("zsh among its ancestors gives background jobs nice 5 (BG_NICE)");
    }
    if added == RAY && process.ancestors.iter().any(|up| up.name == "raylet") {
        return Cause {
            words: "Ray gives its workers nice 15".to_owned(),
            fix: "start Ray with RAY_worker_niceness=0".to_owned(),
        };
    }
    if let Some(first) = first.filter(|first| !is_shell(&first.name) && first.pid > 1) {
        return Cause {
            words: format!("it inherits nice {} from {} ({})", first.nice, first.name, first.pid),
            fix: format!(
                "start it elsewhere, or set the nice of {} ({})",
                first.name,
                setting(first)
            ),
        };
    }
    let orphan = from.is_none_or(|from| from.pid == 1 || SERVICES.contains(&from.name.as_str()));
    if added == ZSH && orphan {
        return zsh("nice 5 is what zsh gives background jobs (BG_NICE), and its shell is gone");
    }
    match from.filter(|from| SERVICES.contains(&from.name.as_str())) {
        Some(from) => Cause {
            words: format!("{} ({}) started it so", from.name, from.pid),
            fix: format!("remove its nice ({})", setting(from)),
        },
        None if added == ZSH => zsh("nice 5 is what zsh gives background jobs (BG_NICE)"),
        None => Cause {
            words: "somebody started it with nice, or reniced it".to_owned(),
            fix: "start it without nice".to_owned(),
        },
    }
}

fn zsh(words: &str) -> Cause {
    Cause {
        words: words.to_owned(),
        fix: "start it with sh -c '... &', or after setopt NO_BG_NICE".to_owned(),
    }
}

/// Programs that start others at a nice that is set for them.
const SERVICES: [&str; 8] =
    ["systemd", "launchd", "cron", "crond", "atd", "sshd", "supervisord", "dockerd"];

/// Where the nice of what a program starts is set.
fn setting(of: &Ancestor) -> &'static str {
    match of.name.as_str() {
        "systemd" | "init" => "Nice= of the unit",
        "launchd" => "Nice and ProcessType of the plist",
        "sshd" => "Nice= of its unit, priority in limits.conf",
        _ => "Nice= of its unit",
    }
}

fn is_shell(name: &str) -> bool {
    let name = name.trim_start_matches('-');
    ["sh", "bash", "dash", "zsh", "fish", "ksh", "nohup", "env", "time"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::super::made::process;
    use super::*;

    fn of(nice: i32, ancestors: &[(&str, i32)]) -> Cause {
        let mut process = process(100);
        process.nice = nice;
        process.ancestors = ancestors
            .iter()
            .zip((0..ancestors.len()).rev())
            .map(|((name, nice), pid)| Ancestor {
                pid: u32::try_from(pid).unwrap() + 1,
                name: (*name).to_owned(),
                nice: *nice,
            })
            .collect();
        cause(&process)
    }

    #[test]
    fn zsh_is_named_with_its_fix() {
        // As seen with zsh 5.9: `zsh -c 'cmd & wait'`, then a subshell, then one that is gone.
        let init = ("systemd", 0);
        for ancestors in [
            &[("zsh", 0), ("sshd", 0), init][..],
            &[("sh", 5), ("zsh", 5), ("-zsh", 0), init],
            &[init],
        ] {
            let cause = of(5, ancestors);
            assert!(cause.words.contains("zsh"), "{cause:?}");
            assert!(cause.fix.contains("setopt NO_BG_NICE"));
        }
    }

    #[test]
    fn a_service_that_is_nice_itself_passed_it_on() {
        let cause = of(10, &[("bash", 10), ("cron", 10), ("systemd", 0)]);
        assert_eq!(cause.words, "it inherits nice 10 from cron (2)");
        let unit = of(7, &[("systemd", 0)]);
        assert_eq!(unit.words, "systemd (1) started it so");
        assert!(unit.fix.contains("Nice="));
    }

    #[test]
    fn ray_and_nice_and_own_threads_are_told_apart() {
        assert!(of(15, &[("raylet", 0), ("bash", 0), ("systemd", 0)]).words.contains("Ray"));
        assert!(of(3, &[("bash", 0), ("systemd", 0)]).words.contains("with nice"));
        // Nice 5 below bash: zsh did not do it, and still is what gives 5.
        assert!(of(5, &[("bash", 0), ("systemd", 0)]).words.contains("nice 5 is what zsh"));
        assert!(of(0, &[("bash", 0)]).words.contains("own threads"));
    }
}
