//! The tokenizer: one rule that everybody can count by.

use serde::{Deserialize, Serialize};
use trueline_core::Tokens;

use crate::{RequestId, mix};

/// One token: at most four bytes of text, and perhaps the space before them.
///
/// # Shape
/// The number holds the text itself, so that no vocabulary is needed: bytes in bits 0 to 31, their
/// number in bits 32 to 34, the space in bit 35. It stays below 2^36.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Token(u64);

impl Token {
    /// Its number.
    pub const fn id(self) -> u64 {
        self.0
    }

    /// The token of a number; `None` where it is no token's.
    pub fn from_id(id: u64) -> Option<Self> {
        let token = Self(id);
        let whole = id < 1 << 36
            && token.len() <= 4
            && std::str::from_utf8(token.bytes().get(..token.len())?).is_ok_and(|t| !t.is_empty());
        whole.then_some(token)
    }

    fn of(text: &str, spaced: bool) -> Self {
        let bytes = text.bytes().take(4);
        let packed = bytes.enumerate().fold(0, |id, (at, byte)| id | u64::from(byte) << (8 * at));
        let len = text.len().min(4) as u64;
        Self(packed | len << 32 | u64::from(spaced) << 35)
    }

    const fn len(self) -> usize {
        ((self.0 >> 32) & 7) as usize
    }

    #[expect(clippy::cast_possible_truncation, reason = "the low half is what is wanted")]
    const fn bytes(self) -> [u8; 4] {
        (self.0 as u32).to_le_bytes()
    }

    /// Appends its text.
    pub fn push_to(self, text: &mut String) {
        if self.0 >> 35 & 1 == 1 {
            text.push(' ');
        }
        let bytes = self.bytes();
        let own = bytes.get(..self.len()).and_then(|own| std::str::from_utf8(own).ok());
        text.push_str(own.unwrap_or_default());
    }
}

/// The tokens of a text.
///
/// # Formula
/// A run of letters and digits is cut into pieces of at most four bytes, never inside a character:
/// four letters of English, two of Greek or Russian, one of Chinese. Every other character is a
/// piece. One space before a piece belongs to it; a space before another space or at the end is a
/// piece of its own.
///
/// # Shape
/// In the order of the text; [`detokenize`] gives the same text back. Texts that begin with a space
/// can be put behind each other without changing each other's tokens, unless the first ends in one.
///
/// # Examples
/// ```
/// use trueline_sim::{detokenize, tokenize};
///
/// // "The", " quic", "k", " fox", "."
/// let tokens = tokenize("The quick fox.");
/// assert_eq!(tokens.len(), 5);
/// assert_eq!(detokenize(&tokens), "The quick fox.");
/// ```
pub fn tokenize(text: &str) -> Vec<Token> {
    let mut tokens = Vec::with_capacity(text.len() / 4 + 1);
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let after =
            rest.strip_prefix(' ').filter(|after| !after.is_empty() && !after.starts_with(' '));
        let body = after.unwrap_or(rest);
        let piece = if after.is_none() && first == ' ' { " " } else { piece(body) };
        tokens.push(Token::of(piece, after.is_some()));
        rest = body.get(piece.len()..).unwrap_or_default();
    }
    tokens
}

/// The piece that a text begins with.
fn piece(text: &str) -> &str {
    let mut end = 0;
    for (at, character) in text.char_indices() {
        let next = at + character.len_utf8();
        let joins = character.is_alphanumeric() && next <= 4;
        if at > 0 && !joins {
            break;
        }
        end = next;
        if !character.is_alphanumeric() {
            break;
        }
    }
    text.get(..end).unwrap_or(text)
}

/// The text of some tokens.
pub fn detokenize(tokens: &[Token]) -> String {
    let mut text = String::with_capacity(tokens.len() * 5);
    for token in tokens {
        token.push_to(&mut text);
    }
    text
}

/// A text of exactly `n` tokens, drawn from a seed: words of four letters, each behind a space.
///
/// # Examples
/// ```
/// use trueline_core::Tokens;
/// use trueline_sim::{tokenize, words};
///
/// let n = Tokens::new(250);
/// assert_eq!(tokenize(&words(n, 7)).len(), 250);
/// assert_ne!(words(n, 7), words(n, 8));
/// ```
pub fn words(n: Tokens, seed: u64) -> String {
    let tokens: Vec<Token> = (0..n.get()).map(|at| word(mix::draw(seed, u64::MAX, at))).collect();
    detokenize(&tokens)
}

/// The token at a place of an answer: a word of four letters behind a space.
///
/// The engine caches answers by it, so that a server which sends it finds its own answer again in the
/// next turn of the conversation.
pub fn answer_token(seed: u64, request: RequestId, at: u64) -> Token {
    word(mix::draw(seed, request.0, at))
}

/// A word of four letters behind a space.
fn word(mut drawn: u64) -> Token {
    let mut packed = 0;
    for place in 0..4 {
        packed |= (u64::from(b'a') + drawn % 26) << (8 * place);
        drawn /= 26;
    }
    Token(packed | 4 << 32 | 1 << 35)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pieces(text: &str) -> Vec<String> {
        tokenize(text).into_iter().map(|t| detokenize(&[t])).collect()
    }

    #[test]
    fn the_rule_cuts_where_it_says() {
        assert_eq!(pieces("abcdefghi 12"), ["abcd", "efgh", "i", " 12"]);
        assert_eq!(pieces("a  b "), ["a", " ", " b", " "]);
        assert_eq!(pieces("x=1;\n\ty"), ["x", "=", "1", ";", "\n", "\t", "y"]);
        // Two bytes a letter, three, four.
        assert_eq!(pieces("привет"), ["пр", "ив", "ет"]);
        assert_eq!(pieces("你好 👍🏽"), ["你", "好", " 👍", "🏽"]);
        assert_eq!(pieces(""), [""; 0]);
        assert_eq!(pieces("a\0"), ["a", "\0"]);
    }

    #[test]
    fn numbers_that_are_no_tokens_are_refused() {
        for token in tokenize("some text, and é") {
            assert_eq!(Token::from_id(token.id()), Some(token));
        }
        // No length; a length of 7; beyond 2^36; a lone continuation byte.
        for id in [0, 7 << 32, 1 << 36, 1 << 32 | 0x80] {
            assert_eq!(Token::from_id(id), None, "{id:#x}");
        }
    }
}
