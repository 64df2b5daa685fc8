//! The composition: results, a request log, a host record and claims become one report.

mod arms;
mod balance;
mod began;
mod beside;
mod ceilings;
mod claims;
mod compared;
mod fairness;
mod field;
mod groups;
mod hosts;
mod instead;
mod merged;
mod obvious;
mod production;
mod ratios;
mod reading;
mod rebased;
mod results;
mod rows;
mod runs;
mod shown;
mod stated;
mod table;
mod terms;
mod traffic;
mod written;

use std::collections::{BTreeMap, BTreeSet};

use trueline_baseline::comparison::Rebased;
use trueline_core::{BenchRun, Checked, Claim, Outcomes, Thresholds};
use trueline_host::HostRecord;
use trueline_logs::{LogSummary, Own, ReadOptions, ResultRun, ResultSet};

use crate::ceiling::{Ceiling, Deployment};
use crate::evidence::Evidence;
use crate::given::Given;
use crate::judge::{Allowed, judge};
use crate::report::Report;
use compared::Compared;
use groups::Names;
use hosts::HostOf;
use production::PlacedGroup;

pub(crate) use field::{check_log_times, stated_fields};
pub(crate) use groups::values_of;
pub(crate) use instead::interval;
pub(crate) use results::{
    cells_json, computed_cells_json, computed_json, requests_json, stats_json, whole,
};
pub(crate) use rows::quantity;
pub(crate) use terms::Terms;

/// Collects what is known about some numbers and judges the claims made from them.
///
/// Add runs before the log: the log is read once, and while it is read the rows beside the runs'
/// samples are kept. A run that is added afterwards has its foreign traffic not observed.
///
/// # Examples
/// ```
/// use trueline::core::{BenchRun, By, Known, RequestRecord, Side, Stretch, WallTime};
/// use trueline::host::parse_host_record;
/// use trueline::Audit;
///
/// # fn my_loop() -> BenchRun {
/// #     let mut request = RequestRecord::default();
/// #     request.tokens.prompt = RequestRecord::counted(24_750);
/// #     request.tokens.cached = RequestRecord::counted(0);
/// #     request.started = Known::is(WallTime::from_nanos(1_793_880_000_000_000_000), By::Measured);
/// #     let took = std::time::Duration::from_secs(214);
/// #     request.spans.set(Stretch::ClientTtft, Known::is(took, By::Measured));
/// #     BenchRun::new("mine", Side::Client, vec![request])
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let host_json = r#"{"schema":"trueline.host/1","started_at_s":1793879000,
/// #   "ended_at_s":1793881000,"conditions":{"nice":0}}"#;
/// # let path = std::env::temp_dir().join("trueline-audit-doc.jsonl");
/// # std::fs::write(&path, "{\"prompt_tokens\":25000,\"cached_tokens\":0,\"ttft_s\":78.0,\
/// #   \"started_at_s\":1793870000,\"output_tokens\":5}\n")?;
/// let run = my_loop();
/// let host = parse_host_record(host_json)?;
/// let claims = [trueline::claims::parse_claim("c", "prefill_tok_per_s = 115.7")?];
/// let report = Audit::new().run(run).host(host).log(&path)?.judge(&claims);
/// assert!(!report.revoked());
/// assert!(report.to_text(Default::default()).contains("115.7 tok/s prefill"));
/// # std::fs::remove_file(path)?;
/// # Ok(())
/// # }
/// ```
///
/// Inside a harness, with the host watched and the server asked for its counts:
/// ```
/// use trueline::core::{BenchRun, Known, ServerCounters, Why};
/// use trueline::{Audit, host, logs};
///
/// # use trueline::core::{By, Outcome, RequestRecord, Side, Stretch, WallTime};
/// # use std::time::{Duration, SystemTime, UNIX_EPOCH};
/// # fn now() -> Known<WallTime> {
/// #     let since = SystemTime::now().duration_since(UNIX_EPOCH).ok();
/// #     Known::derived(since.and_then(|s| WallTime::from_nanos(0).plus(s)), Why::Absent)
/// # }
/// # fn my_loop() -> BenchRun {
/// #     let mut request = RequestRecord::default();
/// #     request.started = now();
/// #     std::thread::sleep(Duration::from_millis(20));
/// #     request.tokens.prompt = RequestRecord::counted(1_000);
/// #     request.tokens.cached = RequestRecord::counted(0);
/// #     request.tokens.output = RequestRecord::counted(20);
/// #     let took = Duration::from_millis(20);
/// #     request.spans.set(Stretch::ClientTtft, Known::is(took, By::Measured));
/// #     request.spans.set(Stretch::ClientE2e, Known::is(took, By::Measured));
/// #     request.outcome = Outcome::Ok;
/// #     BenchRun::new("mine", Side::Client, vec![request])
/// # }
/// # // A server of which one request of ours is counted, and three of others with it.
/// # fn fetch(asked: u64) -> String {
/// #     let (running, waiting) = ("vllm:num_requests_running", "vllm:num_requests_waiting");
/// #     let served = if asked > 1 { 4 } else { 0 };
/// #     format!("vllm:request_success_total{{finished_reason=\"stop\"}} {served}\n\
/// #              {running} 0\n{waiting} 0\n")
/// # }
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Your HTTP client; the crates have none.
/// # let mut asked = 0;
/// let mut counters = move || -> Result<ServerCounters, Why> {
/// #   asked += 1;
///     let text = fetch(asked);
///     logs::parse_server_counters(&text, now()).map_err(|_| Why::Unreadable)
/// };
/// let options = host::WatchOptions::default().with_counters(Box::new(counters));
///
/// let watch = host::Watch::start(options)?;
/// let run = my_loop();
/// let record = watch.finish()?;
///
/// let claims = [trueline::claims::parse_claim("mine", "ttft_s.median = 0.02")?];
/// let report = Audit::new().run(run).host(record).judge(&claims);
/// assert!(report.claims[0].revoked_by.contains(&"foreign-traffic".into()));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct Audit {
    runs: Vec<BenchRun>,
    hosts: Vec<HostOf>,
    log: Option<LogSummary>,
    given: Vec<Given>,
    thresholds: Thresholds,
    allowed: Allowed,
    reading: ReadOptions,
    own: Option<Own>,
    cold: bool,
    outcomes: Outcomes,
    preface: Vec<String>,
    written: Vec<ResultRun>,
    terms: Terms,
    deployment: Option<Deployment>,
}

impl Audit {
    /// An audit of nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a benchmark run.
    #[must_use]
    pub fn run(mut self, run: BenchRun) -> Self {
        self.runs.push(run);
        self
    }

    /// Adds runs that were read, with the outcomes of reading them.
    #[must_use]
    pub fn runs(mut self, mut read: Checked<Vec<BenchRun>>) -> Self {
        // A reader speaks of a run by its label, claims speak of its arm.
        for finding in read.outcomes.findings_mut() {
            let run = read.value.iter().find(|r| Some(&r.label) == finding.about.run.as_ref());
            finding.about.run = run.map(|r| r.arm().to_owned()).or(finding.about.run.take());
        }
        self.runs.extend(read.value);
        self.outcomes.extend(read.outcomes);
        self
    }

    /// Adds runs that benchmark tools wrote down, with the outcomes of reading them.
    #[must_use]
    pub fn results(mut self, read: Checked<ResultSet>) -> Self {
        for (path, why) in read.value.aside {
            self.preface.push(format!("set aside {path}: {why}"));
        }
        for mut written in read.value.runs {
            // The requests are kept once, with the run.
            let requests = std::mem::take(&mut written.run.requests);
            let mut run = written.run.clone();
            run.requests = requests;
            self.runs.push(run);
            self.written.push(written);
        }
        self.outcomes.extend(read.outcomes);
        self
    }

    /// Adds the host's state over a stretch of time; a run takes the record that reaches over it.
    #[must_use]
    pub fn host(mut self, record: HostRecord) -> Self {
        self.hosts.push(HostOf { record, arm: None });
        self
    }

    /// Adds figures that somebody states.
    #[must_use]
    pub fn given(mut self, given: Vec<Given>) -> Self {
        self.given.extend(given);
        self
    }

    /// Says what served the runs: claims on rates are held against its ceiling.
    #[must_use]
    pub fn deployment(mut self, deployment: Deployment) -> Self {
        self.deployment = Some(deployment);
        self
    }

    /// Sets thresholds in place of the defaults.
    #[must_use]
    pub fn thresholds(mut self, thresholds: Thresholds) -> Self {
        self.reading = self.reading.with_thresholds(thresholds.clone());
        self.thresholds = thresholds;
        self
    }

    /// Keeps findings visible without their effect.
    #[must_use]
    pub fn allow(mut self, allowed: Allowed) -> Self {
        self.allowed = allowed;
        self
    }

    /// Says that the runs claim to be cold prefill.
    #[must_use]
    pub fn cold(mut self) -> Self {
        self.cold = true;
        self
    }

    /// Says how to read the log.
    #[must_use]
    pub fn reading(mut self, options: ReadOptions) -> Self {
        self.reading = options.with_thresholds(self.thresholds.clone());
        self
    }

    /// Says which rows of the log are the benchmark's own. Without it they are found by the runs'
    /// ids, else by prompt length and start.
    #[must_use]
    pub fn own(mut self, own: Own) -> Self {
        self.own = Some(own);
        self
    }

    /// Adds a line that the report begins with.
    #[must_use]
    pub fn preface(mut self, line: impl Into<String>) -> Self {
        self.preface.push(line.into());
        self
    }

    /// Judges claims; without any, the obvious ones are taken from the data.
    pub fn judge(self, claims: &[Claim]) -> Report {
        self.judged(claims)
    }

    fn judged(&self, claims: &[Claim]) -> Report {
        let mut work = Work {
            claims: Vec::new(),
            outcomes: self.outcomes.clone(),
            evidence: Evidence::default(),
            placed: Vec::new(),
            compared: Vec::new(),
            rebased: Vec::new(),
            ceilings: Vec::new(),
            degraded: BTreeMap::new(),
            names: Names::new(&self.runs),
            confidence: 0.95,
            audit: self,
        };
        work.claims = match (&self.terms.arms, claims.is_empty()) {
            (_, false) => claims.to_vec(),
            (Some((baseline, candidate)), true) => work.row_claims(baseline, candidate),
            (None, true) => work.obvious_claims(),
        };
        work.resolve_runs();
        work.take_terms(claims.is_empty());
        // What says most comes first: reasons are given in this order.
        work.check_production();
        work.check_fields();
        work.check_claims();
        work.check_ceilings();
        work.check_table();
        work.check_runs();
        work.check_sweeps();
        if !claims.is_empty() {
            work.raise_quoted();
        }
        work.note_evidence();
        let judgement = judge(
            &work.scoped_claims(),
            std::mem::take(&mut work.outcomes),
            &work.evidence,
            &self.allowed,
        );
        let results = work.results(&judgement.claims);
        let mut report = Report::new("audit", judgement, results);
        for judged in &mut report.claims {
            judged.instead =
                work.instead(judged).or_else(|| work.derived_instead(judged, &report.outcomes));
            judged.measured = work.measured_and_rebased(&judged.claim);
            work.add_share_of_ceiling(judged);
            judged.verdict = work.verdict_of(judged);
        }
        report.preface.clone_from(&self.preface);
        report.overrides =
            self.thresholds.overrides().map(|(name, value)| format!("{name} = {value}")).collect();
        report
    }
}

/// One judgement being made.
pub(crate) struct Work<'a> {
    audit: &'a Audit,
    claims: Vec<Claim>,
    outcomes: Outcomes,
    evidence: Evidence,
    placed: Vec<PlacedGroup>,
    compared: Vec<Compared>,
    /// By the claims' ids.
    rebased: Vec<(String, Rebased)>,
    /// Of the claims that have one.
    ceilings: Vec<Ceiling>,
    /// What degrades the hosts of runs, by the runs' labels; `None` where nobody looked.
    degraded: BTreeMap<String, Option<BTreeSet<&'static str>>>,
    names: Names,
    /// The confidence of each ratio's interval.
    confidence: f64,
}
