//! Tokens that a server counted beyond ours, and how much they weigh.

use trueline_core::Count;

use super::{Between, Doubt, Ledger, Moved, Range, Verdict};
use crate::stats::real;

/// One count of tokens on both sides.
#[derive(Debug, Clone, Copy)]
struct Side {
    of: Count,
    counted: u64,
    /// By how much more or less it may be.
    rounding: u64,
    ours: Range,
    largest: u64,
}

impl Side {
    fn of(of: Count, moved: &Moved, ledger: &Ledger, between: Between) -> Option<Self> {
        let (counted, ours) = moved.get(of).zip(ledger.tokens(of, between))?;
        let rounding = moved.rounding(of);
        Some(Self { of, counted, rounding, ours, largest: ledger.largest(of)? })
    }

    /// How much more than ours was counted at least.
    const fn beyond(&self) -> u64 {
        self.counted.saturating_sub(self.rounding).saturating_sub(self.ours.most)
    }

    /// How much less than ours was counted at least.
    const fn missing(&self) -> u64 {
        self.ours.least.saturating_sub(self.counted.saturating_add(self.rounding))
    }

    /// Whether the server counted more, or less, than ours by more than a share of them.
    fn is_off(&self, off: u64, share: f64) -> bool {
        real(off) > share * real(self.ours.most)
    }

    fn doubt(&self) -> Doubt {
        Doubt::TokensDiffer { of: self.of, counted: self.counted, ours: self.ours.most }
    }
}

/// The tokens that a server counted and that we know of ours.
///
/// # Shape
/// Prompt tokens are all of them where both sides know that, else the computed ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct Surplus {
    prompt: Option<Side>,
    output: Option<Side>,
}

impl Surplus {
    pub(super) fn of(moved: &Moved, ledger: &Ledger, between: Between) -> Self {
        let side = |count| Side::of(count, moved, ledger, between);
        Self {
            prompt: side(Count::PromptTokens).or_else(|| side(Count::NewTokens)),
            output: side(Count::OutputTokens),
        }
    }

    /// Why tokens that do not balance leave balanced requests in doubt. A client that counts prompts
    /// itself leaves the template out, so that only output tokens are asked.
    pub(super) fn difference(&self, share: f64) -> Option<Doubt> {
        let output = self.output?;
        let off = output.is_off(output.beyond(), share) || output.is_off(output.missing(), share);
        off.then(|| output.doubt())
    }

    /// Why tokens alone do not show that nobody else was served.
    pub(super) fn deficit(&self, share: f64) -> Option<Doubt> {
        if self.output.is_none() {
            return Some(Doubt::NothingInCommon);
        }
        self.sides().find_map(|side| {
            let missing = side.missing();
            if side.is_off(missing, share) {
                return Some(Doubt::OwnMissing { of: side.of, missing });
            }
            // What rounding may hide is no balance.
            let hidden = side.rounding;
            side.is_off(hidden, share).then_some(Doubt::Rounded { of: side.of, hidden })
        })
    }

    fn sides(&self) -> impl Iterator<Item = Side> {
        self.prompt.into_iter().chain(self.output)
    }
}

/// What a surplus comes to; `None` for none.
///
/// # Formula
/// Up to `share` of ours, in requests and in tokens, it is contamination of that share. Beyond, a
/// surplus of a `few` requests, each no larger than our largest, is in doubt: it may be ours. Any
/// other is contamination.
///
/// # Shape
/// `requests` are those of others and ours; `None` where the server counts none, and tokens decide.
pub(super) fn weigh(
    surplus: &Surplus,
    requests: Option<(u64, u64)>,
    few: f64,
    share: f64,
) -> Option<Verdict> {
    let shares = surplus
        .sides()
        .map(|side| (side.beyond(), side.ours.most))
        .chain(requests)
        .map(|(beyond, ours)| real(beyond) / real(ours.max(1)));
    let largest = shares.fold(0.0, f64::max);
    let at_most = |n: f64| surplus.sides().all(|s| real(s.beyond()) <= n * real(s.largest));
    let is_few = match requests {
        Some((foreign, _)) => real(foreign) <= few && at_most(real(foreign)),
        None => at_most(few),
    };
    if largest <= 0.0 {
        return None;
    }
    if largest > share && is_few {
        return Some(Verdict::Unverified(Doubt::FewMore));
    }
    Some(Verdict::Contaminated {
        requests: requests.map(|(foreign, _)| foreign),
        prompt_tokens: surplus.prompt.map(|side| side.beyond()),
        output_tokens: surplus.output.map(|side| side.beyond()),
        share: Some(largest),
    })
}
