//! The bounds of what was asked.

use trueline::core::{Outcomes, Tokens};
use trueline::evidence::Evidence;
use trueline::judge::judge;
use trueline::report::Report;
use trueline_roofline::{
    Hardware, Limits, LiveClocks, Megahertz, Model, ModelShape, Roof, Setup, Workload,
    estimate_roof,
};

use super::claimed::{Claimed, bare};
use super::{Asked, files, header, parts, told, values};
use crate::arguments::Common;
use crate::failure::Failure;

/// The bounds of a model on a device under a workload.
#[derive(Debug)]
pub struct Estimate {
    pub(super) hardware: Hardware,
    pub(super) model: Model,
    pub(super) shape: ModelShape,
    pub(super) workload: Workload,
    pub(super) limits: Limits,
    pub(super) roof: Roof,
    /// The same at published clocks, where others were read.
    pub(super) published: Option<Roof>,
    /// The processor's clock as it was read.
    pub(super) sm_clock: Option<Megahertz>,
    /// What was not given and stands for the mildest case.
    pub(super) assumed: Vec<String>,
    /// Whether nobody said over how many sequences a claimed rate is.
    pub(super) is_batch_open: bool,
    /// Whether the way to use several devices was chosen, not stated.
    pub(super) is_spread_chosen: bool,
}

impl Asked {
    /// The bounds of what is asked.
    ///
    /// # Errors
    /// A device, model or workload that is not given or cannot be read, a bound that does not exist.
    pub fn estimate(&self) -> Result<Estimate, Failure> {
        let hardware = parts::find(&self.hardware)?;
        if self.model_config.is_empty() {
            return Err(Failure::new(
                "expected --model-config PATH (config.json, .safetensors, .gguf or their folder), found none",
            ));
        }
        let workload = self.workload()?;
        let (plan, spread) = (self.plan()?, self.spread()?);
        let model = files::read_model(&self.model_config)?;
        let shape = plan.shape(&model)?;
        let bounds = |clocks: &LiveClocks| {
            let limits = spread.limits(&Limits::of(&hardware, clocks), &shape, &workload);
            estimate_roof(&shape, &workload, &limits).map(|roof| (limits, roof))
        };
        let (limits, roof) = bounds(&self.clocks())?;
        let published = match self.clocks() {
            clocks if clocks == LiveClocks::default() => None,
            _ => Some(bounds(&LiveClocks::default())?.1),
        };
        Ok(Estimate {
            published,
            sm_clock: self.sm_clock,
            assumed: self.assumed(),
            is_batch_open: self.is_batch_open(),
            is_spread_chosen: spread.is_open(),
            hardware,
            model,
            shape,
            workload,
            limits,
            roof,
        })
    }

    /// The devices that are known.
    ///
    /// # Errors
    /// A hardware file that cannot be read.
    pub fn listed(&self) -> Result<Option<Report>, Failure> {
        if !self.list {
            return Ok(None);
        }
        let (body, parts) = parts::list(&self.hardware)?;
        let none = judge(&[], Default::default(), &Evidence::default(), &Default::default());
        let mut report = Report::new("estimate_ceiling", none, values::of_parts(&parts));
        report.body = body;
        Ok(Some(report))
    }

    /// Makes a claim of each bare number: that many tokens a second of the phase.
    pub fn complete(&self, claims: &mut [String]) {
        for claim in claims {
            if claim.trim().parse::<f64>().is_ok() {
                *claim = format!("{} = {}", bare(self.phase()).name(), claim.trim());
            }
        }
    }
}

impl Estimate {
    /// The report, with the claims judged.
    ///
    /// # Errors
    /// Claims, thresholds or allowances that cannot be read; a claim of which no bound says anything.
    pub fn report(&self, common: &Common) -> Result<Report, Failure> {
        let claims = common.claim_file()?.claims;
        let thresholds = common.thresholds()?;
        let mut evidence = Evidence::default();
        let judged: Vec<Claimed> =
            claims.iter().map(|claim| Claimed::of(claim, self)).collect::<Result<_, _>>()?;
        let mut outcomes = Outcomes::default();
        for claimed in &judged {
            claimed.tell(self, &mut outcomes, &mut evidence);
        }
        let judgement = judge(&claims, outcomes, &evidence, &common.allowed()?);
        let results = values::of(self, &judged);
        let mut report = Report::new("estimate_ceiling", judgement, results);
        report.body = told::body(self, &judged, common.all);
        report.preface = header::preface(self);
        report.overrides = thresholds.overrides().map(|(n, v)| format!("{n} = {v}")).collect();
        Ok(report)
    }

    /// A claim's setting.
    pub(super) fn setup(&self) -> Setup<'_> {
        Setup::new(&self.shape, &self.workload, &self.limits)
    }

    /// The tokens that the time of [`Roof::parts`] gives, at best.
    pub(super) fn tokens(&self) -> f64 {
        match &self.workload {
            Workload::Prefill { new, batch, .. } => new.as_f64() * real(*batch),
            Workload::Decode { batch, speculation, .. } => real(*batch) * real(speculation.rows()),
            Workload::Mixed { osl, .. } => osl.as_f64(),
        }
    }
}

/// A count to reckon with.
pub(super) fn real(n: u64) -> f64 {
    Tokens::new(n).as_f64()
}
