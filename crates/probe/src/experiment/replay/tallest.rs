//! Which of many rows, up to one of them, is long enough.

/// Lengths in order, and which is the last or first before a place that reaches some length.
///
/// # Formula
/// A tree of maxima over ranges of halves; a search takes `O(log n)`.
#[derive(Debug)]
pub(super) struct Tallest {
    /// Heap order: the whole at 1, the halves of `i` at `2 i` and `2 i + 1`, single places from `width` on.
    maxima: Vec<u64>,
    width: usize,
}

impl Tallest {
    pub(super) fn new(lengths: impl ExactSizeIterator<Item = u64>) -> Self {
        let width = lengths.len().next_power_of_two();
        let mut maxima = vec![0; width * 2];
        for (slot, length) in maxima.iter_mut().skip(width).zip(lengths) {
            *slot = length;
        }
        for node in (1..width).rev() {
            let of = |child: usize| maxima.get(child).copied().unwrap_or(0);
            let larger = of(2 * node).max(of(2 * node + 1));
            if let Some(slot) = maxima.get_mut(node) {
                *slot = larger;
            }
        }
        Self { maxima, width }
    }

    /// The last place before `before` whose length is at least `length`.
    pub(super) fn last(&self, before: usize, length: u64) -> Option<usize> {
        self.find(1, 0, self.width, before, length, Side::Right)
    }

    /// The first place before `before` whose length is at least `length`.
    pub(super) fn first(&self, before: usize, length: u64) -> Option<usize> {
        self.find(1, 0, self.width, before, length, Side::Left)
    }

    /// The last place before `before` of the greatest length there.
    pub(super) fn longest(&self, before: usize) -> Option<usize> {
        let most = self.most(1, 0, self.width, before);
        (most > 0).then(|| self.last(before, most)).flatten()
    }

    fn at(&self, node: usize) -> u64 {
        self.maxima.get(node).copied().unwrap_or(0)
    }

    fn find(
        &self,
        node: usize,
        from: usize,
        span: usize,
        before: usize,
        length: u64,
        nearest: Side,
    ) -> Option<usize> {
        if from >= before || self.at(node) < length {
            return None;
        }
        if span <= 1 {
            return Some(from);
        }
        let half = span / 2;
        let left = || self.find(2 * node, from, half, before, length, nearest);
        let right = || self.find(2 * node + 1, from + half, half, before, length, nearest);
        match nearest {
            Side::Left => left().or_else(right),
            Side::Right => right().or_else(left),
        }
    }

    fn most(&self, node: usize, from: usize, span: usize, before: usize) -> u64 {
        if from >= before {
            0
        } else if from + span <= before || span <= 1 {
            self.at(node)
        } else {
            let half = span / 2;
            let left = self.most(2 * node, from, half, before);
            left.max(self.most(2 * node + 1, from + half, half, before))
        }
    }
}

/// From which side a search comes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_finds_what_looking_at_each_finds(
            lengths in prop::collection::vec(0_u64..9, 0..40), before in 0_usize..45, length in 1_u64..10,
        ) {
            let tallest = Tallest::new(lengths.iter().copied());
            let reach = |(at, is): &(usize, &u64)| *at < before && **is >= length;
            let mut fit = lengths.iter().enumerate().filter(reach).map(|(at, _)| at);
            let first = fit.next();
            prop_assert_eq!(tallest.first(before, length), first);
            prop_assert_eq!(tallest.last(before, length), fit.next_back().or(first));
            let most = lengths.iter().take(before).enumerate().filter(|(_, is)| **is > 0);
            let most = most.max_by_key(|(at, is)| (**is, *at)).map(|(at, _)| at);
            prop_assert_eq!(tallest.longest(before), most);
        }
    }
}
