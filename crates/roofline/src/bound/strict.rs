//! The bound that nothing can exceed.

use trueline_core::TokensPerSecond;

use super::cost::{Case, Latent, parts};
use super::limits::Limits;
use super::passes::Passes;
use super::{BoundError, ModelShape, Speculation, Workload};
use crate::{Basis, Bytes, Interval, MathPath, Strength, Tag};

/// Times of one kind of ceiling, in seconds.
#[derive(Debug, Clone, Copy)]
struct Terms {
    compute: Option<(f64, Strength)>,
    memory: Option<(f64, Strength)>,
}

/// The bound, and what verified figures alone exclude.
pub(super) struct Strict {
    pub(super) interval: Interval<TokensPerSecond>,
    pub(super) impossible_above: Option<TokensPerSecond>,
}

impl Strict {
    pub(super) fn of(
        model: &ModelShape,
        workload: &Workload,
        passes: &Passes,
        limits: &Limits,
        missing: &mut Vec<String>,
    ) -> Result<Self, BoundError> {
        let mut most: Option<Rates> = None;
        let mut usual: Option<f64> = None;
        let mut verified: Option<f64> = Some(0.0);
        for latent in Latent::ALL {
            for passes in passes.best_cases() {
                let terms = strict_terms(model, &passes, limits, latent, missing);
                let rates = Rates::of(passes.tokens_at_most, terms);
                // Of all ways an engine may take, the best.
                most = Some(most.map_or(rates, |other| other.or(rates)));
                verified = verified.zip(rates.verified()).map(|(a, b)| a.max(b));
                let low = usual_terms(model, &passes, limits, latent);
                let rate = Rates::of(passes.tokens_at_most, low).lowest();
                usual = usual.into_iter().chain(rate.map(|(rate, _)| rate)).reduce(f64::max);
            }
        }
        missing.sort_unstable();
        missing.dedup();
        let most = most.ok_or(BoundError::EmptyWorkload)?;
        let (high, strength) = most.lowest().ok_or(BoundError::NothingKnown)?;
        let sure = !matches!(workload, Workload::Decode { speculation: Speculation::Unknown, .. });
        let strength = strength.and(Strength::if_true(sure));
        let rate = |x: f64| TokensPerSecond::new(x).map_err(|_| BoundError::OutOfRange);
        let low = usual.unwrap_or(high).min(high);
        let interval = Interval::new(rate(low)?, rate(high)?, strength, basis(limits));
        let verified = verified.filter(|_| sure);
        Ok(Self { interval, impossible_above: verified.map(rate).transpose()? })
    }
}

/// Rates that arithmetic and memory alone would allow.
#[derive(Debug, Clone, Copy)]
struct Rates {
    compute: Option<(f64, Strength)>,
    memory: Option<(f64, Strength)>,
}

impl Rates {
    fn of(tokens: f64, terms: Terms) -> Self {
        let rate = |term: Option<(f64, Strength)>| {
            let (seconds, strength) = term?;
            // What takes no time limits nothing.
            (seconds > 0.0).then(|| (tokens / seconds, strength))
        };
        Self { compute: rate(terms.compute), memory: rate(terms.memory) }
    }

    /// The lower of the two, with its strength.
    fn lowest(self) -> Option<(f64, Strength)> {
        let both = [self.compute, self.memory].into_iter().flatten();
        both.reduce(|a, b| if b.0 < a.0 { b } else { a })
    }

    /// The lower of those that are verified.
    fn verified(self) -> Option<f64> {
        let both = [self.compute, self.memory].into_iter().flatten();
        both.filter(|(_, strength)| *strength == Strength::Convicts)
            .map(|(r, _)| r)
            .reduce(f64::min)
    }

    /// The one that allows more.
    fn or(self, other: Self) -> Self {
        let of = |rates: Self| rates.lowest().map_or(f64::INFINITY, |(rate, _)| rate);
        if of(other) > of(self) { other } else { self }
    }
}

fn strict_terms(
    model: &ModelShape,
    passes: &Passes,
    limits: &Limits,
    latent: Latent,
    missing: &mut Vec<String>,
) -> Terms {
    let mut compute = Some((0.0, Strength::Convicts));
    let mut memory = limits.most.memory.as_ref().map(|bandwidth| (0.0, bandwidth.strength()));
    if memory.is_none() {
        missing.push("memory bandwidth".to_owned());
    }
    let cache = limits.cache.map(Bytes::get);
    if cache.is_none() {
        missing.push("size of the last-level cache".to_owned());
        memory = memory.map(|(seconds, strength)| (seconds, strength.and(Strength::Widens)));
    }
    for (pass, times, weights) in &passes.list {
        let mut bytes = 0.0;
        for work in parts(model, pass, Case::Best, latent) {
            if weights.are_read_by(work.part) {
                bytes += work.bytes;
            }
            for (paths, flops) in &work.flops {
                if let Some((rate, strength)) = limits.most_of(paths) {
                    compute = compute.map(|(seconds, so_far)| {
                        (seconds + times * flops / rate.get(), so_far.and(strength))
                    });
                } else {
                    missing.push(unknown_path(paths));
                    compute = None;
                }
            }
        }
        let beyond = (bytes - cache.unwrap_or(0.0)).max(0.0);
        if let (Some((seconds, _)), Some(bandwidth)) = (&mut memory, &limits.most.memory) {
            *seconds += times * beyond / bandwidth.high().get();
        }
    }
    Terms { compute, memory }
}

/// As [`strict_terms`] with the lowest of the usual rates and all bytes from memory.
fn usual_terms(model: &ModelShape, passes: &Passes, limits: &Limits, latent: Latent) -> Terms {
    let mut compute = Some((0.0, Strength::Widens));
    let mut memory = limits.usual_bandwidth().map(|_| (0.0, Strength::Widens));
    for (pass, times, weights) in &passes.list {
        for work in parts(model, pass, Case::Best, latent) {
            for (paths, flops) in &work.flops {
                let rate = limits.usual_of(paths);
                compute = compute.zip(rate).map(|((seconds, strength), (_, rate))| {
                    (seconds + times * flops / rate.get(), strength)
                });
            }
            if let (Some((seconds, _)), Some((rate, _)), true) =
                (&mut memory, limits.usual_bandwidth(), weights.are_read_by(work.part))
            {
                *seconds += times * work.bytes / rate.get();
            }
        }
    }
    Terms { compute, memory }
}

fn unknown_path(paths: &[MathPath]) -> String {
    let names: Vec<String> = paths.iter().map(ToString::to_string).collect();
    if names.is_empty() {
        "how some weights are multiplied".to_owned()
    } else {
        format!("rate of {}", names.join(" or "))
    }
}

/// What the strict bound rests on.
fn basis(limits: &Limits) -> Vec<Basis> {
    let mut basis: Vec<Basis> =
        limits.most.memory.iter().flat_map(|memory| memory.basis().to_vec()).collect();
    for rate in limits.most.compute.values() {
        basis.extend(
            rate.basis().iter().filter(|b| !basis.contains(b)).cloned().collect::<Vec<_>>(),
        );
    }
    basis.push(Basis::new(
        "fewest experts, transfers hidden, cache left out",
        Tag::Derived,
        "strict bound",
    ));
    basis
}
