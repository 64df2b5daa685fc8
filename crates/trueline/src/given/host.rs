//! The host's state over a run, as somebody recorded it.

use serde::Deserialize;
use trueline_core::{
    BenchRun, Conditions, Finding, Need, Outcomes, Scope, Severity, Thresholds, WallTime, Window,
};

use super::{GPU_CLOCK_LOW, NICE_NOT_ZERO};

/// A record of the host's state over a stretch of time.
///
/// # Shape
/// Conditions read here: `nice`, `gpu_clock_busy_mhz` and `gpu_clock_expected_mhz` (the clock of
/// busy samples and the one expected under load). Others are kept for comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct HostRecord {
    /// When it was taken; `None` where the record does not say.
    pub window: Option<Window>,
    /// What was read.
    pub conditions: Conditions,
}

/// Why a host record cannot be read.
#[derive(Debug, thiserror::Error)]
#[error("expected a host record (\"schema\":\"trueline.host/1\" with conditions)")]
pub struct HostRecordError(#[from] serde_json::Error);

#[derive(Deserialize)]
struct Raw {
    schema: Schema,
    #[serde(default)]
    started_at_s: Option<f64>,
    #[serde(default)]
    ended_at_s: Option<f64>,
    conditions: Conditions,
}

#[derive(Deserialize)]
enum Schema {
    #[serde(rename = "trueline.host/1")]
    V1,
}

/// Reads a host record.
///
/// # Errors
/// Text that is no JSON of that schema.
pub fn parse_host_record(text: &str) -> Result<HostRecord, HostRecordError> {
    let raw: Raw = serde_json::from_str(text)?;
    let Schema::V1 = raw.schema;
    let at = |s: Option<f64>| s.and_then(WallTime::from_secs_f64);
    let window = at(raw.started_at_s).zip(at(raw.ended_at_s)).map(|(a, b)| Window::new(a, b));
    Ok(HostRecord { window, conditions: raw.conditions })
}

/// Judges the host records that reach over a run; without one its state is not observed. A record
/// of another machine, or without any reading that is judged here, is none.
///
/// # Shape
/// `true` if the host's state over this run is known. A record without GPU clocks counts unless
/// the run's conditions name a GPU (`gpu`).
pub fn check_host_record(
    records: &[HostRecord],
    run: &BenchRun,
    thresholds: &Thresholds,
) -> (bool, Outcomes) {
    let about = Scope::of_run(run);
    let mut outcomes = Outcomes::default();
    // A bad reading counts wherever it was taken within the run; the state is known only where a
    // record reaches over all of it.
    let over: Vec<&HostRecord> =
        records.iter().filter(|record| is_of(record, run, Reach::Partly)).collect();
    let covers = records.iter().any(|record| is_of(record, run, Reach::Wholly));
    let clocks: Vec<(f64, f64)> = over
        .iter()
        .filter_map(|record| {
            positive(&record.conditions, "gpu_clock_busy_mhz")
                .zip(positive(&record.conditions, "gpu_clock_expected_mhz"))
        })
        .collect();
    // Of several records the worst reading counts.
    let worst = clocks.iter().min_by(|a, b| (a.0 / a.1).total_cmp(&(b.0 / b.1)));
    match worst {
        None => outcomes.not_observed(&GPU_CLOCK_LOW, Need::HostRecord, about.clone()),
        Some((busy, expected)) if busy / expected < thresholds.get(&GPU_CLOCK_LOW, "share") => {
            let message = format!("GPU at {:.0} % of its clock", 100.0 * busy / expected);
            outcomes.found(
                Finding::new(&GPU_CLOCK_LOW, about.clone(), message)
                    .with("busy_clock_mhz", *busy)
                    .with("expected_clock_mhz", *expected)
                    .with("share", busy / expected),
            );
        }
        Some(_) => outcomes.clear(&GPU_CLOCK_LOW, about.clone()),
    }
    let nice = over.iter().filter_map(|r| r.conditions.get("nice")?.trim().parse::<i32>().ok());
    match nice.max() {
        None => outcomes.not_observed(&NICE_NOT_ZERO, Need::HostRecord, about),
        Some(nice) if nice > 0 => outcomes.found(
            Finding::new(&NICE_NOT_ZERO, about, format!("run at nice {nice}"))
                .at(Severity::Warning)
                .with("nice", f64::from(nice)),
        ),
        Some(_) => outcomes.clear(&NICE_NOT_ZERO, about),
    }
    let needs_gpu = run.conditions.get("gpu").is_some() && clocks.is_empty();
    (covers && !needs_gpu, outcomes)
}

/// How far a record reaches over a run.
#[derive(Clone, Copy, PartialEq)]
enum Reach {
    Partly,
    Wholly,
}

/// Whether a record is of this run's machine and time, and reads something.
fn is_of(record: &HostRecord, run: &BenchRun, reach: Reach) -> bool {
    let reaches = match (record.window, run.window()) {
        (Some(record), Some(run)) if reach == Reach::Partly => record.overlaps(&run),
        (Some(record), Some(run)) => record.from <= run.from && record.to >= run.to,
        _ => false,
    };
    let same_machine = record.conditions.differing(&run.conditions, ["machine"]).is_empty();
    let reads = ["nice", "gpu_clock_busy_mhz"].iter().any(|k| record.conditions.get(k).is_some());
    reaches && same_machine && reads
}

fn positive(conditions: &Conditions, key: &str) -> Option<f64> {
    conditions.get(key)?.trim().parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{By, Known, RequestRecord, Side, Stretch};

    use super::*;

    fn record(busy: &str, nice: &str) -> HostRecord {
        parse_host_record(&format!(
            r#"{{"schema":"trueline.host/1","started_at_s":100,"ended_at_s":200,
                "conditions":{{"nice":{nice},"gpu_clock_busy_mhz":{busy},
                "gpu_clock_expected_mhz":1380}}}}"#
        ))
        .unwrap()
    }

    fn run(at: i64) -> BenchRun {
        let mut r = RequestRecord::default();
        r.started = Known::is(WallTime::from_nanos(at * 1_000_000_000), By::Measured);
        r.spans.set(Stretch::ClientTtft, Known::is(Duration::from_secs(5), By::Measured));
        BenchRun::new("r", Side::Client, vec![r])
    }

    fn codes(record: Option<&HostRecord>, at: i64) -> (bool, Vec<&'static str>) {
        let records: Vec<HostRecord> = record.cloned().into_iter().collect();
        let (present, outcomes) = check_host_record(&records, &run(at), &Thresholds::default());
        (present, outcomes.findings().map(|f| f.code).collect())
    }

    #[test]
    fn a_third_of_the_clock_and_nice_5_are_found_and_a_healthy_host_is_quiet() {
        let both = (true, vec!["gpu-clock-low", "nice-not-zero"]);
        assert_eq!(codes(Some(&record("460", "5")), 150), both);
        assert_eq!(codes(Some(&record("1300", "0")), 150), (true, vec![]));
        // A raised priority is no fault of the measurement.
        assert_eq!(codes(Some(&record("1300", "-5")), 150), (true, vec![]));
    }

    #[test]
    fn a_record_of_another_time_is_no_record_of_this_run() {
        assert_eq!(codes(Some(&record("460", "5")), 250), (false, vec![]));
        // It reaches over part of the run: what it reads counts, the rest is not known.
        assert_eq!(
            codes(Some(&record("460", "5")), 198),
            (false, vec!["gpu-clock-low", "nice-not-zero"])
        );
        assert_eq!(codes(None, 150), (false, vec![]));
    }

    #[test]
    fn unreadable_clocks_are_not_observed_and_not_low() {
        assert_eq!(codes(Some(&record("\"n/a\"", "0")), 150), (true, vec![]));
        assert_eq!(codes(Some(&record("0", "null")), 150), (true, vec![]));
        let empty = parse_host_record(
            r#"{"schema":"trueline.host/1","started_at_s":100,"ended_at_s":200,"conditions":{}}"#,
        );
        assert_eq!(codes(Some(&empty.unwrap()), 150), (false, vec![]));
        assert!(parse_host_record(r#"{"schema":"other"}"#).is_err());
    }
}
