//! Whether a run that is said to be cold hit no cache but that of its server's own template.

use trueline_core::{Evidence, Finding, Need, Outcomes, RequestRecord, Scope, Thresholds};

use crate::checks::CACHE_HITS_IN_COLD_RUN;

/// What one request took from the cache.
#[derive(Debug, Clone, Copy)]
struct Hit {
    cached: u64,
    share: f64,
}

/// Checks that a run which is said to be cold (by its plan or its owner) hit no cache.
///
/// # Formula
/// A request is warm from 5 % of its prompt on. What stands in front of every prompt, the server's own
/// template, is not held against a run: few tokens, the same number in each request that hit anything, and a
/// small part of each prompt. Short prompts have a template of more than 5 %. A server with several slots finds it
/// only where a slot was used before: not every request of a short run hits it.
pub fn check_cold_run(
    about: Scope,
    requests: &[&RequestRecord],
    thresholds: &Thresholds,
) -> Outcomes {
    let check = &CACHE_HITS_IN_COLD_RUN;
    let mut outcomes = Outcomes::default();
    let hits: Vec<Hit> = requests.iter().filter_map(|request| hit(request)).collect();
    if hits.is_empty() {
        outcomes.not_observed(check, Need::CachedTokens, about);
        return outcomes;
    }
    let limit = thresholds.get(check, "hit_share");
    let warm = hits.iter().filter(|hit| hit.share >= limit).count();
    let same = the_same_in_each(&hits, thresholds);
    let most = hits.iter().map(|hit| hit.share).fold(0.0, f64::max);
    let is_template = same.is_some_and(|tokens| {
        limit_of(tokens) <= thresholds.get(check, "template_tokens")
            && most < thresholds.get(check, "template_share")
    });
    if warm == 0 || is_template {
        outcomes.clear(check, about);
        return outcomes;
    }
    let all = same.map_or(String::new(), |tokens| {
        format!("; {tokens} tokens in each that hit anything: they begin alike")
    });
    let message = format!(
        "{warm} of {} requests of a run that is said to be cold hit the cache, up to {:.1} % of the prompt{all}",
        hits.len(),
        most * 100.0
    );
    let finding = Finding::new(check, about, message)
        .with("warm_requests", warm)
        .with("requests", hits.len())
        .with("largest_hit_share", Evidence::from(most));
    outcomes.found(match same {
        Some(tokens) => finding.with("same_in_each_tokens", tokens),
        None => finding,
    });
    outcomes
}

fn hit(request: &RequestRecord) -> Option<Hit> {
    let share = request.hit_share().value()?.get();
    Some(Hit { cached: request.tokens.cached.value()?.get(), share })
}

/// The cached tokens that all requests with any have in common, where they have about as many.
fn the_same_in_each(hits: &[Hit], thresholds: &Thresholds) -> Option<u64> {
    let get = |name| thresholds.get(&CACHE_HITS_IN_COLD_RUN, name);
    let any: Vec<u64> = hits.iter().map(|hit| hit.cached).filter(|cached| *cached > 0).collect();
    let (least, most) = (any.iter().copied().min()?, any.iter().copied().max()?);
    let enough = limit_of(any.len() as u64) >= get("template_requests");
    (enough && limit_of(most - least) <= get("template_spread")).then_some(least)
}

/// A count as a threshold is written.
#[expect(clippy::cast_precision_loss, reason = "counts of tokens and requests stay below 2^53")]
fn limit_of(count: u64) -> f64 {
    count as f64
}

#[cfg(test)]
mod tests {
    use trueline_core::{Known, Why};

    use super::*;

    const CODE: &str = "cache-hits-in-cold-run";

    fn check(rows: &[(u64, u64)]) -> Outcomes {
        let request = |(prompt, cached): &(u64, u64)| {
            let mut r = RequestRecord::default();
            r.tokens.prompt = RequestRecord::counted(*prompt);
            r.tokens.cached = RequestRecord::counted(*cached);
            r
        };
        let requests: Vec<RequestRecord> = rows.iter().map(request).collect();
        let requests: Vec<&RequestRecord> = requests.iter().collect();
        check_cold_run(Scope::default(), &requests, &Thresholds::default())
    }

    #[test]
    fn a_cold_run_may_hit_under_a_twentieth_and_no_more() {
        assert!(!check(&[(1_000, 49)]).has(CODE));
        assert!(check(&[(1_000, 50)]).has(CODE));
    }

    #[test]
    fn without_cached_counts_nothing_is_said() {
        let mut silent = RequestRecord::default();
        silent.tokens.prompt = RequestRecord::counted(1_000);
        silent.tokens.cached = Known::Not(Why::Absent);
        let unknown = check_cold_run(Scope::default(), &[&silent], &Thresholds::default());
        assert!(unknown.findings().count() == 0 && unknown.iter().count() == 1);
    }

    /// What llama.cpp says of prompts of 100 tokens behind its template: 10 tokens, one more where the first
    /// words are equal by chance, none for the very first.
    #[test]
    fn a_template_in_front_of_short_prompts_is_no_hit() {
        assert!(!check(&[(100, 0), (104, 10), (98, 10), (101, 11), (100, 10)]).has(CODE));
        // A real llama.cpp server with four slots: each finds it from its second request on.
        assert!(!check(&[(100, 0), (100, 0), (100, 9), (100, 0), (100, 9), (100, 9)]).has(CODE));
        // One that hits does not show that it is the same in each; nor do two that differ.
        assert!(check(&[(100, 0), (104, 0), (98, 10)]).has(CODE));
        assert!(check(&[(100, 0), (104, 20), (98, 10)]).has(CODE));
    }

    #[test]
    fn real_hits_are_found_beside_a_template() {
        // One prompt of five was there before.
        let outcomes = check(&[(100, 10), (100, 10), (100, 96), (100, 10), (100, 10)]);
        assert!(outcomes.has(CODE));
        // The same prompt again and again: the same in each, and nearly all of it.
        let repeated = check(&[(100, 0), (100, 96), (100, 96), (100, 96)]);
        let message = repeated.findings().next().map(|found| found.message.clone());
        assert_eq!(
            message.as_deref(),
            Some(
                "3 of 4 requests of a run that is said to be cold hit the cache, up to 96.0 % of the \
                 prompt; 96 tokens in each that hit anything: they begin alike"
            )
        );
        // A shared beginning of 500 tokens is no template; nor is one of a quarter of the prompt.
        assert!(check(&[(10_000, 500); 5]).has(CODE));
        assert!(check(&[(400, 100); 5]).has(CODE) && !check(&[(400, 99); 5]).has(CODE));
        // 128 tokens may be a template, 129 are not.
        assert!(check(&[(1_000, 129); 5]).has(CODE) && !check(&[(1_000, 128); 5]).has(CODE));
    }
}
