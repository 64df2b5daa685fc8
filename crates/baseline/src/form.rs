//! From which form of the data a finding comes.

use trueline_core::{BenchRun, Evidence};

/// What a check has looked at; the operand `form` of its finding says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    /// Requests that are recorded one by one.
    Requests,
    /// Sums and statistics that the tool itself states: a weaker form.
    Aggregate,
}

impl Form {
    /// The form in which a run is recorded.
    pub(crate) fn of(run: &BenchRun) -> Self {
        if run.requests.is_empty() { Self::Aggregate } else { Self::Requests }
    }
}

impl From<Form> for Evidence {
    fn from(form: Form) -> Self {
        Self::from(match form {
            Form::Requests => "requests",
            Form::Aggregate => "aggregate",
        })
    }
}
