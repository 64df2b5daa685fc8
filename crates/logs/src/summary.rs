//! What reading one or more logs yields.

use trueline_core::{By, Checked, Conditions, RequestRecord, Why};

use crate::adapters::LogHeader;
use crate::judge::check_log;
use crate::prefix::{PrefixReport, SessionHits};
use crate::tally::Tally;
use crate::{
    Counts, Error, FieldMeaning, Generations, Intervals, NameCounts, Production, ReadOptions,
    Recognition,
};

/// One input as it was read.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct LogFile {
    /// Its name.
    pub name: String,
    /// Its format and what says so.
    pub recognition: Recognition,
    /// How many bytes it has, decompressed.
    pub bytes: u64,
    /// Why it ended early, if its compressed stream breaks off.
    pub truncated: Option<String>,
    /// Whether another input holds all of its requests too; they are counted there.
    pub is_copy: bool,
}

/// What reading one or more logs yields.
#[derive(Debug, Clone, PartialEq)]
pub struct LogSummary {
    files: Vec<LogFile>,
    fields: Vec<FieldMeaning>,
    conditions: Conditions,
    own_asked: bool,
    pub(crate) tally: Tally,
    prefix: Option<PrefixReport>,
    session_hits: Option<SessionHits>,
}

/// One input with everything that was read of it.
#[derive(Debug)]
pub(crate) struct FileRead {
    pub(crate) name: String,
    pub(crate) recognition: Recognition,
    pub(crate) header: Option<LogHeader>,
    pub(crate) server: Option<String>,
    pub(crate) fields: Vec<FieldMeaning>,
    pub(crate) truncated: Option<String>,
    pub(crate) bytes: u64,
    pub(crate) tally: Tally,
}

impl LogSummary {
    /// The inputs in the order of their first time stamps where each has one, else as they were given.
    pub fn files(&self) -> &[LogFile] {
        &self.files
    }

    /// The format of the first input and what says so.
    ///
    /// # Panics
    /// Never: a summary is made of at least one input.
    pub fn recognition(&self) -> &Recognition {
        let first = self.files.first().expect("a summary is made of at least one input");
        &first.recognition
    }

    /// What each field of the first input's format means.
    pub fn fields(&self) -> &[FieldMeaning] {
        &self.fields
    }

    /// The conditions that the logs record: header, server, version, model.
    pub fn conditions(&self) -> &Conditions {
        &self.conditions
    }

    /// The production requests.
    pub fn production(&self) -> &Production {
        &self.tally.production
    }

    /// How many records there were and what became of each.
    pub fn counts(&self) -> &Counts {
        self.tally.production.counts()
    }

    /// The benchmark's own rows, whole.
    ///
    /// # Shape
    /// In the order of their start; at most the first 10,000. `counts().own` is exact.
    pub fn own(&self) -> &[RequestRecord] {
        &self.tally.own
    }

    /// The requests that entered the summary, whole; empty unless
    /// [`ReadOptions::with_requests_kept`] asked for them.
    ///
    /// # Shape
    /// In the order of the inputs and of their lines; as many as `counts().used`.
    pub fn requests(&self) -> &[RequestRecord] {
        &self.tally.kept
    }

    /// The same without a copy of them, where the summary is no longer needed.
    pub fn into_requests(self) -> Vec<RequestRecord> {
        self.tally.kept
    }

    /// Fields of the rows that the format does not know, with the number of rows of each.
    pub fn unknown_fields(&self) -> &NameCounts {
        &self.tally.unknown
    }

    /// Server versions that the rows state.
    pub fn server_versions(&self) -> &NameCounts {
        &self.tally.versions
    }

    /// What the rows say of the generation of their format, where it has several.
    pub fn generations(&self) -> &Generations {
        &self.tally.generations
    }

    /// What the servers say of themselves from time to time, of no request. Their lines count as `other`; a time
    /// that [`ReadOptions`] asks for does not select among them.
    pub fn intervals(&self) -> &Intervals {
        &self.tally.intervals
    }

    /// What prefix caches would hit of the requests, by the hashes of their blocks; `None` where no answered
    /// request of production has hashes and prompt tokens.
    pub fn prefix(&self) -> Option<&PrefixReport> {
        self.prefix.as_ref()
    }

    /// What first and later requests of sessions had of the cache; `None` where no answered request names its
    /// session.
    pub fn session_hits(&self) -> Option<&SessionHits> {
        self.session_hits.as_ref()
    }

    /// How many lines the inputs have.
    pub fn lines(&self) -> u64 {
        self.tally.lines
    }

    /// Whether the benchmark's own rows were asked for.
    pub fn own_asked(&self) -> bool {
        self.own_asked
    }

    /// The summary of both; the inputs of `other` come after those of this one.
    ///
    /// # Errors
    /// Parts that were read under different options.
    pub fn merge(mut self, other: &Self) -> Result<Self, Error> {
        // Moved first: kept rows name the input they stand in.
        let mut theirs = other.tally.clone();
        theirs.shift(self.files.len());
        let production = self.tally.production.clone().merge(&theirs.production)?;
        self.tally.absorb(&theirs);
        self.tally.production = production;
        self.files.extend(other.files.iter().cloned());
        self.conditions = self.conditions.with_missing_from(&other.conditions);
        self.own_asked |= other.own_asked;
        Ok(self.walked())
    }

    /// The same with what only all rows together tell.
    fn walked(mut self) -> Self {
        self.prefix = PrefixReport::of(&self.tally.blocks, self.tally.production.edges());
        self.session_hits = SessionHits::of(&self.tally.sessions);
        self
    }
}

/// Whether an earlier input holds every request of one.
fn is_copy(tally: &Tally) -> bool {
    let counts = tally.production.counts();
    counts.doubled > 0 && counts.read() == counts.rejected.total()
}

/// Joins the inputs and checks them.
pub(crate) fn conclude(mut files: Vec<FileRead>, options: &ReadOptions) -> Checked<LogSummary> {
    // Names tell little of an order: `x.log` comes after `x.log.1`, and `x.log.10` before `x.log.2`.
    if files.iter().all(|file| file.tally.order.first().is_some()) {
        files.sort_by_key(|file| file.tally.order.first());
    }
    let mut joined: Option<Tally> = None;
    let mut contradicted: Vec<String> = Vec::new();
    let (mut inputs, mut fields, mut conditions) = (Vec::new(), Vec::new(), Conditions::default());
    for (number, mut file) in files.into_iter().enumerate() {
        let is_copy = number > 0 && is_copy(&file.tally);
        file.tally.shift(number);
        // The first is taken as it is: a copy of all its values would cost as much as reading.
        match &mut joined {
            Some(tally) => tally.absorb(&file.tally),
            None => joined = Some(file.tally),
        }
        if number == 0 {
            fields = file.fields;
        }
        if let Some(header) = file.header {
            let keys: Vec<&str> = header.conditions.iter().map(|(key, _)| key).collect();
            let differing = conditions.differing(&header.conditions, keys);
            conditions = conditions.with_missing_from(&header.conditions);
            // Two logs of different servers are the log of neither.
            contradicted.extend(differing.into_iter().map(|d| d.key));
        }
        if let Some(server) = file.server
            && conditions.get("server").is_none()
        {
            conditions.set("server", server, By::Reported);
        }
        inputs.push(LogFile {
            name: file.name,
            recognition: file.recognition,
            bytes: file.bytes,
            truncated: file.truncated,
            is_copy,
        });
    }
    for key in contradicted {
        conditions.forget(key, Why::Impossible);
    }
    let tally = joined.unwrap_or_else(|| Tally::new(options));
    for (key, stated) in [("model", tally.production.models()), ("server_version", &tally.versions)]
    {
        match (stated.only(), conditions.get(key)) {
            (Some(only), None) => conditions.set(key, only, By::Reported),
            // The rows say something else than the header, or several things: it is not known.
            (Some(only), Some(header)) if only == header => {}
            (None, _) if stated.is_empty() => {}
            _ => conditions.forget(key, Why::Impossible),
        }
    }
    let own_asked = options.own.is_some();
    let (prefix, session_hits) = (None, None);
    let summary =
        LogSummary { files: inputs, fields, conditions, own_asked, tally, prefix, session_hits }
            .walked();
    let outcomes = check_log(&summary, &options.thresholds);
    Checked { value: summary, outcomes }
}
