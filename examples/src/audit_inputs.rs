//! The inputs of an audit, sorted by what they hold.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use trueline::claims::{ClaimFile, parse_claim_file};
use trueline::core::{BenchRun, Checked, Thresholds};
use trueline::host::parse_host_record;
use trueline::logs::{
    Kind, Mapping, read_results, read_results_from, read_runs, read_runs_from, result_set, sniff,
    sniff_bytes,
};
use trueline::{Audit, logs::ReadOptions};

use crate::arguments::read_text;
use crate::failure::Failure;
use crate::paths::expand;

/// Files by what they hold.
#[derive(Debug, Default)]
pub struct Sorted {
    logs: Vec<PathBuf>,
    results: Vec<PathBuf>,
    hosts: Vec<PathBuf>,
    claims: Vec<PathBuf>,
    mappings: Vec<PathBuf>,
    models: Vec<PathBuf>,
    aside: Vec<(PathBuf, String)>,
    /// What standard input held, if it is a log.
    piped_log: Option<Vec<u8>>,
    /// What standard input held, if it is results.
    piped_results: Option<Vec<u8>>,
}

/// What a piped input is called.
const PIPED: &str = "standard input";

impl Sorted {
    /// Sorts files by their content; those that no part of an audit is made of are set aside, with
    /// the reason. Every JSON-lines file is taken for a log where a mapping was named.
    ///
    /// # Errors
    /// A path that names nothing, or nothing readable among all of them.
    pub fn by_content(paths: &[PathBuf], has_mapping: bool) -> Result<Self, Failure> {
        let mut sorted = Self::default();
        let mut seen = BTreeSet::new();
        let files = expand(paths)?.into_iter().filter(|path| seen.insert(real(path)));
        let mut first_error = None;
        for path in files {
            if path == Path::new("-") {
                sorted.take_standard_input(has_mapping)?;
                continue;
            }
            match sniff(&path) {
                Ok(Kind::RequestLog(_)) => sorted.logs.push(path),
                Ok(Kind::Runs | Kind::Results(_)) => sorted.results.push(path),
                Ok(Kind::HostRecord) => sorted.hosts.push(path),
                Ok(Kind::Claims) => sorted.claims.push(path),
                Ok(Kind::Mapping) => sorted.mappings.push(path),
                Ok(Kind::ModelConfig) => sorted.models.push(path),
                Ok(Kind::Unknown { .. }) if has_mapping && looks_like_lines(&path) => {
                    sorted.logs.push(path);
                }
                Ok(Kind::Unknown { found }) => sorted.aside.push((path, found)),
                Ok(_) => sorted.aside.push((path, "of a kind that no audit is made of".to_owned())),
                Err(error) => {
                    sorted.aside.push((path, error.to_string()));
                    first_error.get_or_insert(Failure::from(error));
                }
            }
        }
        let taken = [&sorted.logs, &sorted.results, &sorted.hosts, &sorted.claims];
        let piped = sorted.piped_log.is_some() || sorted.piped_results.is_some();
        if !piped && taken.iter().all(|files| files.is_empty()) && !paths.is_empty() {
            return Err(first_error.unwrap_or_else(|| {
                let kinds = "expected a request log, results, a host record or claims";
                Failure::new(match sorted.aside.first() {
                    Some((path, why)) if why.starts_with("expected") => {
                        format!("{}: {why}", path.display())
                    }
                    Some((path, why)) => format!("{}: {kinds}; found {why}", path.display()),
                    None => format!("{kinds}; found nothing"),
                })
            }));
        }
        Ok(sorted)
    }

    /// Reads standard input once: a log or results.
    fn take_standard_input(&mut self, has_mapping: bool) -> Result<(), Failure> {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes)?;
        match sniff_bytes(PIPED, &bytes)? {
            Kind::Runs | Kind::Results(_) => self.piped_results = Some(bytes),
            Kind::RequestLog(_) => self.piped_log = Some(bytes),
            Kind::Unknown { .. } if has_mapping => self.piped_log = Some(bytes),
            Kind::Unknown { found } => return Err(Failure::new(format!("{PIPED}: {found}"))),
            _ => return Err(Failure::new(format!("{PIPED}: expected a request log or results"))),
        }
        Ok(())
    }

    /// Takes files for what they were named as, whatever their content was sorted as.
    ///
    /// # Errors
    /// A path that names nothing.
    pub fn name(
        &mut self,
        logs: &[PathBuf],
        results: &[PathBuf],
        hosts: &[PathBuf],
    ) -> Result<(), Failure> {
        let (mut logs, mut results, hosts) = (expand(logs)?, expand(results)?, expand(hosts)?);
        if logs.iter().chain(&results).any(|path| path == Path::new("-")) {
            self.take_standard_input(true)?;
            logs.retain(|path| path != Path::new("-"));
            results.retain(|path| path != Path::new("-"));
        }
        let named: Vec<PathBuf> =
            logs.iter().chain(&results).chain(&hosts).map(|path| real(path)).collect();
        for files in [&mut self.logs, &mut self.results, &mut self.hosts, &mut self.claims] {
            files.retain(|path| !named.contains(&real(path)));
        }
        self.aside.retain(|(path, _)| !named.contains(&real(path)));
        self.logs.extend(logs);
        self.results.extend(results);
        self.hosts.extend(hosts);
        for files in [&mut self.logs, &mut self.results, &mut self.hosts] {
            let mut seen = BTreeSet::new();
            files.retain(|path| seen.insert(real(path)));
        }
        self.set_copies_aside();
        Ok(())
    }

    /// Keeps the runs of one arm and its host records; what is given by an option of its own is set
    /// aside, with the reason.
    ///
    /// # Errors
    /// No results among the files.
    pub fn into_arm(mut self, option: &str) -> Result<Self, Failure> {
        // Records of requests that a tool wrote look like a log.
        let (results, logs) =
            std::mem::take(&mut self.logs).into_iter().partition(|path| read_results(path).is_ok());
        self.results.extend::<Vec<PathBuf>>(results);
        for (files, what) in [
            (logs, "a request log: --log takes it"),
            (std::mem::take(&mut self.claims), "claims: --claims takes them"),
            (std::mem::take(&mut self.mappings), "a mapping: --mapping takes it"),
            (std::mem::take(&mut self.models), "a model configuration: audit takes it"),
        ] {
            self.aside.extend(files.into_iter().map(|path| (path, what.to_owned())));
        }
        if self.piped_log.is_some() || (self.results.is_empty() && self.piped_results.is_none()) {
            let found = self.aside.first().map_or_else(
                || "none".to_owned(),
                |(path, why)| format!("{}: {why}", path.display()),
            );
            return Err(Failure::new(format!("{option}: expected results of runs, found {found}")));
        }
        Ok(self)
    }

    /// Takes a log out that holds the same bytes as another one: its rows would count twice.
    fn set_copies_aside(&mut self) {
        let mut kept: Vec<PathBuf> = Vec::new();
        for path in std::mem::take(&mut self.logs) {
            match kept.iter().find(|other| same_bytes(other, &path)) {
                Some(other) => {
                    let why = format!("a copy of {}", name(other));
                    self.aside.push((path, why));
                }
                None => kept.push(path),
            }
        }
        self.logs = kept;
    }

    /// Whether there is no file at all.
    pub fn is_empty(&self) -> bool {
        [&self.logs, &self.results, &self.hosts, &self.claims, &self.mappings]
            .iter()
            .all(|files| files.is_empty())
            && self.piped_log.is_none()
            && self.piped_results.is_none()
    }

    /// The models' configurations among the files.
    pub fn models(&self) -> &[PathBuf] {
        &self.models
    }

    /// Sets the models' configurations aside, with the reason.
    pub fn set_models_aside(&mut self, why: &str) {
        let models = std::mem::take(&mut self.models);
        self.aside.extend(models.into_iter().map(|path| (path, why.to_owned())));
    }

    /// What each file was taken for, a line each kind.
    pub fn preface(&self) -> Vec<String> {
        let kinds = [
            ("request log", &self.logs),
            ("results", &self.results),
            ("host record", &self.hosts),
            ("claims", &self.claims),
            ("mapping", &self.mappings),
            ("model configuration", &self.models),
        ];
        let mut parts: Vec<String> = kinds
            .iter()
            .filter(|(_, files)| !files.is_empty())
            .map(|(kind, files)| match files.as_slice() {
                [one] => format!("{kind} {}", name(one)),
                many => format!("{kind} in {} files", many.len()),
            })
            .collect();
        parts.extend(
            self.aside.iter().map(|(path, why)| format!("set aside {}: {why}", name(path))),
        );
        if self.piped_log.is_some() {
            parts.insert(0, format!("request log from {PIPED}"));
        }
        if self.piped_results.is_some() {
            parts.insert(0, format!("results from {PIPED}"));
        }
        if parts.is_empty() { Vec::new() } else { vec![format!("Taken: {}", parts.join("; "))] }
    }

    /// The claims and figures of the claim files.
    ///
    /// # Errors
    /// A claim file that cannot be read.
    pub fn claim_file(&self) -> Result<ClaimFile, Failure> {
        let mut all = ClaimFile::default();
        for path in &self.claims {
            let file = parse_claim_file(&read_text(path)?)
                .map_err(|e| Failure::new(format!("{}: {e}", path.display())))?;
            all.claims.extend(file.claims);
            all.given.extend(file.given);
        }
        Ok(all)
    }

    /// Adds results, host record and log to an audit, in the order it needs.
    ///
    /// # Errors
    /// A file that cannot be read for what it is.
    pub fn fill(
        &self,
        mut audit: Audit,
        cold: bool,
        options: ReadOptions,
        thresholds: &Thresholds,
    ) -> Result<Audit, Failure> {
        let mut labels = BTreeSet::new();
        let mut written = Vec::new();
        for path in &self.results {
            if sniff(path)? == Kind::Runs {
                audit = add_runs(audit, read_runs(path)?, &mut labels)?;
            } else {
                written.push((path.clone(), read_results(path)));
            }
        }
        if let Some(bytes) = self.piped_results.as_deref() {
            if sniff_bytes(PIPED, bytes)? == Kind::Runs {
                audit = add_runs(audit, read_runs_from(PIPED, bytes)?, &mut labels)?;
            } else {
                written.push((PathBuf::from(PIPED), read_results_from(PIPED, bytes)));
            }
        }
        if !written.is_empty() {
            audit = audit.results(result_set(written, None, thresholds)?);
        }
        if cold {
            audit = audit.cold();
        }
        for path in &self.hosts {
            let record = parse_host_record(&read_text(path)?)
                .map_err(|e| Failure::new(format!("{}: {e}", path.display())))?;
            audit = audit.host(record);
        }
        let mut options = options;
        if self.mappings.len() > 1 {
            return Err(Failure::new("expected one mapping file, found several"));
        }
        if let [mapping] = self.mappings.as_slice() {
            let file = mapping.display().to_string();
            options = options.with_mapping(Mapping::parse(&file, &read_text(mapping)?)?);
        }
        audit = audit.reading(options);
        match &self.piped_log {
            Some(_) if !self.logs.is_empty() => {
                return Err(Failure::new(
                    "expected the log in files or on standard input, not both",
                ));
            }
            Some(bytes) => audit = audit.log_from_memory(PIPED, bytes)?,
            None if !self.logs.is_empty() => audit = audit.logs(&self.logs)?,
            None => {}
        }
        for line in self.preface() {
            audit = audit.preface(line);
        }
        Ok(audit)
    }
}

/// Adds runs whose labels nobody has yet.
fn add_runs(
    audit: Audit,
    read: Checked<Vec<BenchRun>>,
    labels: &mut BTreeSet<String>,
) -> Result<Audit, Failure> {
    if let Some(run) = read.value.iter().find(|run| !labels.insert(run.label.clone())) {
        return Err(Failure::new(format!(
            "{}: expected runs with labels of their own, found a second {:?}",
            run.source.as_deref().unwrap_or_default(),
            run.label
        )));
    }
    Ok(audit.runs(read))
}

/// Whether two files hold the same bytes; not if either cannot be read.
fn same_bytes(a: &Path, b: &Path) -> bool {
    let length = |path: &Path| std::fs::metadata(path).map(|m| m.len()).ok();
    if length(a).is_none() || length(a) != length(b) {
        return false;
    }
    let (Ok(a), Ok(b)) = (File::open(a), File::open(b)) else { return false };
    let (mut a, mut b) = (BufReader::new(a).bytes(), BufReader::new(b).bytes());
    loop {
        match (a.next(), b.next()) {
            (Some(Ok(x)), Some(Ok(y))) if x == y => {}
            (None, None) => return true,
            _ => return false,
        }
    }
}

/// The file that a path leads to, for telling whether two are the same.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

fn looks_like_lines(path: &Path) -> bool {
    path.extension().is_some_and(|e| e == "jsonl" || e == "ndjson" || e == "log")
}

fn name(path: &Path) -> String {
    path.file_name()
        .map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned())
}
