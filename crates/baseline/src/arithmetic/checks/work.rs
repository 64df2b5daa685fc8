//! Checks on the work done: requests and tokens.

use trueline_core::ClaimKind::{Absolute, Relative};
use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckInfo, Need};

use crate::checks::threshold;

pub(in super::super) const TOKENS_DO_NOT_ADD_UP: CheckInfo = CheckInfo {
    code: "tokens-do-not-add-up",
    severity: (Warning, Error),
    touches: &[Absolute],
    needs: &[Need::Figures, Need::TokensCounted, Need::WallTimes],
    implied_by: &["unit-mismatch"],
    thresholds: &[
        threshold("warning", 0.01, "rounding explains under half of it"),
        threshold("error", 0.05, "no rounding explains it"),
    ],
    rule: "a token rate times the duration is not the number of tokens",
    advice: "divide the tokens of the run by its duration",
};

pub(in super::super) const REQUESTS_DO_NOT_ADD_UP: CheckInfo = CheckInfo {
    code: "requests-do-not-add-up",
    severity: (Warning, Error),
    touches: &[Absolute],
    needs: &[Need::Figures, Need::FailuresCounted, Need::WallTimes],
    implied_by: &["unit-mismatch"],
    thresholds: &[threshold("tolerance", 0.01, "rounding explains under half of it")],
    rule: "the request rate times the duration is not the number of answered requests, or more \
           answers are recorded than counted",
    advice: "divide the answered requests by the duration, and say how many failed",
};

pub(in super::super) const TOKENIZER_MISMATCH: CheckInfo = CheckInfo {
    code: "tokenizer-mismatch",
    severity: (Warning, Error),
    touches: &[Absolute],
    needs: &[Need::TokensCounted],
    implied_by: &["reasoning-not-counted"],
    thresholds: &[
        threshold("constant", 8.0, "tokens a request: special tokens and merges at the ends"),
        threshold("warning", 0.005, "of the server's count, after that constant"),
        threshold("error", 0.02, "of the server's count, after that constant"),
    ],
    rule: "the tool's own tokenizer and the server count different numbers of tokens",
    advice: "use the server's counts, or give the tool the model's own tokenizer and chat template",
};

pub(in super::super) const OUTPUT_LENGTH_OFF: CheckInfo = CheckInfo {
    code: "output-length-off",
    severity: (Error, Error),
    touches: &[Absolute, Relative],
    needs: &[Need::TokensCounted],
    implied_by: &["tokenizer-mismatch", "reasoning-not-counted"],
    thresholds: &[
        threshold("share", 0.05, "of the length asked for"),
        threshold("tokens", 50.0, "of a long reply"),
        threshold("requests", 0.01, "of the requests may end early"),
        threshold("mean", 0.02, "of the length asked for, as a mean: a plan may be one"),
    ],
    rule: "replies are not as long as asked for",
    advice: "quote the lengths that were generated, or make the server ignore the end of text",
};

pub(in super::super) const PROMPT_LENGTH_OFF: CheckInfo = CheckInfo {
    code: "prompt-length-off",
    severity: (Error, Error),
    touches: &[Absolute],
    needs: &[Need::TokensCounted],
    implied_by: &["tokenizer-mismatch"],
    thresholds: &[
        threshold("share", 0.02, "of the length asked for"),
        threshold("template", 32.0, "tokens that a chat template adds; one of Gemma's adds 24"),
        threshold("tokens", 2.0, "text that is cut and joined again loses a token or two"),
    ],
    rule: "prompts are not as long as asked for",
    advice: "quote the length that the server counts",
};
