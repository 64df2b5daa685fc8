//! One device as the catalogue knows it.

use std::collections::BTreeMap;

use serde::Serialize;

use super::cell::Cell;
use super::math_path::{Density, MathPath};
use crate::{Bytes, BytesPerSecond, Count, FlopsPerClock, FlopsPerSecond, Megahertz, Watts};

/// A cell that the clock law does not give back, and why.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct LawException {
    /// The cell, as `dense_tflops.fp8_f32` or `gb_per_s`.
    pub cell: String,
    /// How far off it may be, as a share of the law's value.
    pub off: f64,
    /// Why it is off.
    pub reason: String,
}

/// One device as the catalogue knows it: what each source says of it.
///
/// # Units
/// Per device that the runtime shows: one die of an MI250X, one package of a GB200. A link is counted in
/// one direction. Bandwidth is decimal.
///
/// # Shape
/// A cell without a statement is not known, and what needs it is not known either.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct Hardware {
    /// The name under which it stands in the catalogue; unique there.
    pub name: String,
    /// Other names that drivers and people give it.
    pub hints: Vec<String>,
    /// What a reader of its figures should know.
    pub note: Option<String>,
    /// Streaming multiprocessors, compute units, GPU cores, matrix engines or processor cores.
    pub units: Cell<Count>,
    /// The clock at which its rates are published.
    pub clock: Cell<Megahertz>,
    /// The highest clock at which its units can run.
    pub max_clock: Cell<Megahertz>,
    /// What one unit does in one clock, for each path that a source gives.
    pub flops_per_clock: BTreeMap<MathPath, Cell<FlopsPerClock>>,
    /// The rates as they are published: only ever compared with the clock law, or as an end of an interval.
    pub published: BTreeMap<MathPath, Cell<FlopsPerSecond>>,
    /// The best rates that somebody measured on a large matrix product.
    pub measured: BTreeMap<MathPath, Cell<FlopsPerSecond>>,
    /// The rate on paths that skip zeros, over the dense one.
    pub sparse_over_dense: Cell<Count>,
    /// The enabled width of the memory bus, in bits.
    pub bus_bits: Cell<Count>,
    /// The width that a driver shows where that is not the enabled one; for lookup only.
    pub reported_bus_bits: Cell<Count>,
    /// The highest memory clock, as the driver shows it: half of the transfer rate.
    pub mem_clock: Cell<Megahertz>,
    /// The memory clock at which compute programs run, where the driver holds it lower.
    pub loaded_mem_clock: Cell<Megahertz>,
    /// The memory bandwidth as it is published.
    pub bandwidth: Cell<BytesPerSecond>,
    /// The best read bandwidth that somebody measured.
    pub measured_bandwidth: Cell<BytesPerSecond>,
    /// The memory's size.
    pub memory: Cell<Bytes>,
    /// The last-level cache's size.
    pub cache: Cell<Bytes>,
    /// The power that the board is sold for.
    pub board_power: Cell<Watts>,
    /// The bandwidth to other devices, in one direction.
    pub link: Cell<BytesPerSecond>,
    /// How many such devices a board holds, where it is more than one.
    pub devices_per_board: Cell<Count>,
    /// The cells that the clock law does not give back.
    pub exceptions: Vec<LawException>,
}

impl Hardware {
    /// What one unit does in one clock on a path; `None` where no source gives it.
    ///
    /// # Formula
    /// As stated; for a sparse path without a statement of its own the dense one times
    /// [`Hardware::sparse_over_dense`].
    pub fn flops_per_clock_on(&self, path: MathPath) -> Option<Cell<FlopsPerClock>> {
        of_path(&self.flops_per_clock, path, &self.sparse_over_dense, FlopsPerClock::times)
    }

    /// The rate as it is published for a path; `None` where no source gives it.
    pub fn published_on(&self, path: MathPath) -> Option<Cell<FlopsPerSecond>> {
        of_path(&self.published, path, &self.sparse_over_dense, FlopsPerSecond::times)
    }

    /// The paths for which anything is known: those stated, in order.
    pub fn paths(&self) -> Vec<MathPath> {
        let mut paths: Vec<MathPath> =
            self.flops_per_clock.keys().chain(self.published.keys()).copied().collect();
        paths.sort_unstable();
        paths.dedup();
        paths
    }
}

/// The cell of a path, a sparse one by way of the dense one.
fn of_path<T: Copy + PartialOrd>(
    cells: &BTreeMap<MathPath, Cell<T>>,
    path: MathPath,
    sparse_over_dense: &Cell<Count>,
    times: impl Fn(T, f64) -> Option<T>,
) -> Option<Cell<T>> {
    if let Some(cell) = cells.get(&path) {
        return Some(cell.clone());
    }
    if path.density == Density::Dense || !path.can_skip_zeros() {
        return None;
    }
    let ratio = sparse_over_dense.best()?;
    let dense = cells.get(&MathPath { density: Density::Dense, ..path })?;
    let weaker = |tag| ratio.tag.max(tag);
    Some(dense.map(|value| times(value, ratio.value.get())).tagged(weaker))
}
