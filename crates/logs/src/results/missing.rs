//! What a result lacks: quantities that are not there, or are there without a value.

use trueline_core::{Figure, Finding, Metric, Outcomes, Severity, Why};

use super::ResultRun;
use super::checks::METRIC_MISSING;
use super::command::CommandLine;
use super::formats::serving::printed::printing;
use super::judge::about;

/// What every run of a served model has.
const HEADLINES: [Metric; 7] = [
    Metric::OutputTokPerS,
    Metric::TotalTokPerS,
    Metric::RequestPerS,
    Metric::TtftS,
    Metric::TpotS,
    Metric::ItlS,
    Metric::E2eLatencyS,
];

/// Finds what a tool and version writes and is not there, or stands there without a value.
pub(super) fn check_missing(
    read: &ResultRun,
    command: Option<&CommandLine>,
    outcomes: &mut Outcomes,
) {
    let check = &METRIC_MISSING;
    let nulls = nulls(read);
    if read.missing.is_empty() && nulls.is_empty() {
        outcomes.clear(check, about(read));
    }
    for (metric, sources, severity) in nulls {
        let message = format!("{} {} null: no value", sources.join(", "), are(sources.len()));
        outcomes.found(
            Finding::new(check, about(read).with_metric(metric), message)
                .at(severity)
                .with("expected", sources)
                .advising("a quantity without a value was not zero: find out why there was none"),
        );
    }
    for absent in &read.missing {
        let scope = match absent.metric {
            Some(metric) => about(read).with_metric(metric),
            None => about(read),
        };
        let left_out = command.is_some_and(|c| leaves_out(read, c, absent.metric));
        let nearest = match absent.nearest.as_slice() {
            _ if left_out => "the filter leaves it out".to_owned(),
            [] => "nothing like it is there".to_owned(),
            near => format!("nearest: {}", near.join(", ")),
        };
        outcomes.found(
            Finding::new(
                check,
                scope,
                format!("{:?} is expected and not there; {nearest}", absent.label),
            )
            // What somebody chose not to see is no fault until somebody quotes it.
            .at(if left_out { Severity::Note } else { Severity::Warning })
            .with("expected", absent.label.as_str())
            .with("nearest", absent.nearest.clone()),
        );
    }
}

/// Whether a command's filters let through none of the lines that tell a quantity.
fn leaves_out(read: &ResultRun, command: &CommandLine, metric: Option<Metric>) -> bool {
    let tool = read.run.reported.tool.as_ref().map_or("", |t| t.name.as_str());
    let (Some(printing), Some(metric)) = (printing(tool), metric) else { return false };
    let mut lines = (0..printing.versions.len())
        .flat_map(|v| printing.of(v))
        .filter(|p| p.metric == Some(metric));
    !command.filters().is_empty() && lines.all(|p| command.shows(p.line) == Some(false))
}

/// The quantities of which every figure is null, with where these stand. Replies that are not
/// streamed have no times but the end-to-end latency, and that is no fault.
fn nulls(read: &ResultRun) -> Vec<(Metric, Vec<String>, Severity)> {
    let figures = &read.run.reported.figures;
    let known = |metric| figures.iter().any(|f| f.metric == metric && f.value.is_known());
    let of = |metric: &Metric| {
        let all: Vec<&Figure> = figures.iter().filter(|f| f.metric == *metric).collect();
        let null = !all.is_empty() && all.iter().all(|f| f.value.why() == Some(Why::Null));
        let streamed = matches!(metric, Metric::TtftS | Metric::TpotS | Metric::ItlS);
        let plain = streamed && known(Metric::E2eLatencyS);
        let severity = if plain { Severity::Note } else { Severity::Warning };
        null.then(|| (*metric, all.iter().map(|f| f.source.clone()).take(3).collect(), severity))
    };
    HEADLINES.iter().filter_map(of).collect()
}

fn are(n: usize) -> &'static str {
    if n == 1 { "is" } else { "are" }
}
