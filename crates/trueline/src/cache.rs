//! Prefix caches in the report of a log: what was hit, and what hashes of blocks say could have been.

use serde_json::{Value, json};
use trueline_core::number::{count, percent, short};
use trueline_core::{Share, Tokens};
use trueline_logs::{CacheShares, HashScope, LogSummary, LruPoint, PrefixReport, SessionHits};

use crate::audit::whole;

/// Sizes of caches that the text shows, in blocks.
const SHOWN: [u64; 8] = [1_000, 5_000, 10_000, 30_000, 50_000, 100_000, 300_000, 1_000_000];

/// What the log says of prefix caches, as JSON.
pub(crate) fn cache_json(log: &LogSummary) -> Value {
    let (cache, prefix) = (log.production().cache(), log.prefix());
    json!({
        "token_weighted": share(cache.token_weighted()),
        "request_mean": share(cache.request_mean()),
        "any_hit": share(cache.any_hit()),
        "block_weighted": share(prefix.and_then(PrefixReport::block_weighted)),
        "infinite_bound": share(prefix.and_then(|p| p.infinite().token_weighted())),
        "lru": prefix.map_or_else(Vec::new, |p| p.lru().iter().map(point_json).collect()),
        "from_blocks": prefix.map(prefix_json),
        "sessions": log.session_hits().map(|sessions| sessions_json(sessions, prefix)),
    })
}

fn share(share: Option<Share>) -> Option<f64> {
    share.map(Share::get)
}

fn point_json(point: &LruPoint) -> Value {
    json!({
        "blocks": point.blocks,
        "tokens": point.tokens.map(Tokens::get),
        "token_weighted": point.token_weighted.get(),
    })
}

fn shares_json(shares: &CacheShares) -> Value {
    json!({
        "requests": shares.requests(),
        "token_weighted": share(shares.token_weighted()),
        "request_mean": share(shares.request_mean()),
        "any_hit": share(shares.any_hit()),
    })
}

fn prefix_json(prefix: &PrefixReport) -> Value {
    let buckets = prefix.buckets().iter().map(|(bucket, shares)| {
        let mut value = shares_json(shares);
        value["bucket"] = json!(bucket.to_string());
        value
    });
    let compared = prefix.stated_and_possible().iter().map(|tenth| {
        json!({
            "requests": tenth.requests,
            "stated": share(tenth.stated_share()),
            "possible": share(tenth.possible_share()),
        })
    });
    let (requests, hashes) = prefix.beyond();
    json!({
        "infinite": shares_json(prefix.infinite()),
        "blocks": whole(prefix.blocks()),
        "distinct_blocks": prefix.distinct_blocks(),
        "blocks_for_all_hits": prefix.blocks_for_all_hits(),
        "block_tokens": prefix.block_tokens().map(Tokens::get),
        "caches": prefix.caches(),
        "hashes_tell_between": prefix.scope().words(),
        "order": prefix.order().words(),
        "common_blocks": prefix.common_blocks(),
        "behind_common": share(prefix.behind_common()),
        "tenths": prefix.tenths().iter().map(shares_json).collect::<Vec<_>>(),
        "buckets": buckets.collect::<Vec<_>>(),
        "stated_and_possible": compared.collect::<Vec<_>>(),
        "beyond": { "requests": requests, "blocks": hashes },
    })
}

fn sessions_json(sessions: &SessionHits, prefix: Option<&PrefixReport>) -> Value {
    let requests = |q: f64| sessions.requests().quantile(Share::new(q).ok()?);
    let part = |part: Option<(u64, Share)>| {
        part.map(|(requests, share)| json!({ "requests": requests, "token_weighted": share.get() }))
    };
    let turns = prefix.map(PrefixReport::later_turns).filter(|turns| turns.requests() > 0);
    json!({
        "n": sessions.sessions(),
        "of_one_request": sessions.single(),
        "requests_low": requests(0.0),
        "requests_median": requests(0.5),
        "requests_high": requests(1.0),
        "first": part(sessions.first()),
        "later": part(sessions.later()),
        "later_from_blocks": turns.map(|turns| json!({
            "requests": turns.requests(),
            "of_the_session": share(turns.of_the_session()),
            "of_all": share(turns.of_all()),
        })),
        "requests_beyond": sessions.beyond(),
    })
}

/// The same in words; nothing where the log says nothing of caches.
pub(crate) fn cache_lines(log: &LogSummary) -> Vec<String> {
    let mut lines: Vec<String> = stated_line(log).into_iter().collect();
    if let Some(prefix) = log.prefix() {
        lines.extend(bound_lines(prefix).into_iter().flatten());
        lines.extend(curve_line(prefix));
        lines.extend(aside(prefix));
    }
    lines.extend(log.session_hits().and_then(|sessions| sessions_line(sessions, log.prefix())));
    lines
}

fn stated_line(log: &LogSummary) -> Option<String> {
    let cache = log.production().cache();
    Some(format!(
        "Cache hits: {} of tokens, {} as the mean of requests, {} of requests hit anything",
        percent(cache.token_weighted()?.get()),
        percent(cache.request_mean()?.get()),
        percent(cache.any_hit()?.get()),
    ))
}

/// A share to three digits.
fn fine(share: Share) -> String {
    format!("{} %", short(share.get() * 100.0, 3))
}

fn bound_lines(prefix: &PrefixReport) -> Option<[String; 2]> {
    let infinite = prefix.infinite();
    let most = if is_lower_bound(prefix) { "at least " } else { "" };
    let first = format!(
        "By block hashes of {} requests a cache that never forgets hits {most}{} of tokens,",
        count(infinite.requests()),
        fine(infinite.token_weighted()?),
    );
    let second = format!(
        "  {} as the mean of requests, {} of blocks; {} of the requests hit anything",
        fine(infinite.request_mean()?),
        fine(prefix.block_weighted()?),
        count(infinite.hits()),
    );
    Some([first, second])
}

/// Whether rows may have in common what their hashes do not tell.
fn is_lower_bound(prefix: &PrefixReport) -> bool {
    match prefix.scope() {
        HashScope::Conversation => true,
        _ => prefix.scope() != HashScope::Everywhere && prefix.caches() > 1,
    }
}

/// The curve: sizes that many know, or all where caches are small.
fn curve_line(prefix: &PrefixReport) -> Option<String> {
    let (all, below) = prefix.lru().split_last()?;
    let known: Vec<&LruPoint> =
        below.iter().filter(|point| SHOWN.contains(&point.blocks)).collect();
    let small = || below.iter().filter(|point| point.blocks >= 100).collect();
    let shown: Vec<&LruPoint> = if known.len() < 3 { small() } else { known };
    let shown: Vec<String> = shown
        .iter()
        .map(|point| format!("{} {}", thousands(point.blocks), fine(point.token_weighted)))
        .collect();
    let size = prefix
        .block_tokens()
        .map_or_else(|| "of several sizes".to_owned(), |size| format!("of {} tokens", size.get()));
    let tokens = all
        .tokens
        .map_or_else(String::new, |tokens| format!(" ({} tokens)", thousands(tokens.get())));
    let shown = if shown.is_empty() { String::new() } else { shown.join(", ") + "; " };
    Some(format!("LRU, blocks {size}: {shown}all hits with {}{tokens}", thousands(all.blocks)))
}

/// A count to three digits.
fn thousands(n: u64) -> String {
    let x = Tokens::new(n).as_f64();
    match n {
        0..1_000 => count(n),
        1_000..1_000_000 => format!("{}k", short(x / 1e3, 3)),
        _ => format!("{}M", short(x / 1e6, 3)),
    }
}

/// What has to be known beside the figures.
fn aside(prefix: &PrefixReport) -> Option<String> {
    let mut parts = Vec::new();
    let tenths: Vec<f64> =
        prefix.tenths().iter().filter_map(|tenth| share(tenth.token_weighted())).collect();
    if let [first, others @ ..] = tenths.as_slice()
        && !others.is_empty()
    {
        let low = others.iter().copied().fold(f64::INFINITY, f64::min);
        let high = others.iter().copied().fold(0.0, f64::max);
        let (low, high) = (percent(low), percent(high));
        let others = if low == high { low } else { format!("{low} to {high}") };
        parts.push(format!("first tenth of the requests {}, others {others}", percent(*first)));
    }
    if let (Some(blocks @ 1..), Some(behind)) = (prefix.common_blocks(), prefix.behind_common()) {
        let what =
            if blocks == 1 { "block".to_owned() } else { format!("{} blocks", count(blocks)) };
        parts.push(format!("without the {what} that all begin with {}", fine(behind)));
    }
    if prefix.scope() == HashScope::Conversation {
        parts.push("what conversations have in common is not seen".to_owned());
    }
    if prefix.caches() > 1 {
        parts.push(format!("{} caches of their own", count(prefix.caches())));
    }
    let (requests, blocks) = prefix.beyond();
    if requests > 0 {
        parts.push(format!(
            "{} requests with {} hashes are more than is kept and in no figure",
            count(requests),
            count(blocks)
        ));
    }
    let line = parts.join("; ");
    let first = line.get(..1)?;
    Some(first.to_uppercase() + line.get(1..).unwrap_or_default())
}

fn sessions_line(sessions: &SessionHits, prefix: Option<&PrefixReport>) -> Option<String> {
    let (_, later) = sessions.later()?;
    let first = sessions.first().map_or_else(String::new, |(_, first)| {
        format!("first requests hit {} of tokens, ", percent(first.get()))
    });
    let turns = prefix.map(PrefixReport::later_turns);
    let own =
        turns.and_then(trueline_logs::LaterTurns::of_the_session).map_or_else(String::new, |own| {
            format!("; by hashes, {} of these prompts was there in the session", percent(own.get()))
        });
    Some(format!(
        "In {} sessions {first}later ones {}{own}",
        count(sessions.sessions()),
        percent(later.get())
    ))
}

#[cfg(test)]
mod tests {
    use trueline_logs::{ReadOptions, read_log_from};

    use super::*;

    /// Four rows of 512 tokens in blocks of 128, of which the first is that of all; two sessions.
    fn log(more: &str) -> LogSummary {
        let row = |n: u64| {
            format!(
                "{{\"id\":\"r{n}\",\"session\":\"s{}\",\"prompt_tokens\":512,\"block_tokens\":128,\
                 \"block_hashes\":[1,{},{},{}]{more}}}\n",
                n % 2,
                2 + n % 2,
                4 + n % 2,
                10 + n,
            )
        };
        let text: String = (0..4).map(row).collect();
        read_log_from("t", text.as_bytes(), &ReadOptions::default()).unwrap().value
    }

    #[test]
    fn hashes_give_the_bound_the_curve_and_what_sessions_have() {
        // By hand: nothing, 128, 384, 384 tokens of 2,048 are hit; 0, 1, 3, 3 blocks of 16. Before the third row
        // the blocks were last used in the order 10, 4, 2, 11, 5, 3, 1: to find block 4 takes six.
        assert_eq!(
            cache_lines(&log("")),
            [
                "By block hashes of 4 requests a cache that never forgets hits 43.8 % of tokens,",
                "  43.8 % as the mean of requests, 43.8 % of blocks; 3 of the requests hit anything",
                "LRU, blocks of 128 tokens: all hits with 6 (768 tokens)",
                "Without the block that all begin with 25 %",
            ]
        );
    }

    #[test]
    fn stated_cached_tokens_give_their_own_lines() {
        let lines = cache_lines(&log(",\"cached_tokens\":128"));
        assert_eq!(
            lines.first().map(String::as_str),
            Some(
                "Cache hits: 25 % of tokens, 25 % as the mean of requests, 100 % of requests hit anything"
            )
        );
        assert_eq!(
            lines.last().map(String::as_str),
            Some(
                "In 2 sessions first requests hit 25 % of tokens, later ones 25 %; by hashes, 75 % of these \
                 prompts was there in the session"
            )
        );
    }

    #[test]
    fn a_log_without_hashes_has_none_of_it() {
        let text = "{\"id\":\"a\",\"prompt_tokens\":5,\"ttft_s\":1}\n";
        let log = read_log_from("t", text.as_bytes(), &ReadOptions::default()).unwrap().value;
        assert!(cache_lines(&log).is_empty());
        let json = cache_json(&log);
        assert!(json["infinite_bound"].is_null() && json["from_blocks"].is_null());
        assert_eq!(json["lru"], json!([]));
    }
}
