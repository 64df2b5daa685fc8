//! Records that somebody wrote by hand: conditions alone.

use trueline_core::{Conditions, Finding, Need, Outcomes, Severity};

use crate::gpu::GPU_CLOCK_LOW;
use crate::judge::View;
use crate::processes::NICE_NOT_ZERO;

/// Judges what the conditions of a record state: the priority, and the clock of the GPU under load.
pub(crate) fn check_stated(view: &View<'_>, outcomes: &mut Outcomes) {
    check_clock(view, outcomes);
    check_nice(view, outcomes);
}

fn check_clock(view: &View<'_>, outcomes: &mut Outcomes) {
    let (conditions, about) = (&view.record.conditions, view.about.clone());
    let clocks = positive(conditions, "gpu_clock_busy_mhz")
        .zip(positive(conditions, "gpu_clock_expected_mhz"));
    let Some((busy, expected)) = clocks else {
        outcomes.not_observed(&GPU_CLOCK_LOW, Need::GpuReadings, about);
        return;
    };
    let share = busy / expected;
    if share >= view.thresholds.get(&GPU_CLOCK_LOW, "share") {
        outcomes.clear(&GPU_CLOCK_LOW, about);
        return;
    }
    let message = format!("GPU at {:.0} % of its clock", 100.0 * share);
    outcomes.found(
        Finding::new(&GPU_CLOCK_LOW, about, message)
            .with("busy_clock_mhz", busy)
            .with("expected_clock_mhz", expected)
            .with("share", share),
    );
}

fn check_nice(view: &View<'_>, outcomes: &mut Outcomes) {
    let about = view.about.clone();
    let stated = view.record.conditions.get("nice").and_then(|nice| nice.trim().parse().ok());
    match stated {
        None => outcomes.not_observed(&NICE_NOT_ZERO, Need::HostRecord, about),
        // A raised priority is no fault of the measurement.
        Some(nice) if nice > 0 => outcomes.found(
            Finding::new(&NICE_NOT_ZERO, about, format!("run at nice {nice}"))
                .at(Severity::Warning)
                .with("nice", f64::from(nice)),
        ),
        Some::<i32>(_) => outcomes.clear(&NICE_NOT_ZERO, about),
    }
}

fn positive(conditions: &Conditions, key: &str) -> Option<f64> {
    conditions.get(key)?.trim().parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0)
}

#[cfg(test)]
mod tests {
    use trueline_core::{Scope, Thresholds};

    use crate::{check_host, parse_host_record};

    fn codes(conditions: &str) -> Vec<&'static str> {
        let text = format!(
            r#"{{"schema":"trueline.host/1","started_at_s":100,"ended_at_s":200,
                "conditions":{conditions}}}"#
        );
        let record = parse_host_record(&text).unwrap();
        let outcomes = check_host(&record, &Scope::default(), &Thresholds::default());
        outcomes.findings().map(|f| f.code).collect()
    }

    #[test]
    fn a_third_of_the_clock_and_nice_5_are_found_and_a_healthy_host_is_quiet() {
        let sick = r#"{"nice":5,"gpu_clock_busy_mhz":460,"gpu_clock_expected_mhz":1380}"#;
        assert_eq!(codes(sick), ["gpu-clock-low", "nice-not-zero"]);
        let well = r#"{"nice":-5,"gpu_clock_busy_mhz":1300,"gpu_clock_expected_mhz":1380}"#;
        assert!(codes(well).is_empty());
    }

    #[test]
    fn unreadable_clocks_are_not_observed_and_not_low() {
        for clock in ["\"n/a\"", "0", "null"] {
            let text = format!(r#"{{"gpu_clock_busy_mhz":{clock},"gpu_clock_expected_mhz":1380}}"#);
            assert!(codes(&text).is_empty(), "{clock}");
        }
    }
}
