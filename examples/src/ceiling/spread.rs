//! How a model is spread over devices: as somebody says, or the best of all ways.

use trueline_roofline::{Limits, ModelShape, Parallel, Workload, estimate_roof};

use crate::failure::Failure;

/// More devices than one deployment of a model has.
const MOST_DEVICES: u64 = 1024;

/// Over how many devices, and how.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Spread {
    /// So.
    As(Parallel),
    /// Over so many devices in whichever way is best.
    Over(u64),
}

impl Spread {
    /// What `--devices` and `--parallel` say.
    ///
    /// # Errors
    /// No devices, more than there are, and two statements that do not fit.
    pub(super) fn of(devices: Option<u64>, parallel: Option<Parallel>) -> Result<Self, Failure> {
        match (devices, parallel) {
            (None, None) => Ok(Self::As(Parallel::default())),
            (None, Some(parallel)) => Ok(Self::As(parallel)),
            (Some(n), _) if !(1..=MOST_DEVICES).contains(&n) => {
                Err(Failure::new(format!("--devices: expected 1 to {MOST_DEVICES}, found {n}")))
            }
            (Some(n), None) => Ok(Self::Over(n)),
            (Some(n), Some(parallel)) if parallel.devices() == n => Ok(Self::As(parallel)),
            (Some(n), Some(parallel)) => Err(Failure::new(format!(
                "--devices {n}: expected the product of --parallel, {}; of several replicas judge one",
                parallel.devices()
            ))),
        }
    }

    /// Whether nobody said how several devices are used.
    pub(super) const fn is_open(self) -> bool {
        matches!(self, Self::Over(2..))
    }

    /// The limits of the devices together; of several ways those with the highest strict bound.
    pub(super) fn limits(self, one: &Limits, model: &ModelShape, workload: &Workload) -> Limits {
        let ways = match self {
            Self::As(parallel) => return one.clone().with_parallel(parallel),
            Self::Over(devices) => every_way(devices),
        };
        let bound = |way: &Parallel| {
            let limits = one.clone().with_parallel(*way);
            estimate_roof(model, workload, &limits).map_or(0.0, |roof| roof.strict.high().get())
        };
        let best = ways
            .into_iter()
            .map(|way| (bound(&way), way))
            .reduce(|a, b| if b.0 > a.0 { b } else { a });
        one.clone().with_parallel(best.map_or_else(Parallel::default, |(_, way)| way))
    }
}

/// Every way to make `n` of tensor, pipeline and expert parallelism.
fn every_way(n: u64) -> Vec<Parallel> {
    let divisors = |of: u64| (1..=of).filter(move |d| of.is_multiple_of(*d));
    let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
    let mut ways = Vec::new();
    // Tensors first: of equal bounds the usual way stays.
    for pipeline in divisors(n) {
        for expert in divisors(n / pipeline) {
            let tensor = n / pipeline / expert;
            ways.extend(Parallel::new(small(tensor), small(pipeline), small(expert)));
        }
    }
    ways
}

/// Reads `tp=2,pp=1,ep=1`.
///
/// # Errors
/// Another key, one that stands twice, a number that is none or zero.
pub(crate) fn parse(text: &str) -> Result<Parallel, String> {
    let expected = || format!("expected tp=N,pp=N,ep=N, each at least 1, found {text:?}");
    let mut given = [None; 3];
    for part in text.split(',') {
        let (key, value) = part.split_once('=').ok_or_else(expected)?;
        let place =
            ["tp", "pp", "ep"].iter().position(|k| *k == key.trim()).ok_or_else(expected)?;
        let slot = given.get_mut(place).ok_or_else(expected)?;
        let value: u32 = value.trim().parse().map_err(|_| expected())?;
        if slot.replace(value).is_some() {
            return Err(expected());
        }
    }
    let [tensor, pipeline, expert] = given.map(|n| n.unwrap_or(1));
    Parallel::new(tensor, pipeline, expert).ok_or_else(expected)
}

/// As `--parallel` takes it.
pub(super) fn written(parallel: Parallel) -> String {
    format!("tp={},pp={},ep={}", parallel.tensor(), parallel.pipeline(), parallel.expert())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spread_is_read_as_it_is_written() {
        let two = Parallel::new(2, 1, 4).unwrap();
        assert_eq!(parse("tp=2,ep=4"), Ok(two));
        assert_eq!(parse(&written(two)), Ok(two));
        for bad in ["", "tp", "tp=0", "dp=2", "tp=2,tp=2", "tp=-1", "tp=9999999999"] {
            assert!(parse(bad).unwrap_err().contains("tp=N"), "{bad}");
        }
    }

    #[test]
    fn devices_are_split_in_every_way_and_statements_have_to_fit() {
        // By hand: ordered ways to write 8 as a product of three: 2^3 over three places, C(5,2) = 10.
        assert_eq!(every_way(8).len(), 10);
        assert_eq!(every_way(8).first(), Parallel::new(8, 1, 1).as_ref());
        let two = Parallel::new(2, 1, 1);
        assert!(Spread::of(Some(3), two).unwrap_err().to_string().contains("product"));
        assert!(Spread::of(Some(0), None).is_err() && Spread::of(Some(u64::MAX), None).is_err());
        assert_eq!(Spread::of(Some(2), two).unwrap(), Spread::As(two.unwrap()));
    }
}
