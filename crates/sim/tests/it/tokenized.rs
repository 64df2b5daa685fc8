//! The tokenizer gives every text back and counts as its rule says.

use proptest::prelude::*;
use trueline_core::Tokens;
use trueline_sim::{RequestId, Token, answer_token, detokenize, tokenize, words};

proptest! {
    #[test]
    fn every_text_comes_back(text in any::<String>(), ascii in "[ a-z0-9.,\n]{0,60}") {
        for text in [text, ascii] {
            let tokens = tokenize(&text);
            prop_assert_eq!(detokenize(&tokens), text.as_str());
            for token in &tokens {
                prop_assert_eq!(Token::from_id(token.id()), Some(*token));
                prop_assert!(detokenize(&[*token]).len() <= 5);
            }
        }
    }

    #[test]
    fn texts_that_begin_with_a_space_can_be_put_behind_each_other(
        a in "[a-z., ]{0,40}[a-z.]",
        b in "[a-z., ]{0,40}",
        n in 0_u64..50,
        seed in any::<u64>(),
    ) {
        // One space before a piece, so that it belongs to that piece.
        let b = format!(" x{b}");
        let mut apart = tokenize(&a);
        apart.extend(tokenize(&b));
        prop_assert_eq!(tokenize(&(a + &b)), apart);
        prop_assert_eq!(tokenize(&words(Tokens::new(n), seed)).len() as u64, n);
    }

    #[test]
    fn an_answer_is_as_many_tokens_for_whoever_counts(n in 0_u64..200, seed in any::<u64>()) {
        let answer: Vec<Token> = (0..n).map(|at| answer_token(seed, RequestId(3), at)).collect();
        prop_assert_eq!(tokenize(&detokenize(&answer)), answer);
    }

    #[test]
    fn numbers_are_tokens_or_refused(id in any::<u64>(), near in 0_u64..1 << 36) {
        for id in [id, near] {
            if let Some(token) = Token::from_id(id) {
                let text = detokenize(&[token]);
                prop_assert!(!text.is_empty());
            }
        }
    }
}
