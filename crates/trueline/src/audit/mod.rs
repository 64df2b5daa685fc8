//! The composition: results, a request log, a host record and claims become one report.

mod arms;
mod balance;
mod claims;
mod comparison;
mod field;
mod groups;
mod hosts;
mod instead;
mod obvious;
mod production;
mod ratios;
mod rebased;
mod results;
mod runs;
mod shown;
mod stated;
mod table;
mod traffic;
mod written;

use std::collections::BTreeSet;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use trueline_baseline::{Rebased, samples_of};
use trueline_core::{BenchRun, Checked, Claim, Outcomes, RequestRecord, Side, Thresholds, Window};
use trueline_host::HostRecord;
use trueline_logs::{
    Error, LogSummary, Own, OwnSample, PlaceSample, ReadOptions, ResultRun, ResultSet,
};

use crate::evidence::Evidence;
use crate::given::Given;
use crate::judge::{Allowed, judge};
use crate::report::Report;
use groups::Names;
use production::PlacedGroup;
use ratios::Compared;

pub(crate) use field::{check_log_times, stated_fields};
pub(crate) use groups::values_of;
pub(crate) use instead::interval;
pub(crate) use results::{cells_json, requests_json, stats_json, whole};

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
    hosts: Vec<HostRecord>,
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
        self.hosts.push(record);
        self
    }

    /// Adds figures that somebody states.
    #[must_use]
    pub fn given(mut self, given: Vec<Given>) -> Self {
        self.given.extend(given);
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

    /// Reads the server's request log.
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
    pub fn logs(self, paths: &[PathBuf]) -> Result<Self, Error> {
        self.read_with(|options| trueline_logs::read_log(paths, options))
    }

    /// Reads the server's request log from memory.
    ///
    /// # Errors
    /// Bytes that are of no known format.
    pub fn log_from_memory(self, name: &str, bytes: &[u8]) -> Result<Self, Error> {
        self.read_with(|options| {
            trueline_logs::read_log_from(name, Cursor::new(bytes.to_vec()), options)
        })
    }

    fn read_with(
        mut self,
        read: impl Fn(&ReadOptions) -> Result<Checked<LogSummary>, Error>,
    ) -> Result<Self, Error> {
        let windows = |requests: &mut dyn Iterator<Item = &RequestRecord>| {
            requests.filter_map(RequestRecord::window).collect::<Vec<Window>>()
        };
        let mine = windows(&mut self.runs.iter().flat_map(BenchRun::measured));
        let mut options = self.reading.clone().with_windows(mine).with_place(self.to_place());
        match &self.own {
            Some(own) => options = options.with_own(own.clone()),
            None if !self.runs.is_empty() => options = options.with_own(self.like_the_runs()),
            None => {}
        }
        let mut log = read(&options)?;
        if let (None, Some(ids)) = (&self.own, self.all_found_by_id(log.value.own())) {
            // Then nobody's else rows are ours, however alike.
            options = options.with_own(Own::Ids(ids));
            log = read(&options)?;
        }
        if self.runs.is_empty() && !log.value.own().is_empty() {
            // The log's own rows are the samples: their windows are known only now.
            let own = windows(&mut log.value.own().iter());
            if !own.is_empty() {
                log = read(&options.with_windows(own))?;
            }
            let side = log.value.own().first().and_then(RequestRecord::any_ttft);
            let side = side.map_or(Side::Server, |span| span.stretch.marks().2);
            self.runs.push(
                BenchRun::new("own", side, log.value.own().to_vec())
                    .with_conditions(log.value.conditions().clone()),
            );
        }
        // What reading the log found concerns the log, not the runs beside it.
        for finding in log.outcomes.findings_mut().filter(|f| !f.touches.is_empty()) {
            finding.about.run.get_or_insert_with(|| Claim::THE_LOG.to_owned());
        }
        self.outcomes.extend(log.outcomes);
        self.log = Some(log.value);
        Ok(self)
    }

    /// Failed and warm-up requests are ours as well.
    fn like_the_runs(&self) -> Own {
        Own::Like(self.runs.iter().flat_map(|run| &run.requests).map(OwnSample::of).collect())
    }

    /// The samples to be ranked while the log is read, for cells of which not all values are kept.
    fn to_place(&self) -> Vec<PlaceSample> {
        samples_of(self.runs.iter().flat_map(BenchRun::measured))
            .into_iter()
            .map(|sample| PlaceSample {
                prompt_tokens: sample.prompt,
                hit_share: sample.hit,
                rate: sample.rate,
            })
            .collect()
    }

    /// The ids of all samples, where the log has each of them and holds more rows for ours.
    fn all_found_by_id(&self, own: &[RequestRecord]) -> Option<Vec<String>> {
        let ids: Option<BTreeSet<&str>> =
            self.runs.iter().flat_map(|run| &run.requests).map(|r| r.id.as_deref()).collect();
        let ids = ids.filter(|ids| !ids.is_empty())?;
        let found: BTreeSet<&str> =
            own.iter().filter_map(|r| r.id.as_deref()).filter(|id| ids.contains(id)).collect();
        let more = own.len() > found.len();
        (found == ids && more).then(|| ids.into_iter().map(str::to_owned).collect())
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
            names: Names::new(&self.runs),
            audit: self,
        };
        work.claims = if claims.is_empty() { work.obvious_claims() } else { claims.to_vec() };
        work.resolve_runs();
        // What says most comes first: reasons are given in this order.
        work.check_production();
        work.check_fields();
        work.check_claims();
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
        let results = work.results();
        let mut report = Report::new("audit", judgement, results);
        for judged in &mut report.claims {
            judged.instead =
                work.instead(judged).or_else(|| work.derived_instead(judged, &report.outcomes));
            judged.measured = work.measured_and_rebased(&judged.claim);
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
    names: Names,
}
