//! The ways in which so many devices can share a model.

use trueline_roofline::Parallel;

use super::Deployment;

/// One way: so many replicas, each spread so.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Layout {
    pub(super) parallel: Parallel,
    pub(super) replicas: u64,
}

/// How a model is spread, as far as somebody says so.
///
/// # Shape
/// Never empty; the bound of a run is that of the best of them.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Layouts {
    pub(super) ways: Vec<Layout>,
    /// Whether somebody said over how many devices.
    pub(super) known: bool,
}

impl Layouts {
    /// The layouts that are left open; one device where nobody said how many, and then not known.
    pub(super) fn of(devices: Option<u64>, parallel: Option<Parallel>) -> Self {
        let one = vec![Layout { parallel: Parallel::default(), replicas: 1 }];
        match (devices, parallel) {
            (None, Some(parallel)) => {
                Self { ways: vec![Layout { parallel, replicas: 1 }], known: true }
            }
            (Some(n), Some(parallel)) => {
                // A rest of devices that makes no replica may idle, or the statement is wrong.
                let replicas = n.div_ceil(parallel.devices()).max(1);
                Self { ways: vec![Layout { parallel, replicas }], known: true }
            }
            (Some(n), None) if (1..=Deployment::MOST_DEVICES).contains(&n) => {
                Self { ways: every_way(n), known: true }
            }
            (_, None) => Self { ways: one, known: false },
        }
    }

    /// The most devices of any of them.
    pub(super) fn devices(&self) -> u64 {
        let of = |way: &Layout| way.parallel.devices().saturating_mul(way.replicas);
        self.ways.iter().map(of).max().unwrap_or(1)
    }
}

/// Every way to make `n` of tensor, pipeline and expert parallelism and replicas.
fn every_way(n: u64) -> Vec<Layout> {
    let divisors = |of: u64| (1..=of).filter(move |d| of.is_multiple_of(*d));
    let mut ways = Vec::new();
    for tensor in divisors(n) {
        for pipeline in divisors(n / tensor) {
            for expert in divisors(n / tensor / pipeline) {
                let replicas = n / tensor / pipeline / expert;
                let small = |n: u64| u32::try_from(n).unwrap_or(u32::MAX);
                let parallel = Parallel::new(small(tensor), small(pipeline), small(expert));
                ways.extend(parallel.map(|parallel| Layout { parallel, replicas }));
            }
        }
    }
    ways
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn so_many_devices_are_split_in_every_way() {
        // By hand: ordered ways to write 4 as a product of four factors: 2^2 over four places, C(5,3) = 10.
        assert_eq!(Layouts::of(Some(4), None).ways.len(), 10);
        assert_eq!(Layouts::of(Some(1), None).ways.len(), 1);
        let all = Layouts::of(Some(8), None);
        assert!(all.known && all.devices() == 8);
        assert!(all.ways.iter().all(|w| w.parallel.devices() * w.replicas == 8));
    }

    #[test]
    fn what_nobody_said_is_not_known() {
        assert!(!Layouts::of(None, None).known);
        assert!(!Layouts::of(Some(0), None).known);
        assert!(!Layouts::of(Some(u64::MAX), None).known);
        let two = Parallel::new(2, 1, 1);
        assert_eq!(Layouts::of(None, two).devices(), 2);
        assert_eq!(Layouts::of(Some(8), two).ways.first().map(|w| w.replicas), Some(4));
    }
}
