//! The line that the kernel keeps of a process or a thread.

use serde::{Deserialize, Serialize};

/// A kernel thread, in the flags of a process.
///
/// # Source
/// `PF_KTHREAD` in the kernel's include/linux/sched.h.
const KERNEL_THREAD: u64 = 0x0020_0000;

/// How a thread is scheduled.
///
/// # Source
/// `sched(7)` and the kernel's include/uapi/linux/sched.h.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Policy {
    /// The usual one, by nice.
    #[default]
    Other,
    /// Real time, until it yields.
    Fifo,
    /// Real time, in turns.
    RoundRobin,
    /// As usual, and treated as one that never waits for anybody.
    Batch,
    /// Only when nobody else wants to run.
    Idle,
    /// Real time, by deadline.
    Deadline,
    /// By a scheduler that was loaded into the kernel.
    Loaded,
    /// One that this version does not know.
    Unknown,
}

impl Policy {
    fn of(number: u32) -> Self {
        match number {
            0 => Self::Other,
            1 => Self::Fifo,
            2 => Self::RoundRobin,
            3 => Self::Batch,
            5 => Self::Idle,
            6 => Self::Deadline,
            7 => Self::Loaded,
            _ => Self::Unknown,
        }
    }

    /// Whether it puts a thread behind others at the same nice.
    pub(crate) fn is_low(self) -> bool {
        matches!(self, Self::Batch | Self::Idle)
    }

    /// The kernel's name.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Other => "SCHED_OTHER",
            Self::Fifo => "SCHED_FIFO",
            Self::RoundRobin => "SCHED_RR",
            Self::Batch => "SCHED_BATCH",
            Self::Idle => "SCHED_IDLE",
            Self::Deadline => "SCHED_DEADLINE",
            Self::Loaded => "SCHED_EXT",
            Self::Unknown => "another policy",
        }
    }
}

/// What `/proc/<pid>/stat` says.
///
/// # Units
/// Times in hundredths of a second, the unit of every `/proc` counter (`USER_HZ`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stat {
    pub(crate) pid: u32,
    pub(crate) name: String,
    pub(crate) parent: u32,
    pub(crate) group: u32,
    pub(crate) session: u32,
    pub(crate) is_kernel: bool,
    pub(crate) own_ticks: u64,
    pub(crate) reaped_ticks: u64,
    pub(crate) nice: i32,
    pub(crate) start_ticks: u64,
    pub(crate) policy: Policy,
}

impl Stat {
    /// Processor time, that of children it has waited for included.
    pub(crate) fn all_ticks(&self) -> u64 {
        self.own_ticks.saturating_add(self.reaped_ticks)
    }
}

/// Reads the line of a process or a thread.
///
/// # Source
/// `proc_pid_stat(5)`. A name may hold blanks and parentheses: the last one closes it.
pub(crate) fn parse_stat(line: &str) -> Option<Stat> {
    let (pid, rest) = line.split_once(" (")?;
    let (name, rest) = rest.rsplit_once(')')?;
    // The third field of the manual page comes first here.
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    let at = |field: usize| fields.get(field - 3).copied();
    let number = |field: usize| at(field)?.parse::<u64>().ok();
    let id = |field: usize| at(field)?.parse::<u32>().ok();
    Some(Stat {
        pid: pid.trim().parse().ok()?,
        name: name.to_owned(),
        parent: id(4)?,
        group: id(5).unwrap_or(0),
        session: id(6).unwrap_or(0),
        is_kernel: number(9)? & KERNEL_THREAD != 0,
        own_ticks: number(14)?.saturating_add(number(15)?),
        reaped_ticks: number(16)?.saturating_add(number(17)?),
        nice: at(19)?.parse().ok()?,
        start_ticks: number(22)?,
        policy: Policy::of(id(41)?),
    })
}

#[cfg(test)]
pub(crate) mod made {
    use super::*;

    /// A process that has used nothing.
    pub(crate) fn stat(pid: u32, parent: u32, name: &str) -> Stat {
        Stat {
            pid,
            name: name.to_owned(),
            parent,
            group: pid,
            session: pid,
            is_kernel: false,
            own_ticks: 0,
            reaped_ticks: 0,
            nice: 0,
            start_ticks: u64::from(pid),
            policy: Policy::Other,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Captured from Linux 6.18: `nice -n 5 sleep 3` (its times set to 3, 4, 1 and 2), and the
    /// first kernel thread.
    const NICED: &str = "1872 (sleep) S 1871 1826 7429 0 -1 4194304 174 0 0 0 3 4 1 2 25 5 1 0 \
        1660321 2990080 444 18446744073709551615 94160962924544 94160962942473 140720974266640 0 \
        0 0 0 6 0 1 0 0 17 1 0 0 0 0 0 94160962956560 94160962957824 94161275265024 \
        140720974273251 140720974273259 140720974273259 140720974274537 0";
    const KERNEL: &str = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 1 0 0 20 0 1 0 23 0 0 \
        18446744073709551615 0 0 0 0 0 0 0 2147483647 0 1 0 0 0 1 0 0 0 0 0 0 0 0 0 0 0 0 0";

    #[test]
    fn a_line_says_who_started_it_when_and_how_it_is_favoured() {
        let stat = parse_stat(NICED).unwrap();
        assert_eq!((stat.pid, stat.parent, stat.group, stat.session), (1872, 1871, 1826, 7429));
        assert_eq!((stat.nice, stat.policy, stat.start_ticks), (5, Policy::Other, 1_660_321));
        // By hand: 3 + 4 and 1 + 2.
        assert_eq!((stat.own_ticks, stat.reaped_ticks, stat.all_ticks()), (7, 3, 10));
        assert!(!stat.is_kernel);
        assert!(parse_stat(KERNEL).unwrap().is_kernel);
    }

    #[test]
    fn a_name_may_hold_parentheses_and_blanks() {
        let line = NICED.replace("(sleep)", "((sd-pam) 1 S (x)");
        let stat = parse_stat(&line).unwrap();
        assert_eq!((stat.name.as_str(), stat.parent), ("(sd-pam) 1 S (x", 1871));
    }

    #[test]
    fn a_line_that_is_cut_is_no_process() {
        assert_eq!(parse_stat(""), None);
        assert_eq!(parse_stat("1 (x"), None);
        assert_eq!(parse_stat(NICED.split_at(80).0), None);
    }
}
