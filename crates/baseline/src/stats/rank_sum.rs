//! How rank sums are distributed when two samples are exchangeable.

use super::pooled::Group;
use super::real;

/// The most additions that an exact distribution may cost; some hundredths of a second.
const MOST_STEPS: f64 = 3e7;

/// The most rank sums that are counted at once.
const MOST_SUMS: u64 = 4_000_000;

/// Below that, numbers of arrangements are counted as whole numbers; the largest that an `i128`
/// holds is twice that.
const WHOLE: f64 = 8e37;

/// The number of ways to choose `k` of `n`, as a float.
pub(crate) fn choose(n: u64, k: u64) -> f64 {
    (0..k.min(n - k)).fold(1.0, |ways, i| ways * real(n - i) / real(i + 1))
}

/// The probabilities of U = 0, 1, ... `through` for samples of `m` and `n` values without ties;
/// `None` where they cost over 3e7 additions or more than 4,000,000 sums.
///
/// # Formula
/// The number of arrangements with `U = u` is the coefficient of `x^u` in the product of
/// `(1 - x^(n + i)) / (1 - x^i)` over `i` up to `m`, counted in whole numbers while they fit 126
/// bits; beyond by the recurrence `c(u; m, n) = c(u - n; m - 1, n) + c(u; m, n - 1)`, which only
/// adds.
///
/// # Source
/// Mann and Whitney, “On a test of whether one of two random variables is stochastically larger
/// than the other”, 1947; Harding, “An efficient, minimal-storage procedure for calculating the
/// Mann-Whitney U distribution”, 1984.
pub(crate) fn untied(m: u64, n: u64, through: u64) -> Option<Vec<f64>> {
    let (m, n) = (m.min(n), m.max(n));
    let all = choose(m + n, m);
    if through >= MOST_SUMS {
        return None;
    }
    let sums = real(through + 1);
    let counts = if all < WHOLE && 2.0 * real(m) * sums <= MOST_STEPS {
        whole_counts(m, n, usize::try_from(through).ok()?)
    } else if all.is_finite() && real(m) * real(n) * sums <= MOST_STEPS {
        added_counts(m, n, usize::try_from(through).ok()?)?
    } else {
        return None;
    };
    Some(counts.into_iter().map(|c| c / all).collect())
}

#[expect(clippy::cast_precision_loss, reason = "a share is wanted, not the count")]
fn whole_counts(m: u64, n: u64, through: usize) -> Vec<f64> {
    let mut counts = vec![0_i128; through + 1];
    if let Some(first) = counts.first_mut() {
        *first = 1;
    }
    for i in 1..=m {
        if let Ok(by) = usize::try_from(n + i) {
            for u in (by..=through).rev() {
                let before = counts.get(u - by).copied().unwrap_or(0);
                if let Some(c) = counts.get_mut(u) {
                    *c -= before;
                }
            }
        }
        if let Ok(by) = usize::try_from(i) {
            for u in by..=through {
                let before = counts.get(u - by).copied().unwrap_or(0);
                if let Some(c) = counts.get_mut(u) {
                    *c += before;
                }
            }
        }
    }
    counts.into_iter().map(|c| c as f64).collect()
}

fn added_counts(m: u64, n: u64, through: usize) -> Option<Vec<f64>> {
    let mut rows = vec![vec![0.0; through + 1]; usize::try_from(m).ok()? + 1];
    for row in &mut rows {
        *row.first_mut()? = 1.0;
    }
    for by in 1..=usize::try_from(n).ok()? {
        for j in 1..rows.len() {
            let (fewer, these) = rows.split_at_mut(j);
            let (fewer, these) = (fewer.last()?, these.first_mut()?);
            for (c, before) in these.iter_mut().skip(by).zip(fewer) {
                *c += before;
            }
        }
    }
    rows.pop()
}

/// Two probabilities of a rank sum's lower tail.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LowerTail {
    /// That it is at most the limit.
    pub(crate) through: f64,
    /// That it is below the limit.
    pub(crate) below: f64,
}

/// The exact lower tail of twice the rank sum of `k` values among tied groups; `None` where it
/// costs over 3e7 additions or more than 4,000,000 sums.
///
/// # Formula
/// The number of ways in which `k` of all values have twice the rank sum `s`, group by group: of
/// `t` equal values `c` can be chosen in `C(t, c)` ways and add `c` times their rank. Conditional
/// on the ties as they are. Only sums up to the limit are counted, so a far tail costs little.
///
/// # Shape
/// `groups` rise in rank.
pub(crate) fn tied(groups: &[Group], k: u64, limit: u64) -> Option<LowerTail> {
    let n: u64 = groups.iter().map(|g| g.size).sum();
    let least = groups.first()?.twice_rank;
    // Ranks from the least one on, so that sums begin at zero.
    let Some(limit) = limit.checked_sub(k * least) else {
        return Some(LowerTail { through: 0.0, below: 0.0 });
    };
    let within = groups.partition_point(|g| g.twice_rank - least <= limit);
    let within = groups.get(..within)?;
    let choices: u64 = within.iter().map(|g| g.size.min(k)).sum();
    let steps = real(k) * real(limit + 1) * real(choices);
    let all = choose(n, k);
    if limit >= MOST_SUMS || real(k) * real(limit) > 1e7 || steps > MOST_STEPS || all.is_infinite()
    {
        return None;
    }
    let mut ways = vec![vec![0.0; usize::try_from(limit).ok()? + 1]; usize::try_from(k).ok()? + 1];
    *ways.first_mut()?.first_mut()? = 1.0;
    for group in within {
        let by = usize::try_from(group.twice_rank - least).ok()?;
        for j in (1..ways.len()).rev() {
            let (fewer, these) = ways.split_at_mut(j);
            let these = these.first_mut()?;
            let mut chosen = 1.0;
            for (c, from) in (1..=group.size).zip(fewer.iter().rev()) {
                chosen *= real(group.size - c + 1) / real(c);
                let shift = by * usize::try_from(c).ok()?;
                for (w, before) in these.iter_mut().skip(shift).zip(from) {
                    *w += chosen * before;
                }
            }
        }
    }
    let counts = ways.pop()?;
    let (at, under) = counts.split_last()?;
    let below: f64 = under.iter().sum();
    Some(LowerTail { through: ((below + at) / all).min(1.0), below: (below / all).min(1.0) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_agree_with_those_by_hand() {
        // Of the 10 arrangements of 2 and 3 values U = 0..6 has 1 1 2 2 2 1 1.
        let wanted = [0.1, 0.1, 0.2, 0.2, 0.2, 0.1, 0.1];
        assert_eq!(untied(2, 3, 6).unwrap(), wanted);
        assert_eq!(untied(3, 2, 6).unwrap(), wanted);
        let added: Vec<f64> = added_counts(2, 3, 6).unwrap().iter().map(|c| c / 10.0).collect();
        assert_eq!(added, wanted);
    }

    #[test]
    fn whole_and_added_counts_are_the_same() {
        let (m, n, through) = (40, 43, 860);
        let (whole, added) = (whole_counts(m, n, through), added_counts(m, n, through).unwrap());
        for (a, b) in whole.iter().zip(&added) {
            assert!((a / b - 1.0).abs() < 1e-12, "{a} {b}");
        }
        let all: f64 = untied(70, 75, 70 * 75).unwrap().iter().sum();
        assert!((all - 1.0).abs() < 1e-12, "{all}");
    }

    #[test]
    fn a_distribution_that_costs_too_much_is_refused() {
        assert_eq!(untied(10_000, 10_000, 50_000_000), None);
        assert_eq!(untied(1_000, 1_000, 100_000), None);
        assert!(untied(3, 1_000_000, 100).is_some());
    }

    #[test]
    fn more_arrangements_than_a_float_holds_are_refused() {
        let two = [(5_001, 5_000), (15_001, 5_000)];
        let groups = two.map(|(twice_rank, size)| Group { twice_rank, size, of_first: 0 });
        assert_eq!(tied(&groups, 5_000, 5_000 * 5_001), None);
        // C(1000, 3) of C(2000, 3) choices are all of the lower half.
        let two = [(1_001, 1_000), (3_001, 1_000)];
        let groups = two.map(|(twice_rank, size)| Group { twice_rank, size, of_first: 0 });
        let low = tied(&groups, 3, 3 * 1_001).unwrap();
        let share = choose(1_000, 3) / choose(2_000, 3);
        assert!((low.through / share - 1.0).abs() < 1e-12 && low.below == 0.0, "{low:?}");
    }

    #[test]
    fn groups_of_one_are_no_ties() {
        let groups: Vec<Group> =
            (1..=7).map(|r| Group { twice_rank: 2 * r, size: 1, of_first: 0 }).collect();
        let wanted = untied(3, 4, 12).unwrap();
        for (u, limit) in (0..=12).zip((12..).step_by(2)) {
            let got = tied(&groups, 3, limit).unwrap();
            let through: f64 = wanted.iter().take(u + 1).sum();
            let below: f64 = wanted.iter().take(u).sum();
            assert!((got.through - through).abs() < 1e-14, "{u}: {got:?}");
            assert!((got.below - below).abs() < 1e-14, "{u}: {got:?}");
        }
    }
}
