//! A row mapped, bounded and judged.

use trueline_core::{Ratio, TokensPerSecond};
use trueline_roofline::{
    Catalogue, Hardware, Limits, LiveClocks, ModelShape, Parallel, Roof, Setup, Verdict, Workload,
    estimate_roof, judge_claim,
};

use super::model::shapes;
use super::rate;
use super::table::Row;
use super::workload::asked;

/// A row with its bounds, over all its devices.
pub(super) struct Judged<'a> {
    pub(super) row: &'a Row,
    pub(super) claim: TokensPerSecond,
    pub(super) strict: TokensPerSecond,
    /// The two ends of the model bound.
    pub(super) model: Option<(TokensPerSecond, TokensPerSecond)>,
    pub(super) verdict: Verdict,
}

impl Judged<'_> {
    /// What is predicted: the model bound on the best of the usual paths, or the strict one.
    pub(super) fn predicted(&self) -> TokensPerSecond {
        self.model.map_or(self.strict, |(_, high)| high)
    }

    /// The measured share of what is predicted.
    pub(super) fn share(&self) -> Ratio {
        Ratio::new(self.claim.get() / self.predicted().get()).unwrap()
    }
}

/// Judges a row, or says what of it is not known.
///
/// Where several devices or ways to spread over them fit, the one with the highest ceiling counts.
pub(super) fn judge(row: &Row) -> Result<Judged<'_>, String> {
    let devices: u64 = row.devices.parse().map_err(|_| format!("devices {:?}", row.devices))?;
    let measured: f64 = row.measured.parse().map_err(|_| format!("rate {:?}", row.measured))?;
    let shapes = shapes(row)?;
    let asked = asked(row, devices)?;
    let count = u32::try_from(devices).map_err(|e| e.to_string())?;
    let claim = rate(if asked.per_device { measured * f64::from(count) } else { measured })?;

    let mut best: Option<Judged<'_>> = None;
    for part in parts(&row.hardware)? {
        for spread in spreads(row, count) {
            let limits = Limits::of(part, &LiveClocks::default()).with_parallel(spread.parallel);
            let replicas = f64::from(spread.replicas);
            let of_one = rate(claim.get() / replicas)?;
            let bound = |shape: &ModelShape| roof(shape, &asked.workload, &limits);
            let (strict, usual) = (bound(&shapes.strict)?, bound(&shapes.usual)?);
            let setup = Setup::new(&shapes.strict, &asked.workload, &limits);
            let all = |one: TokensPerSecond| rate(one.get() * replicas);
            let model = usual.model.map(|m| Ok::<_, String>((all(m.low())?, all(m.high())?)));
            let found = Judged {
                row,
                claim,
                strict: all(strict.strict.high())?,
                model: model.transpose()?,
                verdict: judge_claim(of_one, setup, &strict),
            };
            if best.as_ref().is_none_or(|best| found.strict > best.strict) {
                best = Some(found);
            }
        }
    }
    best.ok_or_else(|| format!("hardware {:?} is not known", row.hardware))
}

impl std::fmt::Display for Judged<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let row = self.row;
        write!(
            f,
            "  {:>4} {:<30} x{:<3} {:<14} {:<12} {:<24} {:<5} {:>9.1} of",
            row.id,
            row.hardware,
            row.devices,
            row.model,
            row.weights,
            row.context,
            row.osl,
            self.claim.get()
        )?;
        match self.model {
            Some((low, high)) => write!(f, " {:>9.1} to {:>9.1}", low.get(), high.get())?,
            None => f.write_str(" (no model bound)")?,
        }
        write!(f, ", strict {:>9.1}, noted {:>9}", self.strict.get(), row.ceiling)
    }
}

fn roof(shape: &ModelShape, workload: &Workload, limits: &Limits) -> Result<Roof, String> {
    estimate_roof(shape, workload, limits).map_err(|e| e.to_string())
}

/// The part of that name, or all that it may be.
fn parts(name: &str) -> Result<Vec<&'static Hardware>, String> {
    let catalogue = Catalogue::built_in();
    let name = name.trim_end_matches(" node");
    // "Ryzen AI MAX 385 (Strix Halo)": what stands in brackets is a nickname of a family.
    let name = name.split(" (").next().unwrap_or(name);
    match catalogue.find_name(name) {
        Ok(part) => Ok(vec![part]),
        Err(error) if error.kind() == trueline_roofline::HardwareErrorKind::AmbiguousDevice => {
            Ok(error.candidates().iter().filter_map(|name| catalogue.get(name)).collect())
        }
        Err(error) => Err(error.to_string()),
    }
}

/// A way to spread over devices.
struct Spread {
    parallel: Parallel,
    replicas: u32,
}

/// The way that the engine's name tells, or all.
fn spreads(row: &Row, devices: u32) -> Vec<Spread> {
    let spread = |t, p, e| Spread { parallel: Parallel::new(t, p, e).unwrap(), replicas: 1 };
    let engine = row.engine.to_lowercase();
    let replicas = Spread { parallel: Parallel::default(), replicas: devices };
    if devices == 1 {
        vec![replicas]
    } else if engine.contains("layer split") {
        vec![spread(1, devices, 1)]
    } else if engine.contains(&format!("tp{devices}")) {
        vec![spread(devices, 1, 1)]
    } else if engine.contains(&format!("ep{devices}")) {
        vec![spread(1, 1, devices)]
    } else {
        vec![spread(devices, 1, 1), spread(1, devices, 1), spread(1, 1, devices), replicas]
    }
}
