//! Several tokens in the first chunk of a reply.

use trueline_core::{BenchRun, Finding, Metric, Scope, Severity, Thresholds, number};

use super::checks::CHUNKS_ARE_NOT_TOKENS;
use super::stated::mean_output;
use crate::form::Form;

/// That the first chunk holds several tokens as well: TPOT divides the time after it by all tokens but
/// one.
///
/// # Formula
/// Of `n` tokens at `each` a gap there are `g = (n - 1) / each` gaps, and `n g / (g + 1)` tokens came
/// after the first chunk where all hold the same; it may hold more.
pub(super) fn first_chunk(
    run: &BenchRun,
    each: f64,
    about: &Scope,
    thresholds: &Thresholds,
) -> Option<Finding> {
    let check = &CHUNKS_ARE_NOT_TOKENS;
    let n = mean_output(run).filter(|n| *n > 1.0)?;
    let gaps = (n - 1.0) / each;
    let share = 1.0 - n * gaps / ((gaps + 1.0) * (n - 1.0));
    let text = format!(
        "TPOT is {} too small or more: the first chunk holds several of the {} tokens too",
        number::percent(share),
        number::short(n, 4),
    );
    (share > thresholds.get(check, "tpot_too_small")).then(|| {
        Finding::new(check, about.clone().with_metric(Metric::TpotS), text)
            .at(Severity::Warning)
            .with("form", Form::of(run))
            .with("tpot_too_small_share", share)
            .with("tokens_a_gap", each)
            .advising("ask for longer replies, or for the server's own time per token")
    })
}

#[cfg(test)]
mod tests {
    use super::super::chunks::check_chunks;
    use super::super::fixture::Made;
    use super::*;

    #[test]
    fn tokens_of_the_first_chunk_make_tpot_too_small() {
        // 24 tokens in 6 chunks of 4: 20 came in the 5 gaps, and TPOT divides by 23: 13 % less.
        // 1,024 tokens: 1,020 in 255 gaps, over 1,023: 0.3 % less.
        let of = |n: u64, gaps: usize| {
            let gaps = vec![16.36; gaps];
            let made = Made::run().request(0.0, 30.0, 30.0 + gaps.iter().sum::<f64>(), n);
            let found = check_chunks(&made.gaps(&gaps).0, &Thresholds::default());
            found.findings().map(|f| (f.about.metric, f.message.clone())).collect::<Vec<_>>()
        };
        let both = of(24, 5);
        assert_eq!(both.len(), 2);
        let expected = "TPOT is 13 % too small or more: the first chunk holds several of the 24 \
                        tokens too";
        assert_eq!(both[1], (Some(Metric::TpotS), expected.to_owned()));
        assert_eq!(of(1_024, 255).len(), 1);
    }
}
