//! The runs of a measurement while they grow, in memory and where they are saved.

use std::io::{self, Write};

use trueline_core::{BenchRun, By, Conditions, Plan, RequestRecord, Side};
use trueline_logs::{LogHeader, Role, RunWriter};
use trueline_probe::{Ran, bench_run};

/// A run while it grows.
#[derive(Debug)]
struct Growing {
    label: String,
    arm: String,
    plan: Plan,
    conditions: Conditions,
    requests: Vec<RequestRecord>,
    done: Option<BenchRun>,
}

/// The runs of a measurement while they grow, in memory and where they are saved.
pub(super) struct Kept<'h> {
    runs: Vec<Growing>,
    writer: Option<RunWriter<Box<dyn Write + 'h>>>,
    /// The first failure to save.
    unsaved: Option<String>,
}

impl<'h> Kept<'h> {
    pub(super) fn new(save: Option<Box<dyn Write + 'h>>) -> Self {
        Self { runs: Vec::new(), writer: save.map(RunWriter::new), unsaved: None }
    }

    /// Begins a run, if there is none of this label.
    pub(super) fn begin(&mut self, label: &str, arm: &str, plan: &Plan, conditions: &Conditions) {
        if self.runs.iter().any(|run| run.label == label) {
            return;
        }
        let mut header = LogHeader::new(Role::Run);
        header.label = Some(label.to_owned());
        header.arm = Some(arm.to_owned());
        header.side = Some(Side::Client);
        // Until it is closed it is a part: what is killed in the middle says so.
        header.conditions = conditions.clone();
        header.conditions.set("partial", "yes", By::Measured);
        header.plan = Some(plan.clone());
        self.save(|writer| writer.begin(&header));
        self.runs.push(Growing {
            label: label.to_owned(),
            arm: arm.to_owned(),
            plan: plan.clone(),
            conditions: conditions.clone(),
            requests: Vec::new(),
            done: None,
        });
    }

    /// Adds a request to a run.
    pub(super) fn row(&mut self, label: &str, record: RequestRecord) {
        self.save(|writer| writer.row(label, &record));
        if let Some(run) = self.runs.iter_mut().find(|run| run.label == label) {
            run.requests.push(record);
        }
    }

    /// Ends the runs of a stage.
    pub(super) fn close(&mut self, of_stage: impl Fn(&str) -> bool, ran: &Ran) {
        for at in 0..self.runs.len() {
            let Some(run) = self.runs.get_mut(at).filter(|run| run.done.is_none()) else {
                continue;
            };
            if !of_stage(&run.label) {
                continue;
            }
            let requests = std::mem::take(&mut run.requests);
            let done = bench_run(&*run.label, run.plan.clone(), &run.conditions, ran, requests);
            let done = done.with_arm(&*run.arm);
            let label = run.label.clone();
            let (conditions, reported) = (done.conditions.clone(), done.reported.clone());
            run.done = Some(done);
            self.save(|writer| writer.close(&label, &conditions, &reported));
        }
    }

    /// The runs, and why some of them were not saved. Those that were never closed have what they have.
    pub(super) fn finish(self) -> (Vec<BenchRun>, Option<String>) {
        let ended = |run: Growing| {
            run.done.unwrap_or_else(|| {
                BenchRun::new(run.label, Side::Client, run.requests)
                    .with_plan(run.plan)
                    .with_conditions(run.conditions)
                    .with_arm(run.arm)
            })
        };
        let lost = self.writer.as_ref().map_or(0, RunWriter::lost);
        let unsaved = self.unsaved.map(|why| match lost {
            0 => why,
            lost => format!("{why}; {lost} requests are not in the file"),
        });
        (self.runs.into_iter().map(ended).collect(), unsaved)
    }

    /// Saves something. A writer that fails is tried again; the first failure and how many requests it cost
    /// are told in the end.
    fn save(&mut self, write: impl FnOnce(&mut RunWriter<Box<dyn Write + 'h>>) -> io::Result<()>) {
        if let Some(writer) = &mut self.writer
            && let Err(error) = write(writer)
        {
            self.unsaved.get_or_insert_with(|| error.to_string());
        }
    }
}
