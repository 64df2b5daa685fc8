//! The bound that nothing can exceed.

use std::collections::BTreeSet;

use trueline_core::TokensPerSecond;

use super::cost::Setting;
use super::limits::Limits;
use super::passes::{Passes, Step, Weights};
use super::work::{Case, Latent, PartWork};
use super::{BoundError, ModelShape, Speculation, Workload};
use crate::{Basis, Interval, MathPath, Strength, Tag};

/// The bound, and what verified figures alone exclude.
pub(super) struct Strict {
    pub(super) interval: Interval<TokensPerSecond>,
    pub(super) impossible_above: Option<TokensPerSecond>,
    /// What is not known and would narrow the bound.
    pub(super) missing: Vec<String>,
}

impl Strict {
    pub(super) fn of(
        model: &ModelShape,
        workload: &Workload,
        passes: &Passes,
        limits: &Limits,
    ) -> Result<Self, BoundError> {
        let mut ledger = Ledger::default();
        let (mut most, mut usual) = (Rates::default(), 0.0_f64);
        let mut verified = Some(0.0_f64);
        // Of all ways that an engine may take, the best counts.
        for latent in Latent::ALL {
            for passes in passes.best_cases() {
                let rates = Rates::at_most(model, &passes, limits, latent, &mut ledger);
                verified = verified.zip(rates.verified()).map(|(a, b)| a.max(b));
                let low = Rates::at_least(model, &passes, limits, latent);
                usual = usual.max(low.lowest().map_or(0.0, |(rate, _)| rate));
                most = most.or(rates);
            }
        }
        let (high, strength) = most.lowest().ok_or(BoundError::NothingKnown)?;
        if !(high > 0.0 && high.is_finite()) {
            return Err(BoundError::OutOfRange);
        }
        let sure = workload.speculation() != Speculation::Unknown;
        let strength = strength.and(Strength::if_true(sure));
        let rate = |x: f64| TokensPerSecond::new(x).map_err(|_| BoundError::OutOfRange);
        let basis = ledger.basis(limits);
        let interval = Interval::new(rate(usual.min(high))?, rate(high)?, strength, basis);
        let verified = verified.filter(|rate| sure && *rate > 0.0);
        ledger.missing.extend(model.unknown.iter().cloned());
        let missing = ledger.missing.into_iter().collect();
        Ok(Self { interval, impossible_above: verified.map(rate).transpose()?, missing })
    }
}

/// What the bound has used, and what it would have liked to.
#[derive(Default)]
struct Ledger {
    paths: BTreeSet<MathPath>,
    missing: BTreeSet<String>,
}

impl Ledger {
    fn basis(&self, limits: &Limits) -> Vec<Basis> {
        let rates = self.paths.iter().filter_map(|path| limits.most.peak(*path));
        let rates = rates.flat_map(|rate| rate.basis().iter().cloned());
        let memory = limits.most.memory.iter().flat_map(|memory| memory.basis().iter().cloned());
        let cache = limits.cache.basis("last-level cache");
        let mut basis: Vec<Basis> = Vec::new();
        for found in rates.chain(memory).chain(cache) {
            if !basis.contains(&found) {
                basis.push(found);
            }
        }
        if limits.parallel.devices() > 1 {
            basis.extend(limits.link.basis("link"));
        }
        let case = "fewest experts, transfers hidden, cache left out";
        basis.push(Basis::new(case, Tag::Derived, "strict bound"));
        basis
    }
}

/// A time in seconds or a rate in tokens a second, with its strength; `None` where it is not known or does
/// not limit.
type Term = Option<(f64, Strength)>;

/// Rates that arithmetic, memory and links alone would allow.
#[derive(Debug, Clone, Copy, Default)]
struct Rates {
    terms: [Term; 3],
    /// Whether anything was reckoned at all.
    any: bool,
}

impl Rates {
    fn of(tokens: f64, seconds: [Term; 3]) -> Self {
        // What takes no time limits nothing; what takes no number any more is out of range.
        let rate = |term: Term| {
            term.filter(|(s, _)| !matches!(s.partial_cmp(&0.0), Some(std::cmp::Ordering::Equal)))
                .map(|(seconds, strength)| (tokens / seconds, strength))
        };
        Self { terms: seconds.map(rate), any: true }
    }

    /// With the highest rates and the best case.
    fn at_most(
        model: &ModelShape,
        passes: &Passes,
        limits: &Limits,
        latent: Latent,
        ledger: &mut Ledger,
    ) -> Self {
        let mut compute = Some((0.0, Strength::Convicts));
        let (cache, cached) = limits.cache();
        if cached == Strength::Widens {
            ledger.missing.insert("size of the last-level cache".to_owned());
        }
        let bandwidth = limits.most.memory.as_ref();
        if bandwidth.is_none() {
            ledger.missing.insert("memory bandwidth".to_owned());
        }
        let mut memory = bandwidth.map(|rate| (0.0, rate.strength().and(cached)));
        let mut link = limits.link.high().map(|_| (0.0, limits.link.strength()));
        for Step { pass, at_best: times, weights, .. } in &passes.list {
            let (mut bytes, mut sent) = (0.0, 0.0);
            let parallel = limits.parallel;
            for work in (Setting { model, pass, case: Case::Best, latent, parallel }).parts() {
                bytes += counted(&work, *weights);
                sent += work.sent_at_least;
                for (paths, flops) in &work.flops {
                    let Some((path, rate)) = limits.most_of(paths) else {
                        ledger.missing.insert(unknown_path(paths));
                        compute = None;
                        continue;
                    };
                    ledger.paths.insert(path);
                    compute = compute.map(|(seconds, strength): (f64, Strength)| {
                        let more = times * flops / rate.high().get();
                        (seconds + more, strength.and(rate.strength()))
                    });
                }
            }
            if let (Some((seconds, _)), Some(rate)) = (&mut memory, bandwidth) {
                *seconds += times * (bytes - cache).max(0.0) / rate.high().get();
            }
            if let (Some((seconds, _)), Some(rate)) = (&mut link, limits.link.high()) {
                *seconds += times * sent / rate.get();
            }
        }
        if limits.parallel.devices() > 1 {
            if link.is_none() {
                ledger.missing.insert("bandwidth between devices".to_owned());
            }
            if model.hidden.is_none() {
                ledger.missing.insert("hidden size".to_owned());
            }
        }
        Self::of(passes.tokens_at_most, [compute, memory, link])
    }

    /// With the lowest of the usual rates, and all bytes from memory.
    fn at_least(model: &ModelShape, passes: &Passes, limits: &Limits, latent: Latent) -> Self {
        let mut compute = Some((0.0, Strength::Widens));
        let bandwidth = limits.usual_bandwidth().map(|(low, _)| low.get());
        let mut memory = bandwidth.map(|_| (0.0, Strength::Widens));
        for Step { pass, at_best: times, weights, .. } in &passes.list {
            let parallel = limits.parallel;
            for work in (Setting { model, pass, case: Case::Best, latent, parallel }).parts() {
                for (paths, flops) in &work.flops {
                    let rate = limits.usual_of(paths);
                    compute = compute.zip(rate).map(|((seconds, strength), (low, _))| {
                        (seconds + times * flops / low.get(), strength)
                    });
                }
                if let (Some((seconds, _)), Some(rate)) = (&mut memory, bandwidth) {
                    *seconds += times * counted(&work, *weights) / rate;
                }
            }
        }
        Self::of(passes.tokens_at_most, [compute, memory, None])
    }

    /// The lowest of them, with its strength.
    fn lowest(self) -> Term {
        self.terms.into_iter().flatten().reduce(|a, b| if b.0 < a.0 { b } else { a })
    }

    /// The lowest of those that are verified.
    fn verified(self) -> Option<f64> {
        let verified = self.terms.into_iter().flatten().filter(|(_, s)| *s == Strength::Convicts);
        verified.map(|(rate, _)| rate).reduce(f64::min)
    }

    /// The one that allows more.
    fn or(self, other: Self) -> Self {
        let allowed = |rates: Self| match (rates.any, rates.lowest()) {
            (false, _) => f64::NEG_INFINITY,
            (true, None) => f64::INFINITY,
            (true, Some((rate, _))) => rate,
        };
        if allowed(other) > allowed(self) { other } else { self }
    }
}

/// The bytes of a part that a pass has to read for itself.
fn counted(work: &PartWork, weights: Weights) -> f64 {
    if weights.are_read_by(work.part) { work.bytes } else { 0.0 }
}

fn unknown_path(paths: &[MathPath]) -> String {
    let names: Vec<String> = paths.iter().map(ToString::to_string).collect();
    if names.is_empty() {
        "how some weights are multiplied".to_owned()
    } else {
        format!("rate of {}", names.join(" or "))
    }
}
