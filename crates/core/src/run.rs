//! One benchmark run: what was asked, under which conditions, and what came back.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::{Conditions, Load, Outcome, Reported, RequestRecord, Side, Tokens, Total, Window};

/// What a run was asked to do.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Plan {
    /// How many requests were to be sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requests: Option<u64>,
    /// Prompt length asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompt_tokens: Option<Tokens>,
    /// Output length asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens: Option<Tokens>,
    /// The load asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub load: Option<Load>,
    /// The most requests allowed in flight, where a rate sets the load.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_concurrency: Option<u32>,
    /// Whether every prompt was meant to miss the prefix cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cold: Option<bool>,
}

/// The requests of one benchmark run with its plan and conditions.
///
/// # Shape
/// `requests` in the order in which they were recorded; warm-up and failed ones included.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct BenchRun {
    /// A short name that is unique in an audit.
    pub label: String,
    /// What it measured; runs of one arm are repetitions of each other. The label where absent.
    pub arm: Option<String>,
    /// The file it was read from.
    pub source: Option<String>,
    /// Who recorded the requests.
    pub side: Side,
    /// What was asked.
    pub plan: Plan,
    /// Under which conditions it ran.
    pub conditions: Conditions,
    /// What came back, request by request; empty where the source keeps only sums.
    pub requests: Vec<RequestRecord>,
    /// What the tool itself says of the run.
    pub reported: Reported,
}

impl BenchRun {
    /// A run without plan or conditions.
    pub fn new(label: impl Into<String>, side: Side, requests: Vec<RequestRecord>) -> Self {
        Self {
            label: label.into(),
            arm: None,
            source: None,
            side,
            plan: Plan::default(),
            conditions: Conditions::default(),
            requests,
            reported: Reported::default(),
        }
    }

    /// The same run as a repetition of an arm.
    #[must_use]
    pub fn with_arm(mut self, arm: impl Into<String>) -> Self {
        self.arm = Some(arm.into());
        self
    }

    /// The arm it belongs to.
    pub fn arm(&self) -> &str {
        self.arm.as_deref().unwrap_or(&self.label)
    }

    /// The same run with its plan.
    #[must_use]
    pub fn with_plan(mut self, plan: Plan) -> Self {
        self.plan = plan;
        self
    }

    /// The same run with its conditions.
    #[must_use]
    pub fn with_conditions(mut self, conditions: Conditions) -> Self {
        self.conditions = conditions;
        self
    }

    /// The requests that count: answered, or of unknown outcome, and no warm-up.
    pub fn measured(&self) -> impl Iterator<Item = &RequestRecord> {
        self.requests
            .iter()
            .filter(|r| !r.warmup && matches!(r.outcome, Outcome::Ok | Outcome::Unknown))
    }

    /// How many requests failed or were cancelled; `None` where nobody says.
    ///
    /// # Formula
    /// As recorded one by one, else as the tool counts them, else those asked for less those answered.
    pub fn failures(&self) -> Option<usize> {
        if !self.requests.is_empty() {
            let told = self.requests.iter().all(|r| r.outcome != Outcome::Unknown);
            return told.then(|| self.requests.iter().filter(|r| r.outcome != Outcome::Ok).count());
        }
        let answered = || self.reported.total(Total::CompletedRequests);
        let lost = || self.plan.requests?.checked_sub(answered()?);
        usize::try_from(self.reported.failures().or_else(lost)?).ok()
    }

    /// How many requests were answered; `None` where a record does not say how it ended.
    ///
    /// # Formula
    /// As the tool counts them, else as recorded one by one.
    pub fn completed(&self) -> Option<u64> {
        if let Some(n) = self.reported.total(Total::CompletedRequests) {
            return Some(n);
        }
        let told = self.requests.iter().all(|r| r.outcome != Outcome::Unknown);
        (told && !self.requests.is_empty()).then(|| self.measured().count() as u64)
    }

    /// The wall time that rates are over.
    ///
    /// # Formula
    /// As the tool states it, else from the first measured request's start to the last one's end.
    pub fn duration(&self) -> Option<Duration> {
        self.reported.duration.value().or_else(|| Some(self.window()?.length()))
    }

    /// The tokens of all answered requests. `total` is [`Total::PromptTokens`],
    /// [`Total::CachedTokens`] or [`Total::OutputTokens`]; `None` for any other.
    ///
    /// # Formula
    /// As the tool sums them, else the sum over the measured requests where each of them says.
    pub fn tokens(&self, total: Total) -> Option<u64> {
        if let Some(n) = self.reported.total(total) {
            return Some(n);
        }
        let of = |r: &RequestRecord| match total {
            Total::PromptTokens => r.tokens.prompt.value(),
            Total::CachedTokens => r.tokens.cached.value(),
            Total::OutputTokens => r.tokens.output.value(),
            _ => None,
        };
        let mut sum = None;
        for request in self.measured() {
            sum = Some(sum.unwrap_or(0_u64).checked_add(of(request)?.get())?);
        }
        sum
    }

    /// The wall time from the first measured request's start to the last one's end; `None` where
    /// one of them has no times.
    pub fn window(&self) -> Option<Window> {
        let windows: Option<Vec<Window>> = self.measured().map(RequestRecord::window).collect();
        windows?.into_iter().reduce(|a, b| a.join(&b))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{By, Known};

    #[test]
    fn failures_are_unknown_where_a_record_is_silent() {
        let ok = RequestRecord { outcome: Outcome::Ok, ..Default::default() };
        let failed = RequestRecord { outcome: Outcome::Failed, ..Default::default() };
        let silent = RequestRecord::default();
        let run = |requests| BenchRun::new("r", Side::Client, requests);
        assert_eq!(run(vec![ok.clone(), failed.clone()]).failures(), Some(1));
        assert_eq!(run(vec![ok.clone(), silent.clone()]).failures(), None);
        assert_eq!(run(vec![ok, failed, silent]).measured().count(), 2);
        // Nothing recorded one by one, and no count: nobody says.
        assert_eq!(run(vec![]).failures(), None);
        let mut counted = run(vec![]);
        counted.reported.set_total(Total::FailedRequests, Known::is(3, By::Reported), "failed");
        assert_eq!(counted.failures(), Some(3));
    }
}
