//! What holds of every run that is read, whichever reader made it.

use trueline_core::{By, Known, Load, Why};

use super::draft::Draft;
use super::node::MOST_COUNTED;
use super::secret::{scrub, scrubbed};

impl Draft {
    /// What grew beyond any float by a change of unit, a sum or a quotient is not known, whichever
    /// reader made it.
    pub(super) fn leave_out_what_cannot_be(&mut self) {
        for figure in &mut self.run.reported.figures {
            if figure.value.value().is_some_and(|x| !x.is_finite()) {
                figure.value = Known::Not(Why::NonFinite);
            }
        }
        for total in &mut self.run.reported.totals {
            if total.value.value().is_some_and(|n| n >= MOST_COUNTED) {
                total.value = Known::Not(Why::Impossible);
            }
        }
        let plan = &mut self.run.plan;
        if let Some(Load::Rate(rate)) = plan.load
            && !(rate.is_finite() && rate > 0.0)
        {
            plan.load = plan.max_concurrency.map(Load::Concurrency);
        }
    }

    /// No credentials and no text as long as a prompt, whichever reader kept it.
    pub(super) fn leave_out_secrets(&mut self) {
        let conditions = &mut self.run.conditions;
        let texts: Vec<(String, String, By)> = conditions
            .iter()
            .filter_map(|(key, known)| match known {
                Known::Is { value, by } => Some((key.to_owned(), scrubbed(value.as_str()), *by)),
                Known::Not(_) => None,
            })
            .collect();
        for (key, value, by) in texts {
            conditions.set(key, value, by);
        }
        let names = self.missing.iter_mut().flat_map(|absent| &mut absent.nearest);
        names.chain(&mut self.refused).chain(&mut self.rejected).for_each(scrub);
        for set in [&mut self.unknown, &mut self.doubled] {
            *set = std::mem::take(set).into_iter().map(scrubbed).collect();
        }
        if let Some(end) = &mut self.broke_off {
            scrub(&mut end.what);
        }
    }
}
