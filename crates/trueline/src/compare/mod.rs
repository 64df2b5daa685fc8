//! The comparison of two arms: an audit of a candidate beside its baseline.

mod names;
mod table;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;
use trueline_core::{BenchRun, By, Claim, ClaimKind, Metric, Statistic};
use trueline_host::HostRecord;
use trueline_logs::{Error, Own, ReadOptions};

use crate::audit::Audit;
use crate::ceiling::Deployment;
use crate::given::Given;
use crate::report::Report;

/// Compares a candidate with a baseline, each a set of runs.
///
/// Each arm is an [`Audit`] that holds its runs, and host records where there are any. The comparison
/// is an audit of both: conditions, definitions, workload, hosts and failures are judged as for any
/// relative claim, and what nothing forbids gets a verdict. The unit is the run: requests of one run
/// are never taken for repetitions. All intervals hold together at the confidence asked for.
///
/// # Examples
/// ```
/// use trueline::core::{BenchRun, By, Known, Outcome, RequestRecord, Side, Stretch};
/// use trueline::{Audit, Compare};
/// # use std::time::Duration;
/// # fn run(label: &str, ttft_ms: u64) -> BenchRun {
/// #     let mut request = RequestRecord::default();
/// #     let took = Duration::from_millis(ttft_ms);
/// #     request.spans.set(Stretch::ClientTtft, Known::is(took, By::Measured));
/// #     request.outcome = Outcome::Ok;
/// #     let mut run = BenchRun::new(label, Side::Client, vec![request]);
/// #     for key in ["model", "quantization", "hardware", "machine"] {
/// #         run.conditions.set(key, "the same", By::Reported);
/// #     }
/// #     run
/// # }
/// // Three runs an arm, each with one request here.
/// let old = [300, 301, 299].iter().enumerate();
/// let old = old.fold(Audit::new(), |arm, (i, ms)| arm.run(run(&format!("old-{i}"), *ms)));
/// let new = [200, 201, 199].iter().enumerate();
/// let new = new.fold(Audit::new(), |arm, (i, ms)| arm.run(run(&format!("new-{i}"), *ms)));
///
/// let report = Compare::new(old, new).judge(&[]);
/// let row = &report.results["comparisons"][0];
/// assert_eq!((row["metric"].as_str(), row["verdict"].as_str()), (Some("ttft_s"), Some("better")));
/// ```
#[derive(Debug, Clone)]
pub struct Compare {
    audit: Audit,
    baseline: String,
    candidate: String,
    aside: Vec<String>,
}

impl Compare {
    /// A comparison of a candidate with a baseline. Settings that both have are the baseline's.
    ///
    /// The arms are called what their runs say of themselves: the arm, the server, or what their files
    /// are called, as far as that tells them apart; else `baseline` and `candidate`.
    pub fn new(baseline: Audit, candidate: Audit) -> Self {
        let (first, second) = names::tell_apart(baseline.all_runs(), candidate.all_runs());
        let mut aside = Vec::new();
        let mut taken = BTreeSet::new();
        let mut arm = |mut audit: Audit, name: &str, side: &str| {
            aside.extend(audit.take_preface().iter().map(|line| format!("{side}: {line}")));
            audit.into_arm(name, &mut taken)
        };
        let (baseline, candidate) =
            (arm(baseline, &first, "baseline"), arm(candidate, &second, "candidate"));
        let mut audit = baseline.with_all_of(candidate);
        audit.terms_mut().arms = Some((first.clone(), second.clone()));
        Self { audit, baseline: first, candidate: second, aside }
    }

    /// Names the baseline, as claims and a reader call it. A candidate of that name is then called
    /// `candidate`.
    #[must_use]
    pub fn over(mut self, name: &str) -> Self {
        if self.candidate == name {
            self.audit.rename_arm(name, "candidate");
            "candidate".clone_into(&mut self.candidate);
        }
        self.audit.rename_arm(&self.baseline, name);
        name.clone_into(&mut self.baseline);
        self.audit.terms_mut().arms = Some((self.baseline.clone(), self.candidate.clone()));
        self
    }

    /// Says what the reader runs: a ratio over something else cannot be converted.
    #[must_use]
    pub fn incumbent(mut self, name: impl Into<String>) -> Self {
        self.audit.terms_mut().incumbent = Some(name.into());
        self
    }

    /// Compares a quantity, in place of the headline ones; may be called again.
    #[must_use]
    pub fn metric(mut self, metric: Metric, statistic: Option<Statistic>) -> Self {
        self.audit.terms_mut().metrics.push((metric, statistic));
        self
    }

    /// Asks whether the arms are alike within a margin: 0.02 for 2 %. A margin that is not between 0
    /// and 1 asks nothing.
    #[must_use]
    pub fn equivalence(mut self, margin: f64) -> Self {
        self.audit.terms_mut().margin = Some(margin).filter(|m| *m > 0.0 && *m < 1.0);
        self
    }

    /// Sets the confidence of all intervals together, 0.95 unless set. One that is not between 0.5 and
    /// 1 sets nothing.
    #[must_use]
    pub fn confidence(mut self, confidence: f64) -> Self {
        self.audit.terms_mut().confidence = Some(confidence).filter(|c| *c > 0.5 && *c < 1.0);
        self
    }

    /// Sets the seed of methods that draw; it stands in the report. None of those that are used
    /// without being asked for draws.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.audit.terms_mut().seed = Some(seed);
        self
    }

    /// Says what served both arms: absolute claims on their rates are held against its ceiling.
    #[must_use]
    pub fn deployment(mut self, served: Deployment) -> Self {
        self.audit = self.audit.deployment(served);
        self
    }

    /// Says that both arms are one thing, measured twice: a difference is then the harness's, and
    /// revokes what the harness says of other arms.
    #[must_use]
    pub fn same(mut self) -> Self {
        self.audit.terms_mut().same = true;
        self
    }

    /// Says what was varied on purpose: a condition such as `model`, or `prompt_tokens`,
    /// `output_tokens`, `hit_share`, `load`. It need not be equal then.
    #[must_use]
    pub fn varies(mut self, key: impl Into<String>) -> Self {
        self.audit.terms_mut().varies.push(key.into());
        self
    }

    /// Adds figures that somebody states.
    #[must_use]
    pub fn given(mut self, given: Vec<Given>) -> Self {
        self.audit = self.audit.given(given);
        self
    }

    /// Records a condition of both arms that their files do not hold, such as `quantization`. It fills
    /// a gap and must not contradict the files.
    #[must_use]
    pub fn condition(mut self, key: impl Into<String>, value: impl Into<String>) -> Self {
        self.audit.terms_mut().conditions.set(key, value, By::Assumed);
        self
    }

    /// Adds the host's state over both arms.
    #[must_use]
    pub fn host(mut self, record: HostRecord) -> Self {
        self.audit = self.audit.host(record);
        self
    }

    /// Says how to read the log.
    #[must_use]
    pub fn reading(mut self, options: ReadOptions) -> Self {
        self.audit = self.audit.reading(options);
        self
    }

    /// Says which rows of the log are the benchmark's own.
    #[must_use]
    pub fn own(mut self, own: Own) -> Self {
        self.audit = self.audit.own(own);
        self
    }

    /// Reads the server's request log: the baseline is placed among its requests before anything is
    /// said of a gain over it.
    ///
    /// # Errors
    /// A log that cannot be read or is of no known format.
    pub fn log(self, path: impl AsRef<Path>) -> Result<Self, Error> {
        self.logs(&[path.as_ref().to_path_buf()])
    }

    /// Reads the server's request log from several files.
    ///
    /// # Errors
    /// A file that cannot be read or is of no known format.
    pub fn logs(mut self, paths: &[PathBuf]) -> Result<Self, Error> {
        self.audit = self.audit.logs(paths)?;
        Ok(self)
    }

    /// Judges claims about the two arms; without any, one for each quantity and load.
    ///
    /// In claims `baseline` and `candidate` mean the arms whatever they are called; a ratio that names
    /// none is the candidate's over the baseline.
    pub fn judge(self, claims: &[Claim]) -> Report {
        let claims: Vec<Claim> = claims.iter().map(|claim| self.meant(claim)).collect();
        let head = [
            names::arm_words("Baseline", &self.baseline, &self.runs_of(&self.baseline)),
            names::arm_words("Candidate", &self.candidate, &self.runs_of(&self.candidate)),
        ];
        let (baseline, candidate) = (self.baseline.clone(), self.candidate.clone());
        let labels = |arm: &str| {
            let runs = self.runs_of(arm);
            json!({ "name": arm, "runs": runs.iter().map(|r| &r.label).collect::<Vec<_>>() })
        };
        let arms = json!({ "baseline": labels(&baseline), "candidate": labels(&candidate) });
        let terms = self.audit.terms_in_force();
        let mut report = self.audit.judge(&claims);
        report.program = "compare_runs";
        report.table = Some(table::table(&report, &terms));
        report.are_rows = claims.is_empty();
        let mut rows = report.results["comparisons"].as_array().into_iter().flatten();
        let each = rows.find_map(|row| row["confidence"].as_f64());
        report.results["arms"] = arms;
        report.results["table"] = json!({
            "rows": table::together(&report, &terms),
            "confidence": terms.confidence,
            "confidence_each": each,
            "equivalence": terms.margin,
            "seed": terms.seed,
        });
        let mut preface = head.to_vec();
        let told: Vec<&String> = self.aside.iter().filter(|l| !is_plain(l)).collect();
        preface.extend(told.into_iter().cloned());
        preface.append(&mut report.preface);
        report.preface = preface;
        report
    }

    fn runs_of(&self, arm: &str) -> Vec<&BenchRun> {
        self.audit.all_runs().iter().filter(|run| run.arm() == arm).collect()
    }

    /// A claim with the arms by their names.
    fn meant(&self, claim: &Claim) -> Claim {
        let mut claim = claim.clone();
        let named = |name: String| match name.as_str() {
            "baseline" => self.baseline.clone(),
            "candidate" => self.candidate.clone(),
            _ => name,
        };
        claim.of = claim.of.map(named);
        claim.baseline = claim.baseline.map(named);
        if claim.kind == ClaimKind::Relative && claim.aligned.is_none() {
            if claim.of.is_none() && claim.baseline.as_ref() == Some(&self.candidate) {
                claim.of = Some(self.baseline.clone());
            }
            claim.of.get_or_insert_with(|| self.candidate.clone());
            claim.baseline.get_or_insert_with(|| self.baseline.clone());
        }
        let terms = self.audit.terms();
        claim.incumbent = claim.incumbent.or_else(|| terms.incumbent.clone());
        claim.varies.extend(terms.varies.iter().cloned());
        claim.same |= terms.same;
        claim.conditions =
            std::mem::take(&mut claim.conditions).with_missing_from(&terms.conditions);
        claim
    }
}

/// Whether a line says no more than how many files were taken for results.
fn is_plain(line: &str) -> bool {
    line.contains("Taken: results") && !line.contains(';')
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline_core::{Known, Outcome, RequestRecord, Side, Stretch};
    use trueline_host::parse_host_record;

    use super::*;
    use crate::judge::Status;
    use crate::report::TextOptions;

    fn arm(name: &str, ttft_ms: &[u64]) -> Audit {
        let run = |(i, ms): (usize, &u64)| {
            let mut request = RequestRecord::default();
            request.outcome = Outcome::Ok;
            let took = Known::is(Duration::from_millis(*ms), By::Measured);
            request.spans.set(Stretch::ClientTtft, took);
            let label = format!("run-{i}");
            let mut run = BenchRun::new(label, Side::Client, vec![request]).with_arm(name);
            for key in ["model", "quantization", "hardware"] {
                run.conditions.set(key, "the same", By::Reported);
            }
            run
        };
        ttft_ms.iter().enumerate().map(run).fold(Audit::new(), Audit::run)
    }

    fn arms() -> Compare {
        Compare::new(arm("old", &[300, 303, 297]), arm("new", &[200, 202, 198]))
    }

    #[test]
    fn runs_of_one_label_stay_runs_of_their_own_arm() {
        let report = arms().judge(&[]);
        let arms = &report.results["arms"];
        assert_eq!(arms["baseline"]["runs"], json!(["run-0", "run-1", "run-2"]));
        assert_eq!(arms["candidate"]["runs"], json!(["new/run-0", "new/run-1", "new/run-2"]));
        assert_eq!(report.results["comparisons"][0]["n_runs"], json!([3, 3]));
        assert_eq!(report.results["comparisons"][0]["verdict"], "better");
    }

    #[test]
    fn a_baseline_has_the_name_that_it_is_given_and_claims_find_it_by_either() {
        let claims = ["baseline", "library"].map(|over| {
            crate::claims::parse_claim(over, &format!("ttft_s ratio 0.667 over {over}")).unwrap()
        });
        let report = arms().over("library").judge(&claims);
        assert!(report.claims.iter().all(|judged| judged.status == Status::Supported));
        // A candidate of that name makes way.
        let report = arms().over("new").judge(&[]);
        let claim = &report.claims[0].claim;
        assert_eq!(
            (claim.of.as_deref(), claim.baseline.as_deref()),
            (Some("candidate"), Some("new"))
        );
        let report = arms().over("library").incumbent("engine").judge(&[]);
        assert!(report.claims[0].revoked_by.contains(&"different-baseline"));
    }

    #[test]
    fn a_host_record_of_one_arm_speaks_of_that_arm() {
        let text = r#"{"schema":"trueline.host/1","conditions":{"machine":"box-1","nice":5}}"#;
        let host = || parse_host_record(text).unwrap();
        let report =
            Compare::new(arm("old", &[300, 303, 297]).host(host()), arm("new", &[200])).judge(&[]);
        let nice: Vec<_> =
            report.outcomes.findings().filter(|f| f.code == "nice-not-zero").collect();
        assert_eq!(nice.len(), 1);
        assert_eq!(nice[0].about.run.as_deref(), Some("old"));
    }

    #[test]
    fn arms_of_no_run_are_told_and_not_compared() {
        let report = Compare::new(Audit::new(), Audit::new()).judge(&[]);
        assert_eq!(report.results["comparisons"][0]["verdict"], "not_comparable");
        assert_eq!(report.results["comparisons"][0]["n_runs"], json!([0, 0]));
        assert!(report.to_text(TextOptions::default()).contains("Baseline: 0 runs"));
    }
}
