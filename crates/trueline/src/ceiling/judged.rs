//! A claim against the bounds of what it may mean.

use serde_json::{Value, json};
use trueline_core::number::{percent, short};
use trueline_core::{Claim, Need, Outcomes, Scope, Thresholds};
use trueline_roofline::{LiveClocks, Verdict};

use super::bound::Judged;
use super::checks::{ABOVE_CEILING, CEILING_UNDECIDABLE, FAR_BELOW_CEILING};
use super::clock::check_clock;
use super::device::{Place, Setting};
use super::facts::Facts;
use super::findings::{above, far_below, undecidable};
use super::readings::readings;
use super::told;

/// The ceiling of one claim, for results and reports.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Ceiling {
    /// The claim.
    pub(crate) claim: String,
    /// How much of the ceiling it reaches, in words; none where the bound convicts nobody.
    pub(crate) share: Option<String>,
    /// The rate that nothing exceeds, in tok/s.
    pub(crate) most: f64,
    /// As it stands in the results.
    pub(crate) json: Value,
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

fn ceiling(claim: &Claim, setting: &Setting, judged: &Judged) -> Ceiling {
    let strict = &judged.roof.strict;
    let share = judged.rate / strict.high().get();
    let words = told::workload(&judged.workload);
    let deployment = setting.words(judged.layout.parallel, judged.layout.replicas);
    let convicts = strict.convicts() && setting.doubts.is_empty() && setting.layouts.known;
    let model = judged.roof.model.as_ref();
    Ceiling {
        claim: claim.id.clone(),
        most: strict.high().get(),
        share: (convicts && share <= 1.0).then(|| {
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
            "convicts": convicts,
            "model_tok_per_s": model.map(|model| [model.low().get(), model.high().get()]),
            "bound": judged.roof.bound,
            "efficiency": share,
            "missing": judged.roof.missing,
        }),
    }
}
