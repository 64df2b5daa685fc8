//! Whether the clock that a host record shows explains a loss.

use trueline_core::number::{percent, short};
use trueline_core::{Claim, Finding, Outcomes, Ratio, Scope};
use trueline_roofline::{Bound, Explanation, explains};

use super::bound::Judged;
use super::checks::CLOCK_DOES_NOT_EXPLAIN;
use super::device::Setting;
use super::told;

/// Above this share of its published clock a device lacks none that could explain anything.
const NO_DEFICIT: f64 = 0.95;

/// Checks whether a processor clock below the published one is enough for what a rate lacks to its ceiling.
///
/// # Formula
/// Found where `rate / ceiling < clock / 2`, the ceiling being the model bound's low end at the published
/// clock: an engine that reaches half of it would have done better at that clock. What hangs on memory or
/// links has a clock of its own; the same limit is kept there, since at a very low processor clock the way
/// to memory slows down as well.
///
/// # Shape
/// No outcome where no clock was read, or where it is not low.
pub(super) fn check_clock(
    claim: &Claim,
    about: &Scope,
    setting: &Setting,
    judged: &Judged,
) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let published = setting.hardware.clock.value();
    let clocks = setting.busy.zip(published);
    let (Some((busy, published)), Some(bound)) = (clocks, judged.roof.bound) else {
        return outcomes;
    };
    let ceiling = judged.roof.model.as_ref().unwrap_or(&judged.roof.strict).low().get();
    let ratio = |x: f64| Ratio::new(x).ok();
    let (Some(observed), Some(clock)) =
        (ratio(judged.rate / ceiling), ratio(busy.get() / published.get()))
    else {
        return outcomes;
    };
    if clock.get() >= NO_DEFICIT {
        return outcomes;
    }
    let check = &CLOCK_DOES_NOT_EXPLAIN;
    if explains(observed, clock, Bound::Compute).is_sufficient() {
        outcomes.clear(check, about.clone());
        return outcomes;
    }
    let why = match explains(observed, clock, bound) {
        Explanation::NotOnThisClock { bound } => {
            format!("and {bound}, which limits here, has another clock")
        }
        _ => format!("and {}x is left", short(clock.get() / observed.get(), 2)),
    };
    outcomes.found(
        Finding::new(
            check,
            about.clone(),
            format!(
                "{} is {} of what {} reaches ({}); {busy} of {published} explain {} at most, {why}",
                claim.text,
                percent(observed.get()),
                setting.words(judged.layout.parallel, judged.layout.replicas),
                told::workload(&judged.workload),
                percent(clock.get())
            ),
        )
        .with("observed_share", observed.get())
        .with("clock_ratio", clock.get())
        .with("ceiling_tok_per_s", ceiling),
    );
    outcomes
}
