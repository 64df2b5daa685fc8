//! What is known of formats and of their figures as documents, from the tables that readers use.

use std::collections::BTreeMap;

use trueline_core::{Count, Counting, Metric, Side, Statistic};

use crate::adapters::LOG_FORMATS;
use crate::metrics::METRICS_SERVERS;
use crate::results::{
    AS_STATED, FigureMeaning, RESULT_FORMATS, ResultFormat, Statistics, TotalMeaning,
};
use crate::{FieldMeaning, Holds};

/// What the figures of every benchmark tool mean, in Markdown; `docs/definitions.md` is this text.
pub fn definitions_document() -> String {
    let mut text = String::from(DEFINITIONS);
    for formats in by_tool() {
        let (tool, figures) = (formats.first().map_or("", |f| f.tool), figures_of(&formats));
        let totals = totals_of(&formats);
        if figures.is_empty() && totals.is_empty() {
            continue;
        }
        text += &format!("\n## {tool}\n\n");
        let names = formats.iter().filter(|f| !(f.figures().is_empty() && f.totals().is_empty()));
        let names: Vec<String> =
            names.map(|f| format!("`{}` ({})", f.name, f.evidence.name())).collect();
        text += &format!("Formats: {}.\n", names.join(", "));
        if !figures.is_empty() {
            text += "\n| key or label | our name | from, to, clock | one a … | first token | tokens by \
                     | percentiles | deviation | note |\n| --- | --- | --- | --- | --- | --- | --- | \
                     --- | --- |\n";
        }
        for (figure, keys) in figures {
            text += &figure_row(&figure, &keys);
        }
        if !totals.is_empty() {
            text += "\n| key or label | our total |\n| --- | --- |\n";
        }
        for (total, keys) in totals {
            text += &row(&[&keys.join(", "), &format!("`{total}`")]);
        }
    }
    text
}

/// What is read, from which versions and known from where, in Markdown; `docs/formats.md` is this
/// text.
pub fn formats_document() -> String {
    let mut text = String::from(FORMATS_HEAD);
    for format in by_tool().into_iter().flatten() {
        let name = format!("`{}`", format.name);
        let evidence = format.evidence.name();
        let source = format!("`{}`", format.source);
        text += &row(&[format.tool, &name, format.shape, format.versions, evidence, &source]);
    }
    text += LOGS_HEAD;
    for format in LOG_FORMATS {
        let fields = format.fields();
        let list = |words: Vec<&str>| words.join(", ");
        let holds = list(distinct(fields.iter().filter_map(held)));
        let clocks = list(distinct(fields.iter().filter_map(|field| match field.clock? {
            Side::Client => Some("client"),
            Side::Server => Some("server"),
        })));
        let clocks = if clocks.is_empty() { "as the rows say" } else { &clocks };
        let source = distinct(fields.iter().map(|f| &*f.source).filter(|s| !s.is_empty()));
        text += &row(&[
            &format!("`{}`", format.name),
            format.writer,
            format.versions,
            format.evidence.name(),
            &holds,
            clocks,
            &source.join("; "),
        ]);
    }
    text += METRICS_HEAD;
    for server in METRICS_SERVERS {
        let counted = match server.counting {
            Counting::AsServed => "as they are served",
            Counting::WhenFinished => "when a request ends",
            _ => "not known",
        };
        let source = |count| server.source_of(count).unwrap_or_default();
        text += &row(&[
            server.name,
            server.versions,
            &source(Count::Requests),
            &source(Count::Aborted),
            &source(Count::PromptTokens),
            &source(Count::NewTokens),
            &source(Count::OutputTokens),
            &server.gauges(),
            counted,
            server.note,
        ]);
    }
    text
}

const DEFINITIONS: &str = "# What the figures of benchmark tools mean

Generated from the tables that the readers use: a test holds it equal to them, and another one finds a
row of it for every figure that a reader yields. Two figures of one name may be compared only where their
rows agree.

- **key or label**: where the figure stands in the tool's output. `STATISTIC` stands for the name of a
  statistic, `UNIT` for a unit that the file itself states. *In ms* says the unit of the file where it is
  not ours. *Only* names circumstances under which the key means this.
- **our name**: the metric, its unit in the name, and behind a dot the statistic; `STATISTIC` where the
  file has several. Without a dot a run has one of it. What a tool calls a figure does not decide our
  name; what it computes does.
- **from, to, clock**: the marks between which time is taken. *Intended* is when the load plan wants a
  request sent, *sent* is when it is: from *intended* on, the wait in the client is inside. *Arrived* and
  *scheduled* are the server's. *End of reply* comes after the last token. For a rate it is the run's time.
- **one a …**: what one sample is. A *request* counts once however long its reply is; a *chunk gap* is the
  time between two pieces of a reply, which may hold several tokens each; a *token* gives long replies
  more weight; a *run* has one value; a *slice of the run* is one of many stretches of it.
- **first token**: whether the wait for the first token is *in* it or *out*; empty where the question does
  not arise.
- **tokens by**: who counted the tokens: the *server* (its usage), the *tool* (its own tokenizer), or
  chunks that were taken for tokens.
- **percentiles**: *linear* lies between two samples by their distance; *by the lower sample* and *by the
  nearest rank* are samples themselves. **deviation**: *over n* of the population, *over n - 1* of a
  sample.

An empty cell does not apply. What is not known says so.
";

const FORMATS_HEAD: &str = "# Formats that are read

Generated from the tables of the readers; a test holds it equal to them. Formats are recognised by their
content, never by the name of a file.

## Results of benchmark tools

*Captured* formats were read from what the tool itself wrote when it was run for this project, *published*
ones from a file that somebody published. Only these two are called supported. *Described* ones are known
from a description alone: they are read, and a field that is not as described is reported as unknown or
missing. What the figures mean stands in [`definitions.md`](definitions.md).

| tool | format | shape | versions read | evidence | source |
| --- | --- | --- | --- | --- | --- |
";

const LOGS_HEAD: &str = "
## Request logs

Rows of requests, each with what it holds. Any other log of JSON lines is read through a
[mapping file](mapping-file.md); `--explain-fields` shows the fields one by one.

| format | written by | versions | evidence | what its fields hold | clock | read in |
| --- | --- | --- | --- | --- | --- | --- |
";

const METRICS_HEAD: &str = "
## Metrics of servers

What a server counts, from its metrics text. Requests are counted when they end; an empty cell is a count
that the server does not publish. Two readings around a run, less the run's own requests, are what was
served to others.

| server | versions | requests | aborted | prompt tokens | computed prompt tokens | output tokens | in \
flight | tokens counted | note |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
";

/// The formats of each tool, by its name; those of a tool in the order in which they are tried.
fn by_tool() -> Vec<Vec<&'static ResultFormat>> {
    let mut tools: BTreeMap<String, Vec<&'static ResultFormat>> = BTreeMap::new();
    for format in RESULT_FORMATS {
        tools.entry(format.tool.to_lowercase()).or_default().push(format);
    }
    tools.into_values().collect()
}

/// The figures of some formats, each with all keys that mean the same.
fn figures_of(formats: &[&ResultFormat]) -> Vec<(FigureMeaning, Vec<String>)> {
    let mut found: Vec<(FigureMeaning, Vec<String>)> = Vec::new();
    for figure in formats.iter().flat_map(|format| format.figures()) {
        let own = figure.metric.words().0;
        let unit = match figure.unit {
            unit if unit == own || figure.key.contains("UNIT") => String::new(),
            AS_STATED => " in UNIT".to_owned(),
            unit => format!(" in {unit}"),
        };
        let key = format!("`{}`{unit}{}", figure.key, only(figure.only));
        match found.iter_mut().find(|(known, _)| known.is_same(&figure)) {
            Some((_, keys)) if keys.contains(&key) => {}
            Some((_, keys)) => keys.push(key),
            None => found.push((figure, vec![key])),
        }
    }
    found
}

/// The totals of some formats, each with all its keys.
fn totals_of(formats: &[&ResultFormat]) -> Vec<(&'static str, Vec<String>)> {
    let mut found: Vec<(&'static str, Vec<String>)> = Vec::new();
    for TotalMeaning { key, only: when, total, .. } in formats.iter().flat_map(|f| f.totals()) {
        let key = format!("`{key}`{}", only(when));
        match found.iter_mut().find(|(name, _)| *name == total.name()) {
            Some((_, keys)) if keys.contains(&key) => {}
            Some((_, keys)) => keys.push(key),
            None => found.push((total.name(), vec![key])),
        }
    }
    found
}

fn figure_row(figure: &FigureMeaning, keys: &[String]) -> String {
    let [each, first, by, percentiles, deviation] = figure.definition.words();
    // A length takes no time, and a mean has no percentiles.
    let is_length = matches!(figure.metric, Metric::PromptTokens | Metric::OutputTokens);
    let stretch = if is_length { String::new() } else { figure.definition.stretch() };
    let is_mean = figure.statistics == Statistics::One(Statistic::Mean);
    let [percentiles, deviation] = if is_mean { ["", ""] } else { [percentiles, deviation] };
    row(&[
        &keys.join(", "),
        &format!("`{}`", figure.name()),
        &stretch,
        without(each, &["one a ", "one for the ", "samples "]),
        without(first, &["first token "]),
        without(by, &["tokens by the "]),
        without(percentiles, &["percentiles "]),
        without(deviation, &["deviation "]),
        figure.definition.note,
    ])
}

fn only(circumstances: &str) -> String {
    if circumstances.is_empty() { String::new() } else { format!(" (only {circumstances})") }
}

/// A part without the words that its column says already.
fn without<'w>(part: &'w str, said: &[&str]) -> &'w str {
    said.iter().find_map(|words| part.strip_prefix(words)).unwrap_or(part)
}

/// What a field of a log holds, by the name that a mapping file has for it.
fn held(field: &FieldMeaning) -> Option<&'static str> {
    if field.holds == Holds::OfInterval {
        return Some("what is said of intervals, of no request");
    }
    Holds::NAMED.iter().find(|(_, holds)| *holds == field.holds).map(|(name, _)| *name)
}

fn distinct<'w>(words: impl Iterator<Item = &'w str>) -> Vec<&'w str> {
    let mut found = Vec::new();
    for word in words {
        if !found.contains(&word) {
            found.push(word);
        }
    }
    found
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_and_a_label_of_one_meaning_share_a_row() {
        let text = definitions_document();
        let row = "| `STATISTIC_ttft_ms` in ms, `STATISTIC TTFT (ms)` in ms | `ttft_s.STATISTIC` | \
                   sent to first token, client clock | request |  |  | linear | over n | chat";
        assert!(text.contains(row));
    }

    #[test]
    fn every_format_that_is_read_is_named() {
        let text = formats_document();
        for name in RESULT_FORMATS
            .iter()
            .map(|format| format.name)
            .chain(LOG_FORMATS.iter().map(|format| format.name))
        {
            assert!(text.contains(&format!("`{name}`")), "{name}");
        }
    }

    #[test]
    fn every_row_of_a_table_has_as_many_cells_as_its_head() {
        for text in [definitions_document(), formats_document()] {
            let cells = |line: &str| line.replace("\\|", "").matches('|').count();
            let mut head = None;
            for line in text.lines() {
                head = head.filter(|_| line.starts_with('|'));
                if line.starts_with('|') {
                    let expected = *head.get_or_insert(cells(line));
                    assert_eq!(cells(line), expected, "{line}");
                }
            }
        }
    }
}
