//! What goes before the measurement.

use trueline_core::Tokens;

use super::rounds::{Arm, Rounds};
use super::stage::Content;
use super::{Purpose, Stage, Workload};
use crate::Script;

/// The warm-up of an experiment; `None` where none is wanted.
///
/// # Shape
/// Its prompts are disjoint from each other and from all measured ones. Their lengths are the whole, a half
/// and a quarter of a measured one in turn: a ruler can tell a template from the words only by prompts of
/// different lengths.
pub(super) fn warm_up(script: Script, stream: u64, workload: &Workload) -> Option<Stage> {
    let whole = workload.prompt.get();
    let lengths = [whole, whole / 2, whole / 4].map(|tokens| Tokens::new(tokens.max(1)));
    let arms = lengths.map(Arm::unique).to_vec();
    let rounds = Rounds::whole(script, stream, arms, workload).warming_up(workload.warmup);
    let stage = Stage::new("warm-up", Purpose::WarmUp, Content::Rounds(rounds));
    (workload.warmup > 0).then_some(stage)
}
