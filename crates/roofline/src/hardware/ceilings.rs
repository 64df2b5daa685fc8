//! The ceilings of a part side by side: as published, at most, at live clocks, as measured.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cell::{Cell, Statement, Tag};
use super::math_path::MathPath;
use super::part::Hardware;
use crate::{BytesPerSecond, FlopsPerSecond, Interval, Megahertz};

/// A clock that somebody read, as the lowest and the highest of the readings.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ClockRange {
    low: Megahertz,
    high: Megahertz,
}

impl ClockRange {
    /// Between two readings, in either order.
    pub fn new(a: Megahertz, b: Megahertz) -> Self {
        if b < a { Self { low: b, high: a } } else { Self { low: a, high: b } }
    }

    /// The lowest reading.
    pub const fn low(self) -> Megahertz {
        self.low
    }

    /// The highest reading.
    pub const fn high(self) -> Megahertz {
        self.high
    }

    fn cell(self) -> Cell<Megahertz> {
        let mut cell = Cell::default();
        for value in [self.low, self.high] {
            let (source, read) = ("read off the device".to_owned(), "live".to_owned());
            cell.add(Statement { value, tag: Tag::Measured, source, read });
            if self.low == self.high {
                break;
            }
        }
        cell
    }
}

/// The clocks of a device as somebody read or measured them; what was not read stays at what is published.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct LiveClocks {
    processor: Option<ClockRange>,
    memory: Option<ClockRange>,
}

impl LiveClocks {
    /// With one reading of the processor's clock.
    #[must_use]
    pub fn with_processor(self, clock: Megahertz) -> Self {
        self.with_processor_range(ClockRange::new(clock, clock))
    }

    /// With a range of the processor's clock.
    #[must_use]
    pub const fn with_processor_range(mut self, clock: ClockRange) -> Self {
        self.processor = Some(clock);
        self
    }

    /// With one reading of the memory's clock, as the driver shows it.
    #[must_use]
    pub fn with_memory(self, clock: Megahertz) -> Self {
        self.with_memory_range(ClockRange::new(clock, clock))
    }

    /// With a range of the memory's clock.
    #[must_use]
    pub const fn with_memory_range(mut self, clock: ClockRange) -> Self {
        self.memory = Some(clock);
        self
    }

    /// The processor's clock, if it was read.
    pub const fn processor(&self) -> Option<ClockRange> {
        self.processor
    }

    /// The memory's clock, if it was read.
    pub const fn memory(&self) -> Option<ClockRange> {
        self.memory
    }
}

/// The rates that a part cannot exceed under one assumption about its clocks.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ceiling {
    /// The rate of each math path; a path that is not here is not known.
    #[serde(rename = "compute_flop_per_s", serialize_with = "by_name")]
    pub compute: BTreeMap<MathPath, Interval<FlopsPerSecond>>,
    /// The bandwidth of the memory; `None` where it is not known.
    #[serde(rename = "memory_byte_per_s")]
    pub memory: Option<Interval<BytesPerSecond>>,
}

impl Ceiling {
    /// The rate of a path; `None` where it is not known. There is no default path.
    pub fn peak(&self, path: MathPath) -> Option<&Interval<FlopsPerSecond>> {
        self.compute.get(&path)
    }

    /// Raises each rate to that of another ceiling, where that is higher.
    fn raise_to(&mut self, other: &Self) {
        for (path, rate) in &mut self.compute {
            if let Some(other) = other.compute.get(path) {
                raise(rate, other);
            }
        }
        if let (Some(memory), Some(other)) = (&mut self.memory, &other.memory) {
            raise(memory, other);
        }
    }
}

fn raise<T: Copy + PartialOrd>(rate: &mut Interval<T>, other: &Interval<T>) {
    if other.high() > rate.high() {
        let basis = rate.basis().iter().chain(other.basis()).cloned().collect();
        *rate = Interval::new(rate.low(), other.high(), rate.strength(), basis);
    }
}

/// The ceilings of a part under four assumptions, side by side.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Ceilings {
    /// At the clock at which rates are published.
    pub spec: Ceiling,
    /// Up to the highest clock: only this one says that something is impossible.
    pub most: Ceiling,
    /// At the clocks that were read; `None` where none was.
    pub live: Option<Ceiling>,
    /// As somebody measured on a large matrix product and on long reads; `None` where nobody did.
    pub measured: Option<Ceiling>,
}

impl Hardware {
    /// The ceilings of this part.
    ///
    /// # Formula
    /// The processor's clock scales compute and nothing else; the memory's clock scales bandwidth and
    /// nothing else. A live clock that was not read leaves its side as published. For bandwidth that is an
    /// upper bound: at a very low processor clock the fabric slows down as well. A live clock above the
    /// highest that is known, as on an overclocked board, raises what the part can reach at most.
    pub fn ceilings(&self, live: &LiveClocks) -> Ceilings {
        let of = |rate: &dyn Fn(MathPath) -> Option<Interval<FlopsPerSecond>>| {
            self.all_paths().into_iter().filter_map(|path| Some((path, rate(path)?))).collect()
        };
        let memory = self.bandwidth();
        let spec = Ceiling { compute: of(&|path| self.spec_peak(path)), memory: memory.clone() };
        let mut most = Ceiling { compute: of(&|path| self.peak(path)), memory: memory.clone() };
        let is_live = live.processor.is_some() || live.memory.is_some();
        let live = is_live.then(|| Ceiling {
            compute: match live.processor.map(ClockRange::cell) {
                Some(clock) => of(&|path| self.peak_at(path, &clock)),
                None => spec.compute.clone(),
            },
            memory: match live.memory.map(ClockRange::cell) {
                Some(clock) => self.bandwidth_at(&clock),
                None => memory,
            },
        });
        if let Some(live) = &live {
            most.raise_to(live);
        }
        Ceilings { spec, most, live, measured: self.measured() }
    }

    fn measured(&self) -> Option<Ceiling> {
        let compute: BTreeMap<_, _> =
            self.measured.iter().filter_map(|(path, cell)| Some((*path, stated(cell)?))).collect();
        let memory = stated(&self.measured_bandwidth);
        (!compute.is_empty() || memory.is_some()).then_some(Ceiling { compute, memory })
    }

    /// The paths with anything known, dense and sparse.
    fn all_paths(&self) -> Vec<MathPath> {
        let mut paths = self.paths();
        paths.extend(self.paths().into_iter().map(MathPath::sparse));
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

fn stated<T: Copy + PartialOrd + std::fmt::Display>(cell: &Cell<T>) -> Option<Interval<T>> {
    let basis = cell.basis("measured").collect();
    Some(Interval::new(cell.low()?, cell.high()?, cell.strength(), basis))
}

/// JSON keys are texts: `bf16_f32_dense`.
fn by_name<S: serde::Serializer>(
    compute: &BTreeMap<MathPath, Interval<FlopsPerSecond>>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(compute.iter().map(|(path, rate)| {
        let density = match path.density {
            super::math_path::Density::Dense => "dense",
            super::math_path::Density::Sparse2To4 => "sparse",
        };
        (format!("{}_{density}", path.types()), rate)
    }))
}
