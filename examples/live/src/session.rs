//! One measurement from its arguments to its exit status.

use std::cell::Cell;
use std::fs::OpenOptions;
use std::io::LineWriter;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use trueline::core::{By, Conditions};
use trueline::measure::{Measure, Measured};
use trueline::probe::{Budget, Client};
use trueline_examples::arguments::Common;
use trueline_examples::arms::condition;
use trueline_examples::failure::Failure;
use trueline_examples::host_arguments::LookedAt;
use trueline_examples::output;

use crate::interrupts::Interrupts;
use crate::meter::Meter;
use crate::outcome::{Told, report};

/// How a measurement is watched, limited, saved and told.
#[derive(Debug, Args)]
pub struct Session {
    /// What may be asked of the server: in-flight=N, rate=R, tokens=N, errors=SHARE with commas, or none
    #[arg(long, value_name = "LIMITS", default_value = "errors=0.5")]
    pub budget: Budget,
    /// Write every request there the moment it ends; a file that is not there yet
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
    /// Another client of the server, to ask why where nothing was answered.
    pub again: Client,
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
                let measured = self.run(asked.measure)?;
                let answered = measured.runs.iter().any(|run| run.measured().next().is_some());
                failed.set(!answered || measured.unsaved.is_some());
                let told = asked.told.after(&measured, &asked.again);
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

    fn run(&self, measure: Measure<'static>) -> Result<Measured, Failure> {
        let mut measure = measure
            .with_budget(self.budget.clone())
            .with_conditions(self.conditions())
            .with_second_conditions(self.conditions())
            .with_watch(self.at.options()?);
        if let Some(path) = &self.save {
            // What somebody measured before is not written over.
            let file = OpenOptions::new().write(true).create_new(true).open(path);
            let file = file.map_err(|e| {
                Failure::new(format!("--save {}: expected a new file: {e}", path.display()))
            })?;
            measure = measure.with_save(LineWriter::new(file));
        }
        let interrupts = Interrupts::counted()?;
        let meter = Meter::new(!self.common.no_progress);
        let measure = measure.with_progress(move |at| {
            meter.show(at, interrupts.count());
            interrupts.decision()
        });
        let mut measured = measure.run()?;
        measured.host = measured.host.map(|record| self.at.shown(record));
        Ok(measured)
    }

    fn conditions(&self) -> Conditions {
        let mut all = Conditions::default();
        for (key, value) in &self.condition {
            all.set(key, value, By::Reported);
        }
        all
    }
}
