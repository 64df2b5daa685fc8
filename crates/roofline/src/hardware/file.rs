//! Reading parts from TOML: the catalogue's own files and a user's.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use super::cell::{Cell, Statement, Tag};
use super::error::HardwareError;
use super::math_path::MathPath;
use super::part::{Hardware, LawException};
use crate::{Bytes, BytesPerSecond, Count, FlopsPerClock, FlopsPerSecond, Megahertz, Watts};

/// A document: its title and when it was read.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Source {
    title: String,
    read: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    source: BTreeMap<String, Source>,
    #[serde(default)]
    part: Vec<RawPart>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPart {
    name: Spanned<String>,
    #[serde(default)]
    hints: Vec<String>,
    note: Option<String>,
    #[serde(default)]
    says: Vec<RawSays>,
    #[serde(default)]
    exception: Vec<RawException>,
}

/// What one source says of a part.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSays {
    source: Spanned<String>,
    tag: Tag,
    units: Option<Positive>,
    devices_per_board: Option<Positive>,
    clock_mhz: Option<Positive>,
    max_clock_mhz: Option<Positive>,
    #[serde(default)]
    dense_flop_per_clk: BTreeMap<PathName, Positive>,
    #[serde(default)]
    sparse_flop_per_clk: BTreeMap<PathName, Positive>,
    #[serde(default)]
    dense_tflops: BTreeMap<PathName, Positive>,
    #[serde(default)]
    sparse_tflops: BTreeMap<PathName, Positive>,
    #[serde(default)]
    measured_tflops: BTreeMap<PathName, Positive>,
    sparse_over_dense: Option<Positive>,
    bus_bits: Option<Positive>,
    reported_bus_bits: Option<Positive>,
    mem_clock_mhz: Option<Positive>,
    loaded_mem_clock_mhz: Option<Positive>,
    gb_per_s: Option<Positive>,
    measured_gb_per_s: Option<Positive>,
    memory_gib: Option<Positive>,
    memory_mib: Option<Positive>,
    llc_mib: Option<Positive>,
    tdp_w: Option<Positive>,
    link_gb_per_s: Option<Positive>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawException {
    cell: String,
    off: Positive,
    reason: String,
}

/// A finite number above zero, small enough that products of a few stay finite.
#[derive(Clone, Copy, Deserialize)]
#[serde(try_from = "f64")]
struct Positive(f64);

impl TryFrom<f64> for Positive {
    type Error = String;

    fn try_from(value: f64) -> Result<Self, String> {
        if value > 0.0 && value <= 1e12 {
            Ok(Self(value))
        } else {
            Err(format!("expected a number above 0 and at most 1e12, found {value}"))
        }
    }
}

/// The name of a path without its density.
#[derive(PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(try_from = "String")]
struct PathName(MathPath);

impl TryFrom<String> for PathName {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        MathPath::parse_dense(&text).map(Self).map_err(|error| error.to_string())
    }
}

/// Sources by key.
pub(super) type Sources = BTreeMap<String, Source>;

/// Reads parts and adds the file's own sources to those known; later ones of one key win.
pub(super) fn parse(text: &str, sources: &mut Sources) -> Result<Vec<Hardware>, HardwareError> {
    let file: RawFile = toml::from_str(text).map_err(|error| {
        let line = error.span().map(|span| line_of(text, span.start));
        let found = line.and_then(|line| text.lines().nth(line - 1)).unwrap_or_default().trim();
        let message = error.message().trim();
        HardwareError::file(line, format!("expected a hardware file, at `{found}`: {message}"))
    })?;
    sources.extend(file.source);
    let mut parts: Vec<Hardware> = Vec::new();
    for raw in file.part {
        let line = line_of(text, raw.name.span().start);
        let name = raw.name.as_ref().trim();
        if name.is_empty() {
            return Err(HardwareError::file(Some(line), "expected a name, found none".to_owned()));
        }
        if parts.iter().any(|part| part.name == name) {
            let message = format!("expected each part once, found {name:?} twice");
            return Err(HardwareError::file(Some(line), message));
        }
        parts.push(part(raw, text, sources)?);
    }
    Ok(parts)
}

fn part(raw: RawPart, text: &str, sources: &Sources) -> Result<Hardware, HardwareError> {
    let mut part = Hardware {
        name: raw.name.as_ref().trim().to_owned(),
        hints: raw.hints,
        note: raw.note,
        exceptions: raw
            .exception
            .into_iter()
            .map(|e| LawException { cell: e.cell, off: e.off.0, reason: e.reason })
            .collect(),
        ..Hardware::default()
    };
    for says in raw.says {
        let key = says.source.as_ref();
        let Some(source) = sources.get(key) else {
            let line = line_of(text, says.source.span().start);
            let known: Vec<&str> = sources.keys().map(String::as_str).collect();
            let message = format!(
                "expected the key of a [source] table ({}), found {key:?}; add [source.KEY] with \
                 title and read",
                known.join(", ")
            );
            return Err(HardwareError::file(Some(line), message));
        };
        part.add(&says, source);
    }
    Ok(part)
}

impl Hardware {
    /// Adds what a source says to each cell that it names.
    fn add(&mut self, says: &RawSays, source: &Source) {
        let by = Teller { tag: says.tag, source };
        by.tell(&mut self.units, says.units, Count::new);
        by.tell(&mut self.devices_per_board, says.devices_per_board, Count::new);
        by.tell(&mut self.clock, says.clock_mhz, Megahertz::new);
        by.tell(&mut self.max_clock, says.max_clock_mhz, Megahertz::new);
        by.tell(&mut self.sparse_over_dense, says.sparse_over_dense, Count::new);
        by.tell(&mut self.bus_bits, says.bus_bits, Count::new);
        by.tell(&mut self.reported_bus_bits, says.reported_bus_bits, Count::new);
        by.tell(&mut self.mem_clock, says.mem_clock_mhz, Megahertz::new);
        by.tell(&mut self.loaded_mem_clock, says.loaded_mem_clock_mhz, Megahertz::new);
        by.tell(&mut self.bandwidth, says.gb_per_s, BytesPerSecond::from_gb_per_s);
        let measured = says.measured_gb_per_s;
        by.tell(&mut self.measured_bandwidth, measured, BytesPerSecond::from_gb_per_s);
        by.tell(&mut self.memory, says.memory_gib, Bytes::from_gib);
        by.tell(&mut self.memory, says.memory_mib, Bytes::from_mib);
        by.tell(&mut self.cache, says.llc_mib, Bytes::from_mib);
        by.tell(&mut self.board_power, says.tdp_w, Watts::new);
        by.tell(&mut self.link, says.link_gb_per_s, BytesPerSecond::from_gb_per_s);
        for (path, value) in &says.dense_flop_per_clk {
            let cell = self.flops_per_clock.entry(path.0).or_default();
            by.tell(cell, Some(*value), FlopsPerClock::new);
        }
        for (path, value) in &says.sparse_flop_per_clk {
            let cell = self.flops_per_clock.entry(path.0.sparse()).or_default();
            by.tell(cell, Some(*value), FlopsPerClock::new);
        }
        for (path, value) in &says.dense_tflops {
            let cell = self.published.entry(path.0).or_default();
            by.tell(cell, Some(*value), FlopsPerSecond::from_tflops);
        }
        for (path, value) in &says.sparse_tflops {
            let cell = self.published.entry(path.0.sparse()).or_default();
            by.tell(cell, Some(*value), FlopsPerSecond::from_tflops);
        }
        for (path, value) in &says.measured_tflops {
            let cell = self.measured.entry(path.0).or_default();
            by.tell(cell, Some(*value), FlopsPerSecond::from_tflops);
        }
    }
}

/// Who says something, and how well it is known.
struct Teller<'a> {
    tag: Tag,
    source: &'a Source,
}

impl Teller<'_> {
    fn tell<T: Copy + PartialOrd, E>(
        &self,
        cell: &mut Cell<T>,
        value: Option<Positive>,
        unit: impl Fn(f64) -> Result<T, E>,
    ) {
        // A positive number of the size accepted is a quantity in each unit.
        if let Some(Ok(value)) = value.map(|value| unit(value.0)) {
            let (source, read) = (self.source.title.clone(), self.source.read.clone());
            cell.add(Statement { value, tag: self.tag, source, read });
        }
    }
}

/// The line of an offset, counted from 1.
fn line_of(text: &str, offset: usize) -> usize {
    text.get(..offset).unwrap_or(text).matches('\n').count() + 1
}
