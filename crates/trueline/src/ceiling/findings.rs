//! What is said of a claim above, far below, or not to be held against its ceiling.

use trueline_core::number::{percent, short};
use trueline_core::{Claim, Finding, Scope};
use trueline_roofline::Verdict;

use super::bound::Judged;
use super::checks::{ABOVE_CEILING, CEILING_UNDECIDABLE, FAR_BELOW_CEILING};
use super::device::Setting;
use super::told;

/// How many causes a sentence names; all of them stand beside it.
const CAUSES_SAID: usize = 2;

/// The claim with the rate that it comes to, where that is another number.
fn subject(claim: &Claim, judged: &Judged) -> String {
    let is_same = |value: f64| (judged.rate / value - 1.0).abs() < 0.06;
    if claim.value.is_some_and(is_same) {
        return claim.text.clone();
    }
    format!("{} ({} tok/s there)", claim.text, short(judged.rate, 4))
}

pub(super) fn above(claim: &Claim, about: &Scope, setting: &Setting, judged: &Judged) -> Finding {
    let Verdict::Impossible { factor, causes } = &judged.verdict else {
        return undecidable(claim, about, &[], Some((setting, judged)));
    };
    let ceiling = judged.roof.strict.high().get();
    let mut message = format!(
        "{} is {}x the {} tok/s that {} can reach at most ({})",
        subject(claim, judged),
        short(factor.get(), 3),
        short(ceiling, 4),
        setting.words(judged.layout.parallel, judged.layout.replicas),
        told::workload(&judged.workload)
    );
    let told: Vec<String> = causes.iter().map(ToString::to_string).collect();
    let first: Vec<String> =
        causes.iter().take(CAUSES_SAID).map(|cause| cause.parameter.to_string()).collect();
    if first.is_empty() {
        message += "; no one parameter makes it possible";
    } else {
        message += &format!("; possible with {}", first.join(", or with "));
    }
    Finding::new(&ABOVE_CEILING, about.clone(), message)
        .with("rate_tok_per_s", judged.rate)
        .with("strict_tok_per_s", ceiling)
        .with("factor", factor.get())
        .with("causes", told)
        .with("workload", told::workload(&judged.workload))
        .with("deployment", setting.words(judged.layout.parallel, judged.layout.replicas))
}

pub(super) fn far_below(
    claim: &Claim,
    about: &Scope,
    setting: &Setting,
    judged: &Judged,
) -> Finding {
    let perfect = judged.roof.model.as_ref().unwrap_or(&judged.roof.strict).low().get();
    let message = format!(
        "{} is {} of what a perfect engine reaches on {} ({}): something else than the device is slow",
        subject(claim, judged),
        percent(judged.rate / perfect),
        setting.words(judged.layout.parallel, judged.layout.replicas),
        told::workload(&judged.workload)
    );
    Finding::new(&FAR_BELOW_CEILING, about.clone(), message)
        .with("rate_tok_per_s", judged.rate)
        .with("model_tok_per_s", perfect)
        .with("workload", told::workload(&judged.workload))
}

pub(super) fn undecidable(
    claim: &Claim,
    about: &Scope,
    missing: &[String],
    judged: Option<(&Setting, &Judged)>,
) -> Finding {
    let lacking = if missing.is_empty() { "a source".to_owned() } else { missing.join("; ") };
    let message = match judged {
        Some((setting, judged)) => format!(
            "{} is above the {} tok/s of {} ({}); whether it is possible hangs on {lacking}",
            subject(claim, judged),
            short(judged.roof.strict.high().get(), 4),
            setting.words(judged.layout.parallel, judged.layout.replicas),
            told::workload(&judged.workload)
        ),
        None => format!("whether {} is possible cannot be told; missing: {lacking}", claim.text),
    };
    let strict = judged.map(|(_, judged)| judged.roof.strict.high().get());
    Finding::new(&CEILING_UNDECIDABLE, about.clone(), message)
        .with("missing", missing.to_vec())
        .with_known("strict_tok_per_s", strict)
}
