//! The fields of a run, taken by tables of rows: keys of documents and labels of consoles.

use std::collections::BTreeSet;

use trueline_core::{By, Definition, Figure, Known, Load, Metric, Statistic, Tokens, Total, Why};

use super::absent::Absent;
use super::draft::Draft;
use super::labels::{Label, step_of};
use super::node::{Map, counted, known_number, text_number};
use super::plan::{cap_of, set_load};
use super::quantity::{scaled, seconds};
use super::row::{Row, Takes, row_of, statistic};

impl Draft {
    /// Takes a document's keys by a table. A key that no row knows is noted; one that stands twice
    /// counts as impossible.
    pub(crate) fn take(&mut self, map: &Map, rows: &[Row]) {
        self.take_under("", map, rows);
    }

    /// The same for an object inside a document: its keys are told apart as `under.key`.
    pub(crate) fn take_under(&mut self, under: &str, map: &Map, rows: &[Row]) {
        let path =
            |key: &str| if under.is_empty() { key.to_owned() } else { format!("{under}.{key}") };
        self.doubled.extend(map.doubled().into_iter().map(path));
        let mut found = BTreeSet::new();
        for (key, node) in map.iter() {
            let Some((row, stat)) = row_of(key, rows) else {
                self.unknown.insert(path(key));
                continue;
            };
            if !found.insert(key) {
                continue;
            }
            let source = path(key);
            let twice = self.doubled.contains(&source);
            let value = if twice { Known::Not(Why::Impossible) } else { known_number(Some(node)) };
            self.set(row, stat, value, 0.0, node.text(), &source);
        }
        let there: Vec<&str> = map.iter().map(|(key, _)| key).collect();
        self.note_missing(rows, &there);
    }

    /// Takes a console's labels by a table: the reader gives those of one run and of nothing around
    /// it. A label that no row knows is noted.
    pub(crate) fn take_labels(&mut self, labels: &[Label<'_>], rows: &[Row]) {
        for label in labels {
            let Some((row, stat)) = row_of(label.name, rows) else {
                self.unknown.insert(label.name.to_owned());
                continue;
            };
            let number = label.value.split_whitespace().next().unwrap_or_default();
            let value = text_number(number);
            self.set(row, stat, value, step_of(number), Some(label.value), label.name);
        }
        let there: Vec<&str> = labels.iter().map(|l| l.name).collect();
        self.note_missing(rows, &there);
    }

    /// Takes an object of statistics, such as `{"avg": 3, "p50": 2}`, for one metric. `known` are
    /// its keys that are no statistics.
    pub(crate) fn take_spread(
        &mut self,
        source: &str,
        map: &Map,
        (metric, unit, meaning): (Metric, f64, Definition),
        known: &[&str],
    ) {
        for (key, node) in map.iter() {
            let name = key.strip_prefix("quantiles_").unwrap_or(key);
            match statistic(name) {
                Some(stat) => {
                    let value = scaled(known_number(Some(node)), unit);
                    self.figure(metric, Some(stat), value, meaning, &format!("{source}.{key}"));
                }
                None if known.contains(&key) => {}
                None => drop(self.unknown.insert(format!("{source}.{key}"))),
            }
        }
    }

    /// Notes the expected rows that no key or label of a place is.
    pub(crate) fn note_missing(&mut self, rows: &[Row], there: &[&str]) {
        let is_there = |row: &Row| there.iter().any(|key| row.is_under(key));
        for row in rows.iter().filter(|row| row.expected && !is_there(row)) {
            self.note_absent(row.key, row.takes, there);
        }
    }

    /// Notes something expected that is not among what is there.
    pub(crate) fn note_absent(&mut self, label: &str, takes: Takes, there: &[&str]) {
        let metric = match takes {
            Takes::Run(metric, _) | Takes::Spread(metric, _) => Some(metric),
            _ => None,
        };
        self.missing.push(Absent::new(label, metric, there));
    }

    /// Sets what a row takes; `text` is the field as it is written, where it is a text.
    fn set(
        &mut self,
        row: &Row,
        stat: Option<Statistic>,
        value: Known<f64>,
        step: f64,
        text: Option<&str>,
        source: &str,
    ) {
        let count = || counted(scaled(value, row.unit));
        let tokens = || count().value().map(Tokens::new);
        match row.takes {
            Takes::Run(metric, meaning) | Takes::Spread(metric, meaning) => {
                let figure = Figure::new(metric, stat, scaled(value, row.unit), meaning, source);
                self.stepped(figure, step * row.unit);
            }
            Takes::Total(total) => self.total(total, count(), source),
            Takes::Duration => {
                self.run.reported.duration = seconds(scaled(value, row.unit));
                self.run.reported.duration_step_s = step * row.unit;
            }
            Takes::Condition(name) => {
                let plain = value.value().map(|x| x.to_string());
                if let Some(value) = text.map(str::to_owned).or(plain).filter(|v| !v.is_empty()) {
                    self.run.conditions.set(name, value, By::Reported);
                }
            }
            Takes::PlannedRequests => {
                self.run.plan.requests = count().value();
                self.total(Total::PlannedRequests, count(), source);
            }
            Takes::Concurrency => {
                let cap = cap_of(count().value());
                self.run.plan.max_concurrency = cap.or(self.run.plan.max_concurrency);
                set_load(&mut self.run.plan);
            }
            Takes::Rate => {
                if value.why() == Some(Why::NonFinite) {
                    // No rate: all at once, or as soon as the cap allows.
                    self.run.conditions.set("request_rate", "inf", By::Reported);
                }
                self.run.plan.load =
                    value.value().filter(|r| *r > 0.0).map(Load::Rate).or(self.run.plan.load);
                set_load(&mut self.run.plan);
            }
            Takes::PromptLength => self.run.plan.prompt_tokens = tokens(),
            Takes::OutputLength => self.run.plan.output_tokens = tokens(),
            Takes::Elsewhere | Takes::Unused => {}
        }
    }
}
