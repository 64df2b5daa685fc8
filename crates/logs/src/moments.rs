//! Moments of a row, and the stretches between them.

use std::time::Duration;

use trueline_core::{Known, RequestRecord, Stretch, WallTime, Why};

/// Moments of a row, from which stretches follow.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moments {
    pub(crate) finished: Known<WallTime>,
    pub(crate) scheduled: Known<WallTime>,
    pub(crate) prefilled: Known<WallTime>,
    pub(crate) first_sent: Known<WallTime>,
    /// Whether they count from an origin of the source's own, as `sent_after` does.
    pub(crate) own_origin: bool,
}

/// How long before its end a first chunk is sent at least, where a reply has more than one: less than any
/// decode step takes, and more than two clocks of one server differ by rounding.
const FIRST_BEFORE_END: Duration = Duration::from_micros(100);

impl Moments {
    /// The stretches between moments that a row states on one clock, where it states the stretch itself
    /// nowhere; and the start from the end.
    pub(crate) fn settle(&self, record: &mut RequestRecord, schedules: bool) {
        let between = |from: Option<WallTime>, to: Option<WallTime>| {
            let (from, to) = (from?.as_nanos(), to?.as_nanos());
            let nanos = to.checked_sub(from).and_then(|nanos| u64::try_from(nanos).ok());
            Some(Known::derived(nanos.map(Duration::from_nanos), Why::Impossible))
        };
        let after = record.sent_after.value().filter(|_| self.own_origin);
        let started = if self.own_origin {
            after.and_then(|after| WallTime::from_nanos(0).plus(after))
        } else {
            record.started.value()
        };
        if record.any_e2e().is_none()
            && let Some(e2e) = between(started, self.finished.value())
        {
            record.spans.set(Stretch::ServerE2e, e2e);
        }
        if record.spans.get(Stretch::Queue) == Known::Not(Why::Absent)
            && let Some(queue) = between(started, self.scheduled.value())
        {
            record.spans.set(Stretch::Queue, queue);
        }
        if !record.spans.get(Stretch::ServerTtft).is_known() {
            let end =
                record.any_e2e().and_then(|e2e| started?.plus(e2e.took)?.minus(FIRST_BEFORE_END));
            let sent = self.first_sent.value().filter(|sent| end.is_some_and(|end| *sent < end));
            if let Some(ttft) = between(started, sent.or(self.prefilled.value())) {
                record.spans.set(Stretch::ServerTtft, ttft);
            }
        }
        if !record.spans.get(Stretch::PrefillCompute).is_known()
            && let Some(took) = between(self.scheduled.value(), self.prefilled.value())
        {
            record.spans.set(Stretch::PrefillCompute, took);
        }
        let no_queue = record.spans.get(Stretch::Queue).value() == Some(Duration::ZERO);
        if no_queue && schedules && !self.scheduled.is_known() {
            // A difference of two stamps that were never made.
            record.spans.set(Stretch::Queue, Known::Not(Why::ZeroForNone));
        }
        if !self.own_origin
            && record.started == Known::Not(Why::Absent)
            && let (Some(end), Some(e2e)) = (self.finished.value(), record.any_e2e())
        {
            record.started = Known::derived(end.minus(e2e.took), Why::Impossible);
        }
    }
}
