//! The bound for headroom: what a perfect engine of the usual kind reaches.

use std::time::Duration;

use trueline_core::TokensPerSecond;

use super::cost::Setting;
use super::limits::Limits;
use super::pass::Pass;
use super::passes::{MANY, Passes};
use super::work::{Case, Latent, PartWork};
use super::{LatentForm, ModelShape, PartTime, Workload};
use crate::{Basis, Bound, Bytes, Flops, Interval, Strength, Tag};

/// The usual case: parts one after the other.
pub(super) struct Usual {
    pub(super) parts: Vec<PartTime>,
    compute_s: Option<f64>,
    memory_s: Option<f64>,
    link_s: Option<f64>,
}

impl Usual {
    /// The parts of all passes.
    pub(super) fn of(model: &ModelShape, passes: &Passes, limits: &Limits) -> Self {
        let bandwidth = limits.usual_bandwidth().map(|(_, high)| high.get());
        let mut usual = Self {
            parts: Vec::new(),
            compute_s: Some(0.0),
            memory_s: bandwidth.map(|_| 0.0),
            link_s: Some(0.0),
        };
        for step in &passes.list {
            for work in setting(model, &step.pass, limits).parts() {
                usual.add(&work, step.at_best, limits, bandwidth);
            }
        }
        usual
    }

    fn add(&mut self, work: &PartWork, times: f64, limits: &Limits, bandwidth: Option<f64>) {
        let compute = compute_seconds(work, limits, End::Best).map(|s| s * times);
        let memory = bandwidth.map(|rate| times * work.bytes / rate);
        self.compute_s = self.compute_s.zip(compute).map(|(a, b)| a + b);
        self.memory_s = self.memory_s.zip(memory).map(|(a, b)| a + b);
        let link = link_seconds(work, limits).map(|seconds| seconds * times);
        self.link_s = self.link_s.zip(link).map(|(a, b)| a + b);
        let (Ok(flops), Ok(bytes)) =
            (Flops::new(times * total(work)), Bytes::new(times * work.bytes))
        else {
            return;
        };
        let all = compute.zip(memory).zip(link);
        let part = PartTime {
            kind: work.kind.clone(),
            part: work.part,
            flops,
            bytes,
            took: all.and_then(|((c, m), l)| Duration::try_from_secs_f64(c.max(m) + l).ok()),
            bound: all.map(|((c, m), l)| longest(c, m, l)),
        };
        let same = |other: &&mut PartTime| other.kind == part.kind && other.part == part.part;
        match self.parts.iter_mut().find(same) {
            // A part of two passes: of prefill and decode.
            Some(other) => other.join(&part),
            None => self.parts.push(part),
        }
    }

    /// What takes longer over all parts.
    pub(super) fn bound(&self) -> Option<Bound> {
        let ((compute, memory), link) = self.compute_s.zip(self.memory_s).zip(self.link_s)?;
        Some(longest(compute, memory, link))
    }
}

fn longest(compute: f64, memory: f64, link: f64) -> Bound {
    if link > compute.max(memory) {
        Bound::Link
    } else if compute > memory {
        Bound::Compute
    } else {
        Bound::Memory
    }
}

/// From the worst path and the least that a pass gives to the best and the most.
pub(super) fn model_bound(
    model: &ModelShape,
    workload: &Workload,
    limits: &Limits,
    passes: &Passes,
) -> Option<Interval<TokensPerSecond>> {
    let many = Passes::with_concurrency(workload, MANY).ok()?;
    let slow = model_seconds(model, passes, limits, End::Worst)?;
    let fast = model_seconds(model, &many, limits, End::Best)?;
    let low = TokensPerSecond::new(passes.tokens_at_least / slow).ok()?;
    let high = TokensPerSecond::new(many.tokens_at_most / fast).ok()?;
    let basis = vec![Basis::new(
        "expected experts, one part after the other, nothing between them",
        Tag::Derived,
        "model bound",
    )];
    Some(Interval::new(low, high, Strength::Widens, basis))
}

/// Which end of an interval.
#[derive(Clone, Copy)]
enum End {
    Worst,
    Best,
}

fn compute_seconds(work: &PartWork, limits: &Limits, end: End) -> Option<f64> {
    work.flops.iter().try_fold(0.0, |seconds, (paths, flops)| {
        let (worst, best) = limits.usual_of(paths)?;
        let rate = match end {
            End::Worst => worst,
            End::Best => best,
        };
        Some(seconds + flops / rate.get())
    })
}

fn model_seconds(model: &ModelShape, passes: &Passes, limits: &Limits, end: End) -> Option<f64> {
    let (worst, best) = limits.usual_bandwidth()?;
    let bandwidth = match end {
        End::Worst => worst,
        End::Best => best,
    };
    let mut seconds = 0.0;
    for step in &passes.list {
        let times = match end {
            End::Worst => step.at_worst,
            End::Best => step.at_best,
        };
        for work in setting(model, &step.pass, limits).parts() {
            let compute = compute_seconds(&work, limits, end)?;
            seconds += times * compute.max(work.bytes / bandwidth.get());
            seconds += times * link_seconds(&work, limits)?;
        }
    }
    Some(seconds)
}

fn setting<'a>(model: &'a ModelShape, pass: &'a Pass, limits: &Limits) -> Setting<'a> {
    let latent = match model.latent {
        Some(LatentForm::Absorbed) => Latent::Absorbed,
        Some(LatentForm::Expanded) => Latent::ExpandedAgain,
        None => pass.usual_latent(),
    };
    Setting { model, pass, case: Case::Usual, latent, parallel: limits.parallel }
}

/// The time to send what goes to other devices; `None` where it is not known.
fn link_seconds(work: &PartWork, limits: &Limits) -> Option<f64> {
    if work.sent > 0.0 { Some(work.sent / limits.link.value()?.get()) } else { Some(0.0) }
}

fn total(work: &PartWork) -> f64 {
    work.flops.iter().map(|(_, flops)| flops).sum()
}
