//! How often servers took requests from their place.

use super::untold::Untold;

/// What rows state of preemptions: a server that takes a running request from its place computes it again later.
///
/// Sources call it preemption (vLLM) or retraction (SGLang).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Preemptions {
    /// How many requests say how often they were preempted, zero included.
    pub stated: u64,
    /// How many used requests do not say it: nothing is known of them.
    pub without: u64,
    /// How many were preempted at least once.
    pub preempted: u64,
    /// How often, in all.
    pub total: u64,
    /// How often the one that was most often was.
    pub most: u64,
    /// How many requests dropped cache commits of other sessions when they came.
    pub dropping: u64,
    /// How many commits they dropped.
    pub dropped_commits: u64,
}

impl Preemptions {
    /// The same where any row states preemptions.
    ///
    /// # Errors
    /// Why nothing is told.
    pub fn told(&self) -> Result<&Self, Untold> {
        if self.stated > 0 { Ok(self) } else { Err(Untold::NoPreemptions) }
    }

    pub(super) fn add(&mut self, times: Option<u64>, dropped: Option<u64>) {
        match times {
            Some(times) => {
                self.stated += 1;
                self.preempted += u64::from(times > 0);
                self.total = self.total.saturating_add(times);
                self.most = self.most.max(times);
            }
            None => self.without += 1,
        }
        if let Some(dropped) = dropped.filter(|n| *n > 0) {
            self.dropping += 1;
            self.dropped_commits = self.dropped_commits.saturating_add(dropped);
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.stated += other.stated;
        self.without += other.without;
        self.preempted += other.preempted;
        self.total = self.total.saturating_add(other.total);
        self.most = self.most.max(other.most);
        self.dropping += other.dropping;
        self.dropped_commits = self.dropped_commits.saturating_add(other.dropped_commits);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_row_that_does_not_say_was_not_spared() {
        let mut all = Preemptions::default();
        all.add(None, None);
        assert_eq!((all.told(), all.without), (Err(Untold::NoPreemptions), 1));
        for times in [0, 3, 1] {
            all.add(Some(times), Some(times));
        }
        let told = *all.told().unwrap();
        assert_eq!((told.stated, told.preempted, told.total, told.most), (3, 2, 4, 3));
        assert_eq!((told.dropping, told.dropped_commits), (2, 4));
        let mut both = told;
        both.merge(&told);
        assert_eq!((both.stated, both.without, both.total, both.most), (6, 2, 8, 3));
    }
}
