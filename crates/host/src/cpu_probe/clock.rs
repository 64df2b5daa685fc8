//! The effective clock, and the time that others take while it is measured.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use trueline_core::{By, Known, Why};

use super::chain::{
    Sample, cycles_of_a_multiplication, cycles_of_a_step, time_multiplying, time_simple,
};
use super::samples::{median, quantile};
use crate::root::Root;

/// Stretches of sampling; what holds for most of them is no burst.
const WINDOWS: usize = 8;

/// The length of a stretch: several time slices of a scheduler, which are 3 to 5 ms.
const WINDOW: Duration = Duration::from_millis(50);

/// Steps of a sample: 50 µs at 4 GHz, so short that most samples of a shared core are undisturbed.
const STEPS: u32 = 100_000;

/// A sample this many times as long as the usual one was interrupted: a time slice is 50 samples
/// long, and no turbo step is a quarter of the clock.
const DISTURBED: f64 = 1.25;

/// Pairs of samples of both chains after each stretch.
const PAIRS: usize = 4;

/// No processor that is sold runs outside; what does is a kernel that was compiled away.
const PLAUSIBLE_MHZ: std::ops::RangeInclusive<f64> = 100.0..=10_000.0;

/// The clock that a core was measured to run at.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CpuClock {
    /// What it reaches: the 90th percentile of many short samples.
    pub mhz: Known<f64>,
    /// The median of the samples.
    pub p50_mhz: Known<f64>,
    /// The cycles of a multiplication, measured: a whole number shows that both chains are sound.
    pub multiplication_cycles: Known<f64>,
    /// The processor that it ran on; unknown where it was moved.
    pub processor: Known<u32>,
}

/// The time that was taken from the probe.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CpuContention {
    /// The share of the time for which it was interrupted: the median of the stretches.
    pub taken_share: Known<f64>,
    /// The same of the worst stretch.
    pub taken_share_worst: Known<f64>,
    /// The share of the time for which it did not run at all, in the median: other processes, a
    /// quota, and a hypervisor that says what it takes. The rest was taken while it ran.
    pub not_running_share: Known<f64>,
}

/// A stretch of sampling.
#[derive(Debug)]
struct Series {
    samples: Vec<Sample>,
    wall: Duration,
    cpu: Option<Duration>,
}

/// Measures both for about half a second.
///
/// # Formula
/// Clock: cycles of the steps over their time, 90th percentile. Taken share of a stretch: what
/// samples that took over 1.25 times its median took beyond it, and the time between samples, over
/// all its time.
///
/// A turbo clock goes up and down by several steps within milliseconds: on a core that nobody
/// shares, the mean of the rates was 4 to 6 % below their 90th percentile and up to 3 % below their
/// median. The spread of the rates would not do either: of samples shorter than a time slice most
/// run undisturbed on a core of which half is taken.
pub(super) fn measure() -> (CpuClock, CpuContention) {
    let mut slower = Vec::new();
    let mut stretches = Vec::new();
    let mut processors = Vec::new();
    for _ in 0..WINDOWS {
        processors.push(processor());
        stretches.push(sample());
        for _ in 0..PAIRS {
            slower.push(time_simple(STEPS).rate() / time_multiplying(STEPS).rate());
        }
    }
    processors.push(processor());
    (clock(&stretches, &slower, &processors), contention(&stretches))
}

fn sample() -> Series {
    let mut samples = Vec::new();
    let (cpu, start) = (thread_time(), Instant::now());
    let wall = loop {
        samples.push(time_simple(STEPS));
        let wall = start.elapsed();
        if wall >= WINDOW {
            break wall;
        }
    };
    let cpu = thread_time().zip(cpu).and_then(|(end, start)| end.checked_sub(start));
    Series { samples, wall, cpu }
}

fn clock(stretches: &[Series], slower: &[f64], processors: &[Known<u32>]) -> CpuClock {
    let first = processors.first().copied().unwrap_or_default();
    let stayed = processors.iter().all(|processor| *processor == first);
    let processor = if stayed { first } else { Known::Not(Why::NeedsMore) };
    let Some(cycles) = cycles_of_a_step() else {
        let none = Known::Not(Why::NotApplicable);
        return CpuClock { mhz: none, p50_mhz: none, multiplication_cycles: none, processor };
    };
    let whole = median(slower).and_then(cycles_of_a_multiplication);
    let rates: Vec<f64> =
        stretches.iter().flat_map(|s| &s.samples).map(|s| s.rate() * cycles / 1e6).collect();
    let mhz = |share| {
        let mhz = quantile(&rates, share).filter(|mhz| PLAUSIBLE_MHZ.contains(mhz));
        measured(mhz.filter(|_| whole.is_some()))
    };
    CpuClock { mhz: mhz(0.9), p50_mhz: mhz(0.5), multiplication_cycles: measured(whole), processor }
}

fn contention(stretches: &[Series]) -> CpuContention {
    let taken: Vec<f64> = stretches.iter().filter_map(taken_share).collect();
    let idle: Vec<f64> = stretches.iter().filter_map(not_running_share).collect();
    CpuContention {
        taken_share: measured(median(&taken)),
        taken_share_worst: measured(quantile(&taken, 1.0)),
        not_running_share: match median(&idle) {
            Some(share) => Known::is(share, By::Measured),
            None => Known::Not(Why::NotApplicable),
        },
    }
}

fn taken_share(stretch: &Series) -> Option<f64> {
    let took: Vec<f64> = stretch.samples.iter().map(|s| s.took.as_secs_f64()).collect();
    let usual = median(&took)?;
    let longer = took.iter().filter(|took| **took > DISTURBED * usual);
    let delays: f64 = longer.map(|took| took - usual).sum();
    let between = stretch.wall.as_secs_f64() - took.iter().sum::<f64>();
    Some((delays + between.max(0.0)) / stretch.wall.as_secs_f64()).filter(|share| share.is_finite())
}

fn not_running_share(stretch: &Series) -> Option<f64> {
    Some((1.0 - stretch.cpu?.as_secs_f64() / stretch.wall.as_secs_f64()).max(0.0))
}

fn measured(value: Option<f64>) -> Known<f64> {
    value.map_or(Known::Not(Why::Impossible), |value| Known::is(value, By::Measured))
}

/// The time for which this thread ran.
fn thread_time() -> Option<Duration> {
    let read = clock_gettime(ClockId::ThreadCPUTime);
    let (seconds, nanos) = (u64::try_from(read.tv_sec).ok()?, u32::try_from(read.tv_nsec).ok()?);
    Some(Duration::new(seconds, nanos))
}

/// The processor that this thread runs on.
fn processor() -> Known<u32> {
    match Root::live().text("proc/thread-self/stat") {
        Ok(stat) => parse_processor(&stat)
            .map_or(Known::Not(Why::Unreadable), |cpu| Known::is(cpu, By::Measured)),
        Err(_) if cfg!(not(target_os = "linux")) => Known::Not(Why::NotApplicable),
        Err(why) => Known::Not(why),
    }
}

/// The 39th field of a `stat` of proc(5); the second one, a name in brackets, may hold anything.
fn parse_processor(stat: &str) -> Option<u32> {
    stat.rsplit_once(')')?.1.split_whitespace().nth(36)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stretch of samples of 100,000 steps, each so many µs long, with the CPU time in ms.
    fn stretch(micros: &[u64], cpu_ms: u64) -> Series {
        let took: Vec<Duration> = micros.iter().map(|us| Duration::from_micros(*us)).collect();
        Series {
            wall: took.iter().sum(),
            samples: took.iter().map(|took| Sample { work: 100_000.0, took: *took }).collect(),
            cpu: Some(Duration::from_millis(cpu_ms)),
        }
    }

    const HERE: Known<u32> = Known::Is { value: 1, by: By::Measured };

    #[test]
    fn the_clock_is_cycles_over_time_of_undisturbed_samples() {
        // 200,000 cycles in 50 µs are 4,000 MHz; one sample of ten waits for 4 ms.
        let mut micros = [50; 10];
        micros[3] = 4_050;
        let clock = clock(&[stretch(&micros, 1)], &[2.0, 2.01, 1.0], &[HERE, HERE]);
        assert!((clock.mhz.value().unwrap() - 4_000.0).abs() < 1e-6);
        assert_eq!(clock.p50_mhz, clock.mhz);
        assert_eq!(clock.multiplication_cycles.value(), Some(3.0));
        assert_eq!(clock.processor, HERE);
    }

    #[test]
    fn a_chain_that_was_compiled_away_fails_the_probe_and_not_the_host() {
        let away = |micros, slower: f64| clock(&[stretch(&[micros], 0)], &[slower], &[]).mhz;
        // 200,000 cycles in 1 µs would be 200 GHz; chains as long as each other were not optimised.
        assert_eq!(away(1, 2.0), Known::Not(Why::Impossible));
        assert_eq!(away(50, 1.1), Known::Not(Why::Impossible));
        assert_eq!(away(50, f64::NAN), Known::Not(Why::Impossible));
        assert!(away(50, 2.0).is_known());
    }

    #[test]
    fn a_probe_that_was_moved_does_not_know_its_processor() {
        let there = Known::is(2, By::Measured);
        let clock = clock(&[], &[], &[HERE, there]);
        assert_eq!(clock.processor, Known::Not(Why::NeedsMore));
    }

    #[test]
    fn time_beyond_the_usual_sample_was_taken() {
        // 20 samples of 50 µs need 1 ms of 2 ms; the thread ran for 1 ms.
        let mut micros = [50; 20];
        micros[7] = 1_050;
        let shared = stretch(&micros, 1);
        assert!((taken_share(&shared).unwrap() - 0.5).abs() < 1e-9);
        assert!((not_running_share(&shared).unwrap() - 0.5).abs() < 1e-9);
        // One burst among three stretches is no contention.
        let quiet = || stretch(&[50; 20], 1);
        let burst = contention(&[quiet(), shared, quiet()]);
        assert_eq!(burst.taken_share.value(), Some(0.0));
        assert!(burst.taken_share_worst.value().unwrap() > 0.4);
    }

    #[test]
    fn a_clock_that_moves_is_nobody_elses_time() {
        // Turbo steps: two fifths of the samples a tenth slower than the others.
        let steps = stretch(&[50, 55, 50, 55, 50].repeat(4), 1);
        assert_eq!(taken_share(&steps), Some(0.0));
        // Half the clock in the second stretch, and nothing taken in either.
        let moved = contention(&[stretch(&[50; 20], 1), stretch(&[100; 20], 2)]);
        assert_eq!(moved.taken_share_worst.value(), Some(0.0));
        assert_eq!(moved.not_running_share.value(), Some(0.0));
    }

    #[test]
    fn the_processor_is_read_behind_any_name() {
        // proc(5): pid, name, state, then fields 4 to 38, and the processor as the 39th.
        let between = " 0".repeat(35);
        let stat = format!("4242 (a) R (b) R{between} 7 1 2");
        assert_eq!(parse_processor(&stat), Some(7));
        assert_eq!(parse_processor("4242 (sh) R 1"), None);
    }
}
