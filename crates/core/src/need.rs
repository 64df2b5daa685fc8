//! What evidence can be missing, and which input would supply it.

use serde::{Deserialize, Serialize};

/// A piece of evidence that a check or a claim needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Need {
    /// What the metric means.
    Definition,
    /// How many requests failed.
    FailuresCounted,
    /// The state of the host over the run.
    HostRecord,
    /// What else the server served during the run.
    ForeignTraffic,
    /// Both arms mean the same by the metric.
    SameMeaning,
    /// The material conditions of both arms, recorded.
    MaterialConditions,
    /// Measurements of both arms.
    BothArms,
    /// At least three load levels.
    ThreeLevels,
    /// At least five requests for each slot at every level.
    FiveWaves,
    /// Whether the cache was warm between levels.
    CacheState,
    /// A level at which the server is saturated.
    Saturation,
    /// That the client was not the bottleneck.
    ClientNotBound,
    /// Enough requests for the quantile.
    TailSamples,
    /// That replies were really streamed.
    Streamed,
    /// Tokens counted, not chunks.
    TokensCounted,
    /// A request log of the same server and model.
    ProductionLog,
    /// At least ten production requests of the samples' kind.
    RowsInCell,
    /// At least 95 % of the production mix measured.
    MixCovered,
    /// Requests of the benchmark, one by one.
    Samples,
    /// Wall-clock times of the requests.
    WallTimes,
    /// Cached-token counts.
    CachedTokens,
    /// TTFT of each request.
    Ttft,
    /// The samples behind a quoted number.
    QuotedSamples,
    /// A quantity with a value, for there to be something to judge.
    Quantity,
    /// An interval that leaves one direction.
    Direction,
    /// The claim that it rests on, shown.
    Ground,
    /// A measurement at the load, length or hit share that the claim names.
    ThatLevel,
    /// The command line that the benchmark was started with.
    CommandLine,
    /// What the tool itself says of the run: sums and statistics.
    Figures,
    /// Gaps between chunks.
    Gaps,
    /// Two runs or more.
    SeveralRuns,
    /// How often requests were preempted or retried.
    RetriesCounted,
    /// Several runs at one load.
    Repetitions,
    /// More requests than there are.
    MoreRequests,
    /// Which load a run was asked for.
    LoadAsked,
    /// The host from before to after, not at one moment.
    HostWatched,
    /// Which process serves.
    ServerProcess,
    /// What the GPU says of itself.
    GpuReadings,
    /// Samples of the GPU while it was busy.
    BusyGpu,
    /// What the processor is measured to do.
    CpuMeasured,
    /// A clock or bandwidth that this processor is known to reach.
    CpuReference,
    /// What the server counted before and after.
    ServerCounters,
    /// A reading that this host does not give to this user.
    HostReading,
    /// What it ran on and what was served: device and model, for a ceiling.
    Ceiling,
    /// Which device it ran on.
    Accelerator,
    /// What the model is made of.
    ModelDescription,
}

/// The input that would supply a piece of evidence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Input {
    /// A production request log.
    ProductionLog,
    /// A longer production request log.
    LongerLog,
    /// Benchmark results, request by request.
    Results,
    /// A host record.
    HostRecord,
    /// Results of the other arm.
    OtherArm,
    /// A load sweep.
    Sweep,
    /// More runs of the same.
    Repetitions,
    /// A run of more requests.
    LongerRun,
    /// What the claim itself can say.
    Claim,
    /// The command line.
    Command,
    /// A watch over the run.
    HostWatch,
    /// The server's process.
    ServerProcess,
    /// Readings of the GPU.
    GpuReadings,
    /// A measurement of the processor.
    CpuProbe,
    /// A reference for this processor.
    CpuReference,
    /// The server's metrics.
    Metrics,
    /// More rights, or another kind of host.
    Rights,
    /// The device and the model.
    Deployment,
    /// The device.
    Accelerator,
    /// The model's configuration.
    ModelConfig,
}

impl Input {
    /// What it is and how to add it.
    pub const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::ProductionLog => ("the server's log over the run", "--log FILE"),
            Self::LongerLog => ("enough production requests of that kind", "a longer log"),
            Self::Results => ("counts and times of each request", "to be recorded in the results"),
            Self::HostRecord => ("host state over the run", "a record that holds it, --host FILE"),
            Self::OtherArm => ("the other arm", "measure it under the same conditions"),
            Self::Sweep => ("load sweep", "measure at least 3 levels, 5 waves each"),
            Self::Repetitions => ("repetitions", "measure every level at least 3 times"),
            Self::LongerRun => ("a longer run", "send more requests"),
            Self::Claim => ("the claim", "say it in the claim file"),
            Self::Command => ("the command line", "--command TEXT"),
            Self::HostWatch => ("the host before, during and after", "watch_host -- COMMAND"),
            Self::ServerProcess => ("the server's process", "--pid N or --port N"),
            Self::GpuReadings => ("GPU readings under load", "NVML, or --gpu-log CSV"),
            Self::CpuProbe => ("the processor, measured", "check_host measures it"),
            Self::CpuReference => ("what this processor reaches when well", "an earlier record"),
            Self::Metrics => ("the server's metrics", "--metrics-url URL"),
            Self::Rights => ("what this host keeps to itself", "run it on the host, or as root"),
            Self::Deployment => {
                ("device and model", "audit --hardware NAME --model-config config.json")
            }
            Self::Accelerator => ("the device", "audit --hardware NAME"),
            Self::ModelConfig => ("the model", "audit --model-config config.json"),
        }
    }
}

impl Need {
    /// The evidence in words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Definition => "what the metric means",
            Self::FailuresCounted => "how many requests failed",
            Self::HostRecord => "host state over the run",
            Self::ForeignTraffic => "foreign traffic over the run",
            Self::SameMeaning => "one meaning of the metric in both arms",
            Self::MaterialConditions => "material conditions of both arms",
            Self::BothArms => "measurements of both arms",
            Self::ThreeLevels => "at least 3 load levels",
            Self::FiveWaves => "at least 5 waves at every level",
            Self::CacheState => "cache state between levels",
            Self::Saturation => "a saturated level",
            Self::ClientNotBound => "that the client was not the bottleneck",
            Self::TailSamples => "enough requests for the quantile",
            Self::Streamed => "that replies were really streamed",
            Self::TokensCounted => "tokens counted, not chunks",
            Self::ProductionLog => "a request log of the same server and model",
            Self::RowsInCell => "at least 10 production requests of that kind",
            Self::MixCovered => "at least 95 % of the production mix measured",
            Self::Samples => "the benchmark's requests one by one",
            Self::WallTimes => "wall-clock times of the requests",
            Self::CachedTokens => "cached-token counts",
            Self::Ttft => "TTFT of each request",
            Self::QuotedSamples => "the samples behind the quoted number",
            Self::Quantity => "a quantity with a value",
            Self::Direction => "an interval that leaves one direction",
            Self::Ground => "that what it rests on is shown",
            Self::ThatLevel => "a measurement at that level",
            Self::CommandLine => "the command line",
            Self::Figures => "the tool's own sums and statistics",
            Self::Gaps => "gaps between chunks",
            Self::SeveralRuns => "two runs or more",
            Self::RetriesCounted => "how often requests were preempted or retried",
            Self::Repetitions => "several runs at one load",
            Self::MoreRequests => "more requests than there are",
            Self::LoadAsked => "the load that was asked for",
            Self::HostWatched => "the host from before to after the run",
            Self::ServerProcess => "which process serves",
            Self::GpuReadings => "what the GPU says of itself",
            Self::BusyGpu => "samples of the GPU while busy",
            Self::CpuMeasured => "what the processor is measured to do",
            Self::CpuReference => "what this processor reaches when well",
            Self::ServerCounters => "what the server counted before and after",
            Self::HostReading => "a reading that this host does not give",
            Self::Ceiling => "device and model, for a ceiling",
            Self::Accelerator => "which device it ran on",
            Self::ModelDescription => "what the model is made of",
        }
    }

    /// The input that would supply it.
    pub const fn input(self) -> Input {
        match self {
            Self::HostRecord => Input::HostRecord,
            Self::RowsInCell => Input::LongerLog,
            Self::ForeignTraffic | Self::ProductionLog | Self::CachedTokens => Input::ProductionLog,
            Self::BothArms | Self::Direction | Self::SameMeaning | Self::MaterialConditions => {
                Input::OtherArm
            }
            Self::ThreeLevels
            | Self::FiveWaves
            | Self::CacheState
            | Self::Saturation
            | Self::SeveralRuns
            | Self::ThatLevel => Input::Sweep,
            Self::CommandLine => Input::Command,
            Self::HostWatched => Input::HostWatch,
            Self::ServerProcess => Input::ServerProcess,
            Self::GpuReadings | Self::BusyGpu => Input::GpuReadings,
            Self::CpuMeasured => Input::CpuProbe,
            Self::CpuReference => Input::CpuReference,
            Self::ServerCounters => Input::Metrics,
            Self::HostReading => Input::Rights,
            Self::Ceiling => Input::Deployment,
            Self::Accelerator => Input::Accelerator,
            Self::ModelDescription => Input::ModelConfig,
            Self::Repetitions => Input::Repetitions,
            Self::MoreRequests => Input::LongerRun,
            Self::Definition | Self::Quantity | Self::Ground => Input::Claim,
            Self::QuotedSamples
            | Self::FailuresCounted
            | Self::ClientNotBound
            | Self::TailSamples
            | Self::Streamed
            | Self::TokensCounted
            | Self::MixCovered
            | Self::Samples
            | Self::RetriesCounted
            | Self::LoadAsked
            | Self::WallTimes
            | Self::Figures
            | Self::Gaps
            | Self::Ttft => Input::Results,
        }
    }
}
