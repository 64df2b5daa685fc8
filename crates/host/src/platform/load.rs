//! What the processors did since boot, and who waited for them.

use serde::{Deserialize, Serialize};
use trueline_core::Known;

use super::pressure::Pressure;
use super::reading::{number_after, part};
use crate::root::Root;

/// What the processors did since boot, and who waited for them.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct SystemLoad {
    /// Where the time of all processors went.
    pub ticks: Known<CpuTicks>,
    /// Threads that run or could run at this moment.
    pub runnable_threads: Known<u64>,
    /// Mean number of threads that ran or waited over about a minute; it lags behind.
    pub one_minute_average: Known<f64>,
    /// Time in which threads waited for a processor.
    pub cpu_pressure: Known<Pressure>,
    /// Time in which threads waited for memory.
    pub memory_pressure: Known<Pressure>,
    /// Time in which threads waited for disks.
    pub io_pressure: Known<Pressure>,
}

/// Time of all processors together since boot, by what it went to.
///
/// # Units
/// Ticks of the kernel, usually 10 ms.
///
/// # Source
/// `proc_stat(5)`: guests' time is part of `user` and `nice` and stands nowhere else here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct CpuTicks {
    /// Programs.
    pub user: u64,
    /// Programs at a positive nice value.
    pub nice: u64,
    /// The kernel.
    pub system: u64,
    /// Nothing.
    pub idle: u64,
    /// Nothing, while a disk was waited for.
    pub io_wait: u64,
    /// Interrupts.
    pub irq: u64,
    /// What interrupts leave for later.
    pub soft_irq: u64,
    /// Somebody else on the physical machine, while this one wanted to run.
    pub steal: u64,
}

impl SystemLoad {
    pub(super) fn read(root: &Root) -> Self {
        let stat = root.text("proc/stat");
        let average = root.text("proc/loadavg");
        Self {
            ticks: part(&stat, parse_ticks),
            runnable_threads: part(&stat, |text| number_after(text, "procs_running")),
            one_minute_average: part(&average, |text| text.split(' ').next()?.parse().ok()),
            cpu_pressure: Pressure::read(root, "proc/pressure/cpu"),
            memory_pressure: Pressure::read(root, "proc/pressure/memory"),
            io_pressure: Pressure::read(root, "proc/pressure/io"),
        }
    }
}

impl CpuTicks {
    /// The time in which something of this machine ran.
    pub const fn busy(&self) -> u64 {
        self.user + self.nice + self.system + self.irq + self.soft_irq
    }

    /// All time.
    pub const fn total(&self) -> u64 {
        self.busy() + self.idle + self.io_wait + self.steal
    }

    /// What was added since another moment. Some kernels let idle time go back by a tick or two;
    /// it then grew by nothing.
    #[must_use]
    pub const fn since(&self, before: &Self) -> Self {
        Self {
            user: self.user.saturating_sub(before.user),
            nice: self.nice.saturating_sub(before.nice),
            system: self.system.saturating_sub(before.system),
            idle: self.idle.saturating_sub(before.idle),
            io_wait: self.io_wait.saturating_sub(before.io_wait),
            irq: self.irq.saturating_sub(before.irq),
            soft_irq: self.soft_irq.saturating_sub(before.soft_irq),
            steal: self.steal.saturating_sub(before.steal),
        }
    }
}

fn parse_ticks(text: &str) -> Option<CpuTicks> {
    let line = text.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let mut fields = line.split_ascii_whitespace().map_while(|field| field.parse().ok());
    let mut next = || fields.next();
    Some(CpuTicks {
        user: next()?,
        nice: next()?,
        system: next()?,
        idle: next()?,
        io_wait: next()?,
        irq: next()?,
        soft_irq: next()?,
        steal: next()?,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_holds_all_processors() {
        // Captured from a guest with two processors.
        let text = "cpu  1268221 20634 149273 1779737 7760 0 1150 385 0 0\n\
                    cpu0 634110 10317 74636 889868 3880 0 575 192 0 0\nprocs_running 3";
        let ticks = parse_ticks(text).unwrap();
        assert_eq!((ticks.user, ticks.steal), (1_268_221, 385));
        // By hand: 1,268,221 + 20,634 + 149,273 + 0 + 1,150, and with 1,779,737 + 7,760 + 385.
        assert_eq!((ticks.busy(), ticks.total()), (1_439_278, 3_227_160));
        assert_eq!(parse_ticks("cpu  1 2 3"), None);
        assert_eq!(number_after(text, "procs_running"), Some(3));
    }
}
