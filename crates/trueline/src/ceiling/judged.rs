//! A claim against the bounds of what it may mean.

use serde_json::{Value, json};
use trueline_core::number::{percent, short};
use trueline_core::{Claim, Finding, Need, Outcomes, Scope, Thresholds, TokensPerSecond};
use trueline_roofline::{
    Limits, LiveClocks, Roof, Setup, Speculation, Verdict, Workload, estimate_roof, judge_claim,
};

use super::checks::{ABOVE_CEILING, CEILING_UNDECIDABLE, FAR_BELOW_CEILING};
use super::clock::check_clock;
use super::device::{Place, Setting};
use super::facts::{Facts, float};
use super::layouts::Layout;
use super::readings::{Reading, readings};
use super::told;

/// The ceiling of one claim, for results and reports.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ceiling {
    /// The claim.
    pub(crate) claim: String,
    /// How much of the ceiling it reaches, in words; none where the bound convicts nobody.
    pub(crate) share: Option<String>,
    /// As it stands in the results.
    pub(crate) json: Value,
}

/// One meaning judged on the layout and workload that allow most.
pub(super) struct Judged {
    pub(super) verdict: Verdict,
    pub(super) roof: Roof,
    pub(super) workload: Workload,
    pub(super) layout: Layout,
    /// The rate of one replica.
    pub(super) rate: f64,
}

/// Checks a claim against the ceiling of where it was served.
pub(crate) fn check_ceiling(
    claim: &Claim,
    about: &Scope,
    place: &Place,
    facts: &Facts,
    each: bool,
    thresholds: &Thresholds,
) -> (Outcomes, Option<Ceiling>) {
    let mut outcomes = Outcomes::default();
    let setting = match place {
        Place::Lacking(need) => return (not_observed(*need, about), None),
        Place::Unclear(why) => {
            outcomes.found(undecidable(claim, about, std::slice::from_ref(why), None));
            return (outcomes, None);
        }
        Place::Known(setting) => setting,
    };
    let least = thresholds.get(&ABOVE_CEILING, "least_output_tokens");
    let may_mean = match readings(claim, facts, each, setting.speculation, least) {
        Ok(may_mean) => may_mean,
        Err(missing) => {
            outcomes.found(undecidable(claim, about, &[missing], None));
            return (outcomes, None);
        }
    };
    let clocks = setting.clocks();
    // The lowest bound of all that must hold.
    let firm = may_mean.firm.iter().filter_map(|reading| setting.judge(reading, &clocks));
    let Some(firm) = firm.reduce(|a, b| if b.excess() > a.excess() { b } else { a }) else {
        let why = "a device and model that are known well enough for any bound".to_owned();
        outcomes.found(undecidable(claim, about, &[why], None));
        return (outcomes, None);
    };
    let likely = may_mean.likely.as_ref();
    let likely =
        likely.and_then(|(reading, missing)| Some((setting.judge(reading, &clocks)?, missing)));
    let mut missing = setting.doubts.clone();
    if !setting.layouts.known {
        missing.push("over how many devices it ran (--devices)".to_owned());
    }
    match &firm.verdict {
        Verdict::Impossible { .. } if missing.is_empty() => {
            outcomes.found(above(claim, about, setting, &firm));
        }
        Verdict::Impossible { .. } => {
            outcomes.found(undecidable(claim, about, &missing, Some((setting, &firm))));
        }
        Verdict::Undecidable { missing: of_bound } => {
            missing.extend(of_bound.iter().cloned());
            outcomes.found(undecidable(claim, about, &missing, Some((setting, &firm))));
        }
        _ => match &likely {
            Some((judged, lacking)) if judged.is_above() => {
                missing.extend(lacking.iter().map(|text| (*text).to_owned()));
                outcomes.found(undecidable(claim, about, &missing, Some((setting, judged))));
            }
            _ => {
                outcomes.clear(&ABOVE_CEILING, about.clone());
                outcomes.clear(&CEILING_UNDECIDABLE, about.clone());
            }
        },
    }
    if let Some(usual) = &may_mean.usual {
        let spec = setting.judge(usual, &LiveClocks::default());
        let live = setting.judge(usual, &clocks);
        if let Some(live) = live.filter(|judged| judged.is_long_enough(thresholds)) {
            match live.verdict {
                Verdict::FarBelow { .. } => outcomes.found(far_below(claim, about, setting, &live)),
                _ => outcomes.clear(&FAR_BELOW_CEILING, about.clone()),
            }
        }
        if let Some(spec) = spec.filter(|judged| judged.is_long_enough(thresholds)) {
            outcomes.extend(check_clock(claim, about, setting, &spec));
        }
    }
    let shown = likely.map_or(firm, |(judged, _)| judged);
    let ceiling = ceiling(claim, setting, &shown);
    (outcomes, Some(ceiling))
}

/// That no ceiling is known for a claim.
pub(crate) fn not_observed(need: Need, about: &Scope) -> Outcomes {
    let mut outcomes = Outcomes::default();
    for check in [&ABOVE_CEILING, &FAR_BELOW_CEILING] {
        outcomes.not_observed(check, need, about.clone());
    }
    outcomes
}

impl Setting {
    /// Judges one meaning by the workload and the layout that allow most; `None` where there is no bound.
    pub(super) fn judge(&self, reading: &Reading, clocks: &LiveClocks) -> Option<Judged> {
        let single = Limits::of(&self.hardware, clocks);
        let mut best: Option<([f64; 2], Roof, Workload, Layout)> = None;
        for layout in &self.layouts.ways {
            if !reading.of_all && self.has_wider(layout) {
                continue;
            }
            let limits = single.clone().with_parallel(layout.parallel);
            let replicas = reading.replicas(layout);
            for workload in &reading.workloads {
                let workload = shared(*workload, replicas);
                let Ok(roof) = estimate_roof(&self.model, &workload, &limits) else { continue };
                let allowed = self.allowed(&roof, &workload, &limits).map(|x| x * float(replicas));
                if best.as_ref().is_none_or(|(most, ..)| allowed > *most) {
                    best = Some((allowed, roof, workload, *layout));
                }
            }
        }
        let (_, roof, workload, layout) = best?;
        let rate = reading.rate / float(reading.replicas(&layout));
        let limits = single.with_parallel(layout.parallel);
        let setup = Setup::new(&self.model, &workload, &limits);
        let verdict = judge_claim(TokensPerSecond::new(rate).ok()?, setup, &roof);
        Some(Judged { verdict, roof, workload, layout, rate })
    }

    /// What a bound allows: first what verified figures do not exclude, without end where they exclude
    /// nothing, then the bound itself.
    fn allowed(&self, roof: &Roof, workload: &Workload, limits: &Limits) -> [f64; 2] {
        let verified = if workload.speculation() == Speculation::Unknown {
            let plain = workload.with_speculation(Speculation::None);
            estimate_roof(&self.model, &plain, limits).ok().and_then(|roof| roof.impossible_above)
        } else {
            roof.impossible_above
        };
        [verified.map_or(f64::INFINITY, TokensPerSecond::get), roof.strict.high().get()]
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
    fn excess(&self) -> f64 {
        self.rate / self.roof.strict.high().get()
    }

    fn is_above(&self) -> bool {
        matches!(self.verdict, Verdict::Impossible { .. } | Verdict::Undecidable { .. })
    }

    /// Whether a prompt takes long enough for fixed costs not to matter.
    fn is_long_enough(&self, thresholds: &Thresholds) -> bool {
        let Workload::Prefill { new, .. } = self.workload else { return true };
        let least = thresholds.get(&FAR_BELOW_CEILING, "least_prefill_s");
        let model = self.roof.model.as_ref().map(|model| model.low().get());
        model.is_some_and(|rate| new.as_f64() / rate >= least)
    }
}

fn above(claim: &Claim, about: &Scope, setting: &Setting, judged: &Judged) -> Finding {
    let Verdict::Impossible { factor, causes } = &judged.verdict else {
        return undecidable(claim, about, &[], Some((setting, judged)));
    };
    let ceiling = judged.roof.strict.high().get();
    let mut message = format!(
        "{} is {}x the {} tok/s that {} can reach at most ({})",
        claim.text,
        short(factor.get(), 3),
        short(ceiling, 4),
        setting.words(judged.layout.parallel, judged.layout.replicas),
        told::workload(&judged.workload)
    );
    let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
    match told.first() {
        Some(cause) => message += &format!("; possible with {cause}"),
        None => message += "; no one parameter makes it possible",
    }
    Finding::new(&ABOVE_CEILING, about.clone(), message)
        .with("rate_tok_per_s", judged.rate)
        .with("strict_tok_per_s", ceiling)
        .with("factor", factor.get())
        .with("causes", told)
        .with("workload", told::workload(&judged.workload))
        .with("deployment", setting.words(judged.layout.parallel, judged.layout.replicas))
}

fn far_below(claim: &Claim, about: &Scope, setting: &Setting, judged: &Judged) -> Finding {
    let perfect = judged.roof.model.as_ref().unwrap_or(&judged.roof.strict).low().get();
    let message = format!(
        "{} is {} of what a perfect engine reaches on {} ({}): something else than the device is slow",
        claim.text,
        percent(judged.rate / perfect),
        setting.words(judged.layout.parallel, judged.layout.replicas),
        told::workload(&judged.workload)
    );
    Finding::new(&FAR_BELOW_CEILING, about.clone(), message)
        .with("rate_tok_per_s", judged.rate)
        .with("model_tok_per_s", perfect)
        .with("workload", told::workload(&judged.workload))
}

fn undecidable(
    claim: &Claim,
    about: &Scope,
    missing: &[String],
    judged: Option<(&Setting, &Judged)>,
) -> Finding {
    let lacking = if missing.is_empty() { "a source".to_owned() } else { missing.join("; ") };
    let message = match judged {
        Some((setting, judged)) => format!(
            "{} is above the {} tok/s of {} ({}); whether it is possible hangs on {lacking}",
            claim.text,
            short(judged.roof.strict.high().get(), 4),
            setting.words(judged.layout.parallel, judged.layout.replicas),
            told::workload(&judged.workload)
        ),
        None => format!("whether {} is possible cannot be told without {lacking}", claim.text),
    };
    let strict = judged.map(|(_, judged)| judged.roof.strict.high().get());
    Finding::new(&CEILING_UNDECIDABLE, about.clone(), message)
        .with("missing", missing.to_vec())
        .with_known("strict_tok_per_s", strict)
}

fn ceiling(claim: &Claim, setting: &Setting, judged: &Judged) -> Ceiling {
    let strict = &judged.roof.strict;
    let share = judged.rate / strict.high().get();
    let words = told::workload(&judged.workload);
    let deployment = setting.words(judged.layout.parallel, judged.layout.replicas);
    let is_told = strict.convicts() && share <= 1.0 && setting.layouts.known;
    let model = judged.roof.model.as_ref();
    Ceiling {
        claim: claim.id.clone(),
        share: is_told.then(|| {
            format!(
                "{} of the {} tok/s that nothing exceeds on {deployment}",
                percent(share),
                short(strict.high().get(), 4)
            )
        }),
        json: json!({
            "what": "ceiling",
            "by": "derived",
            "claim": claim.id,
            "metric": claim.metric,
            "deployment": deployment,
            "devices": setting.layouts.known.then(|| setting.layouts.devices()),
            "workload": words,
            "rate_tok_per_s": judged.rate,
            "strict_tok_per_s": [strict.low().get(), strict.high().get()],
            "convicts": strict.convicts() && setting.doubts.is_empty() && setting.layouts.known,
            "model_tok_per_s": model.map(|model| [model.low().get(), model.high().get()]),
            "bound": judged.roof.bound,
            "efficiency": share,
            "missing": judged.roof.missing,
        }),
    }
}
