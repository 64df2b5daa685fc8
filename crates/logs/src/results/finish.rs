//! What holds of every run that is read, whichever reader made it.

use trueline_core::{By, Known, Load, Why};

use super::draft::Draft;
use super::node::MOST_COUNTED;
use super::secret::{scrub, scrubbed};
use super::{ResultFormat, ResultRun};

impl Draft {
    /// The finished run.
    pub(crate) fn finish(mut self, format: &'static ResultFormat, evidence: &str) -> ResultRun {
        self.take_averages();
        #[cfg(test)]
        self.holds_only_what_is_listed(format);
        self.leave_out_what_cannot_be();
        self.leave_out_secrets();
        ResultRun {
            run: self.run,
            format,
            recognised_by: scrubbed(evidence),
            missing: self.missing,
            unknown: self.unknown.into_iter().collect(),
            doubled: self.doubled.into_iter().collect(),
            refused: self.refused,
            broke_off: self.broke_off,
            closing: self.closing,
            arguments: self.arguments,
            part: self.part,
            rejected: self.rejected,
            used: self.used,
            also_in: Vec::new(),
        }
    }

    /// What grew beyond any float by a change of unit, a sum or a quotient is not known, whichever
    /// reader made it.
    fn leave_out_what_cannot_be(&mut self) {
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
    fn leave_out_secrets(&mut self) {
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

    /// Made-up results of the unit tests hold it too: no figure has a meaning that its format does
    /// not list, and no total is one that it does not.
    #[cfg(test)]
    fn holds_only_what_is_listed(&self, format: &ResultFormat) {
        let (figures, totals) = (format.figures(), format.totals());
        let reported = &self.run.reported;
        for figure in &reported.figures {
            let listed = figures.iter().any(|meaning| meaning.is_of(figure));
            assert!(listed, "{}: {} is not listed: {}", format.name, figure.source, figure.name());
        }
        for total in &reported.totals {
            let listed = totals.iter().any(|meaning| meaning.total == total.total);
            assert!(listed, "{}: {} is not listed", format.name, total.source);
        }
    }
}
