//! Whether a degraded machine slows both arms alike.

use trueline_core::{Conditions, Finding, Load, Metric, Need, Outcomes, Scope};

use super::checks::DIFFERENT_BOTTLENECK;

/// Findings of a host that slow what computes and leave alone what waits for memory.
pub const DEGRADED_STATES: [&str; 5] =
    ["gpu-clock-low", "gpu-clock-locked", "gpu-throttled", "gpu-power-capped", "cpu-clock-low"];

/// A batch up to which decode waits for weights, not for arithmetic. A sequence needs one operation
/// for each byte of 16-bit weights, four of 4-bit ones: 32 a byte at a batch of 8. An H100 has 295 for
/// each byte that it reads, and still 98 at a third of its clock.
///
/// # Source
/// NVIDIA's data sheet of the H100 SXM: 989 TFLOP/s dense in bfloat16, 3,350 GB/s.
const SMALL_BATCH: u32 = 8;

/// What limits the speed of a stretch of work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Bottleneck {
    /// Arithmetic: it scales with the clock.
    Compute,
    /// Reading memory: the clock of the cores hardly matters.
    Memory,
    /// Not known, or several.
    Unknown,
}

/// What limits a metric at a load.
///
/// # Formula
/// Prefill and TTFT: arithmetic. Decode, ITL and TPOT: memory at up to 8 requests in flight, else
/// not known. Anything that mixes the two: not known.
///
/// # Source
/// The roofline model: Williams, Waterman and Patterson, “Roofline”, 2009.
pub fn bottleneck_of(metric: Metric, load: Option<Load>) -> Bottleneck {
    match (phase(metric), load) {
        (Phase::Prefill, _) => Bottleneck::Compute,
        (Phase::Decode, Some(Load::Concurrency(n))) if n <= SMALL_BATCH => Bottleneck::Memory,
        _ => Bottleneck::Unknown,
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Prefill,
    Decode,
    Mixed,
}

fn phase(metric: Metric) -> Phase {
    match metric {
        Metric::TtftS | Metric::PrefillTokPerS => Phase::Prefill,
        Metric::ItlS | Metric::TpotS | Metric::DecodeTokPerS => Phase::Decode,
        _ => Phase::Mixed,
    }
}

/// What an arm served, and at which load.
#[derive(Debug, Clone, Copy)]
pub struct Served<'a> {
    /// The conditions of the arm.
    pub conditions: &'a Conditions,
    /// The load asked for.
    pub load: Option<Load>,
}

/// Checks that a degraded machine slows both arms alike: that one thing limits both.
///
/// # Formula
/// Both limited by the same, by [`bottleneck_of`]; or one phase at one load on one model, stored
/// alike, whatever limits it: a ratio of two servers in decode survives a low clock, a ratio of two
/// output rates does not.
///
/// # Shape
/// `degraded` are the codes of [`DEGRADED_STATES`] that were found on either arm's host; `None`
/// where no record of it says. The candidate, then the baseline.
pub fn check_bottleneck(
    about: Scope,
    metric: Metric,
    degraded: Option<&[&str]>,
    arms: (Served<'_>, Served<'_>),
) -> Outcomes {
    let check = &DIFFERENT_BOTTLENECK;
    let mut outcomes = Outcomes::default();
    let Some(degraded) = degraded else {
        outcomes.not_observed(check, Need::HostRecord, about);
        return outcomes;
    };
    let (first, second) = arms;
    let limits = (bottleneck_of(metric, first.load), bottleneck_of(metric, second.load));
    let known = limits.0 == limits.1 && limits.0 != Bottleneck::Unknown;
    let stored = ["model", "quantization"];
    let one_model = first.conditions.differing(second.conditions, stored).is_empty()
        && first.conditions.unknown_in_either(second.conditions, stored).is_empty();
    let one_phase = phase(metric) != Phase::Mixed && first.load == second.load && one_model;
    if degraded.is_empty() || known || one_phase {
        outcomes.clear(check, about);
        return outcomes;
    }
    let why = if phase(metric) == Phase::Mixed {
        "which slows prefill and hardly decode: a ratio that mixes both may turn when it is well"
    } else {
        "and at other batches or of other models two arms need not wait for the same: their ratio may \
         turn when it is well"
    };
    let states = degraded.join(", ");
    outcomes.found(
        Finding::new(check, about, format!("the machine was degraded ({states}), {why}"))
            .with("states", degraded.iter().map(|code| (*code).to_owned()).collect::<Vec<_>>())
            .with("metric", metric.name()),
    );
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn conditions(model: &str) -> Conditions {
        Conditions::from_iter([("model", model), ("quantization", "q4")])
    }

    fn fires(metric: Metric, models: (&str, &str), loads: (Option<Load>, Option<Load>)) -> bool {
        let (a, b) = (conditions(models.0), conditions(models.1));
        let arms =
            (Served { conditions: &a, load: loads.0 }, Served { conditions: &b, load: loads.1 });
        check_bottleneck(Scope::default(), metric, Some(&["gpu-clock-low"]), arms)
            .has("different-bottleneck")
    }

    const ONE: Option<Load> = Some(Load::Concurrency(1));
    const MANY: Option<Load> = Some(Load::Concurrency(64));

    #[test]
    fn two_servers_in_one_phase_on_one_model_stand_under_a_low_clock() {
        // The first story's comparison: decode of candidate and library, load not written down.
        assert!(!fires(Metric::DecodeTokPerS, ("m", "m"), (None, None)));
        assert!(!fires(Metric::DecodeTokPerS, ("m", "m"), (MANY, MANY)));
        assert!(!fires(Metric::TtftS, ("m", "m"), (ONE, ONE)));
        // One request at a time waits for memory whatever the model.
        assert!(!fires(Metric::TpotS, ("m", "other"), (ONE, ONE)));
    }

    #[test]
    fn mixtures_other_batches_and_other_models_do_not() {
        assert!(fires(Metric::OutputTokPerS, ("m", "m"), (ONE, ONE)));
        assert!(fires(Metric::E2eLatencyS, ("m", "m"), (None, None)));
        assert!(fires(Metric::TpotS, ("m", "m"), (ONE, MANY)));
        assert!(fires(Metric::TpotS, ("m", "other"), (MANY, MANY)));
    }

    #[test]
    fn a_healthy_machine_is_quiet_and_an_unknown_one_not_observed() {
        let c = conditions("m");
        let one = Served { conditions: &c, load: ONE };
        let arms = (one, one);
        let metric = Metric::OutputTokPerS;
        let healthy = check_bottleneck(Scope::default(), metric, Some(&[]), arms);
        assert!(matches!(healthy.iter().next(), Some(trueline_core::CheckOutcome::Clear { .. })));
        let unknown = check_bottleneck(Scope::default(), metric, None, arms);
        assert!(matches!(
            unknown.iter().next(),
            Some(trueline_core::CheckOutcome::NotObserved { need: Need::HostRecord, .. })
        ));
    }
}
