//! Measures a live server and hands the audit what it needs: the runs, the host, who else was served.

mod bystander;
#[cfg(test)]
mod bystander_tests;
mod drive;
mod error;
#[cfg(test)]
mod failed_tests;
mod failures;
mod kept;
mod measured;
mod stop_at;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod watched_tests;

use std::fmt;
use std::io::Write;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use trueline_core::Conditions;
use trueline_host::WatchOptions;
use trueline_probe::{
    Arrival, Budget, Client, Decision, Experiment, Progress, Replayed, RunFacts, Workload,
};

pub use self::bystander::{BYSTANDER, BystanderTimes};
pub use self::error::{MeasureError, MeasureErrorKind};
pub use self::failures::FailureReason;
pub use self::measured::{Ending, Measured};
pub use self::stop_at::StopAt;

/// How often progress is shown.
const PROGRESS_EVERY: Duration = Duration::from_millis(250);

/// Empties the server's cache; says why it could not.
type Flush<'h> = Box<dyn FnMut() -> Result<(), String> + 'h>;
type OnProgress<'h> = Box<dyn FnMut(&StageProgress<'_>) -> Decision + 'h>;

/// How a measurement goes, while it goes.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub struct StageProgress<'p> {
    /// The stage that is sent.
    pub stage: &'p str,
    /// Its place among all stages, from 1, and how many there are.
    pub place: (usize, usize),
    /// How it goes.
    pub progress: &'p Progress,
}

/// A measurement of a live server, as it is asked for.
///
/// An experiment says what is sent, an arrival schedule when, a stop rule how long, a budget how much
/// others may be disturbed. The host is watched from before the first request until after the last, and
/// every request is saved the moment it ends.
///
/// # Examples
/// ```no_run
/// use trueline::core::Tokens;
/// use trueline::measure::Measure;
/// use trueline::probe::{Api, Client, Prefix, Workload};
/// let client = Client::new("http://127.0.0.1:8000".parse()?, Api::OpenAiChat, "qwen3-8b")?;
/// let workload = Workload::new(Tokens::new(2_000), Tokens::new(64), 1).with_requests(40);
/// let measured = Measure::new(Prefix::Cold.experiment(&workload)?, client)
///     .with_workload(&workload)
///     .with_arrival("closed=4".parse()?)
///     .run()?;
/// let report = measured.into_audit().judge(&[]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Measure<'h> {
    experiment: Experiment,
    clients: (Rc<Client>, Option<Rc<Client>>),
    label: String,
    arrival: Arrival,
    seed: u64,
    trace: Option<Arc<[Duration]>>,
    stop: StopAt,
    budget: Budget,
    bystander: Option<Duration>,
    facts: RunFacts,
    conditions: (Conditions, Conditions),
    watch: Option<WatchOptions>,
    save: Option<Box<dyn Write + 'h>>,
    flush: Option<Flush<'h>>,
    progress: Option<OnProgress<'h>>,
}

impl fmt::Debug for Measure<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Measure")
            .field("experiment", &self.experiment.name)
            .field("label", &self.label)
            .field("arrival", &self.arrival)
            .field("stop", &self.stop)
            .field("budget", &self.budget)
            .finish_non_exhaustive()
    }
}

impl<'h> Measure<'h> {
    /// A measurement by one request at a time that sends all that the experiment has.
    pub fn new(experiment: Experiment, client: Client) -> Self {
        let facts = facts_of(&client, &experiment);
        Self {
            label: experiment.name.clone(),
            experiment,
            clients: (Rc::new(client), None),
            arrival: Arrival::one_at_a_time(),
            seed: 0,
            trace: None,
            stop: StopAt::default(),
            budget: Budget::default(),
            bystander: None,
            facts,
            conditions: (Conditions::default(), Conditions::default()),
            watch: None,
            save: None,
            flush: None,
            progress: None,
        }
    }

    /// A replay: each request at its moment.
    pub fn replay(replayed: &Replayed, client: Client) -> Self {
        let mut measure = Self::new(replayed.experiment.clone(), client);
        measure.arrival = Arrival::Trace;
        measure.trace = Some(Arc::clone(&replayed.arrivals));
        measure
    }

    /// The same with a second server, for an experiment that has two arms.
    #[must_use]
    pub fn with_second(mut self, client: Client) -> Self {
        self.clients.1 = Some(Rc::new(client));
        self
    }

    /// The same under a name of its own, which begins the labels of its runs.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// The same with the lengths that were asked for, for the plan that goes with the results.
    #[must_use]
    pub fn with_workload(mut self, workload: &Workload) -> Self {
        self.facts.prompt_tokens = Some(workload.prompt);
        self.facts.output_tokens = Some(workload.output);
        self
    }

    /// The same under another arrival schedule. Stages that have a load of their own keep it; warm-up and
    /// priming go one request at a time.
    #[must_use]
    pub fn with_arrival(mut self, arrival: Arrival) -> Self {
        self.arrival = arrival;
        self
    }

    /// The same with the seed that random gaps are drawn from.
    #[must_use]
    pub fn with_seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// The same, ending each measured stage otherwise.
    #[must_use]
    pub fn with_stop(mut self, stop: StopAt) -> Self {
        self.stop = stop;
        self
    }

    /// The same within another budget. Its tokens are those of the whole measurement.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }

    /// The same with a bystander, who sends a request of a few words and one token of answer each so often and
    /// at most as often as it is answered, over connections of its own, to the server that is measured then.
    ///
    /// What they take is held against [`Budget::bystander_limit`], which nothing reads without one: the
    /// measurement ends as soon as one of them waits for longer. They are no part of what is measured and
    /// stand among the requests of warm-up, so that nobody takes them for somebody else's. They are in no
    /// other limit of the budget but that of tokens, from stage to stage.
    ///
    /// A short request waits for its turn, its small prefill and one step: it sees a queue and a server that
    /// stands still. It does not see what a long answer of somebody else loses with every token.
    #[must_use]
    pub fn with_bystander(mut self, every: Duration) -> Self {
        self.bystander = Some(every);
        self
    }

    /// The same with what is known of the server: its model, version, hardware, options.
    #[must_use]
    pub fn with_conditions(mut self, conditions: Conditions) -> Self {
        self.conditions.0 = conditions;
        self
    }

    /// The same of the second server.
    #[must_use]
    pub fn with_second_conditions(mut self, conditions: Conditions) -> Self {
        self.conditions.1 = conditions;
        self
    }

    /// The same with the host watched, from before the first request until after the last.
    #[must_use]
    pub fn with_watch(mut self, options: WatchOptions) -> Self {
        self.watch = Some(options);
        self
    }

    /// The same with every request written there the moment it ends. A writer that fails does not end the
    /// measurement; [`Measured::unsaved`] says so.
    #[must_use]
    pub fn with_save(mut self, to: impl Write + 'h) -> Self {
        self.save = Some(Box::new(to));
        self
    }

    /// The same with a way to empty the server's cache, for experiments that ask for it between stages.
    #[must_use]
    pub fn with_flush(mut self, flush: impl FnMut() -> Result<(), String> + 'h) -> Self {
        self.flush = Some(Box::new(flush));
        self
    }

    /// The same, showing its progress four times a second; what the hook decides is done.
    #[must_use]
    pub fn with_progress(mut self, hook: impl FnMut(&StageProgress<'_>) -> Decision + 'h) -> Self {
        self.progress = Some(Box::new(hook));
        self
    }

    /// Measures, on this thread and a runtime of its own.
    ///
    /// # Errors
    /// What does not go together, before anything is sent: an experiment of two arms and one server, a
    /// stop rule for stages that end of themselves or none for those that do not, a load beyond the
    /// budget; a watch or a runtime that cannot be started. What happens afterwards is in the result.
    pub fn run(self) -> Result<Measured, MeasureError> {
        drive::drive(self)
    }
}

fn facts_of(client: &Client, experiment: &Experiment) -> RunFacts {
    let mut facts = RunFacts::default();
    facts.cold = Some(experiment.cold);
    facts.prefix = Some(experiment.name.clone());
    facts.api = Some(client.api().to_string());
    facts.connections = Some(client.reuse().to_string());
    facts
}
