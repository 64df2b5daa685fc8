//! What the processor is measured to do: clock, operations per cycle, bandwidth, contention.

mod bandwidth;
mod chain;
mod checks;
mod clock;
mod contended;
mod low_clock;
mod peak;
mod room;
mod samples;
mod timer;

use serde::{Deserialize, Serialize};
use trueline_core::{Known, Outcomes, Why};

pub use bandwidth::MemoryBandwidth;
pub use checks::CPU_PROBE_CHECKS;
pub use clock::{CpuClock, CpuContention};
pub use peak::CpuPeak;
pub use timer::TimerCost;

use crate::judge::View;
use crate::root::Root;

/// What the processor was measured to do, by one thread.
///
/// # Shape
/// A kernel whose own check fails has no value (`impossible`): that says nothing of the machine.
/// A build without optimisation fails them all.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct CpuProbe {
    /// The effective clock.
    pub clock: CpuClock,
    /// The time that others took meanwhile.
    pub contention: CpuContention,
    /// Floating-point operations of one core.
    pub peak: CpuPeak,
    /// Memory bandwidth of one thread.
    pub memory: MemoryBandwidth,
    /// What a look at the clock costs.
    pub timer: TimerCost,
}

/// Measures the processor with one thread and a few hundred megabytes, for about a second of its own
/// time: longer on the clock where others take part of it.
///
/// It changes what it runs beside: before and after a measurement is its place, not during one.
/// A single core of an idle machine reaches clocks that all of them together do not.
///
/// # Examples
/// ```no_run
/// let cpu = trueline_host::probe_cpu();
/// if let Some(mhz) = cpu.clock.mhz.value() {
///     assert!(mhz > 100.0);
/// }
/// ```
pub fn probe_cpu() -> CpuProbe {
    let (clock, contention) = clock::measure();
    // The same compiler made all kernels: where the chains are not sound, the others are not.
    let (peak, memory) = if clock.mhz == Known::Not(Why::Impossible) {
        (CpuPeak::none(Why::NeedsMore), MemoryBandwidth::none(Known::default(), Why::NeedsMore))
    } else {
        (peak::measure(), bandwidth::measure(&Root::live()))
    };
    CpuProbe { clock, contention, peak, memory, timer: timer::measure() }
}

pub(crate) fn check(view: &View<'_>, outcomes: &mut Outcomes) {
    low_clock::check_clock(view, outcomes);
    contended::check_contention(view, outcomes);
}

#[cfg(test)]
mod tests {
    use trueline_core::{Scope, Thresholds};

    use super::*;
    use crate::judge::check_host;
    use crate::record::parse_host_record;

    #[test]
    fn a_build_without_optimisation_fails_the_probe() {
        let probe = probe_cpu();
        let measured = probe.clock.mhz.is_known();
        assert_eq!(measured, probe.memory.triad_gb_per_s.is_known());
        if cfg!(debug_assertions) {
            assert_eq!(probe.clock.mhz, Known::Not(Why::Impossible));
        } else if cfg!(any(target_arch = "x86_64", target_arch = "aarch64")) {
            assert!(measured);
            // One to six units, of which a neighbour on the same core leaves half at the least.
            let fused = probe.peak.fused_per_cycle.value().unwrap();
            assert!((0.4..=6.1).contains(&fused), "{fused}");
        }
        assert!(probe.contention.taken_share.is_known());
    }

    #[test]
    fn a_record_by_hand_names_what_it_knows_and_survives_json() {
        let text = r#"{"clock":{"mhz":{"is":{"value":4091.0,"by":"measured"}}}}"#;
        let probe: CpuProbe = serde_json::from_str(text).unwrap();
        assert_eq!(probe.clock.mhz.value(), Some(4_091.0));
        assert_eq!(probe.contention.taken_share, Known::Not(Why::Absent));
        let again = serde_json::to_string(&probe).unwrap();
        assert_eq!(serde_json::from_str::<CpuProbe>(&again).unwrap(), probe);
    }

    /// What this area finds in a record written down by hand.
    fn found(expected_mhz: f64, mhz: f64, taken: f64) -> Vec<String> {
        let text = format!(
            r#"{{"schema":"trueline.host/1","conditions":{{"cpu_clock_expected_mhz":{expected_mhz}}},
                "cpu":{{"clock":{{"mhz":{{"is":{{"value":{mhz},"by":"measured"}}}}}},
                "contention":{{"taken_share":{{"is":{{"value":{taken},"by":"measured"}}}}}}}}}}"#
        );
        let record = parse_host_record(&text).unwrap();
        let outcomes = check_host(&record, &Scope::default(), &Thresholds::default());
        let codes = CPU_PROBE_CHECKS.iter().map(|check| check.code);
        outcomes
            .findings()
            .filter(|f| codes.clone().any(|c| c == f.code))
            .map(ToString::to_string)
            .collect()
    }

    #[test]
    fn a_record_of_a_slow_shared_core_is_judged_and_that_of_a_well_one_is_not() {
        // A third of the clock: 1386 / 4200 = 0.33.
        assert_eq!(
            found(4_200.0, 1_386.0, 0.252),
            [
                "error[cpu-clock-low]: a core runs at 1,386 MHz, 33 % of the 4,200 MHz of an earlier \
                 record",
                "warning[cpu-contended]: 25 % of a computing thread's time went to others",
            ]
        );
        // Captured: a core for itself on a virtual machine whose other core was fully busy.
        assert!(found(4_091.0, 3_989.0, 0.0123).is_empty());
    }
}
