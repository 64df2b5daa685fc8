//! The arguments that all programs share.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use trueline::checks::{check_info, checks_of, explain, parse_thresholds};
use trueline::claims::{ClaimFile, check_claim_list, parse_claim, parse_claim_file};
use trueline::core::Thresholds;
use trueline::judge::Allowed;

use crate::failure::Failure;

/// How the report is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people.
    Text,
    /// One JSON object, schema trueline.report/1.
    Json,
}

fn parse_format(text: &str) -> Result<Format, String> {
    match text {
        "text" => Ok(Format::Text),
        "json" => Ok(Format::Json),
        "markdown" | "html" => Err(format!("{text} is not built yet; built are: text, json")),
        _ => Err("expected text or json".to_owned()),
    }
}

/// The arguments that all programs share.
#[derive(Debug, Args)]
pub struct Common {
    /// How to write the report: text or json
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = parse_format)]
    pub format: Format,
    /// Where to write it instead of standard output
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Show every finding and everything that was not observed
    #[arg(long)]
    pub all: bool,
    /// Claims to judge, a TOML file
    #[arg(long, value_name = "FILE")]
    pub claims: Option<PathBuf>,
    /// A claim in short form, such as "prefill_tok_per_s = 115"; may be repeated
    #[arg(long, value_name = "TEXT")]
    pub claim: Vec<String>,
    /// Thresholds in place of the defaults, a TOML file
    #[arg(long, value_name = "FILE")]
    pub thresholds: Option<PathBuf>,
    /// Keep a finding visible without its effect: CODE="reason"; may be repeated
    #[arg(long, value_name = "CODE=REASON")]
    pub allow: Vec<String>,
    /// Exit with 1 also where a claim is not shown
    #[arg(long)]
    pub strict: bool,
    /// Say what a check does, and exit
    #[arg(long, value_name = "CODE")]
    pub explain: Option<String>,
    /// Show no progress on a terminal
    #[arg(long)]
    pub no_progress: bool,
}

impl Common {
    /// The claims given, from file and command line.
    ///
    /// # Errors
    /// A file that cannot be read, a claim that cannot be.
    pub fn claim_file(&self) -> Result<ClaimFile, Failure> {
        let mut file = match &self.claims {
            Some(path) => parse_claim_file(&read_text(path)?)
                .map_err(|e| Failure::new(format!("{}: {e}", path.display())))?,
            None => ClaimFile::default(),
        };
        if let (Some(path), true) = (&self.claims, file.claims.is_empty() && file.given.is_empty())
        {
            return Err(Failure::new(format!(
                "{}: expected [[claim]] or [[given]] tables, found none",
                path.display()
            )));
        }
        for (i, text) in self.claim.iter().enumerate() {
            let id = format!("claim-{}", file.claims.len() + 1);
            let claim = parse_claim(&id, text)
                .map_err(|e| Failure::new(format!("--claim number {}: {e}", i + 1)))?;
            file.claims.push(claim);
        }
        check_claim_list(&file.claims).map_err(|e| Failure::new(e.to_string()))?;
        Ok(file)
    }

    /// The thresholds in force.
    ///
    /// # Errors
    /// A file that cannot be read, a threshold that does not exist.
    pub fn thresholds(&self) -> Result<Thresholds, Failure> {
        match &self.thresholds {
            Some(path) => parse_thresholds(&read_text(path)?)
                .map_err(|e| Failure::new(format!("{}: {e}", path.display()))),
            None => Ok(Thresholds::default()),
        }
    }

    /// The findings to live with.
    ///
    /// # Errors
    /// Text without a reason, a code of no check.
    pub fn allowed(&self) -> Result<Allowed, Failure> {
        let mut allowed = Allowed::new();
        for text in &self.allow {
            let (code, reason) = text.split_once('=').unwrap_or((text, ""));
            if check_info(code).is_none() {
                return Err(Failure::new(format!("--allow: {code:?} is the code of no check")));
            }
            if reason.trim().is_empty() {
                return Err(Failure::new(format!(
                    "--allow {code}: expected a reason, {code}=\"why it does not matter here\""
                )));
            }
            allowed.insert(code.to_owned(), reason.trim().to_owned());
        }
        Ok(allowed)
    }

    /// What `--explain` asks for, if it was given.
    ///
    /// # Errors
    /// A code of no check.
    pub fn explanation(&self) -> Result<Option<String>, Failure> {
        let Some(code) = &self.explain else { return Ok(None) };
        let explained: Vec<String> = checks_of(code).map(explain).collect();
        if explained.is_empty() {
            return Err(Failure::new(format!("--explain: {code:?} is the code of no check")));
        }
        Ok(Some(explained.join("")))
    }
}

/// The text of a small file.
///
/// # Errors
/// A file that is not there, may not be read, or is no text.
pub fn read_text(path: &std::path::Path) -> Result<String, Failure> {
    std::fs::read_to_string(path)
        .map_err(|e| Failure::new(format!("{}: expected a text file: {e}", path.display())))
}
