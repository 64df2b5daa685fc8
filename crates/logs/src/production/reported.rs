//! Rates that the source states, held against the rates derived here.

use std::collections::BTreeMap;
use std::time::Duration;

use trueline_core::{Reading, Tokens, TokensPerSecond};

use crate::Values;

/// How close a stated rate must come to a reading of it.
const AGREES_WITHIN: f64 = 0.01;
/// How many stated fields are told apart: the first in alphabetical order.
const FIELDS: usize = 64;

/// In how many rows a stated rate could be tested against a reading, and agreed with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct ReadingCount {
    /// Rows in which the reading could be computed.
    pub testable: u64,
    /// Rows in which the stated rate lies within 1 % of it.
    pub agree: u64,
}

/// What is known of one stated rate in one cell.
///
/// Rows with at least one new token count, also those too short for a rate. TTFT stands for prefill
/// computation where the rows have no TTFT: see [`Production::computed_reported`].
///
/// [`Production::computed_reported`]: crate::Production::computed_reported
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReportedStats {
    rows: u64,
    ratio: Values,
    numerator: Values,
    denominator: Values,
    readings: [ReadingCount; Reading::ALL.len()],
}

impl ReportedStats {
    /// In how many rows the field states a rate that can be held against a derived one.
    pub fn rows(&self) -> u64 {
        self.rows
    }

    /// Stated rate over new tokens / TTFT, row by row.
    pub fn ratio(&self) -> &Values {
        &self.ratio
    }

    /// Prompt tokens over new tokens: the ratio that cached tokens in the numerator would cause.
    pub fn numerator(&self) -> &Values {
        &self.numerator
    }

    /// TTFT over prefill computation: the ratio that time left out would cause. Only rows that
    /// state the computation.
    pub fn denominator(&self) -> &Values {
        &self.denominator
    }

    /// How the stated rate agrees with a reading, row by row.
    pub fn reading(&self, reading: Reading) -> ReadingCount {
        self.readings[reading as usize]
    }

    fn add(&mut self, row: &ReadingsOfRow, stated: TokensPerSecond) {
        let stated = stated.get();
        let Some(derived) = row.rate(Reading::NewOverTtft) else { return };
        self.rows += 1;
        self.ratio.push(stated / derived);
        self.numerator.push(row.numerator);
        if let Some(denominator) = row.denominator {
            self.denominator.push(denominator);
        }
        for reading in Reading::ALL {
            let Some(predicted) = row.rate(reading) else { continue };
            let count = &mut self.readings[reading as usize];
            count.testable += 1;
            count.agree += u64::from((stated / predicted - 1.0).abs() <= AGREES_WITHIN);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        self.ratio.merge(&other.ratio);
        self.numerator.merge(&other.numerator);
        self.denominator.merge(&other.denominator);
        for (mine, theirs) in self.readings.iter_mut().zip(other.readings) {
            mine.testable += theirs.testable;
            mine.agree += theirs.agree;
        }
    }
}

/// The readings of one row, computed once for all its stated rates.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReadingsOfRow {
    rates: [Option<f64>; Reading::ALL.len()],
    numerator: f64,
    denominator: Option<f64>,
}

impl ReadingsOfRow {
    /// The readings of a row by the formulas of [`RequestRecord::rate_under`]; `None` without new
    /// tokens or TTFT.
    ///
    /// [`RequestRecord::rate_under`]: trueline_core::RequestRecord::rate_under
    pub(crate) fn of(
        prompt: Tokens,
        new: Tokens,
        ttft: Duration,
        compute: Option<Duration>,
    ) -> Option<Self> {
        let ttft = seconds(ttft).filter(|_| new.get() > 0)?;
        let compute = compute.and_then(seconds);
        let (prompt, new) = (prompt.as_f64(), new.as_f64());
        let mut rates = [None; Reading::ALL.len()];
        rates[Reading::NewOverTtft as usize] = Some(new / ttft);
        rates[Reading::AllOverTtft as usize] = Some(prompt / ttft);
        rates[Reading::NewOverCompute as usize] = compute.map(|c| new / c);
        rates[Reading::AllOverCompute as usize] = compute.map(|c| prompt / c);
        Some(Self { rates, numerator: prompt / new, denominator: compute.map(|c| ttft / c) })
    }

    fn rate(&self, reading: Reading) -> Option<f64> {
        self.rates[reading as usize]
    }
}

/// The stated fields by name; each has one entry for every cell.
type Fields = BTreeMap<String, Vec<ReportedStats>>;

/// Adds a stated rate of a row to its field.
pub(super) fn add_to(
    fields: &mut Fields,
    (name, cell, cells): (&str, usize, usize),
    readings: &ReadingsOfRow,
    rate: TokensPerSecond,
) {
    if !fields.contains_key(name) {
        fields.insert(name.to_owned(), vec![ReportedStats::default(); cells]);
        bound(fields);
    }
    if let Some(stats) = fields.get_mut(name).and_then(|stats| stats.get_mut(cell)) {
        stats.add(readings, rate);
    }
}

/// Joins the fields of another part.
pub(super) fn merge(fields: &mut Fields, others: &Fields) {
    for (name, theirs) in others {
        match fields.get_mut(name) {
            Some(mine) => mine.iter_mut().zip(theirs).for_each(|(a, b)| a.merge(b)),
            None => {
                fields.insert(name.clone(), theirs.clone());
            }
        }
    }
    bound(fields);
}

fn bound(fields: &mut Fields) {
    while fields.len() > FIELDS {
        fields.pop_last();
    }
}

fn seconds(took: Duration) -> Option<f64> {
    Some(took.as_secs_f64()).filter(|seconds| *seconds > 0.0)
}
