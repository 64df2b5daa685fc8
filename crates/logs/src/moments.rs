//! Moments of a row, and the stretches between them.

use std::time::Duration;

use trueline_core::{Known, Side, Spans, Stretch, WallTime, Why};

use crate::Unit;
use crate::row::{Numbers, first};
use crate::scalar::Scalar;

/// Moments of a row, from which stretches follow, and what is to know about them.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moments {
    /// Who recorded the row; the server where nothing says otherwise.
    side: Option<Side>,
    /// Whether rows of its format may say when work on them began.
    schedules: bool,
    pub(crate) finished: Known<WallTime>,
    pub(crate) scheduled: Known<WallTime>,
    pub(crate) prefilled: Known<WallTime>,
    pub(crate) first_token: Known<WallTime>,
    /// Whether the reply was streamed; `None` where nothing says so.
    pub(crate) streamed: Option<bool>,
    /// Whether a store of whole replies answered.
    pub(crate) stored: bool,
    /// Whether they count from an origin of the source's own, as `sent_after` does.
    own_origin: bool,
}

/// How long before its end a first token is there at least, where a reply has more than one: less than any
/// decode step takes, and more than two clocks of one server differ by rounding.
const FIRST_BEFORE_END: Duration = Duration::from_micros(100);

impl Moments {
    /// None yet.
    pub(crate) fn of(side: Side, schedules: bool) -> Self {
        Self { side: Some(side), schedules, ..Self::default() }
    }

    /// The first token's time where it is one. Of a reply that came whole it is the end, so one that nobody says
    /// was streamed must have ended later.
    fn first_of_several(&self, end: Option<WallTime>) -> Option<WallTime> {
        let first = self.first_token.value()?;
        let latest = end.and_then(|end| end.minus(FIRST_BEFORE_END));
        let came_first = self.streamed.unwrap_or_else(|| latest.is_some_and(|end| first < end));
        came_first.then_some(first)
    }
}

impl Numbers {
    /// The stretches between moments that a row states on one clock, where it states the stretch itself
    /// nowhere; and the start from the end.
    pub(crate) fn settle_times(&mut self, moments: &Moments) {
        if moments.stored {
            self.settle_start(moments);
            // No server answered: what the store took is no time of one.
            self.record.spans = Spans::default();
            self.record.tokens.cached = Known::Not(Why::NotApplicable);
            return;
        }
        let [ttft, e2e] = match moments.side {
            Some(Side::Client) => [Stretch::ClientTtft, Stretch::ClientE2e],
            Some(Side::Server) | None => [Stretch::ServerTtft, Stretch::ServerE2e],
        };
        let started = if moments.own_origin {
            let after = self.record.sent_after.value();
            after.and_then(|after| WallTime::from_nanos(0).plus(after))
        } else {
            self.record.started.value()
        };
        let scheduled = moments.scheduled.value();
        self.stretch(e2e, started, moments.finished.value());
        self.stretch(Stretch::Queue, started, scheduled);
        let took = self.record.any_e2e().map(|e2e| e2e.took);
        let end = started.zip(took).and_then(|(started, took)| started.plus(took));
        let first = moments.first_of_several(end).or(moments.prefilled.value());
        self.stretch(ttft, started, first);
        self.stretch(Stretch::PrefillCompute, scheduled, moments.prefilled.value());
        let no_queue = self.record.spans.get(Stretch::Queue).value() == Some(Duration::ZERO);
        if no_queue && moments.schedules && scheduled.is_none() {
            // A difference of two stamps that were never made.
            self.record.spans.set(Stretch::Queue, Known::Not(Why::ZeroForNone));
        }
        self.settle_start(moments);
    }

    /// The start from the end.
    fn settle_start(&mut self, moments: &Moments) {
        if !moments.own_origin
            && self.record.started == Known::Not(Why::Absent)
            && let (Some(end), Some(e2e)) = (moments.finished.value(), self.record.any_e2e())
        {
            self.record.started = Known::derived(end.minus(e2e.took), Why::Impossible);
        }
    }

    /// A stretch between two moments, where the row does not state it. One that it states as what cannot be stays
    /// unknown.
    fn stretch(&mut self, stretch: Stretch, from: Option<WallTime>, to: Option<WallTime>) {
        let (Some(from), Some(to)) = (from, to) else { return };
        let held = self.record.spans.get(stretch);
        if held.is_known() || matches!(held.why(), Some(Why::Impossible | Why::NonFinite)) {
            return;
        }
        let nanos = to.as_nanos().checked_sub(from.as_nanos());
        let took = nanos.and_then(|n| u64::try_from(n).ok()).map(Duration::from_nanos);
        let took = self.note(Known::derived(took, Why::Impossible));
        self.record.spans.set(stretch, took);
    }

    /// Puts a moment into its place, where an earlier field did not.
    pub(crate) fn fill_moment(
        &mut self,
        value: &Scalar<'_>,
        unit: Unit,
        moments: &mut Moments,
        place: fn(&mut Moments) -> &mut Known<WallTime>,
    ) {
        let at = self.moment(value, unit, &mut moments.own_origin);
        first(place(moments), at);
    }

    /// The end; the start may rest on it.
    pub(crate) fn fill_end(&mut self, value: &Scalar<'_>, unit: Unit, moments: &mut Moments) {
        let held = moments.finished.is_known() || self.record.started.is_known();
        let finished = if unit.counts_from_own_origin() {
            self.moment(value, unit, &mut moments.own_origin)
        } else {
            self.stamp(value, unit, held)
        };
        first(&mut moments.finished, finished);
    }

    /// A wall time; `held` says that an earlier field gave it already.
    pub(crate) fn stamp(&mut self, value: &Scalar<'_>, unit: Unit, held: bool) -> Known<WallTime> {
        let stamp = self.note(value.wall_time(unit));
        self.zoneless |= !held && stamp.is_known() && value.has_no_zone(unit);
        stamp
    }

    /// A moment; one that counts from an origin of the source's own is kept as a time since the epoch, for
    /// taking differences only. Zero since such an origin is a moment that never came.
    fn moment(&mut self, value: &Scalar<'_>, unit: Unit, own: &mut bool) -> Known<WallTime> {
        if !unit.counts_from_own_origin() {
            return self.note(value.wall_time(unit));
        }
        *own = true;
        match self.note(value.elapsed(unit)) {
            Known::Is { value: Duration::ZERO, .. } => Known::Not(Why::ZeroForNone),
            Known::Is { value, .. } => {
                Known::derived(WallTime::from_nanos(0).plus(value), Why::Impossible)
            }
            Known::Not(why) => Known::Not(why),
        }
    }
}
