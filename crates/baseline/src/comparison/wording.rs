//! The words of a claim, without the names of what it compares.

use trueline_core::Claim;

/// The words of a claim's text in lower case, the names of its arms left out: a run may be called
/// `faster`.
///
/// # Shape
/// In their order, with the hyphens and apostrophes within them.
pub(super) fn words_of(claim: &Claim) -> Vec<String> {
    let mut text = claim.text.to_lowercase();
    let names = [&claim.of, &claim.baseline, &claim.incumbent];
    for name in names.into_iter().flatten().filter(|name| !name.is_empty()) {
        text = text.replace(&name.to_lowercase(), " ");
    }
    text.split(|c: char| !(c.is_alphabetic() || c == '-' || c == '\''))
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect()
}

#[cfg(test)]
mod tests {
    use trueline_core::ClaimKind;

    use super::*;

    #[test]
    fn names_of_arms_are_no_words() {
        let mut claim = Claim::new("c", ClaimKind::Relative, "Faster-2 isn't faster, 1.2x");
        claim.of = Some("faster-2".into());
        assert_eq!(words_of(&claim), ["isn't", "faster", "x"]);
    }
}
