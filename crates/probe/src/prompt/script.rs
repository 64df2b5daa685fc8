//! Texts from a seed: which words, in which order.

use super::chance::{Chance, named};
use super::words::WORDS;
use crate::Prompt;

/// The beginning of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece {
    /// Which row of texts it is taken from.
    pub stream: u64,
    /// The text's number in it.
    pub number: u64,
    /// How many words of it, from its first.
    pub words: u64,
}

/// All texts of one experiment, fixed by a seed and a name.
///
/// # Formula
/// A text is words of a list of 256, one a byte. Its first eight words are the bytes of
/// `number x odd + key of the stream` modulo `2^64`, least first: two texts of a stream differ there,
/// and within `256^k` numbers in a row at most `k - 1` words are the same before they do. The bytes of
/// the others are those of a key stream of `ChaCha` whose key is seed, name, stream and number.
///
/// Texts of two streams, names or seeds begin with the same `k` words with probability `256^-k`. The same
/// seed and name give the same texts again, and a server that has seen them may have them in its cache: a
/// run that must be cold needs a seed of its own.
///
/// # Examples
/// ```
/// use trueline_probe::{Piece, Script};
/// let script = Script::new(7, "cold");
/// let text = |number| script.text([Piece { stream: 0, number, words: 12 }]);
/// assert_eq!(text(1).split(' ').count(), 12);
/// assert_eq!(text(1), text(1));
/// assert_ne!(text(1).split(' ').next(), text(2).split(' ').next());
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Script {
    seed: u64,
    name: u64,
}

impl Script {
    /// The texts of a seed and a name.
    pub fn new(seed: u64, name: &str) -> Self {
        Self { seed, name: named(name) }
    }

    /// Pieces behind each other, words apart by one space, none at the ends.
    ///
    /// # Shape
    /// Texts whose first pieces are equal are equal as far as these reach.
    pub fn text(&self, pieces: impl IntoIterator<Item = Piece>) -> String {
        let mut text = String::new();
        for piece in pieces {
            self.push(piece, &mut text);
        }
        text
    }

    fn push(&self, piece: Piece, text: &mut String) {
        let words = usize::try_from(piece.words).unwrap_or(usize::MAX);
        text.reserve(words.saturating_mul(5));
        let mut body = Chance::of(self.seed, self.name, piece.stream, piece.number);
        let nonce = self.nonce(piece.stream, piece.number);
        let bits = std::iter::once(nonce).chain(std::iter::from_fn(|| Some(body.bits())));
        for byte in bits.flat_map(u64::to_le_bytes).take(words) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(word(byte));
        }
    }

    fn nonce(&self, stream: u64, number: u64) -> u64 {
        // The odd number is that of `SplitMix64`; the stream's key is drawn at a place that no text has.
        let key = Chance::of(self.seed, !self.name, stream, 0).bits();
        number.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(key)
    }

    /// An order of things that is fixed by a place.
    pub(crate) fn chance(&self, stream: u64, number: u64) -> Chance {
        Chance::of(self.seed, self.name.rotate_left(1) ^ 1, stream, number)
    }
}

fn word(byte: u8) -> &'static str {
    WORDS.get(usize::from(byte)).copied().unwrap_or("the")
}

/// How many words a prompt has: what a [`Ruler`](super::Ruler) learns from beside the server's count.
///
/// # Formula
/// Runs of characters other than white space, over all messages.
pub fn count_words(prompt: &Prompt) -> u64 {
    let words = |text: &str| text.split_ascii_whitespace().count() as u64;
    match prompt {
        Prompt::Text(text) => words(text),
        Prompt::Messages(messages) => messages.iter().map(|message| words(&message.content)).sum(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trueline_sim::tokenize;

    use super::*;
    use crate::Message;

    fn same_words(a: &str, b: &str) -> u64 {
        a.split(' ').zip(b.split(' ')).take_while(|(a, b)| a == b).count() as u64
    }

    proptest! {
        #[test]
        fn a_text_has_its_words_and_each_is_a_token(
            seed in any::<u64>(), stream in 0_u64..9, number in any::<u64>(), words in 0_u64..300,
        ) {
            let script = Script::new(seed, "some");
            let text = script.text([Piece { stream, number, words }]);
            prop_assert_eq!(count_words(&Prompt::Text(text.clone())), words);
            prop_assert_eq!(tokenize(&text).len() as u64, words);
            prop_assert_eq!(&text, &script.text([Piece { stream, number, words }]));
        }

        /// Numbers below 65,536 = 256^2: at most one word the same.
        #[test]
        fn texts_of_a_stream_differ_at_the_front(
            seed in any::<u64>(), stream in 0_u64..9, a in 0_u64..65_536, b in 0_u64..65_536,
        ) {
            prop_assume!(a != b);
            let script = Script::new(seed, "some");
            let text = |number| script.text([Piece { stream, number, words: 40 }]);
            prop_assert!(same_words(&text(a), &text(b)) <= 1);
        }

        #[test]
        fn texts_with_a_prefix_share_it_and_no_more(
            seed in any::<u64>(), shared in 1_u64..200, a in 0_u64..65_536, b in 0_u64..65_536,
        ) {
            prop_assume!(a != b);
            let script = Script::new(seed, "some");
            let prefix = Piece { stream: 1, number: 0, words: shared };
            let text = |number| script.text([prefix, Piece { stream: 2, number, words: 30 }]);
            let same = same_words(&text(a), &text(b));
            prop_assert!((shared..=shared + 1).contains(&same), "{same}");
        }
    }

    /// From `scripts/expected/prompt_text.py`, which shares no code with this.
    #[test]
    fn a_seed_gives_these_very_words() {
        let text = |seed, name, stream, number| {
            Script::new(seed, name).text([Piece { stream, number, words: 20 }])
        };
        assert_eq!(
            text(7, "cold", 3, 5),
            "true wall too unit keep data ride them stay been part come rest four who side well west data are"
        );
        assert_eq!(
            text(u64::MAX, "replay", 0, (1 << 40) + 1),
            "sing some know love sure real soil upon help foot less has yes most and very form best tree her"
        );
    }

    #[test]
    fn any_256_texts_in_a_row_differ_in_their_first_word() {
        let script = Script::new(3, "row");
        let first: std::collections::BTreeSet<String> = (1_000..1_256)
            .map(|number| script.text([Piece { stream: 4, number, words: 1 }]))
            .collect();
        assert_eq!(first.len(), 256);
    }

    #[test]
    fn other_seeds_names_and_streams_give_other_texts() {
        let text = |seed, name, stream| {
            Script::new(seed, name).text([Piece { stream, number: 5, words: 40 }])
        };
        let all = [text(1, "a", 0), text(2, "a", 0), text(1, "b", 0), text(1, "a", 1)];
        for (at, one) in all.iter().enumerate() {
            assert!(all.iter().skip(at + 1).all(|other| same_words(one, other) < 3));
        }
    }

    #[test]
    fn words_of_a_conversation_are_counted_over_its_messages() {
        let message =
            |content: &str| Message { role: "user".to_owned(), content: content.to_owned() };
        let prompt = Prompt::Messages(vec![message("one two"), message(""), message(" three\n")]);
        assert_eq!(count_words(&prompt), 3);
    }
}
