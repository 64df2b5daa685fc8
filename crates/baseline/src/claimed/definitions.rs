//! Whether the two arms of a ratio mean the same by one metric.

use trueline_core::{Claim, Figure, Finding, Need, Outcomes, Scope};

use super::checks::{DEFINITION_MISMATCH, DEFINITION_UNKNOWN};

/// Checks that the figures of two arms mean the same.
///
/// # Shape
/// One figure an arm; an arm whose values are derived here has none, and is then not checked.
pub fn check_definitions(
    claim: &Claim,
    ours: Option<&Figure>,
    theirs: Option<&Figure>,
) -> Outcomes {
    let mut outcomes = Outcomes::default();
    let about = || Scope::of_claim(&claim.id);
    let Some((ours, theirs)) = ours.zip(theirs) else {
        outcomes.not_observed(&DEFINITION_MISMATCH, Need::Figures, about());
        return outcomes;
    };
    let vague = [ours, theirs].into_iter().find(|f| f.definition.is_vague());
    match vague {
        Some(figure) => outcomes.found(
            Finding::new(
                &DEFINITION_UNKNOWN,
                about(),
                format!(
                    "what {} means is not known in full: {}",
                    figure.source,
                    figure.definition.unknown().join(", ")
                ),
            )
            .with("figure", figure.source.as_str())
            .with("definition", figure.definition.to_string()),
        ),
        None => outcomes.clear(&DEFINITION_UNKNOWN, about()),
    }
    if ours.definition.means_same_as(&theirs.definition) {
        outcomes.clear(&DEFINITION_MISMATCH, about());
    } else {
        let (first, second) = ours.definition.apart_from(&theirs.definition);
        outcomes.found(
            Finding::new(
                &DEFINITION_MISMATCH,
                about(),
                format!("{} is {first}; {} is {second}", ours.source, theirs.source),
            )
            .with("first", ours.definition.to_string())
            .with("second", theirs.definition.to_string()),
        );
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use trueline_core::{By, ClaimKind, Definition, Each, FirstToken, Known, Mark, Metric, Side};

    use super::*;

    fn figure(definition: Definition) -> Figure {
        Figure::new(Metric::TpotS, None, Known::is(0.02, By::Reported), definition, "tpot")
    }

    #[test]
    fn figures_of_one_name_and_two_meanings_are_not_compared() {
        let claim = Claim::new("c", ClaimKind::Relative, "t");
        let tpot = Definition::new(Mark::FirstToken, Mark::LastToken, Side::Client)
            .first_token(FirstToken::Out);
        let (plain, with_first) = (figure(tpot), figure(tpot.first_token(FirstToken::In)));
        let check = |a, b| check_definitions(&claim, Some(a), Some(b));
        let differ = check(&plain, &with_first);
        let text = &differ.findings().next().unwrap().message;
        assert_eq!(text, "tpot is first token out; tpot is first token in");
        assert_eq!(check(&plain, &plain).findings().count(), 0);
        let vague = figure(tpot.each(Each::Unknown));
        assert!(check(&vague, &vague).has("definition-unknown"));
        let unknown = check_definitions(&claim, Some(&plain), None);
        assert!(unknown.findings().next().is_none() && unknown.iter().count() == 1);
    }
}
