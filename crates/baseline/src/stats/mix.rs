//! How a workload's mass lies over buckets, and how far two workloads differ in that.

use super::count;

/// How requests, and their tokens, lie over buckets.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Mix {
    /// The inner edges of the buckets, rising; a value on an edge belongs to the bucket above.
    pub edges: Vec<f64>,
    /// How many requests each bucket holds; one bucket more than edges.
    pub requests: Vec<f64>,
    /// The weight that each bucket holds, such as tokens.
    pub weight: Vec<f64>,
}

/// What a mix is weighed by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WeighedBy {
    /// Each request counts one.
    Requests,
    /// Each request counts its weight, such as its tokens.
    Weight,
}

impl Mix {
    /// The mix of requests over buckets with the inner edges given; `None` of no requests, of
    /// edges that do not rise, or of a value or weight that is not finite, or below zero.
    ///
    /// # Shape
    /// For each request the value by which it is bucketed, and its weight; for buckets of prompt
    /// length both are its prompt tokens.
    ///
    /// # Examples
    /// ```
    /// use trueline_baseline::stats::{Mix, WeighedBy};
    /// let prompts = [(1_000.0, 1_000.0), (1_000.0, 1_000.0), (8_000.0, 8_000.0)];
    /// let mix = Mix::of(&prompts, &[2_000.0]).unwrap();
    /// assert_eq!(mix.shares(WeighedBy::Requests), [2.0 / 3.0, 1.0 / 3.0]);
    /// assert_eq!(mix.shares(WeighedBy::Weight), [0.2, 0.8]);
    /// ```
    pub fn of(requests: &[(f64, f64)], edges: &[f64]) -> Option<Self> {
        let rising = edges.iter().zip(edges.iter().skip(1)).all(|(low, high)| low < high);
        let usable = |x: f64| x.is_finite() && x >= 0.0;
        let in_range = requests.iter().all(|(x, w)| usable(*x) && usable(*w));
        if requests.is_empty() || !rising || !in_range || edges.iter().any(|e| e.is_nan()) {
            return None;
        }
        let mut mix = Self {
            edges: edges.to_vec(),
            requests: vec![0.0; edges.len() + 1],
            weight: vec![0.0; edges.len() + 1],
        };
        for (value, weight) in requests {
            let bucket = edges.partition_point(|edge| edge <= value);
            *mix.requests.get_mut(bucket)? += 1.0;
            *mix.weight.get_mut(bucket)? += weight;
        }
        Some(mix)
    }

    /// The share of each bucket; shares add up to 1, or are all 0 where nothing has weight.
    pub fn shares(&self, by: WeighedBy) -> Vec<f64> {
        let held = self.held(by);
        let all: f64 = held.iter().sum();
        held.iter().map(|x| if all > 0.0 { x / all } else { 0.0 }).collect()
    }

    fn held(&self, by: WeighedBy) -> &[f64] {
        match by {
            WeighedBy::Requests => &self.requests,
            WeighedBy::Weight => &self.weight,
        }
    }

    /// What half a request holds on average.
    fn half_a_request(&self, by: WeighedBy) -> f64 {
        0.5 * self.held(by).iter().sum::<f64>() / self.requests.iter().sum::<f64>()
    }
}

/// The population stability index of two mixes, that of `other` against `usual`; `None` where
/// their edges differ or nothing has weight.
///
/// # Formula
/// `sum((a - e) ln(a / e))` over the buckets, with `e` the shares of `usual` and `a` those of
/// `other`. Where a bucket is empty in either, half a request of average weight is added to every
/// bucket of both. Bands of 0.1 and 0.25 are custom, not theory. Requests and tokens disagree where
/// few long prompts hold most tokens: state both.
///
/// # Source
/// Siddiqi, “Credit Risk Scorecards”, 2006; twice Jeffreys' divergence of the halves.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::{Mix, WeighedBy, stability_index};
/// let mix = |counts: [u32; 2]| {
///     let values = counts.iter().zip([1.0, 3.0]).flat_map(|(n, x)| vec![(x, x); *n as usize]);
///     Mix::of(&values.collect::<Vec<_>>(), &[2.0]).unwrap()
/// };
/// // By hand: (0.5 - 0.8) ln(0.5 / 0.8) + (0.5 - 0.2) ln(0.5 / 0.2).
/// let index = stability_index(&mix([8, 2]), &mix([5, 5]), WeighedBy::Requests).unwrap();
/// assert!((index - 0.415_888).abs() < 1e-6);
/// ```
pub fn stability_index(usual: &Mix, other: &Mix, by: WeighedBy) -> Option<f64> {
    if usual.edges != other.edges {
        return None;
    }
    let is_empty = |mix: &Mix| mix.held(by).iter().any(|x| *x <= 0.0);
    let smooth = is_empty(usual) || is_empty(other);
    let shares = |mix: &Mix| -> Option<Vec<f64>> {
        let more = if smooth { mix.half_a_request(by) } else { 0.0 };
        let held = mix.held(by);
        let all = held.iter().sum::<f64>() + more * count(held.len());
        (all > 0.0).then(|| held.iter().map(|x| (x + more) / all).collect())
    };
    let (usual, other) = (shares(usual)?, shares(other)?);
    Some(usual.iter().zip(&other).map(|(e, a)| (a - e) * (a / e).ln()).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mix(counts: &[u32]) -> Mix {
        let edges: Vec<f64> = (1..counts.len()).map(count).collect();
        let values = counts.iter().zip(0..).flat_map(|(n, at)| {
            std::iter::repeat_n((f64::from(at), 10.0), usize::try_from(*n).unwrap())
        });
        Mix::of(&values.collect::<Vec<_>>(), &edges).unwrap()
    }

    /// numpy: the formula written out on shares (.4, .3, .2, .1) and (.25, .3, .25, .2).
    #[test]
    fn the_index_agrees_with_numpy() {
        let (usual, other) = (mix(&[40, 30, 20, 10]), mix(&[25, 30, 25, 20]));
        let index = stability_index(&usual, &other, WeighedBy::Requests).unwrap();
        assert!((index - 0.150_972_440).abs() < 1e-9, "{index}");
        let back = stability_index(&other, &usual, WeighedBy::Requests).unwrap();
        assert!((index - back).abs() < 1e-15);
        let weighed = stability_index(&usual, &other, WeighedBy::Weight).unwrap();
        assert!((index - weighed).abs() < 1e-12);
    }

    #[test]
    fn an_empty_bucket_gives_a_finite_index() {
        // By hand: (10.5, 0.5) / 11 against (5.5, 5.5) / 11.
        let index = stability_index(&mix(&[10, 0]), &mix(&[5, 5]), WeighedBy::Requests).unwrap();
        let wanted = (5.5 - 10.5) / 11.0 * (5.5_f64 / 10.5).ln() + 5.0 / 11.0 * 11.0_f64.ln();
        assert!((index - wanted).abs() < 1e-12, "{index}");
    }

    #[test]
    fn a_value_on_an_edge_belongs_above_and_bad_input_is_refused() {
        let mix = Mix::of(&[(2.0, 1.0), (1.9, 1.0)], &[2.0, 4.0]).unwrap();
        assert_eq!(mix.requests, [1.0, 1.0, 0.0]);
        assert_eq!(Mix::of(&[], &[2.0]), None);
        assert_eq!(Mix::of(&[(1.0, 1.0)], &[2.0, 2.0]), None);
        assert_eq!(Mix::of(&[(f64::NAN, 1.0)], &[2.0]), None);
        assert_eq!(Mix::of(&[(1.0, -1.0)], &[2.0]), None);
        assert_eq!(stability_index(&mix, &super::tests::mix(&[1]), WeighedBy::Requests), None);
        let idle = Mix::of(&[(1.0, 0.0)], &[2.0]).unwrap();
        assert_eq!(idle.shares(WeighedBy::Weight), [0.0, 0.0]);
        assert_eq!(stability_index(&idle, &idle, WeighedBy::Weight), None);
    }
}
