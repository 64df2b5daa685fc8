//! The arguments of a comparison, and its two arms read.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use trueline::baseline::comparison::Verdict;
use trueline::claims::parse_quantity;
use trueline::core::{Metric, RUN_CONDITIONS, Statistic, Thresholds};
use trueline::host::{HostRecord, parse_host_record};
use trueline::judge::Allowed;
use trueline::report::Report;
use trueline::{Audit, Compare};

use crate::arguments::read_text;
use crate::audit_inputs::Sorted;
use crate::failure::Failure;
use crate::paths::expand;

/// The two arms, and on which terms they are compared.
#[derive(Debug, Args)]
pub struct Arms {
    /// Runs of the baseline: files, folders or globs; each file is one run unless it holds several
    #[arg(long, value_name = "PATH", num_args = 1.., required_unless_present = "explain")]
    pub baseline: Vec<PathBuf>,
    /// Runs of the candidate
    #[arg(long, value_name = "PATH", num_args = 1.., required_unless_present = "explain")]
    pub candidate: Vec<PathBuf>,
    /// What to compare (ttft_s, tpot_s.mean, …) in place of the headline quantities; may be repeated
    #[arg(long, value_name = "NAME", value_parser = quantity)]
    pub metric: Vec<(Metric, Option<Statistic>)>,
    /// Say whether the arms are alike within so much, such as 2%
    #[arg(long, value_name = "MARGIN", value_parser = margin)]
    pub equivalence: Option<f64>,
    /// Confidence of all intervals together
    #[arg(long, value_name = "SHARE", value_parser = confidence)]
    pub confidence: Option<f64>,
    /// Seed of methods that draw
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// What the baseline is called
    #[arg(long, value_name = "NAME")]
    pub over: Option<String>,
    /// What you run: a ratio over something else cannot be converted
    #[arg(long, value_name = "NAME")]
    pub incumbent: Option<String>,
    /// A condition of both arms that their files do not hold, such as quantization=bf16
    #[arg(long, value_name = "KEY=VALUE", value_parser = condition)]
    pub condition: Vec<(String, String)>,
    /// What was varied on purpose, such as model: it need not be equal; may be repeated
    #[arg(long, value_name = "KEY", value_parser = varied)]
    pub varies: Vec<String>,
    /// Both arms are one and the same: judge the harness by them
    #[arg(long)]
    pub a_vs_a: bool,
    /// A record of the host's state over the runs; base:FILE and cand:FILE for one arm alone
    #[arg(long, value_name = "RECORD")]
    pub host: Vec<String>,
    /// Verdicts that end the program with status 1
    #[arg(long, value_name = "VERDICT", default_value = "not-comparable")]
    pub fail_on: Vec<FailOn>,
}

/// A verdict that ends the program with status 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// The candidate is worse.
    Worse,
    /// It may be either.
    Inconclusive,
    /// The arms are no comparison.
    NotComparable,
}

fn quantity(text: &str) -> Result<(Metric, Option<Statistic>), String> {
    parse_quantity(text).map_err(|e| e.to_string())
}

/// A share: `2%` or `0.02`.
fn share(text: &str) -> Option<f64> {
    let (number, of) = text.trim().strip_suffix('%').map_or((text, 1.0), |n| (n, 100.0));
    number.trim().parse::<f64>().ok().map(|n| n / of)
}

fn margin(text: &str) -> Result<f64, String> {
    let given = share(text).filter(|m| *m > 0.0 && *m < 1.0);
    given.ok_or_else(|| "expected a margin between 0 and 100 %, such as 2%".to_owned())
}

fn confidence(text: &str) -> Result<f64, String> {
    let given = share(text).filter(|c| (0.5..=0.999_999).contains(c));
    given.ok_or_else(|| "expected a confidence between 0.5 and 0.999999, such as 0.95".to_owned())
}

/// A condition of a run that everybody may state: `KEY=VALUE`.
///
/// # Errors
/// A key that is none of a run's, no value.
pub fn condition(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').unwrap_or((text, ""));
    let (key, value) = (key.trim(), value.trim());
    if !RUN_CONDITIONS.iter().any(|known| known.name == key) || value.is_empty() {
        let keys: Vec<&str> = RUN_CONDITIONS.iter().map(|known| known.name).collect();
        return Err(format!("expected KEY=VALUE, with a key of {}", keys.join(", ")));
    }
    Ok((key.to_owned(), value.to_owned()))
}

fn varied(key: &str) -> Result<String, String> {
    let work = ["prompt_tokens", "output_tokens", "hit_share", "load"];
    let mut known: Vec<&str> = RUN_CONDITIONS.iter().map(|known| known.name).collect();
    known.extend(work);
    if known.contains(&key) {
        Ok(key.to_owned())
    } else {
        Err(format!("expected one of {}", known.join(", ")))
    }
}

impl Arms {
    /// The comparison with both arms read and all terms set.
    ///
    /// # Errors
    /// A file that cannot be read for what it is; an arm without results.
    pub fn compare(&self, thresholds: &Thresholds, allowed: &Allowed) -> Result<Compare, Failure> {
        let records = self.records()?;
        let arm = |paths: &[PathBuf], option: &str, side: Side| {
            let empty = Audit::new().thresholds(thresholds.clone()).allow(allowed.clone());
            let mut sorted = Sorted::by_content(paths, false)?.into_arm(option)?;
            sorted.name(&[], &[], &[])?;
            let arm = sorted.fill(empty, false, Default::default(), thresholds)?;
            let own = records.iter().filter(|(of, _)| *of == side);
            Ok::<_, Failure>(own.fold(arm, |arm, (_, record)| arm.host(record.clone())))
        };
        let baseline = arm(&self.baseline, "--baseline", Side::Baseline)?;
        let candidate = arm(&self.candidate, "--candidate", Side::Candidate)?;
        let mut compare = Compare::new(baseline, candidate);
        for (_, record) in records.iter().filter(|(of, _)| *of == Side::Both) {
            compare = compare.host(record.clone());
        }
        for (metric, statistic) in &self.metric {
            compare = compare.metric(*metric, *statistic);
        }
        for (key, value) in &self.condition {
            compare = compare.condition(key, value);
        }
        if self.a_vs_a {
            compare = compare.same();
        }
        for key in &self.varies {
            compare = compare.varies(key);
        }
        if let Some(margin) = self.equivalence {
            compare = compare.equivalence(margin);
        }
        if let Some(confidence) = self.confidence {
            compare = compare.confidence(confidence);
        }
        if let Some(seed) = self.seed {
            compare = compare.seed(seed);
        }
        if let Some(name) = &self.over {
            compare = compare.over(name);
        }
        if let Some(name) = &self.incumbent {
            compare = compare.incumbent(name);
        }
        Ok(compare)
    }

    /// The host records that are given by name, with the arm that each speaks of.
    fn records(&self) -> Result<Vec<(Side, HostRecord)>, Failure> {
        let mut records = Vec::new();
        for text in &self.host {
            let (side, path) = match text.split_once(':') {
                Some(("base" | "baseline", path)) => (Side::Baseline, path),
                Some(("cand" | "candidate", path)) => (Side::Candidate, path),
                _ => (Side::Both, text.as_str()),
            };
            for path in expand(&[Path::new(path).to_path_buf()])? {
                let record = parse_host_record(&read_text(&path)?)
                    .map_err(|e| Failure::new(format!("{}: {e}", path.display())))?;
                records.push((side, record));
            }
        }
        Ok(records)
    }

    /// Whether a verdict in a report is one to fail on.
    pub fn fails(&self, report: &Report) -> bool {
        report.claims.iter().filter_map(|judged| judged.verdict).any(|verdict| {
            self.fail_on.iter().any(|on| {
                matches!(
                    (on, verdict),
                    (FailOn::Worse, Verdict::Worse)
                        | (FailOn::Inconclusive, Verdict::Inconclusive { .. })
                        | (FailOn::NotComparable, Verdict::NotComparable)
                )
            })
        })
    }
}

/// Which arm a host record speaks of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Baseline,
    Candidate,
    Both,
}
