//! One meaning of a claim against the bound of the device, model and layout that allow most.

use trueline_core::{Thresholds, TokensPerSecond};
use trueline_roofline::{
    Limits, LiveClocks, Roof, Setup, Speculation, Verdict, Workload, estimate_roof, judge_claim,
};

use super::checks::FAR_BELOW_CEILING;
use super::device::Setting;
use super::facts::float;
use super::layouts::Layout;
use super::readings::Reading;

/// One meaning judged on the layout and workload that allow most.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) roof: Roof,
    pub(super) workload: Workload,
    pub(super) layout: Layout,
    /// The rate of one replica.
    pub(super) rate: f64,
}

/// Clocks, timers and rounded figures are worth 1 %.
const ROUNDED: f64 = 1.01;

/// One way to serve a meaning.
#[derive(Clone)]
struct Candidate {
    /// The bound of all replicas.
    bound: f64,
    /// What verified figures do not exclude of all replicas.
    verified: f64,
    roof: Roof,
    workload: Workload,
    layout: Layout,
}

impl Setting {
    /// Judges one meaning by the workload and the layout that allow most; `None` where there is no bound.
    pub(super) fn judge(&self, reading: &Reading, clocks: &LiveClocks) -> Option<Judged> {
        let single = Limits::of(&self.hardware, clocks);
        let mut most: Option<Candidate> = None;
        let mut surest: Option<Candidate> = None;
        for layout in &self.layouts.ways {
            if !reading.of_all && self.has_wider(layout) {
                continue;
            }
            let limits = single.clone().with_parallel(layout.parallel);
            let replicas = reading.replicas(layout);
            for workload in &reading.workloads {
                let workload = shared(*workload, replicas);
                let Ok(roof) = estimate_roof(&self.model, &workload, &limits) else { continue };
                let bound = roof.strict.high().get() * float(replicas);
                let verified = self.verified(&roof, &workload, &limits) * float(replicas);
                let found = Candidate { bound, verified, roof, workload, layout: *layout };
                if surest.as_ref().is_none_or(|other| found.verified > other.verified) {
                    surest = Some(found.clone());
                }
                if most.as_ref().is_none_or(|other| found.bound > other.bound) {
                    most = Some(found);
                }
            }
        }
        // A rate that some way allows is above no bound; else the way that is excluded last decides.
        let most = most.filter(|candidate| reading.rate <= ROUNDED * candidate.bound);
        let Candidate { roof, workload, layout, .. } = most.or(surest)?;
        let rate = reading.rate / float(reading.replicas(&layout));
        let limits = single.with_parallel(layout.parallel);
        let setup = Setup::new(&self.model, &workload, &limits);
        let verdict = judge_claim(TokensPerSecond::new(rate).ok()?, setup, &roof);
        Some(Judged { verdict, roof, workload, layout, rate })
    }

    /// What verified figures do not exclude, drafts apart; without end where they exclude nothing.
    fn verified(&self, roof: &Roof, workload: &Workload, limits: &Limits) -> f64 {
        let verified = if workload.speculation() == Speculation::Unknown {
            let plain = workload.with_speculation(Speculation::None);
            estimate_roof(&self.model, &plain, limits).ok().and_then(|roof| roof.impossible_above)
        } else {
            roof.impossible_above
        };
        verified.map_or(f64::INFINITY, TokensPerSecond::get)
    }

    /// Whether one sequence may have more devices than a layout with replicas gives it.
    fn has_wider(&self, layout: &Layout) -> bool {
        layout.replicas > 1 && self.layouts.ways.iter().any(|way| way.replicas == 1)
    }
}

impl Reading {
    /// Over how many replicas the rate is a sum.
    const fn replicas(&self, layout: &Layout) -> u64 {
        if self.of_all { layout.replicas } else { 1 }
    }
}

/// The share of a workload that one of several replicas has.
fn shared(mut workload: Workload, replicas: u64) -> Workload {
    match &mut workload {
        Workload::Decode { batch, .. } => *batch = batch.div_ceil(replicas),
        Workload::Mixed { concurrency, .. } => {
            *concurrency = concurrency.map(|n| n.div_ceil(replicas));
        }
        Workload::Prefill { .. } => {}
    }
    workload
}

impl Judged {
    pub(super) fn excess(&self) -> f64 {
        self.rate / self.roof.strict.high().get()
    }

    pub(super) fn is_above(&self) -> bool {
        matches!(self.verdict, Verdict::Impossible { .. } | Verdict::Undecidable { .. })
    }

    /// Whether a prompt, or a step of decoding, takes long enough on a perfect engine for fixed costs, launches
    /// and the latency of links not to decide.
    pub(super) fn is_long_enough(&self, thresholds: &Thresholds) -> bool {
        let least = |name| thresholds.get(&FAR_BELOW_CEILING, name);
        let (at_once, least) = match self.workload {
            Workload::Prefill { new, .. } => (new.as_f64(), least("least_prefill_s")),
            Workload::Decode { batch, .. } => (float(batch), least("least_step_s")),
            Workload::Mixed { concurrency, .. } => {
                (float(concurrency.unwrap_or(1)), least("least_step_s"))
            }
        };
        let model = self.roof.model.as_ref().map(|model| model.low().get());
        model.is_some_and(|rate| at_once / rate >= least)
    }
}
