//! The order in which two endpoints take turns.

use super::Arm;
use super::Arm::{First, Second};
use crate::Script;

/// Where the order is drawn: no text has this stream.
const PLACE: u64 = u64::MAX;

/// Turns of two endpoints, so many pairs of them.
///
/// # Formula
/// Squares `first second second first` and `second first first second`, as many of one as of the other or
/// one more, in random order; where the pairs are odd, a pair more at the end, its order drawn.
///
/// # Shape
/// Each endpoint has `pairs` turns and one in every pair. Where the pairs are even, the turns of both have
/// the same mean place: a steady drift of the machine touches them alike.
///
/// # Source
/// The reversed order is that of Latin squares of two treatments: Cochran and Cox, “Experimental Designs”,
/// 2nd edition, 1957, chapter 4.
pub(super) fn balanced(script: Script, pairs: u64) -> Vec<Arm> {
    let mut chance = script.chance(PLACE, pairs);
    let squares = usize::try_from(pairs / 2).unwrap_or(usize::MAX);
    let turned = chance.bits() & 1;
    let mut starts: Vec<bool> = (turned..).take(squares).map(|at| at % 2 == 0).collect();
    chance.shuffle(&mut starts);
    let mut order = Vec::with_capacity(squares.saturating_mul(4).saturating_add(2));
    for start in starts {
        order.extend(if start {
            [First, Second, Second, First]
        } else {
            [Second, First, First, Second]
        });
    }
    if pairs % 2 == 1 {
        order.extend(if chance.bits() & 1 == 0 { [First, Second] } else { [Second, First] });
    }
    order
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn orders(pairs: u64) -> BTreeSet<Vec<Arm>> {
        (0..400).map(|seed| balanced(Script::new(seed, "order"), pairs)).collect()
    }

    fn places(order: &[Arm], of: Arm) -> usize {
        order.iter().enumerate().filter(|(_, is)| **is == of).map(|(at, _)| at).sum()
    }

    #[test]
    fn the_orders_of_small_sizes_are_those_there_can_be() {
        let (square, turned) = ([First, Second, Second, First], [Second, First, First, Second]);
        let (pair, back) = ([First, Second], [Second, First]);
        assert_eq!(orders(0), BTreeSet::from([Vec::new()]));
        assert_eq!(orders(1), BTreeSet::from([pair.to_vec(), back.to_vec()]));
        assert_eq!(orders(2), BTreeSet::from([square.to_vec(), turned.to_vec()]));
        let three = [square, turned].into_iter().flat_map(|first| {
            [pair, back].map(|last| first.into_iter().chain(last).collect::<Vec<_>>())
        });
        assert_eq!(orders(3), three.collect());
        // Four pairs are one square of each kind, in either order.
        let both = |a: [Arm; 4], b: [Arm; 4]| a.into_iter().chain(b).collect::<Vec<_>>();
        assert_eq!(orders(4), BTreeSet::from([both(square, turned), both(turned, square)]));
        // Six pairs: two of one kind and one of the other, three places for the odd one: 6 orders.
        assert_eq!((orders(6).len(), orders(7).len(), orders(8).len()), (6, 12, 6));
    }

    #[test]
    fn every_order_is_balanced() {
        for pairs in 0..=12 {
            for order in orders(pairs) {
                let half = usize::try_from(pairs).unwrap();
                assert_eq!(order.len(), 2 * half);
                assert_eq!(order.iter().filter(|is| **is == First).count(), half);
                for pair in order.chunks(2) {
                    assert_ne!(pair.first(), pair.get(1), "{order:?}");
                }
                let apart = places(&order, First).abs_diff(places(&order, Second));
                assert_eq!(apart, half % 2, "{order:?}");
                // Which of them opens a pair differs by one at most.
                let opens = order.chunks(2).filter(|pair| pair.first() == Some(&First)).count();
                assert!(opens.abs_diff(half - opens) <= half % 2, "{order:?}");
            }
        }
    }
}
