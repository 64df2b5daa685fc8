//! The long form of claims: a TOML file of `[[claim]]` and `[[given]]` tables.

use serde::Deserialize;
use trueline_core::{
    Cause, Claim, ClaimKind, Conditions, Correction, Link, Load, Selection, Statistic,
};

use super::cell::cell_scope;
use super::compared::{RawChange, checked_links, checked_selection};
use super::short::{scaled, split_metric};
use super::statement::text;
use super::{ClaimError, check_claim_list, implied_kind, parse_claim};
use crate::given::{Given, GivenWhat};

/// A claim file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ClaimFile {
    /// The claims, in the order of the file.
    pub claims: Vec<Claim>,
    /// Figures that somebody states and nobody measured here.
    pub given: Vec<Given>,
}

impl ClaimFile {
    /// Both files' claims and figures. A numbered id that both have gets the next free number in the
    /// second one.
    ///
    /// # Errors
    /// Another id that both have.
    pub fn and(mut self, mut other: Self) -> Result<Self, ClaimError> {
        let is_numbered = |id: &str| {
            id.strip_prefix("claim-").is_some_and(|n| n.chars().all(|c| c.is_ascii_digit()))
        };
        for i in 0..other.claims.len() {
            let taken = |id: &str| self.claims.iter().chain(&other.claims).any(|c| c.id == id);
            let id = other.claims[i].id.clone();
            if !is_numbered(&id) || !self.claims.iter().any(|c| c.id == id) {
                continue;
            }
            let most = self.claims.len() + other.claims.len() + 1;
            let free = (1..=most).map(|n| format!("claim-{n}")).find(|free| !taken(free));
            let Some(free) = free else { continue };
            for claim in &mut other.claims {
                claim.rests_on.iter_mut().filter(|r| **r == id).for_each(|r| r.clone_from(&free));
            }
            other.claims[i].id = free;
        }
        self.claims.extend(other.claims);
        self.given.extend(other.given);
        check_claim_list(&self.claims)?;
        Ok(self)
    }
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    claim: Vec<RawClaim>,
    #[serde(default)]
    given: Vec<RawGiven>,
}

/// One `[[given]]` as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGiven {
    what: GivenWhat,
    metric: String,
    value: f64,
    of: Option<String>,
    source: String,
}

impl TryFrom<RawGiven> for Given {
    type Error = ClaimError;

    fn try_from(raw: RawGiven) -> Result<Self, ClaimError> {
        let (metric, _, factor) = split_metric(&raw.metric)?;
        if !(raw.value.is_finite() && raw.value > 0.0) {
            return Err(ClaimError(format!(
                "expected a given value above zero, found {} for {metric}",
                raw.value
            )));
        }
        let value = scaled(raw.value, factor);
        Ok(Self { what: raw.what, metric, value, of: raw.of, source: raw.source })
    }
}

/// One `[[claim]]` as written. Keys that no check judges yet are read and reported as such.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct RawClaim {
    id: Option<String>,
    kind: Option<ClaimKind>,
    text: Option<String>,
    claim: Option<String>,
    metric: Option<String>,
    value: Option<f64>,
    unit: Option<String>,
    statistic: Option<String>,
    samples: Vec<f64>,
    interval: Option<(f64, f64)>,
    field: Option<String>,
    of: Option<String>,
    baseline: Option<String>,
    incumbent: Option<String>,
    chain: Vec<Link>,
    explained_by: Vec<Cause>,
    load: Option<Load>,
    prompt_tokens: Option<(u64, u64)>,
    hit_share: Option<(f64, f64)>,
    rests_on: Vec<String>,
    varies: Vec<String>,
    conditions: Conditions,
    phase: Option<toml::Value>,
    changed_share: Option<f64>,
    saved: Option<f64>,
    removed: Option<f64>,
    before: Option<f64>,
    after: Option<f64>,
    looks: Option<u32>,
    variants: Option<u32>,
    correction: Option<Correction>,
    confirmed_by: Option<String>,
    same: bool,
    mfu: Option<toml::Value>,
    peak_flop_per_s: Option<toml::Value>,
}

/// Reads a claim file.
///
/// # Errors
/// Text that is no TOML, an unknown key, metric, kind or statistic, a claim without a statement,
/// a number that is not finite, doubled ids, `rests_on` with holes or circles.
///
/// # Examples
/// ```
/// use trueline::claims::parse_claim_file;
/// let file = parse_claim_file(
///     r#"
///     [[claim]]
///     id = "headline"
///     metric = "prefill_tok_per_s"
///     value = 115
///     samples = [115.4, 107.1, 100.6]
///     "#,
/// )
/// .unwrap();
/// assert_eq!(file.claims[0].text, "115 tok/s prefill");
/// ```
pub fn parse_claim_file(text: &str) -> Result<ClaimFile, ClaimError> {
    let raw: RawFile = toml::from_str(text)
        .map_err(|e| ClaimError(format!("expected a claim file: {}", one_line(&e.to_string()))))?;
    let mut claims = Vec::new();
    for (i, claim) in raw.claim.into_iter().enumerate() {
        let id = claim.id.clone().unwrap_or_else(|| format!("claim-{}", i + 1));
        claims.push(build(&id, claim).map_err(|e| ClaimError(format!("claim {id:?}: {e}")))?);
    }
    check_claim_list(&claims)?;
    let given = raw.given.into_iter().map(Given::try_from).collect::<Result<_, _>>()?;
    Ok(ClaimFile { claims, given })
}

fn one_line(text: &str) -> String {
    text.lines()
        .map(str::trim)
        .filter(|line| !line.is_empty() && !line.starts_with('|'))
        .collect::<Vec<_>>()
        .join(", ")
}

fn build(id: &str, raw: RawClaim) -> Result<Claim, ClaimError> {
    let mut claim = match &raw.claim {
        Some(short) => parse_claim(id, short)?,
        None => Claim::new(id, ClaimKind::Absolute, String::new()),
    };
    let mut named_unit = 1.0;
    if let Some(name) = &raw.metric {
        let (metric, statistic, unit) = split_metric(name)?;
        claim.metric = Some(metric);
        claim.statistic = statistic;
        named_unit = unit;
    }
    if let Some(statistic) = &raw.statistic {
        let statistic: Statistic = statistic.parse().map_err(|e| ClaimError(format!("{e}")))?;
        claim.statistic = Some(statistic);
    }
    let stated_unit = unit_factor(&claim, raw.unit.as_deref())?;
    // `metric = "ttft_ms"` with `unit = "ms"` says the same twice.
    let contradicts =
        raw.unit.is_some() && named_unit < 1.0 && (stated_unit / named_unit - 1.0).abs() > 1e-9;
    if contradicts {
        return Err(ClaimError("the metric's name and the unit contradict each other".to_owned()));
    }
    let factor = named_unit.min(stated_unit);
    let numbers = raw.value.iter().chain(&raw.samples);
    if let Some(bad) = numbers.clone().find(|x| !x.is_finite()) {
        return Err(ClaimError(format!("expected finite numbers, found {bad}")));
    }
    let is_ratio = raw.baseline.is_some() || raw.kind == Some(ClaimKind::Relative);
    // A ratio has no unit: only samples of a metric are converted.
    let value_factor = if is_ratio { 1.0 } else { factor };
    claim.value = raw.value.map(|v| scaled(v, value_factor)).or(claim.value);
    claim.samples = raw.samples.iter().map(|&v| scaled(v, factor)).collect();
    claim.interval = raw.interval.map(|(a, b)| (scaled(a, value_factor), scaled(b, value_factor)));
    if let Some(kind) = raw.kind {
        claim.kind = kind;
    } else if raw.claim.is_none() {
        claim.kind = implied_kind(claim.statistic, is_ratio);
    }
    claim.field = raw.field;
    claim.of = raw.of;
    claim.baseline = raw.baseline.or(claim.baseline);
    claim.incumbent = raw.incumbent;
    claim.chain = checked_links(raw.chain, factor)?;
    claim.explained_by = raw.explained_by;
    claim.load = raw.load.or(claim.load);
    claim.cell = cell_scope(raw.prompt_tokens, raw.hit_share)?;
    claim.conditions = raw.conditions;
    claim.rests_on = raw.rests_on;
    claim.varies = raw.varies;
    let (changed_share, saved) = (raw.changed_share, raw.saved);
    let (removed, before, after) = (raw.removed, raw.before, raw.after);
    claim.change = RawChange { changed_share, saved, removed, before, after }.read(factor)?;
    let mut selection = Selection::default();
    (selection.looks, selection.variants) = (raw.looks, raw.variants);
    (selection.correction, selection.confirmed_by) = (raw.correction, raw.confirmed_by);
    claim.selection = checked_selection(selection)?;
    claim.same = raw.same;
    for (key, value) in
        [("phase", &raw.phase), ("mfu", &raw.mfu), ("peak_flop_per_s", &raw.peak_flop_per_s)]
    {
        if value.is_some() {
            claim.unjudged.push(key.to_owned());
        }
    }
    claim.text = text(raw.text, &claim)
        .ok_or_else(|| ClaimError("expected a text, or a metric with a value".to_owned()))?;
    Ok(claim)
}

/// The factor from a stated unit to the metric's own.
fn unit_factor(claim: &Claim, unit: Option<&str>) -> Result<f64, ClaimError> {
    let own = claim.metric.map_or("", |m| m.words().0);
    match unit {
        None => Ok(1.0),
        Some(unit) if unit == own || (own.is_empty() && unit == "x") => Ok(1.0),
        Some("x") if claim.metric.is_some() => Ok(1.0),
        Some("ms") if own == "s" => Ok(1e-3),
        Some("us") if own == "s" => Ok(1e-6),
        Some(unit) => Err(ClaimError(format!("expected a unit of {own:?}, found {unit:?}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_key_of_the_contract_is_read() {
        let file = parse_claim_file(
            r#"
            [[claim]]
            id = "a"
            kind = "relative"
            metric = "tpot_ms"
            statistic = "p99"
            value = 1.3
            samples = [74.1, 75]
            of = "candidate"
            baseline = "library"
            incumbent = "engine"
            chain = [{ ratio = 0.84, of = "candidate", over = "library" }]
            load = "rate 4"
            phase = "decode"
            changed_share = 0.69
            saved = 0.675
            mfu = 0.4
            peak_flop_per_s = 989e12
            looks = 3
            variants = 2
            conditions = { model = "m", nice = 5 }
            [[claim]]
            claim = "prefill_tok_per_s = 115 at concurrency 1"
            rests_on = ["a"]
            prompt_tokens = [20000, 32000]
            "#,
        )
        .unwrap();
        let a = &file.claims[0];
        assert_eq!(a.value, Some(1.3));
        assert_eq!(a.samples, [0.0741, 0.075]);
        assert_eq!(a.text, "candidate = 1.3x library, TPOT p99 at rate 4");
        assert_eq!(a.unjudged, ["phase", "mfu", "peak_flop_per_s"]);
        assert_eq!((a.change.changed_share, a.change.saved), (Some(0.69), Some(0.675)));
        assert_eq!((a.selection.looks, a.selection.variants), (Some(3), Some(2)));
        assert_eq!(a.conditions.get("nice"), Some("5"));
        let b = &file.claims[1];
        assert_eq!((b.id.as_str(), b.kind), ("claim-2", ClaimKind::Absolute));
        assert_eq!(b.cell.unwrap().to_string(), "20–32k tokens");
    }

    #[test]
    fn faults_are_named_with_the_claim() {
        for (text, part) in [
            ("[[claim]]\nid = \"x\"", "expected a text"),
            ("[[claim]]\nspeed = 3", "unknown field `speed`"),
            ("[[claim]]\nkind = \"fast\"\ntext = \"t\"", "unknown variant `fast`"),
            ("[[claim]]\nmetric = \"ttft_s\"\nvalue = nan", "finite"),
            ("[[claim]]\nmetric = \"ttft_s\"\nvalue = 1\nunit = \"tok/s\"", "unit"),
            ("[[claim]]\ntext = \"t\"\nprompt_tokens = [5, 5]", "prompt_tokens"),
            ("[[claim]]\ntext = \"t\"\nhit_share = [0.5, 1.5]", "hit_share"),
            ("not toml", "claim file"),
        ] {
            let error = parse_claim_file(text).unwrap_err().to_string();
            assert!(error.contains(part), "{text}: {error}");
            assert!(!error.contains('\n'), "{error}");
        }
    }
}
