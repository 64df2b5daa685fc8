//! Reading the server's log beside the runs.

use std::collections::BTreeSet;
use std::io::Cursor;
use std::path::{Path, PathBuf};

use trueline_baseline::samples_of;
use trueline_core::{BenchRun, Checked, Claim, RequestRecord, Side, Window};
use trueline_logs::{Error, LogSummary, Own, OwnSample, PlaceSample, ReadOptions};

use super::Audit;

impl Audit {
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
}
