//! Checks on how replies came: chunks, tokens, gaps and the parts of a latency.

use trueline_core::ClaimKind::Breakdown;
use trueline_core::Severity::{Error, Warning};
use trueline_core::{CheckInfo, ClaimKind, Need};

use crate::checks::threshold;

pub(in super::super) const LATENCY_DOES_NOT_ADD_UP: CheckInfo = CheckInfo {
    code: "latency-does-not-add-up",
    severity: (Error, Error),
    touches: &ClaimKind::ALL,
    needs: &[Need::Samples],
    implied_by: &["unit-mismatch", "summary-contradicts-requests"],
    thresholds: &[
        threshold("equal_lengths", 0.02, "exact for replies of one length and request by request"),
        threshold("mixed_lengths", 0.10, "a product of means, lengths and TPOT varying together"),
    ],
    rule: "end-to-end latency is not TTFT plus TPOT times the tokens after the first",
    advice: "derive TPOT from end-to-end latency, TTFT and output tokens",
};

pub(in super::super) const CHUNKS_ARE_NOT_TOKENS: CheckInfo = CheckInfo {
    code: "chunks-are-not-tokens",
    severity: (Warning, Error),
    touches: &ClaimKind::ALL,
    needs: &[Need::TokensCounted, Need::Gaps],
    implied_by: &["unit-mismatch", "ttft-in-itl"],
    thresholds: &[
        threshold("tokens_a_gap", 1.05, "letters of several tokens are held back now and then"),
        threshold("itl_over_tpot", 1.3, "means over gaps and over requests differ by less"),
        threshold("tpot_too_small", 0.05, "what the tokens of the first chunk leave out of TPOT"),
    ],
    rule: "a chunk carries several tokens: the gap between chunks is no time per token",
    advice: "quote TPOT, and the gap between chunks as what it is; tokens that are never streamed, \
             such as reasoning, make TPOT too small",
};

pub(in super::super) const ITL_IS_NOT_TPOT: CheckInfo = CheckInfo {
    code: "itl-is-not-tpot",
    severity: (Error, Error),
    touches: &ClaimKind::ALL,
    needs: &[Need::Gaps],
    implied_by: &["unit-mismatch", "chunks-are-not-tokens", "burst-delivery", "ttft-in-itl"],
    thresholds: &[
        threshold("tolerance", 0.02, "the gaps of a reply fill its time after the first token"),
        threshold("itl_over_tpot", 0.77, "means over gaps and over requests differ by less"),
    ],
    rule: "the gaps between chunks do not fill the time from first to last token",
    advice: "quote TPOT; find out what the gaps leave out or count twice",
};

pub(in super::super) const BURST_DELIVERY: CheckInfo = CheckInfo {
    code: "burst-delivery",
    severity: (Error, Error),
    touches: &ClaimKind::ALL,
    needs: &[Need::Streamed],
    implied_by: &["unit-mismatch"],
    thresholds: &[
        threshold("gap_s", 1e-4, "nothing decodes 10,000 tok/s for one user"),
        threshold(
            "tpot_s",
            1e-3,
            "a server that takes this long per token shows it between chunks",
        ),
        threshold("tokens", 8.0, "a reply of a few tokens may come at once"),
        threshold("ttft_share", 0.98, "of the end-to-end latency, before the first token"),
        threshold("at_once_tpot_s", 2e-4, "a long prefill before a short reply is no burst"),
        threshold("share", 0.01, "of the streamed replies"),
    ],
    rule: "replies arrive in bursts, or at once: they were not really streamed to the client",
    advice: "turn off buffering between server and client, and measure TTFT and ITL again",
};

pub(in super::super) const TTFT_IN_ITL: CheckInfo = CheckInfo {
    code: "ttft-in-itl",
    severity: (Warning, Error),
    touches: &ClaimKind::ALL,
    needs: &[Need::Ttft],
    implied_by: &[],
    thresholds: &[
        threshold("first_gap", 0.01, "of TTFT; two stamps of one event"),
        threshold("e2e", 0.03, "of the end-to-end latency that ITL times output tokens makes up"),
        threshold("ttft_share", 0.05, "of the end-to-end latency; below that nobody is misled"),
        threshold("late", 5.0, "times TTFT: moving a cache between two machines takes no longer"),
        threshold("stall", 2.0, "times the gaps after the first, which it would be one of"),
        threshold("late_share", 0.9, "of the requests; where it is how chunks are stamped, all"),
    ],
    rule: "the wait for the first token is in the gaps between tokens",
    advice: "derive it from (end-to-end latency - TTFT) / (output tokens - 1)",
};

pub(in super::super) const REASONING_NOT_COUNTED: CheckInfo = CheckInfo {
    code: "reasoning-not-counted",
    severity: (Warning, Warning),
    touches: &[Breakdown],
    needs: &[Need::TokensCounted],
    implied_by: &[],
    thresholds: &[threshold("tolerance", 0.05, "of the output tokens; markers are not counted")],
    rule: "tokens of the reasoning channel were generated and not counted or not timed",
    advice: "count reasoning tokens as output, and stamp the first token of either channel",
};
