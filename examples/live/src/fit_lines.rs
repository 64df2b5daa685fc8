//! How well a replay has the shape of its log, in words.

use trueline::core::number::{count, percent};
use trueline::probe::ReplayFit;

use crate::log_rows::LogRows;

/// How well a replay has the shape of the log, in words; `read` says what of the log is not replayed.
pub fn fit_lines(fit: &ReplayFit, read: &LogRows) -> Vec<String> {
    let mut line = format!("Replayed {} requests of the log", count(fit.rows));
    let lost = read.unusable + fit.left_out;
    let not_sent = [
        (lost, "more do not say when they came or how long they were".to_owned()),
        (read.too_long, format!("are longer than {} tokens and left out", count(read.most))),
    ];
    let not_sent = counted(not_sent).join("; ");
    if !not_sent.is_empty() {
        line += &format!(" ({not_sent})");
    }
    if let Some((log, text)) = fit.hit_share_of_log.zip(fit.hit_share_of_text) {
        line += &format!(
            "; {} of their prompt tokens were cached, and {} of the texts sent can be",
            percent(log.get()),
            percent(text.get())
        );
    }
    line += ".";
    let mut lines = vec![line];
    if let Some((hashes, text)) = fit.hit_share_of_blocks.zip(fit.hit_share_of_text_hashed) {
        lines.push(format!(
            "By the hashes of blocks of {} requests a cache that never forgets hits {} of their prompt \
             tokens, and {} of the texts sent.",
            count(fit.hashed),
            percent(hashes.get()),
            percent(text.get())
        ));
    }
    let odd = counted([
        (
            fit.primed,
            "begin with more than the prompts before them; a text sent before all stands for it",
        ),
        (fit.supposed, "are supposed to begin with the turn before: the log does not say"),
        (fit.unknown, "begin with nothing: the log does not say what was cached"),
        (
            fit.unchained,
            "have hashes that stand behind others elsewhere; leading blocks count alone",
        ),
        (fit.output_assumed, "have an assumed answer length"),
    ]);
    if !odd.is_empty() {
        lines.push(format!("Of them {}.", odd.join("; ")));
    }
    lines
}

fn counted<W: std::fmt::Display>(all: impl IntoIterator<Item = (u64, W)>) -> Vec<String> {
    let some = all.into_iter().filter(|(n, _)| *n > 0);
    some.map(|(n, what)| format!("{} {what}", count(n))).collect()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trueline::core::Tokens;
    use trueline::probe::{LogRow, Replay};

    use super::*;

    #[test]
    fn what_the_hashes_say_stands_beside_what_is_sent() {
        let row = |second, prompt, blocks: &[u64]| {
            let mut row = LogRow::new(Duration::from_secs(second), Tokens::new(prompt));
            (row.blocks, row.output) = (blocks.to_vec(), Some(Tokens::new(5)));
            row
        };
        let rows = vec![row(0, 1_000, &[1, 2]), row(1, 1_000, &[1, 3]), row(2, 400, &[2])];
        let replay = Replay::new(rows.clone(), 7).with_block(Tokens::new(512));
        let fit = replay.plan().unwrap().fit;
        let read =
            LogRows { rows, block: Some(Tokens::new(512)), unusable: 2, too_long: 1, most: 30_000 };
        // 512 of 2,400 tokens are 21.3 %; block 2 is behind block 1 and behind nothing.
        assert_eq!(
            fit_lines(&fit, &read),
            [
                "Replayed 3 requests of the log (2 more do not say when they came or how long they \
                 were; 1 are longer than 30,000 tokens and left out).",
                "By the hashes of blocks of 3 requests a cache that never forgets hits 21 % of their \
                 prompt tokens, and 21 % of the texts sent.",
                "Of them 2 have hashes that stand behind others elsewhere; leading blocks count alone.",
            ]
        );
    }
}
