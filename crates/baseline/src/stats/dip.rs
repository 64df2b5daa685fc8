//! Whether values have one mode: Hartigan and Hartigan's dip.

use super::count;

/// The dip of some values and how it stands to chance.
#[derive(Debug, Clone, Copy, PartialEq)]
#[non_exhaustive]
pub struct Dip {
    /// The largest distance to the nearest distribution with one mode.
    pub dip: f64,
    /// The dip that one uniform sample in a hundred of this size exceeds.
    pub critical: f64,
}

/// Sizes and the 99 % quantile of `sqrt(n) * dip` of uniform samples of that size; 40,000 samples
/// a size (fewer from 1,000 on), two significant digits of the last place certain.
const ONE_PERCENT: [(f64, f64); 8] = [
    (20.0, 0.543),
    (30.0, 0.553),
    (50.0, 0.573),
    (100.0, 0.589),
    (200.0, 0.603),
    (500.0, 0.615),
    (1_000.0, 0.620),
    (5_000.0, 0.625),
];

/// The dip of sorted values; `None` with fewer than 20.
///
/// # Formula
/// The dip is the smallest distance between the empirical distribution and one that is convex up to
/// some interval and concave after it. Found by narrowing that interval: within the current one the
/// greatest convex minorant and the least concave majorant are drawn; where they lie furthest apart
/// the next interval begins and ends, and the parts that fall away give the dips of the convex and
/// the concave piece. The critical value is that of the uniform distribution, which has the largest
/// dip of all with one mode; between sizes it is interpolated in `ln n`. Assumes independent
/// values; heavy rounding makes modes of its own.
///
/// # Shape
/// `sorted` rises and holds no NaN.
///
/// # Source
/// J. A. Hartigan and P. M. Hartigan, “The dip test of unimodality”, 1985; P. M. Hartigan,
/// algorithm AS 217. As R's and Python's `diptest`.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::dip;
/// let mut two: Vec<f64> = (0..20).map(|i| 1.0 + f64::from(i) / 19.0).collect();
/// two.extend((0..20).map(|i| 8.0 + f64::from(i) / 19.0));
/// let two = dip(&two).unwrap();
/// assert!((two.dip - 0.214_285_714).abs() < 1e-9 && two.dip > two.critical);
/// let one: Vec<f64> = (0..40).map(f64::from).collect();
/// assert!((dip(&one).unwrap().dip - 0.0125).abs() < 1e-12);
/// ```
pub fn dip(sorted: &[f64]) -> Option<Dip> {
    let n = sorted.len();
    if n < 20 {
        return None;
    }
    let points: Vec<Point> =
        sorted.iter().enumerate().map(|(i, x)| Point { x: *x, rank: count(i) }).collect();
    // In units of 1 / 2n throughout; one step of the distribution is two of them.
    let mut largest = 1.0_f64;
    let (mut low, mut high) = (0, n - 1);
    while low < high {
        let convex = hull(&points, low, high, Side::Below);
        let concave = hull(&points, low, high, Side::Above);
        let apart = widest(&points, &convex, &concave)?;
        if apart.gap <= largest {
            break;
        }
        let below = worst(&points, &convex, |piece| piece.1 <= apart.from, Side::Below);
        let above = worst(&points, &concave, |piece| piece.0 >= apart.to, Side::Above);
        largest = largest.max(below).max(above);
        if (apart.from, apart.to) == (low, high) {
            break;
        }
        (low, high) = (apart.from, apart.to);
    }
    Some(Dip { dip: largest / (2.0 * count(n)), critical: critical(count(n)) })
}

#[derive(Debug, Clone, Copy)]
struct Point {
    x: f64,
    rank: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// The greatest convex minorant.
    Below,
    /// The least concave majorant.
    Above,
}

/// The corners of a hull over the points from `low` to `high`, in rising order.
fn hull(points: &[Point], low: usize, high: usize, side: Side) -> Vec<usize> {
    let mut corners: Vec<usize> = Vec::new();
    for at in low..=high {
        while let [.., first, second] = corners.as_slice() {
            let turn = match (points.get(*first), points.get(*second), points.get(at)) {
                (Some(a), Some(b), Some(c)) => {
                    (b.x - a.x) * (c.rank - a.rank) - (b.rank - a.rank) * (c.x - a.x)
                }
                _ => 0.0,
            };
            let keeps = if side == Side::Below { turn > 0.0 } else { turn < 0.0 };
            if keeps {
                break;
            }
            corners.pop();
        }
        corners.push(at);
    }
    corners
}

/// Where the two hulls lie furthest apart: how far, and the corners of either around that place.
struct Widest {
    gap: f64,
    from: usize,
    to: usize,
}

/// The height of a hull over a point, and the piece that it lies on.
fn over(points: &[Point], corners: &[usize], at: usize) -> Option<(f64, usize, usize)> {
    let after = corners.partition_point(|corner| *corner < at);
    let to = *corners.get(after)?;
    let from = if to == at { at } else { *corners.get(after.checked_sub(1)?)? };
    let (a, b, x) = (points.get(from)?, points.get(to)?, points.get(at)?.x);
    let share = if b.x > a.x { (x - a.x) / (b.x - a.x) } else { 0.0 };
    Some((a.rank + share * (b.rank - a.rank), from, to))
}

/// At a corner of the convex hull the next step of the distribution lies one rank higher, at a
/// corner of the concave hull the step before it one rank lower.
fn widest(points: &[Point], convex: &[usize], concave: &[usize]) -> Option<Widest> {
    let mut best: Option<Widest> = None;
    let mut offer = |gap: f64, from: usize, to: usize| {
        if best.as_ref().is_none_or(|b| gap > b.gap) {
            best = Some(Widest { gap, from, to });
        }
    };
    for corner in convex {
        let (height, _, to) = over(points, concave, *corner)?;
        let rank = points.get(*corner)?.rank;
        offer(height - rank + 1.0, *corner, to);
    }
    for corner in concave {
        let (height, from, _) = over(points, convex, *corner)?;
        let rank = points.get(*corner)?.rank;
        offer(rank - height + 1.0, from, *corner);
    }
    best
}

/// The largest distance between the distribution and the pieces of a hull that fall away.
fn worst(
    points: &[Point],
    corners: &[usize],
    falls_away: impl Fn((usize, usize)) -> bool,
    side: Side,
) -> f64 {
    let mut worst = 1.0_f64;
    for piece in corners.windows(2) {
        let [from, to] = *piece else { continue };
        let (Some(a), Some(b)) = (points.get(from), points.get(to)) else { continue };
        if !falls_away((from, to)) || to - from < 2 || b.x <= a.x {
            continue;
        }
        let slope = (b.rank - a.rank) / (b.x - a.x);
        for point in points.get(from..=to).unwrap_or_default() {
            let line = a.rank + (point.x - a.x) * slope;
            let off = match side {
                Side::Below => point.rank - line + 1.0,
                Side::Above => line - point.rank + 1.0,
            };
            worst = worst.max(off);
        }
    }
    worst
}

fn critical(n: f64) -> f64 {
    let after = ONE_PERCENT.partition_point(|(size, _)| *size < n);
    let root = match (after.checked_sub(1).and_then(|i| ONE_PERCENT.get(i)), ONE_PERCENT.get(after))
    {
        (Some((few, a)), Some((many, b))) => a + (b - a) * (n / few).ln() / (many / few).ln(),
        (None, Some((_, end))) | (Some((_, end)), None) => *end,
        (None, None) => f64::INFINITY,
    };
    root / n.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(n: u32, value: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut values: Vec<f64> = (0..n).map(|i| value(f64::from(i))).collect();
        values.sort_by(f64::total_cmp);
        values
    }

    /// The `dipstat` of Python's `diptest` on the same values.
    #[test]
    fn dips_agree_with_diptest() {
        let spread = |i: f64, by: f64, over: f64| (i * by) % over;
        let bell = |i: f64| {
            [17.0, 31.0, 53.0, 71.0].iter().map(|by| spread(i, *by, 103.0) / 103.0).sum::<f64>()
        };
        for (values, wanted) in [
            (sorted(50, |i| (i * 0.618_033_988_749_894_9) % 1.0), 0.020_882_505_650_239),
            (sorted(64, |i| spread(i, 37.0, 101.0).powi(2)), 0.014_043_837_093_563),
            (
                sorted(60, |i| {
                    spread(i, 37.0, 101.0) / 101.0 + if i % 3.0 == 0.0 { 3.0 } else { 0.0 }
                }),
                0.112_200_435_727_847,
            ),
            (sorted(90, |i| spread(i, 29.0, 97.0) / 97.0 + 2.5 * (i % 3.0)), 0.102_851_323_828_921),
            (sorted(40, |i| spread(i, 7.0, 5.0)), 0.1),
            (sorted(101, bell), 0.021_584_158_415_842),
            (
                sorted(80, |i| {
                    spread(i, 37.0, 101.0) / 101.0 + if i % 2.0 == 0.0 { 0.9 } else { 0.0 }
                }),
                0.019_087_837_837_838,
            ),
        ] {
            let got = dip(&values).unwrap().dip;
            assert!((got - wanted).abs() < 1e-11, "{got} for {wanted}");
        }
    }

    #[test]
    fn only_two_modes_exceed_the_critical_value() {
        let fires = |values: &[f64]| dip(values).is_some_and(|d| d.dip > d.critical);
        assert!(!fires(&sorted(200, |i| i)) && !fires(&[1.0; 100]));
        // An exponential's quantiles have one mode, at the low end.
        assert!(!fires(&sorted(300, |i| -(1.0 - (i + 0.5) / 300.0).ln())));
        assert!(fires(&sorted(40, |i| i % 20.0 / 20.0 + if i < 20.0 { 0.0 } else { 5.0 })));
        assert_eq!(dip(&sorted(19, |i| i)), None);
    }

    #[test]
    fn critical_values_fall_between_their_neighbours() {
        // Python: the 99 % quantile of `dipstat` of 40,000 uniform samples.
        for (n, wanted) in [(20.0, 0.121_4), (100.0, 0.058_9), (1_000.0, 0.019_6)] {
            assert!((critical(n) - wanted).abs() < 2e-4, "{n}: {}", critical(n));
        }
        assert!(critical(70.0) < critical(50.0) && critical(70.0) > critical(100.0));
    }
}
