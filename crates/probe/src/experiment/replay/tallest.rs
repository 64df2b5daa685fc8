//! Which of many rows, up to one of them, is long enough.

/// Lengths in order, and which is the last one before a place that reaches some length.
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
        self.last_of(1, 0, self.width, before, length)
    }

    /// The same in the range of a node, which begins at `from` and is `span` places wide.
    fn last_of(
        &self,
        node: usize,
        from: usize,
        span: usize,
        before: usize,
        length: u64,
    ) -> Option<usize> {
        let most = self.maxima.get(node).copied().unwrap_or(0);
        if from >= before || most < length {
            return None;
        }
        if span <= 1 {
            return Some(from);
        }
        let half = span / 2;
        self.last_of(2 * node + 1, from + half, half, before, length)
            .or_else(|| self.last_of(2 * node, from, half, before, length))
    }
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
            let last = lengths.iter().enumerate().filter(reach).map(|(at, _)| at).next_back();
            prop_assert_eq!(tallest.last(before, length), last);
        }
    }
}
