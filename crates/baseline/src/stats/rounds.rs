//! The order in which arms are measured, so that no arm is always first.

/// The order of so many arms in each of so many rounds.
///
/// # Formula
/// Random cyclic Latin squares: the arms in a random order, and each row of a square that order
/// begun at another place, the rows shuffled. In every `arms` rounds each arm stands once at each
/// place, so a drift over the measurement weighs on all arms alike. Of two arms this is ABBA or
/// BAAB.
///
/// # Shape
/// One element a round: the numbers of the arms from 0 in the order to measure them. No arms give
/// empty rounds. `below(n)` gives a random whole number from 0 to `n - 1`; a number beyond is taken
/// modulo `n`.
///
/// # Source
/// Cyclic squares: Fisher and Yates, “Statistical Tables”, 1938; the shuffle is Durstenfeld's, 1964.
///
/// # Examples
/// ```
/// use trueline_baseline::stats::round_order;
/// // A draw that always takes the last leaves everything in place.
/// assert_eq!(round_order(2, 4, &mut |n| n - 1), [[0, 1], [1, 0], [0, 1], [1, 0]]);
/// ```
pub fn round_order(
    arms: usize,
    rounds: usize,
    below: &mut impl FnMut(u64) -> u64,
) -> Vec<Vec<usize>> {
    if arms == 0 {
        return vec![Vec::new(); rounds];
    }
    let mut order = Vec::with_capacity(rounds);
    while order.len() < rounds {
        let mut first: Vec<usize> = (0..arms).collect();
        shuffle(&mut first, below);
        let mut starts: Vec<usize> = (0..arms).collect();
        shuffle(&mut starts, below);
        for start in starts {
            let mut row = first.clone();
            row.rotate_left(start);
            order.push(row);
        }
    }
    order.truncate(rounds);
    order
}

fn shuffle(items: &mut [usize], below: &mut impl FnMut(u64) -> u64) {
    for last in (1..items.len()).rev() {
        let n = last as u64 + 1;
        if let Ok(other) = usize::try_from(below(n) % n) {
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws() -> impl FnMut(u64) -> u64 {
        let mut state = 7_u64;
        move |n| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (state >> 33) % n
        }
    }

    #[test]
    fn every_arm_stands_once_at_each_place_of_a_square() {
        for arms in 1..7 {
            let order = round_order(arms, arms * 3, &mut draws());
            for square in order.chunks(arms) {
                for place in 0..arms {
                    let mut seen: Vec<usize> = square.iter().map(|row| row[place]).collect();
                    seen.sort_unstable();
                    assert_eq!(seen, (0..arms).collect::<Vec<_>>());
                }
            }
        }
    }

    #[test]
    fn two_arms_go_there_and_back() {
        let order = round_order(2, 40, &mut draws());
        let pairs: Vec<String> = order
            .chunks(2)
            .map(|pair| {
                pair.iter().flatten().map(|arm| if *arm == 0 { 'A' } else { 'B' }).collect()
            })
            .collect();
        assert!(pairs.iter().all(|p| p == "ABBA" || p == "BAAB"), "{pairs:?}");
        assert!(pairs.iter().any(|p| p == "ABBA") && pairs.iter().any(|p| p == "BAAB"));
    }

    #[test]
    fn no_arms_and_no_rounds_are_no_order() {
        assert_eq!(round_order(0, 2, &mut draws()), [[0_usize; 0]; 2]);
        assert!(round_order(3, 0, &mut draws()).is_empty());
        assert_eq!(round_order(3, 4, &mut draws()).len(), 4);
    }
}
