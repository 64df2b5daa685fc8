//! Times of one request that contradict each other.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Known, RequestRecord, Stretch, Why};

/// How the times of one request contradict each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Disorder {
    /// A stretch is negative or beyond any clock: an end before its start.
    EndBeforeStart,
    /// The first token comes after the last.
    FirstAfterLast,
    /// The queue takes longer than the whole wait for the first token.
    QueueBeyondTtft,
    /// A latency of a day or more: the host's uptime, or two clocks mixed.
    UptimeSized,
    /// The first of more than 8 tokens comes with the last: not streamed, or stamped at the end.
    FirstIsLast,
}

impl Disorder {
    /// Whether a stretch is too long for one of a request: a day or more.
    ///
    /// # Source
    /// vLLM issue 49135, `SGLang` issue 22249: latencies as long as the host is up (read 2026-11-29).
    pub const fn is_endless(took: Duration) -> bool {
        took.as_secs() >= 86_400
    }

    /// Its name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::EndBeforeStart => "end_before_start",
            Self::FirstAfterLast => "first_after_last",
            Self::QueueBeyondTtft => "queue_beyond_ttft",
            Self::UptimeSized => "uptime_sized",
            Self::FirstIsLast => "first_is_last",
        }
    }

    /// In words.
    pub const fn words(self) -> &'static str {
        match self {
            Self::EndBeforeStart => "an end before its start",
            Self::FirstAfterLast => "the first token after the last",
            Self::QueueBeyondTtft => "a queue longer than TTFT",
            Self::UptimeSized => "a latency of a day or more",
            Self::FirstIsLast => "TTFT equal to the end-to-end latency",
        }
    }
}

impl RequestRecord {
    /// How the times of this request contradict each other, if they do.
    pub fn disorder(&self) -> Option<Disorder> {
        let mut endless = false;
        for stretch in Stretch::ALL {
            match self.spans.get(stretch) {
                Known::Not(Why::Impossible) => return Some(Disorder::EndBeforeStart),
                Known::Is { value, .. } => endless |= Disorder::is_endless(value),
                Known::Not(_) => {}
            }
        }
        if endless {
            return Some(Disorder::UptimeSized);
        }
        for (ttft, e2e) in
            [(Stretch::ClientTtft, Stretch::ClientE2e), (Stretch::ServerTtft, Stretch::ServerE2e)]
        {
            if let (Some(ttft), Some(e2e)) =
                (self.spans.get(ttft).value(), self.spans.get(e2e).value())
            {
                if ttft > e2e {
                    return Some(Disorder::FirstAfterLast);
                }
                let many = self.tokens.output.value().is_some_and(|n| n.get() > 8);
                if many && ttft == e2e {
                    return Some(Disorder::FirstIsLast);
                }
            }
        }
        match (self.spans.get(Stretch::Queue).value(), self.any_ttft()) {
            (Some(queue), Some(ttft)) if queue > ttft.took => Some(Disorder::QueueBeyondTtft),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::By;

    fn sound() -> RequestRecord {
        let mut r = RequestRecord::default();
        r.tokens.output = RequestRecord::counted(31);
        r.spans.set(Stretch::ServerTtft, Known::is(Duration::from_secs(2), By::Measured));
        r.spans.set(Stretch::ServerE2e, Known::is(Duration::from_secs(3), By::Measured));
        r
    }

    #[test]
    fn times_that_contradict_each_other_are_told_apart() {
        assert_eq!(sound().disorder(), None);
        let mut r = sound();
        r.spans.set(Stretch::ServerE2e, Known::is(Duration::from_secs(2), By::Measured));
        assert_eq!(r.disorder(), Some(Disorder::FirstIsLast));
        // One token arrives at once by right: that is not disorder.
        r.tokens.output = RequestRecord::counted(1);
        assert_eq!(r.disorder(), None);
        r.spans.set(Stretch::ServerE2e, Known::is(Duration::from_secs(1), By::Measured));
        assert_eq!(r.disorder(), Some(Disorder::FirstAfterLast));
        r.spans.set(Stretch::ServerE2e, crate::Spans::seconds(-1.76e9, By::Measured));
        assert_eq!(r.disorder(), Some(Disorder::EndBeforeStart));
        let mut r = sound();
        r.spans.set(Stretch::Queue, Known::is(Duration::from_secs(3), By::Measured));
        assert_eq!(r.disorder(), Some(Disorder::QueueBeyondTtft));
    }
}
