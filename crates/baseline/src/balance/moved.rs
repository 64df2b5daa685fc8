//! How far a server's counts moved between two readings, if they are of one count at all.

use trueline_core::{Count, EngineCounts, Known, ServerCounters};

use super::Doubt;

/// How far each count moved; `None` for one that the server does not keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Moved([Option<Step>; Count::ALL.len()]);

/// How far one count moved, and how much of that may be rounding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Step {
    by: u64,
    rounding: u64,
}

impl Moved {
    /// How far one count moved.
    pub(super) fn get(&self, count: Count) -> Option<u64> {
        self.0[count as usize].map(|step| step.by)
    }

    /// By how much more or less it may have moved: the server writes few digits.
    pub(super) fn rounding(&self, count: Count) -> u64 {
        self.0[count as usize].map_or(0, |step| step.rounding)
    }
}

impl Step {
    /// From one number to a later one; `None` where it went back by more than rounding.
    fn between(
        before: &ServerCounters,
        one: u64,
        after: &ServerCounters,
        two: u64,
    ) -> Option<Self> {
        let rounding = before.rounded_by(one).saturating_add(after.rounded_by(two));
        let by = two.checked_sub(one).or_else(|| (one - two <= rounding).then_some(0))?;
        Some(Self { by, rounding })
    }

    fn plus(self, other: Self) -> Option<Self> {
        let by = self.by.checked_add(other.by)?;
        Some(Self { by, rounding: self.rounding.saturating_add(other.rounding) })
    }
}

/// How far a server's counts moved from one reading to a later one.
pub(super) fn moved(before: &ServerCounters, after: &ServerCounters) -> Result<Moved, Doubt> {
    if before.server != after.server {
        return Err(Doubt::OtherServer);
    }
    if let (Some(one), Some(two)) = (before.started.value(), after.started.value())
        && one != two
    {
        return Err(Doubt::Restarted);
    }
    let nothing = EngineCounts::default();
    let pairs = paired(before, after, &nothing).ok_or(Doubt::EnginesChanged {
        before: before.engines.len() as u64,
        after: after.engines.len() as u64,
    })?;
    let mut sums = [None; Count::ALL.len()];
    for (slot, count) in sums.iter_mut().zip(Count::ALL) {
        let mut sum = (!pairs.is_empty()).then(Step::default);
        for (one, two) in &pairs {
            let two = two.get(count).value();
            let one = if std::ptr::eq(*one, &raw const nothing) {
                two.map(|_| 0)
            } else {
                one.get(count).value()
            };
            let step = match one.zip(two) {
                Some((one, two)) => {
                    let step = Step::between(before, one, after, two);
                    Some(step.ok_or(Doubt::WentBack(count))?)
                }
                None => None,
            };
            sum = sum.zip(step).and_then(|(sum, step)| sum.plus(step));
        }
        *slot = sum;
    }
    Ok(Moved(sums))
}

/// Each engine's counts before and after; `None` where the engines are not the same ones.
fn paired<'a>(
    before: &'a ServerCounters,
    after: &'a ServerCounters,
    nothing: &'a EngineCounts,
) -> Option<Vec<(&'a EngineCounts, &'a EngineCounts)>> {
    let is_in = |engines: &[EngineCounts], labels: &str| engines.iter().any(|e| e.labels == labels);
    // A server that lists an engine from its first request on has none of them before it: what it has
    // then is nothing, under the labels of the server alone.
    let gone = before.engines.iter().filter(|engine| !is_in(&after.engines, &engine.labels));
    let unlisted: Vec<&EngineCounts> = gone.collect();
    let is_of = |server: &EngineCounts, labels: &str| {
        let own = labels.strip_prefix(server.labels.as_str());
        own.is_some_and(|own| server.labels.is_empty() || own.starts_with(','))
    };
    let has_some = |server: &&EngineCounts| {
        is_untouched(server) && after.engines.iter().any(|two| is_of(server, &two.labels))
    };
    if !unlisted.iter().all(has_some) {
        return None;
    }
    let listed_later = |labels: &str| unlisted.iter().any(|server| is_of(server, labels));
    let pair = |two: &'a EngineCounts| {
        let one = before.engines.iter().find(|one| one.labels == two.labels);
        one.or_else(|| listed_later(&two.labels).then_some(nothing)).map(|one| (one, two))
    };
    after.engines.iter().map(pair).collect()
}

/// Whether an engine is known to have counted nothing at all.
fn is_untouched(engine: &EngineCounts) -> bool {
    let counts = Count::ALL.map(|count| engine.get(count));
    counts.iter().any(Known::is_known) && counts.iter().all(|c| c.value().is_none_or(|n| n == 0))
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, WallTime, Why};

    use super::*;

    fn counters(engines: &[(&str, u64)]) -> ServerCounters {
        let mut counters = ServerCounters::default();
        counters.server = "vllm".into();
        for (labels, requests) in engines {
            let mut engine = EngineCounts::default();
            engine.labels = (*labels).to_owned();
            engine.requests = Known::is(*requests, By::Reported);
            counters.engines.push(engine);
        }
        counters
    }

    fn requests(before: &[(&str, u64)], after: &[(&str, u64)]) -> Result<Option<u64>, Doubt> {
        moved(&counters(before), &counters(after)).map(|moved| moved.get(Count::Requests))
    }

    #[test]
    fn one_engine_that_began_anew_is_not_hidden_by_the_sum() {
        // 100 and 90 become 10 and 250: the sum grew by 70.
        let went = requests(&[("e=0", 100), ("e=1", 90)], &[("e=0", 10), ("e=1", 250)]);
        assert_eq!(went, Err(Doubt::WentBack(Count::Requests)));
        assert_eq!(requests(&[("e=0", 1), ("e=1", 2)], &[("e=0", 4), ("e=1", 6)]), Ok(Some(7)));
    }

    #[test]
    fn other_engines_are_another_count() {
        let gone = requests(&[("e=0", 1), ("e=1", 2)], &[("e=0", 4)]);
        assert_eq!(gone, Err(Doubt::EnginesChanged { before: 2, after: 1 }));
        let other = requests(&[("pod=a", 1)], &[("pod=b", 4)]);
        assert_eq!(other, Err(Doubt::EnginesChanged { before: 1, after: 1 }));
        // Listed from the first request on.
        assert_eq!(requests(&[("", 0)], &[("model=m", 4)]), Ok(Some(4)));
        assert!(requests(&[("", 1)], &[("model=m", 4)]).is_err());
        // Of two servers one lists its engines from its first request on, and the other has one already.
        let before = [("server=1,e=0", 5), ("server=2", 0)];
        let after = [("server=1,e=0", 8), ("server=2,e=0", 2), ("server=2,e=1", 2)];
        assert_eq!(requests(&before, &after), Ok(Some(7)));
        assert!(requests(&before, &[("server=1,e=0", 8), ("server=21,e=0", 2)]).is_err());
        // An engine that is gone may have served meanwhile.
        assert!(requests(&[("e=0", 5), ("e=1", 0)], &[("e=0", 8)]).is_err());
    }

    #[test]
    fn a_start_that_changed_is_a_restart_and_one_that_is_not_known_is_none() {
        let (mut one, mut two) = (counters(&[("", 5)]), counters(&[("", 9)]));
        one.started = Known::is(WallTime::from_nanos(1), By::Reported);
        assert!(moved(&one, &two).is_ok());
        two.started = Known::is(WallTime::from_nanos(2), By::Reported);
        assert_eq!(moved(&one, &two), Err(Doubt::Restarted));
    }

    #[test]
    fn a_count_that_is_not_kept_did_not_move_by_zero() {
        let (mut one, two) = (counters(&[("", 5)]), counters(&[("", 9)]));
        assert_eq!(moved(&one, &two).unwrap().get(Count::OutputTokens), None);
        one.engines[0].requests = Known::Not(Why::NonFinite);
        assert_eq!(moved(&one, &two).unwrap().get(Count::Requests), None);
        let none = counters(&[]);
        assert_eq!(moved(&none, &none).unwrap().get(Count::Requests), None);
    }
}
