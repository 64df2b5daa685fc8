//! What the processors have done since boot.

use serde::{Deserialize, Serialize};

use super::cpu_list::CpuList;

/// What a processor, or all of them, has done since boot.
///
/// # Units
/// Hundredths of a second, the unit of every `/proc` counter (`USER_HZ`).
///
/// # Source
/// `proc_stat(5)`. Time of guests is part of the time of programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CpuTime {
    /// Programs, and the kernel on behalf of them.
    pub busy_ticks: u64,
    /// Nothing to do, or waiting for a disk.
    pub idle_ticks: u64,
    /// Interrupts.
    pub interrupt_ticks: u64,
    /// Taken by the machine below a virtual one.
    pub steal_ticks: u64,
}

/// What `/proc/stat` says.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CpuTimes {
    /// All processors together.
    pub all: CpuTime,
    /// Each that is switched on, by number.
    pub each: Vec<(u32, CpuTime)>,
    /// Threads that run or want to, the reader among them.
    pub runnable: Option<u64>,
}

impl CpuTime {
    /// What was added since an earlier reading; `None` where a counter went back.
    pub(crate) fn since(&self, earlier: &Self) -> Option<Self> {
        Some(Self {
            busy_ticks: self.busy_ticks.checked_sub(earlier.busy_ticks)?,
            // The idle counters of a processor can step back by a tick.
            idle_ticks: self.idle_ticks.saturating_sub(earlier.idle_ticks),
            interrupt_ticks: self.interrupt_ticks.checked_sub(earlier.interrupt_ticks)?,
            steal_ticks: self.steal_ticks.checked_sub(earlier.steal_ticks)?,
        })
    }

    fn plus(&self, other: &Self) -> Self {
        Self {
            busy_ticks: self.busy_ticks.saturating_add(other.busy_ticks),
            idle_ticks: self.idle_ticks.saturating_add(other.idle_ticks),
            interrupt_ticks: self.interrupt_ticks.saturating_add(other.interrupt_ticks),
            steal_ticks: self.steal_ticks.saturating_add(other.steal_ticks),
        }
    }
}

impl CpuTimes {
    /// The processors that are switched on.
    pub fn cpus(&self) -> CpuList {
        self.each.iter().map(|(cpu, _)| *cpu).collect()
    }

    /// What some processors did since an earlier reading.
    ///
    /// # Shape
    /// Where they are all of them, the line of all counts: each line of one is rounded down.
    pub(crate) fn since(&self, earlier: &Self, cpus: &CpuList) -> Option<CpuTime> {
        if self.each.iter().all(|(cpu, _)| cpus.contains(*cpu)) {
            return self.all.since(&earlier.all);
        }
        let mut sum = CpuTime::default();
        for (cpu, now) in self.each.iter().filter(|(cpu, _)| cpus.contains(*cpu)) {
            // One that was switched on in between has no earlier reading.
            let Some((_, then)) = earlier.each.iter().find(|(c, _)| c == cpu) else { continue };
            sum = sum.plus(&now.since(then)?);
        }
        Some(sum)
    }
}

/// Reads `/proc/stat`.
pub(crate) fn parse_cpu_times(text: &str) -> Option<CpuTimes> {
    let mut all = None;
    let mut each = Vec::new();
    let mut runnable = None;
    for line in text.lines() {
        let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
        match key.strip_prefix("cpu") {
            Some("") => all = parse_time(rest),
            Some(cpu) => each.extend(cpu.parse().ok().zip(parse_time(rest))),
            None if key == "procs_running" => runnable = rest.trim().parse().ok(),
            None => {}
        }
    }
    Some(CpuTimes { all: all?, each, runnable })
}

fn parse_time(rest: &str) -> Option<CpuTime> {
    let mut fields = rest.split_ascii_whitespace().map_while(|field| field.parse::<u64>().ok());
    let (user, nice, system, idle) =
        (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let mut next = || fields.next().unwrap_or(0);
    let (iowait, irq, softirq, steal) = (next(), next(), next(), next());
    Some(CpuTime {
        busy_ticks: user.saturating_add(nice).saturating_add(system),
        idle_ticks: idle.saturating_add(iowait),
        interrupt_ticks: irq.saturating_add(softirq),
        steal_ticks: steal,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Captured from Linux 6.18 on two processors, its other lines left out.
    const STAT: &str = "cpu  1287990 76425 156206 1780285 7779 0 1178 407 0 0\n\
        cpu0 605573 38151 72018 936530 1989 0 133 198 0 0\n\
        cpu1 682417 38274 84188 843755 5789 0 1044 209 0 0\n\
        intr 8467798 0 0\nctxt 1\nbtime 1\nprocs_running 3\nprocs_blocked 0\n";

    #[test]
    fn programs_interrupts_and_steal_are_told_apart() {
        let times = parse_cpu_times(STAT).unwrap();
        // By hand: 1287990 + 76425 + 156206; 1780285 + 7779.
        assert_eq!(times.all.busy_ticks, 1_520_621);
        assert_eq!(times.all.idle_ticks, 1_788_064);
        assert_eq!((times.all.interrupt_ticks, times.all.steal_ticks), (1_178, 407));
        assert_eq!((times.cpus().to_string(), times.runnable), ("0-1".to_owned(), Some(3)));
    }

    #[test]
    fn some_processors_are_added_up_alone() {
        let before = parse_cpu_times(STAT).unwrap();
        let text = STAT.replace("cpu1 682417", "cpu1 682457").replace("1287990", "1288040");
        let after = parse_cpu_times(&text).unwrap();
        let busy = |cpus: &str| after.since(&before, &cpus.parse().unwrap()).unwrap().busy_ticks;
        // By hand: 40 on processor 1, none on 0, 50 on the line of all.
        assert_eq!((busy("1"), busy("0"), busy("0-1")), (40, 0, 50));
        assert_eq!(before.since(&after, &"0-1".parse().unwrap()), None);
    }

    #[test]
    fn a_text_without_processors_is_unreadable() {
        assert_eq!(parse_cpu_times(""), None);
        assert_eq!(parse_cpu_times("cpu 1 2"), None);
    }
}
