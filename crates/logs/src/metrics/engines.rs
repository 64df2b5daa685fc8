//! Which samples make up the counts of which engine.

use std::borrow::Cow;
use std::collections::BTreeMap;

use trueline_core::{By, Count, EngineCounts, Known, Why};

use super::exposition::{Exposition, Sample};
use super::table::{MetricsServer, Series, Source, Unlisted};

/// How often each series was seen.
type Replicas = BTreeMap<String, u64>;

/// A sum in the making, by engine.
type ByEngine = BTreeMap<String, Known<u64>>;

/// The counts of each engine, in order of labels.
///
/// # Shape
/// One without labels where the server is known to list nothing before its first request.
pub(super) fn engines(server: &MetricsServer, read: &Exposition<'_>) -> Vec<EngineCounts> {
    let counts: Vec<(Count, Unlisted, ByEngine)> = server
        .counts
        .iter()
        .map(|source| {
            let sums = by_engine(server, source.name, source.series, read);
            (source.count, unlisted(server, source, read), sums)
        })
        .collect();
    let mut engines: BTreeMap<&str, EngineCounts> = BTreeMap::new();
    for labels in counts.iter().flat_map(|(_, _, sums)| sums.keys()) {
        engines.entry(labels).or_default().labels.clone_from(labels);
    }
    if engines.is_empty() && counts.iter().any(|(_, unlisted, _)| *unlisted == Unlisted::Zero) {
        engines.insert("", EngineCounts::default());
    }
    let cached = server
        .cached
        .map(|(name, unlisted)| (unlisted, by_engine(server, name, Series::All, read)));
    for (labels, engine) in &mut engines {
        for (count, unlisted, sums) in &counts {
            engine.set(*count, sums.get(*labels).copied().unwrap_or_else(|| absent(*unlisted)));
        }
        if let Some((unlisted, sums)) = &cached {
            let cached = sums.get(*labels).copied().unwrap_or_else(|| absent(*unlisted));
            complete(engine, cached);
        }
    }
    engines.into_values().collect()
}

/// A gauge over all engines: repetitions of one count once, parts of a total not beside it.
pub(super) fn gauge(server: &MetricsServer, names: &[&str], read: &Exposition<'_>) -> Known<u64> {
    let mut sum: Option<Known<u64>> = None;
    for (at, name) in names.iter().enumerate() {
        let mut groups: BTreeMap<String, Known<u64>> = BTreeMap::new();
        let mut seen = Replicas::new();
        for sample in named(server, name, read).filter(|s| !is_part_of_a_total(server, s)) {
            let value = whole(sample.value);
            groups
                .entry(labels_without(sample, server.copied_by) + &replica(sample, &mut seen))
                .and_modify(|known| *known = larger(*known, value))
                .or_insert(value);
        }
        if at == 0 && groups.is_empty() {
            return Known::Not(Why::Absent);
        }
        for value in groups.into_values() {
            sum = Some(sum.map_or(value, |sum| plus(sum, value)));
        }
    }
    sum.unwrap_or_default()
}

/// The sum of the series of a name for each engine.
fn by_engine(
    server: &MetricsServer,
    name: &str,
    series: Series,
    read: &Exposition<'_>,
) -> ByEngine {
    let mut sums = ByEngine::new();
    let mut seen = Replicas::new();
    for sample in named(server, name, read).filter(|sample| belongs(sample, series)) {
        let labels = labels_without(sample, server.split_by) + &replica(sample, &mut seen);
        let value = whole(sample.value);
        sums.entry(labels).and_modify(|sum| *sum = plus(*sum, value)).or_insert(value);
    }
    sums
}

fn named<'a, 'b>(
    server: &'b MetricsServer,
    name: &'b str,
    read: &'b Exposition<'a>,
) -> impl Iterator<Item = &'b Sample<'a>> {
    read.samples.iter().filter(move |sample| server.strip(sample.name) == Some(name))
}

fn label<'a>(sample: &'a Sample<'_>, name: &str) -> Option<&'a Cow<'a, str>> {
    sample.labels.iter().find(|(label, _)| *label == name).map(|(_, value)| value)
}

fn belongs(sample: &Sample<'_>, series: Series) -> bool {
    let is = |name, value: &str| label(sample, name).is_some_and(|found| found == value);
    match series {
        Series::All => true,
        Series::Only(name, value) => is(name, value),
        Series::Except(name, value) => !is(name, value),
    }
}

fn is_part_of_a_total(server: &MetricsServer, sample: &Sample<'_>) -> bool {
    let part = server.total_by.and_then(|name| label(sample, name));
    part.is_some_and(|value| !value.is_empty())
}

fn labels_without(sample: &Sample<'_>, left_out: &[&str]) -> String {
    let kept: Vec<String> = sample
        .labels
        .iter()
        .filter(|(name, _)| !left_out.contains(name))
        .map(|(name, value)| format!("{name}={value}"))
        .collect();
    kept.join(",")
}

/// A number for a series that was seen before: that of another replica, its text appended.
fn replica(sample: &Sample<'_>, seen: &mut Replicas) -> String {
    let times = seen.entry(labels_without(sample, &[])).or_default();
    *times += 1;
    if *times > 1 { format!("#{times}") } else { String::new() }
}

/// What it means here that a count is not listed.
fn unlisted(server: &MetricsServer, source: &Source, read: &Exposition<'_>) -> Unlisted {
    // Some declare a counter under the name without `_total`.
    let short = source.name.strip_suffix("_total").unwrap_or(source.name);
    let declares =
        |name: &&str| server.strip(name).is_some_and(|name| name == source.name || name == short);
    match source.unlisted {
        Unlisted::ZeroIfDeclared if read.declared.iter().any(declares) => Unlisted::Zero,
        Unlisted::ZeroIfDeclared => Unlisted::Unknown,
        other => other,
    }
}

fn absent(unlisted: Unlisted) -> Known<u64> {
    match unlisted {
        Unlisted::Zero => Known::is(0, By::Derived),
        _ => Known::Not(Why::Absent),
    }
}

/// Computed and all prompt tokens from each other, by way of the cached ones.
fn complete(engine: &mut EngineCounts, cached: Known<u64>) {
    let both = |a: Known<u64>, sum: fn(u64, u64) -> Option<u64>| match (a, cached) {
        (Known::Is { value: a, .. }, Known::Is { value: cached, .. }) => {
            Known::derived(sum(a, cached), Why::Impossible)
        }
        (Known::Not(why), _) | (_, Known::Not(why)) => Known::Not(why),
    };
    match (engine.prompt_tokens.is_known(), engine.new_tokens.is_known()) {
        (true, false) => engine.new_tokens = both(engine.prompt_tokens, u64::checked_sub),
        (false, true) => engine.prompt_tokens = both(engine.new_tokens, u64::checked_add),
        _ => {}
    }
}

/// A count from the number that stands for it. Beyond 2^53 a float tells one from the next no more.
fn whole(value: f64) -> Known<u64> {
    if !value.is_finite() {
        return Known::Not(Why::NonFinite);
    }
    if !(0.0..=9_007_199_254_740_992.0).contains(&value) || value.fract() != 0.0 {
        return Known::Not(Why::Impossible);
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and within 0 to 2^53 by the tests above"
    )]
    Known::is(value as u64, By::Reported)
}

fn plus(a: Known<u64>, b: Known<u64>) -> Known<u64> {
    match (a, b) {
        (Known::Is { value: a, by }, Known::Is { value: b, .. }) => {
            a.checked_add(b).map_or(Known::Not(Why::Impossible), |sum| Known::is(sum, by))
        }
        (Known::Not(why), _) | (_, Known::Not(why)) => Known::Not(why),
    }
}

fn larger(a: Known<u64>, b: Known<u64>) -> Known<u64> {
    match (a, b) {
        (Known::Is { value: a, by }, Known::Is { value: b, .. }) => Known::is(a.max(b), by),
        (Known::Not(why), _) | (_, Known::Not(why)) => Known::Not(why),
    }
}
