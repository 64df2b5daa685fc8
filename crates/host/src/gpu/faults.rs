//! Whether a GPU's memory fails, or the driver reported a failure.

use trueline_core::{Finding, Need, Scope, Severity, Why};

use super::checks::GPU_ECC;
use super::seen::{Gpu, Seen};
use super::state::{Faults, GpuState};
use super::verdict::Verdict;

/// Judges the errors that each GPU counted.
///
/// # Shape
/// Errors: a failure reported (Xid) or uncorrected errors counted during the run, and a remap that
/// failed. Warnings: uncorrected errors from before the run, and rows that wait to be replaced.
pub(super) fn check_faults(seen: &Seen<'_>, about: &Scope) -> Vec<Verdict> {
    let judge = |gpu: &Gpu<'_>| {
        let Some(state) = gpu.state() else { return Verdict::Missing(Need::GpuReadings) };
        let faults = &state.faults;
        let label = seen.label(gpu);
        let found = |severity, message: String| {
            Finding::new(&GPU_ECC, about.clone(), message).at(severity).with("gpu", gpu.index)
        };
        let before = gpu.before.filter(|_| gpu.after.is_some()).map(|state| state.faults);
        let xid_before = before.and_then(|b| b.xid.value());
        if let Some(xid) = faults.xid.value().filter(|xid| *xid > 0 && Some(*xid) != xid_before) {
            let message = format!("{label} reported a failure: Xid {xid}");
            return Verdict::found(found(Severity::Error, message).with("xid", xid));
        }
        if let Some(count) = faults.uncorrected.value().filter(|count| *count > 0) {
            let earlier = before.and_then(|b| b.uncorrected.value());
            let during = earlier.and_then(|earlier| count.checked_sub(earlier)).filter(|n| *n > 0);
            let (severity, message) = match during {
                Some(n) => (
                    Severity::Error,
                    format!("{label} counted {n} uncorrected errors of its memory in the run"),
                ),
                None => (
                    Severity::Warning,
                    format!("{label} has counted {count} uncorrected errors of its memory"),
                ),
            };
            return Verdict::found(found(severity, message).with("uncorrected_errors", count));
        }
        if faults.remap_failed.value() == Some(true) {
            let message = format!("{label} failed to replace bad rows of its memory");
            return Verdict::found(found(Severity::Error, message));
        }
        if faults.remap_pending.value() == Some(true) {
            let message = format!("{label} waits for a reset to replace bad rows of its memory");
            return Verdict::found(found(Severity::Warning, message));
        }
        nothing(state)
    };
    seen.gpus.iter().map(judge).collect()
}

/// What it means that no fault is known: none was counted, or nobody counts.
fn nothing(state: &GpuState) -> Verdict {
    let Faults { uncorrected, remap_pending, remap_failed, xid, .. } = &state.faults;
    let known = uncorrected.is_known() || remap_pending.is_known() || xid.is_known();
    if known || remap_failed.is_known() {
        return Verdict::Clear;
    }
    let whys = [uncorrected.why(), remap_pending.why(), remap_failed.why()];
    // One that is not supported says that this board has no such memory.
    match whys.into_iter().flatten().find(|why| *why == Why::NotApplicable) {
        Some(why) => Verdict::without(Some(why)),
        None => Verdict::without(uncorrected.why()),
    }
}
