//! On which terms ratios are judged.

use trueline_core::{Claim, ClaimKind, Conditions, Metric, Statistic};

use super::Work;

/// On which terms ratios are judged; the defaults are those of single claims.
#[derive(Debug, Clone, Default)]
pub(crate) struct Terms {
    /// The two arms of a comparison: baseline and candidate, by name.
    pub(crate) arms: Option<(String, String)>,
    /// What is compared; the headline quantities where empty.
    pub(crate) metrics: Vec<(Metric, Option<Statistic>)>,
    /// The largest difference with which two arms still count as alike.
    pub(crate) margin: Option<f64>,
    /// The confidence of all intervals together.
    pub(crate) confidence: Option<f64>,
    /// What the reader runs.
    pub(crate) incumbent: Option<String>,
    /// Conditions of both arms that no file records.
    pub(crate) conditions: Conditions,
    /// What was varied on purpose.
    pub(crate) varies: Vec<String>,
    /// Whether both arms are said to be one thing.
    pub(crate) same: bool,
    /// The seed for methods that draw.
    pub(crate) seed: Option<u64>,
}

/// The margin of a claim that two arms are alike and that names none.
const ALIKE: f64 = 0.05;

/// How near to 1 the ratio is of a claim that two arms are alike.
const NEAR_ONE: f64 = 0.02;

impl Work<'_> {
    /// Sets the confidence of each interval: what was asked for holds for all ratios of a comparison
    /// together, or for each claim of an audit by itself.
    ///
    /// # Formula
    /// `1 - (1 - confidence) / rows` (Bonferroni), where a row is a ratio of which both arms were
    /// measured. The claims of a comparison's own say then what is shown at that confidence.
    pub(super) fn take_terms(&mut self, are_obvious: bool) {
        let terms = &self.audit.terms;
        let confidence = terms
            .confidence
            .unwrap_or_else(|| trueline_baseline::comparison::confidence(&self.audit.thresholds));
        let rows = self.rows_together();
        #[expect(clippy::cast_precision_loss, reason = "a table has few rows")]
        let each = 1.0 - (1.0 - confidence) / rows as f64;
        self.confidence = each;
        if terms.arms.is_some() && are_obvious {
            let mut claims = std::mem::take(&mut self.claims);
            for claim in &mut claims {
                self.say_what_is_shown(claim);
            }
            self.claims = claims;
        }
    }

    /// How many ratios are to hold together: those of a comparison, or each by itself.
    pub(super) fn rows_together(&self) -> usize {
        if self.audit.terms.arms.is_some() { self.rows().max(1) } else { 1 }
    }

    /// How many ratios both arms of which were measured there are among the claims.
    pub(super) fn rows(&self) -> usize {
        let is_row = |claim: &&Claim| {
            claim.kind == ClaimKind::Relative
                && claim.aligned.is_none()
                && claim.metric.is_some_and(|metric| self.pair(claim, metric).is_ok())
        };
        self.claims.iter().filter(is_row).count()
    }

    /// The largest difference with which the arms of a claim count as alike: as asked for; in an audit
    /// what a claim that says so must stay within.
    pub(super) fn margin(&self, claim: &Claim) -> Option<f64> {
        let terms = &self.audit.terms;
        let says_alike = claim.value.is_some_and(|v| (v - 1.0).abs() < NEAR_ONE);
        terms.margin.or((terms.arms.is_none() && says_alike).then_some(ALIKE))
    }
}
