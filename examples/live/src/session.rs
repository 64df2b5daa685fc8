//! One measurement from its arguments to its exit status.

use std::cell::Cell;
use std::fs::OpenOptions;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use trueline::core::{By, Conditions};
use trueline::measure::{Measure, Measured};
use trueline::probe::Budget;
use trueline_examples::arguments::Common;
use trueline_examples::arms::condition;
use trueline_examples::failure::Failure;
use trueline_examples::host_arguments::LookedAt;
use trueline_examples::output;

use crate::interrupts::Interrupts;
use crate::meter::Meter;
use crate::outcome::{Told, report};
use crate::saved::Saved;

/// What was saved, in words, or why the host was not.
type SavedOrNot = Result<String, String>;

/// How often a bystander asks, where what it takes is limited.
const BYSTANDER_EVERY: Duration = Duration::from_secs(2);

/// How a measurement is watched, limited, saved and told.
#[derive(Debug, Args)]
pub struct Session {
    /// What may be asked of the server: in-flight=N, rate=R, tokens=N, errors=SHARE, bystander=SECONDS with
    /// commas, or none
    #[arg(long, value_name = "LIMITS", default_value = "errors=0.5")]
    pub budget: Budget,
    /// Write every request there the moment it ends, and the host beside it; a file that is not there yet
    #[arg(long, value_name = "FILE")]
    pub save: Option<PathBuf>,
    /// What is known of the server: hardware=…, quantization=…, server_version=…; may be repeated
    #[arg(long, value_name = "KEY=VALUE", value_parser = condition)]
    pub condition: Vec<(String, String)>,
    /// What is looked at beside the machine itself.
    #[command(flatten)]
    pub at: LookedAt,
    /// The arguments that all programs share.
    #[command(flatten)]
    pub common: Common,
}

/// What is to be measured, before it is.
#[derive(Debug)]
pub struct Asked {
    /// The measurement.
    pub measure: Measure<'static>,
    /// What the report says beside what was measured.
    pub told: Told,
}

impl Session {
    /// Runs a program to its end. Its exit status is 1 where the report revokes a claim, nothing was
    /// answered, or what was measured could not be saved.
    pub fn finish(
        &self,
        program: &'static str,
        asked: impl FnOnce() -> Result<Asked, Failure>,
    ) -> ExitCode {
        let failed = Cell::new(false);
        output::finish_unless(
            &self.common,
            |_| failed.get(),
            || {
                // Before anything is sent: what cannot be read is known at once.
                let file = self.common.claim_file()?;
                let (thresholds, allowed) = (self.common.thresholds()?, self.common.allowed()?);
                self.can_be_told()?;
                let asked = asked()?;
                let (measured, saved) = self.run(asked.measure)?;
                let answered = measured.runs.iter().any(|run| run.measured().next().is_some());
                let unsaved = measured.unsaved.is_some() || matches!(saved, Some(Err(_)));
                failed.set(!answered || unsaved);
                let mut told = asked.told;
                told.sent.extend(saved.map(|saved| saved.unwrap_or_else(|why| why)));
                Ok(report(program, measured, &told, file, &thresholds, &allowed))
            },
        )
    }

    /// Whether the report will have a place: what was measured is not lost for want of one.
    fn can_be_told(&self) -> Result<(), Failure> {
        let Some(path) = &self.common.out else { return Ok(()) };
        let opened = OpenOptions::new().append(true).create(true).open(path);
        let told = |e| Failure::new(format!("--out {}: cannot be written: {e}", path.display()));
        opened.map(drop).map_err(told)
    }

    /// Measures and saves; what was saved, or why something was not.
    fn run(&self, measure: Measure<'static>) -> Result<(Measured, Option<SavedOrNot>), Failure> {
        let mut measure = measure
            .with_budget(self.budget.clone())
            .with_conditions(self.conditions())
            .with_second_conditions(self.conditions())
            .with_watch(self.at.options()?);
        let mut saved = None;
        if self.budget.bystander_limit.is_some() {
            measure = measure.with_bystander(BYSTANDER_EVERY);
        }
        if let Some(path) = &self.save {
            let (files, requests) = Saved::at(path)?;
            measure = measure.with_save(requests);
            saved = Some(files);
        }
        let interrupts = Interrupts::counted()?;
        let meter = Meter::new(!self.common.no_progress);
        let measure = measure.with_progress(move |at| {
            meter.show(at, interrupts.count());
            interrupts.decision()
        });
        let mut measured = measure.run()?;
        measured.host = measured.host.map(|record| self.at.shown(record));
        let saved = saved.map(|files| files.finish(measured.host.as_ref()));
        Ok((measured, saved))
    }

    fn conditions(&self) -> Conditions {
        let mut all = Conditions::default();
        for (key, value) in &self.condition {
            all.set(key, value, By::Reported);
        }
        all
    }
}
