//! How many words make so many tokens.

use trueline_core::Tokens;

/// A length in words, with what it is expected to be in tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Length {
    /// How many words to send.
    pub words: u64,
    /// What the server is expected to count.
    pub tokens: Tokens,
    /// How far off that may be: two standard errors of a single prompt, rounded up; learnt from fewer than
    /// about six prompts it is a rough figure itself. `None` where the ruler has learnt nothing, or too
    /// little to tell.
    pub error: Option<Tokens>,
}

/// How many words make so many tokens, as learnt from what a server counted.
///
/// # Formula
/// `tokens = overhead + per_word x words`, by least squares in which a prompt weighs `1 / words`: its words
/// are drawn one by one, so that the variance of their sum grows with their number, and the overhead of a
/// chat template is the same for all. With `n` prompts, `S0 = sum 1/w`, `S2 = sum w`,
/// `D = S0 S2 - n^2` and `s^2 = sum (residual^2 / w) / (n - 2)`, the square of the standard error of one
/// more prompt of `w` words is `s^2 (w + (S2 - 2 n w + S0 w^2) / D)`.
///
/// Prompts of one length alone cannot tell the overhead from the words: then it is taken for zero, and
/// lengths near that one are right, others off by at most the overhead. Before anything is learnt a word is
/// a token.
///
/// # Source
/// Weighted least squares as in Draper and Smith, “Applied Regression Analysis”, 3rd edition, 1998,
/// chapter 9.
///
/// # Examples
/// ```
/// use trueline_core::Tokens;
/// use trueline_probe::Ruler;
/// let counted = [(100, Tokens::new(112)), (200, Tokens::new(212)), (400, Tokens::new(412))];
/// let ruler = Ruler::learn(&counted).ok_or("three usable prompts")?;
/// let length = ruler.words_for(Tokens::new(1_012));
/// assert_eq!((length.words, length.tokens), (1_000, Tokens::new(1_012)));
/// assert_eq!(Ruler::default().words_for(Tokens::new(1_012)).words, 1_012);
/// # Ok::<(), &str>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ruler {
    /// Tokens before any word.
    overhead: f64,
    /// Tokens a word, above zero.
    per_word: f64,
    spread: Option<Spread>,
}

/// What the error of a prediction is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Spread {
    /// Residual variance of a word.
    variance: f64,
    /// `S2 / D`, `n / D`, `S0 / D`.
    of_fit: [f64; 3],
}

impl Default for Ruler {
    /// One that has learnt nothing: a word is a token.
    fn default() -> Self {
        Self { overhead: 0.0, per_word: 1.0, spread: None }
    }
}

impl Ruler {
    /// What pairs of words sent and tokens counted teach.
    ///
    /// # Shape
    /// In any order; those without words teach nothing. Tokens are those of the whole prompt, cached ones
    /// included. `None` where no pair is left, or where more words do not make more tokens: a server that
    /// leaves cached tokens out of its count.
    pub fn learn(counted: &[(u64, Tokens)]) -> Option<Self> {
        let counted = counted.iter().filter(|(words, _)| *words > 0);
        let (first, _) = counted.clone().next()?;
        let of_one_length = counted.clone().all(|(words, _)| words == first);
        let pairs: Vec<(f64, f64)> =
            counted.map(|(words, tokens)| (real(*words), tokens.as_f64())).collect();
        let sum = |of: &dyn Fn(f64, f64) -> f64| pairs.iter().map(|(w, t)| of(*w, *t)).sum::<f64>();
        let (n, s0, s2) = (sum(&|_, _| 1.0), sum(&|w, _| 1.0 / w), sum(&|w, _| w));
        let (t0, t1) = (sum(&|w, t| t / w), sum(&|_, t| t));
        let d = s0 * s2 - n * n;
        let (overhead, per_word, of_fit, free) = if of_one_length {
            (0.0, t1 / s2, [0.0, 0.0, 1.0 / s2], n - 1.0)
        } else {
            ((t0 * s2 - n * t1) / d, (s0 * t1 - n * t0) / d, [s2 / d, n / d, s0 / d], n - 2.0)
        };
        if !(per_word > 0.0 && per_word.is_finite() && overhead.is_finite()) {
            return None;
        }
        let squares = sum(&|w, t| (t - overhead - per_word * w).powi(2) / w);
        let spread = (free > 0.0).then(|| Spread { variance: squares / free, of_fit });
        Some(Self { overhead, per_word, spread })
    }

    /// How many words make a prompt of so many tokens, template included; at least one.
    ///
    /// # Formula
    /// `(tokens - overhead) / per_word`, rounded.
    pub fn words_for(&self, tokens: Tokens) -> Length {
        let words = whole((tokens.as_f64() - self.overhead) / self.per_word).max(1);
        Length { words, tokens: self.tokens_of(words), error: self.error_of(words) }
    }

    /// How many words make a beginning of so many tokens.
    ///
    /// # Formula
    /// `tokens / per_word`, rounded: nobody knows which part of a template stands before the words, so
    /// that two prompts have in common what was asked for and at most the template more.
    pub fn words_of_prefix(&self, tokens: Tokens) -> u64 {
        whole(tokens.as_f64() / self.per_word)
    }

    /// What a server is expected to count for so many words, template included.
    pub fn tokens_of(&self, words: u64) -> Tokens {
        Tokens::new(whole(self.overhead + self.per_word * real(words)))
    }

    fn error_of(&self, words: u64) -> Option<Tokens> {
        Some(Tokens::new(whole_up(2.0 * self.standard_error(words)?)))
    }

    /// The standard error of one more prompt of so many words.
    fn standard_error(&self, words: u64) -> Option<f64> {
        let Spread { variance, of_fit: [s2, n, s0] } = self.spread?;
        let w = real(words);
        let of_fit = (s2 - 2.0 * n * w + s0 * w * w).max(0.0);
        Some((variance * (w + of_fit)).sqrt())
    }
}

fn real(words: u64) -> f64 {
    Tokens::new(words).as_f64()
}

/// The nearest whole number; zero for what lies below.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a float beyond the range becomes its end, and that is what is wanted"
)]
fn whole(value: f64) -> u64 {
    value.round() as u64
}

/// The next whole number above, rounding of the arithmetic aside.
fn whole_up(value: f64) -> u64 {
    whole((value - 1e-6).ceil())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trueline_sim::tokenize;

    use super::*;
    use crate::{Piece, Script};

    fn tokens(count: u64) -> Tokens {
        Tokens::new(count)
    }

    fn text(words: u64, number: u64) -> String {
        Script::new(11, "ruler").text([Piece { stream: 0, number, words }])
    }

    /// A tokenizer of pieces of four bytes, spaces among them, and a template of 23 tokens.
    fn by_four_bytes(text: &str) -> u64 {
        text.len().div_ceil(4) as u64 + 23
    }

    #[test]
    fn the_line_is_that_of_weighted_least_squares() {
        // By hand, weights 1/w, pairs (1, 3), (2, 5), (4, 8): S0 = 1.75, S2 = 7, n = 3, D = 3.25;
        // T0 = 3 + 2.5 + 2 = 7.5, T1 = 16; overhead = (52.5 - 48) / 3.25, per word = (28 - 22.5) / 3.25.
        let ruler = Ruler::learn(&[(1, tokens(3)), (2, tokens(5)), (4, tokens(8))]).unwrap();
        assert!((ruler.overhead - 1.384_615_384_615).abs() < 1e-9, "{ruler:?}");
        assert!((ruler.per_word - 1.692_307_692_308).abs() < 1e-9, "{ruler:?}");
        // Residuals -1/13, 3/13, -2/13: s^2 = (1 + 9/2 + 4/4) / 169 / 1 = 6.5/169 = 0.038 461 54. At 4
        // words: 4 + (7 - 24 + 28) / 3.25 = 7.384 615; the root of the product is 0.532 939 and twice that
        // 1.065 88, so 2 tokens. At 2 words: 2 + (7 - 12 + 7) / 3.25 = 2.615 385, root 0.317 162.
        assert!((ruler.standard_error(4).unwrap() - 0.532_939).abs() < 1e-6);
        assert!((ruler.standard_error(2).unwrap() - 0.317_162).abs() < 1e-6);
        let length = ruler.words_for(tokens(8));
        assert_eq!((length.words, length.tokens, length.error), (4, tokens(8), Some(tokens(2))));
    }

    /// From `scripts/expected/prompt_text.py`, in fractions.
    #[test]
    fn six_prompts_of_three_lengths_give_this_line() {
        let counted = [(1000, 1163), (500, 590), (250, 311), (1000, 1170), (500, 597), (250, 306)];
        let ruler = Ruler::learn(&counted.map(|(words, count)| (words, tokens(count)))).unwrap();
        for (found, expected) in [
            (ruler.overhead, 22.346_153_846_154),
            (ruler.per_word, 1.143_692_307_692),
            (ruler.standard_error(1_000).unwrap(), 6.702_440_383_964),
            (ruler.standard_error(20_000).unwrap(), 116.855_846_372_190),
        ] {
            assert!((found - expected).abs() < 1e-9 * expected, "{found} for {expected}");
        }
    }

    #[test]
    fn without_pairs_a_word_is_a_token_and_the_error_is_unknown() {
        assert_eq!(Ruler::learn(&[]), None);
        assert_eq!(Ruler::learn(&[(0, tokens(12))]), None);
        let length = Ruler::default().words_for(tokens(500));
        assert_eq!((length.words, length.tokens, length.error), (500, tokens(500), None));
    }

    #[test]
    fn one_pair_gives_a_rate_and_no_error() {
        let ruler = Ruler::learn(&[(100, tokens(130))]).unwrap();
        let length = ruler.words_for(tokens(260));
        assert_eq!((length.words, length.tokens, length.error), (200, tokens(260), None));
        // Two of one length: still no overhead, but an error, zero where they agree.
        let twice = Ruler::learn(&[(100, tokens(130)), (100, tokens(130))]).unwrap();
        assert_eq!(twice.words_for(tokens(260)).error, Some(tokens(0)));
    }

    #[test]
    fn counts_that_do_not_grow_with_the_words_teach_nothing() {
        assert_eq!(Ruler::learn(&[(100, tokens(50)), (200, tokens(10))]), None);
        assert_eq!(Ruler::learn(&[(100, tokens(0)), (200, tokens(0))]), None);
    }

    #[test]
    fn a_prompt_shorter_than_the_template_has_one_word_and_says_so() {
        let ruler = Ruler::learn(&[(100, tokens(123)), (200, tokens(223))]).unwrap();
        let length = ruler.words_for(tokens(5));
        assert_eq!((length.words, length.tokens), (1, tokens(24)));
        assert_eq!(ruler.words_of_prefix(tokens(50)), 50);
    }

    #[test]
    fn one_token_a_word_is_learnt_exactly() {
        let counted: Vec<(u64, Tokens)> = [40, 80, 160, 160]
            .into_iter()
            .zip(0..)
            .map(|(words, number)| (words, tokens(tokenize(&text(words, number)).len() as u64 + 9)))
            .collect();
        let length = Ruler::learn(&counted).unwrap().words_for(tokens(10_009));
        assert_eq!(
            (length.words, length.tokens, length.error),
            (10_000, tokens(10_009), Some(tokens(0)))
        );
    }

    /// The stated error, two standard errors, holds for 95 % of prompts if it is right. Of 200, ten are
    /// expected outside, and 25 are five standard deviations more; but all share one fit, so the test
    /// leaves room for twice that.
    #[test]
    fn the_stated_error_holds_for_a_tokenizer_that_cuts_words() {
        let counted: Vec<(u64, Tokens)> = (0..12)
            .map(|number| (250 << (number % 3), number))
            .map(|(words, number)| (words, tokens(by_four_bytes(&text(words, number)))))
            .collect();
        let ruler = Ruler::learn(&counted).unwrap();
        let mut outside = 0;
        for number in 100..300 {
            let length = ruler.words_for(tokens(4_000));
            let found = by_four_bytes(&text(length.words, number));
            let error = length.error.unwrap().get();
            assert!(error < 80, "2 % of 4,000, {length:?}");
            outside += u32::from(found.abs_diff(length.tokens.get()) > error);
            // The stated tolerance: a hundredth of the length, three standard errors.
            assert!(found.abs_diff(4_000) < 40 + error / 2, "{found} of {length:?}");
        }
        assert!(outside < 50, "{outside}");
    }

    proptest! {
        #[test]
        fn an_exact_line_is_found_again(
            overhead in 0_u64..200, per_word in 1_u64..5, asked in 300_u64..100_000,
        ) {
            let counted = [50, 100, 400].map(|w| (w, tokens(overhead + per_word * w)));
            let length = Ruler::learn(&counted).unwrap().words_for(tokens(asked));
            prop_assert!(length.tokens.get().abs_diff(asked) <= per_word.div_ceil(2), "{length:?}");
            prop_assert_eq!(length.tokens.get(), overhead + per_word * length.words);
        }

        #[test]
        fn no_pairs_make_it_panic(
            pairs in prop::collection::vec((any::<u64>(), any::<u64>()), 0..6), asked in any::<u64>(),
        ) {
            let counted: Vec<(u64, Tokens)> = pairs.into_iter().map(|(w, t)| (w, tokens(t))).collect();
            if let Some(ruler) = Ruler::learn(&counted) {
                prop_assert!(ruler.words_for(tokens(asked)).words >= 1);
            }
        }
    }
}
