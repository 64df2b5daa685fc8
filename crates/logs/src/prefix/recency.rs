//! How many blocks were used more recently than another one.

/// How many blocks each prompt was the last to use, by its number.
///
/// # Source
/// P. Fenwick, “A new data structure for cumulative frequency tables”, 1994: sums over a prefix of the numbers
/// and changes of one both take the logarithm of their count.
#[derive(Debug, Clone)]
pub(super) struct Recency {
    /// Place `i` holds the sum over as many numbers below `i` as the lowest bit of `i` says.
    sums: Vec<u64>,
    all: u64,
}

impl Recency {
    /// For prompts numbered from 0 on, so many.
    pub(super) fn new(prompts: usize) -> Self {
        Self { sums: vec![0; prompts + 1], all: 0 }
    }

    /// How many blocks were last used by prompts behind that number.
    pub(super) fn behind(&self, number: usize) -> u64 {
        let (mut at, mut sum) = ((number + 1).min(self.sums.len() - 1), 0);
        while at > 0 {
            sum += self.sums.get(at).copied().unwrap_or(0);
            at &= at - 1;
        }
        self.all - sum
    }

    /// Adds blocks that a prompt is the last to use.
    pub(super) fn add(&mut self, number: usize, blocks: u64) {
        self.all += blocks;
        self.change(number, |sum| *sum += blocks);
    }

    /// Takes off blocks that a prompt was the last to use.
    pub(super) fn take(&mut self, number: usize, blocks: u64) {
        self.all = self.all.saturating_sub(blocks);
        self.change(number, |sum| *sum = sum.saturating_sub(blocks));
    }

    fn change(&mut self, number: usize, change: impl Fn(&mut u64)) {
        let mut at = number + 1;
        while let Some(sum) = self.sums.get_mut(at) {
            change(sum);
            at += at & at.wrapping_neg();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_behind_a_prompt_are_those_of_later_ones() {
        // By hand: prompts 0 to 5 with these counts.
        let counts = [4, 0, 7, 1, 9, 2];
        let mut recency = Recency::new(counts.len());
        for (number, blocks) in counts.into_iter().enumerate() {
            recency.add(number, blocks);
        }
        let behind: Vec<u64> = (0..6).map(|number| recency.behind(number)).collect();
        assert_eq!(behind, [19, 19, 12, 11, 2, 0]);
        recency.take(2, 3);
        recency.take(4, 9);
        let behind: Vec<u64> = (0..6).map(|number| recency.behind(number)).collect();
        assert_eq!(behind, [7, 7, 3, 2, 2, 0]);
    }
}
