//! Whether what is published is what units, clocks and widths give.

use serde::Serialize;

use super::math_path::{Density, MathPath};
use super::part::Hardware;
use super::peak;

/// How far a published figure may be from the clock law without a word, as a share of the law's value.
///
/// # Source
/// All parts whose three factors are known agree to this; the others carry an exception with its reason.
pub const LAW_TOLERANCE: f64 = 0.003;

/// A published figure that the clock law does not give back.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Deviation {
    /// The cell, as `dense_tflops.fp8_f32` or `gb_per_s`.
    pub cell: String,
    /// The figure over the law's value.
    pub stated_over_law: f64,
    /// Who states the figure.
    pub source: String,
    /// Why it is off, where the file gives a reason that reaches this far.
    pub reason: Option<String>,
}

impl Hardware {
    /// The published figures that the clock law does not give back within [`LAW_TOLERANCE`].
    ///
    /// # Formula
    /// Rates: `units x FLOP per clock x clock`. Bandwidth: `memory clock x 2 x bus bits / 8`. Where sources
    /// disagree on a factor, the nearest of the products counts.
    ///
    /// # Shape
    /// One element for each statement that is off, rates before bandwidth. A figure whose factors are not
    /// all known is not judged.
    pub fn deviations(&self) -> Vec<Deviation> {
        let mut found = Vec::new();
        for (path, cell) in &self.published {
            let laws = self.rates(*path);
            let density = match path.density {
                Density::Dense => "dense",
                Density::Sparse2To4 => "sparse",
            };
            for statement in cell.stated() {
                let name = format!("{density}_tflops.{}", path.types());
                self.judge(name, statement.value.get(), &statement.source, &laws, &mut found);
            }
        }
        let laws = self.bandwidths();
        for statement in self.bandwidth.stated() {
            let (value, source) = (statement.value.get(), &statement.source);
            self.judge("gb_per_s".to_owned(), value, source, &laws, &mut found);
        }
        found
    }

    fn judge(
        &self,
        cell: String,
        stated: f64,
        source: &str,
        laws: &[f64],
        found: &mut Vec<Deviation>,
    ) {
        let off = |law: &f64| (stated / law - 1.0).abs();
        let Some(law) = laws.iter().min_by(|a, b| off(a).total_cmp(&off(b))) else { return };
        if off(law) <= LAW_TOLERANCE {
            return;
        }
        let listed = self.exceptions.iter().find(|e| e.cell == cell && off(law) <= e.off);
        let reason = listed.map(|exception| exception.reason.clone());
        let (stated_over_law, source) = (stated / law, source.to_owned());
        found.push(Deviation { cell, stated_over_law, source, reason });
    }

    fn rates(&self, path: MathPath) -> Vec<f64> {
        let Some(per_clock) = self.flops_per_clock_on(path) else { return Vec::new() };
        let mut laws = Vec::new();
        for units in self.units.stated() {
            for per_clock in per_clock.stated() {
                for clock in self.clock.stated() {
                    let rate = peak::law(units.value, per_clock.value, clock.value);
                    laws.extend(rate.map(crate::FlopsPerSecond::get).filter(|law| *law > 0.0));
                }
            }
        }
        laws
    }

    fn bandwidths(&self) -> Vec<f64> {
        let mut laws = Vec::new();
        for bits in self.bus_bits.stated() {
            for clock in self.mem_clock.stated() {
                let rate = peak::bandwidth(bits.value, clock.value);
                laws.extend(rate.map(crate::BytesPerSecond::get).filter(|law| *law > 0.0));
            }
        }
        laws
    }
}
