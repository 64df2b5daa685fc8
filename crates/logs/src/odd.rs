//! Which values of a row cannot be, by name.

use trueline_core::{RequestRecord, Stretch, Why};

use crate::layout::{Fills, Layout};
use crate::shape::Slots;

impl Layout {
    /// The fields of a row whose own values cannot be or are not finite.
    pub(crate) fn odd_fields<'l>(&'l self, slots: &'l Slots<'_>) -> impl Iterator<Item = &'l str> {
        self.steps.iter().filter_map(|step| {
            let value = slots.get(step.slot)?;
            let why = match step.fills {
                Fills::Prompt
                | Fills::Cached
                | Fills::New
                | Fills::Output
                | Fills::BlockTokens
                | Fills::Uncached
                | Fills::CacheWrite
                | Fills::Preemptions
                | Fills::DroppedCommits => value.tokens().why(),
                Fills::Time { unit, .. } => value.duration(unit).why(),
                Fills::SentAfter(unit) => value.elapsed(unit).why(),
                Fills::Started(unit)
                | Fills::Finished(unit)
                | Fills::ScheduledAt(unit)
                | Fills::PrefilledAt(unit)
                | Fills::FirstToken(unit) => value.wall_time(unit).why(),
                Fills::Rate | Fills::DecodeRate => value.rate().why(),
                Fills::Outcome
                | Fills::Warmup
                | Fills::BlockHashes
                | Fills::Gaps(_)
                | Fills::Streamed
                | Fills::FromReplyStore => None,
            };
            matches!(why, Some(Why::Impossible | Why::NonFinite))
                .then(|| self.table.fields.get(step.slot).map(|field| &*field.path))?
        })
    }
}

/// The stretches of a record that cannot be or are not finite, in words.
pub(crate) fn odd_stretches(record: &RequestRecord) -> impl Iterator<Item = &'static str> {
    let odd = |stretch: &Stretch| {
        matches!(record.spans.get(*stretch).why(), Some(Why::Impossible | Why::NonFinite))
    };
    Stretch::ALL.into_iter().filter(odd).map(|stretch| match stretch {
        Stretch::ClientTtft | Stretch::ServerTtft => "TTFT",
        Stretch::ClientE2e | Stretch::ServerE2e => "end-to-end latency",
        Stretch::ClientDecode | Stretch::ServerDecode => "decode time",
        Stretch::Queue => "queue",
        Stretch::LockWait => "lock wait",
        Stretch::CacheRestore => "cache restore",
        Stretch::PrefillCompute => "prefill computation",
        Stretch::SendDelay => "send delay",
    })
}
