//! Whether two readings tell of one run: a result file, its console, its CSV, its records.

use std::collections::HashMap;
use std::path::Path;

use trueline_core::{Figure, Metric, RequestRecord, Statistic, Tool};

use super::{Part, ResultRun};

/// How many figures two readings must share to be known as one run.
const SHARED: usize = 4;

/// Brings readings of one run together. What is told request by request, or in full, leads; the
/// others fill gaps.
pub(super) fn merged(all: Vec<ResultRun>) -> Vec<ResultRun> {
    let mut runs: Vec<ResultRun> = Vec::new();
    // A reading is held against those of its tool in another form or part alone: a file of ten
    // thousand runs is one of either, and a sum is another part than the stages of its format.
    let mut places: HashMap<String, HashMap<(&str, Part), Vec<usize>>> = HashMap::new();
    for read in all {
        let tool = read.run.reported.tool.as_ref().map_or("", |tool| tool.name.as_str());
        let forms = places.entry(tool.to_owned()).or_default();
        let form = (read.format.name, read.part);
        let others = forms.iter().filter(|(other, _)| **other != form);
        let mut others: Vec<usize> = others.flat_map(|(_, places)| places).copied().collect();
        others.sort_unstable();
        let same = others.into_iter().find(|at| runs.get(*at).is_some_and(|r| is_same(r, &read)));
        let Some(run) = same.and_then(|at| runs.get_mut(at)) else {
            forms.entry(form).or_default().push(runs.len());
            runs.push(read);
            continue;
        };
        let mut rest = read;
        if detail(&rest) > detail(run) {
            std::mem::swap(run, &mut rest);
        }
        join(run, rest);
    }
    runs
}

/// How much a reading tells: figures in full before rounded ones, then requests.
fn detail(read: &ResultRun) -> (bool, bool, usize) {
    let in_full = read.run.reported.figures.iter().any(|f| f.step == 0.0);
    (in_full, !read.run.requests.is_empty(), read.run.reported.figures.len())
}

fn is_same(a: &ResultRun, b: &ResultRun) -> bool {
    let (tool, other) = (&a.run.reported.tool, &b.run.reported.tool);
    if tool.as_ref().map(|t: &Tool| &t.name) != other.as_ref().map(|t| &t.name) {
        return false;
    }
    if (is_shell_of(a, b) || is_shell_of(b, a)) && is_beside(a, b) {
        return true;
    }
    // A sweep's summary lists the runs that its files hold, and one stage is the sum of itself.
    let told_twice = a.format == b.format && a.part != b.part && is_beside(a, b);
    if !told_twice && (a.format == b.format || is_already(a, b)) {
        return false;
    }
    if a.run.plan.load.zip(b.run.plan.load).is_some_and(|(x, y)| x != y) {
        return false;
    }
    let (mut shared, mut apart) = (0, 0);
    for figure in &a.run.reported.figures {
        let of_b = b.run.reported.figures_of(figure.metric);
        let Some(other) = of_b.into_iter().find(|f| f.statistic == figure.statistic) else {
            continue;
        };
        if let (Some(x), Some(y)) = (figure.value.value(), other.value.value()) {
            shared += 1;
            apart += usize::from(!agrees(x, y, figure, other));
        }
    }
    if shared > 0 {
        // Some tools take a percentile in one way for one file and in another for the next.
        return shared >= SHARED && apart * 7 <= shared;
    }
    is_records_of(a, b) || is_records_of(b, a)
}

/// Whether a form of it is in the run already: two files of one format are two runs.
fn is_already(a: &ResultRun, b: &ResultRun) -> bool {
    let here = |read: &ResultRun| {
        let source = read.run.source.clone().unwrap_or_default();
        format!("{} ({})", source, read.format.name)
    };
    let ends = |list: &[String], format: &str| list.iter().any(|s| s.ends_with(format));
    let format = |read: &ResultRun| format!("({})", read.format.name);
    ends(&a.also_in, &format(b)) || ends(&b.also_in, &format(a)) || here(a) == here(b)
}

/// Whether two readings come from one folder.
fn is_beside(a: &ResultRun, b: &ResultRun) -> bool {
    fn folder(read: &ResultRun) -> Option<&Path> {
        Path::new(read.run.source.as_deref().unwrap_or_default()).parent()
    }
    folder(a) == folder(b)
}

/// Whether one reading holds nothing but the other's duration and totals.
fn is_shell_of(shell: &ResultRun, whole: &ResultRun) -> bool {
    let (a, b) = (&shell.run.reported, &whole.run.reported);
    if !(a.figures.is_empty() && shell.run.requests.is_empty()) {
        return false;
    }
    let same_time = a.duration.value().is_some_and(|d| Some(d) == b.duration.value());
    let same_totals = a
        .totals
        .iter()
        .all(|t| b.total(t.total).is_none_or(|other| Some(other) == t.value.value()));
    same_time && same_totals
}

/// Whether two values are one, each written in its own steps.
fn agrees(x: f64, y: f64, a: &Figure, b: &Figure) -> bool {
    let step = a.step.max(b.step);
    (x - y).abs() <= 0.51 * step + 1e-9 * x.abs().max(y.abs())
}

/// Whether one reading holds the requests of the other, which holds sums alone: as many of them, and
/// the mean TTFT or end-to-end latency that the other states.
fn is_records_of(records: &ResultRun, sums: &ResultRun) -> bool {
    if !records.run.reported.figures.is_empty() || !sums.run.requests.is_empty() {
        return false;
    }
    let measured: Vec<&RequestRecord> = records.run.measured().collect();
    if sums.run.completed() != Some(measured.len() as u64) {
        return false;
    }
    let mean = |of: &dyn Fn(&RequestRecord) -> Option<f64>| {
        let values: Vec<f64> = measured.iter().filter_map(|r| of(r)).collect();
        #[expect(clippy::cast_precision_loss, reason = "a count of requests")]
        let n = values.len() as f64;
        (n > 0.0).then(|| values.iter().sum::<f64>() / n)
    };
    let ttft = mean(&|r| Some(r.any_ttft()?.took.as_secs_f64()));
    let e2e = mean(&|r| Some(r.any_e2e()?.took.as_secs_f64()));
    let stated = |metric| sums.run.reported.value(metric, Some(Statistic::Mean));
    let near = |a: Option<f64>, b: Option<f64>| {
        a.zip(b).map(|(a, b)| (a - b).abs() <= 1e-3 * b.abs().max(1e-6))
    };
    let told = [near(ttft, stated(Metric::TtftS)), near(e2e, stated(Metric::E2eLatencyS))];
    told.iter().flatten().count() > 0 && told.iter().flatten().all(|same| *same)
}

fn join(lead: &mut ResultRun, rest: ResultRun) {
    let source = rest.run.source.clone().unwrap_or_default();
    lead.also_in.push(format!("{source} ({})", rest.format.name));
    lead.also_in.extend(rest.also_in);
    if lead.run.requests.is_empty() {
        lead.run.requests = rest.run.requests;
        lead.used = lead.used.max(rest.used);
    }
    let reported = &mut lead.run.reported;
    if !reported.duration.is_known() {
        reported.duration = rest.run.reported.duration;
        reported.duration_step_s = rest.run.reported.duration_step_s;
    }
    for figure in rest.run.reported.figures {
        if reported.figure(figure.metric, figure.statistic).is_none() {
            reported.figures.push(figure);
        }
    }
    for total in rest.run.reported.totals {
        if reported.total(total.total).is_none() {
            reported.totals.push(total);
        }
    }
    let (plan, other) = (&mut lead.run.plan, rest.run.plan);
    plan.requests = plan.requests.or(other.requests);
    plan.prompt_tokens = plan.prompt_tokens.or(other.prompt_tokens);
    plan.output_tokens = plan.output_tokens.or(other.output_tokens);
    plan.load = plan.load.or(other.load);
    plan.max_concurrency = plan.max_concurrency.or(other.max_concurrency);
    lead.run.conditions =
        std::mem::take(&mut lead.run.conditions).with_missing_from(&rest.run.conditions);
    if lead.arguments.is_empty() {
        lead.arguments = rest.arguments;
    }
    let there = |metric| lead.run.reported.figures.iter().any(|f| Some(f.metric) == metric);
    lead.missing.retain(|absent| absent.metric.is_none() || !there(absent.metric));
    lead.unknown.extend(rest.unknown);
    lead.unknown.sort();
    lead.unknown.dedup();
    lead.refused.extend(rest.refused);
    lead.refused.dedup();
    lead.rejected.extend(rest.rejected);
    lead.broke_off = lead.broke_off.take().or(rest.broke_off);
}
