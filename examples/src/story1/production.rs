//! The 541 production requests.

use super::request::{Parts, Request, round};
use super::rng::{Rng, Stream, normal_at};
use super::{DAY_S, FIRST_MIDNIGHT_S, Knobs};

const WARM: u32 = 486;
const MIDDLE: u32 = 38;
const SHORT: u32 = 17;
const SESSIONS: usize = 9;

/// The spread (standard deviation of the logarithm) of the prefill rates of 20,000 to 31,900
/// tokens: with 38 of them the 95 % interval of the median is about 3 % wide on either side.
const RATE_SPREAD: f64 = 0.067;

/// All production requests, in order of arrival. None runs within a quiet window.
pub(super) fn requests(knobs: &Knobs, quiet: &[(f64, f64)]) -> Vec<Request> {
    let mut order = Rng::new(knobs.seed, Stream::Order);
    let drawn = order.shuffled(bodies(knobs.seed));
    let mut sessions = Rng::new(knobs.seed, Stream::Sessions);
    let mut busy_until = [0.0; SESSIONS];
    let mut all = Vec::with_capacity(drawn.len());
    let starts = arrivals(knobs, quiet, drawn.len());
    for ((at, mut request), number) in starts.into_iter().zip(drawn).zip(1..) {
        request.started_s = at;
        let (session, until) = sessions
            .shuffled(busy_until.iter_mut().enumerate())
            .into_iter()
            .min_by_key(|(_, until)| **until > at)
            .expect("there are sessions");
        *until = request.completed_s();
        request.session = format!("sess-{:02}", session + 1);
        request.id = format!("req-{number:04}");
        all.push(request);
    }
    all
}

/// Arrival times between 08:00 and 20:00 on four days, rising.
fn arrivals(knobs: &Knobs, quiet: &[(f64, f64)], count: usize) -> Vec<f64> {
    let mut rng = Rng::new(knobs.seed, Stream::Arrivals);
    // No request lasts longer than 180 s.
    let disturbs = |at: f64| quiet.iter().any(|&(from, to)| at > from - 180.0 && at < to + 30.0);
    let mut starts = Vec::with_capacity(count);
    while starts.len() < count {
        let day = f64::from(rng.whole(0, 3)) * DAY_S;
        let at = FIRST_MIDNIGHT_S + day + rng.between(8.0, 20.0) * 3600.0 + knobs.log_shift_s();
        if !disturbs(at) {
            starts.push(round(at, 4));
        }
    }
    starts.sort_by(f64::total_cmp);
    starts
}

fn bodies(seed: u64) -> Vec<Request> {
    let mut rng = Rng::new(seed, Stream::Warm);
    let mut all: Vec<Request> = (0..WARM).map(|_| warm(&mut rng)).collect();
    if let Some(told) = all.first_mut() {
        // The row that the story prints.
        (told.cached_tokens, told.prompt_tokens) = (47_351, 47_556);
        told.best_prefix_len = 47_556;
    }
    let rates = Rng::new(seed, Stream::MiddleRates).strata(MIDDLE);
    let mut rng = Rng::new(seed, Stream::Middle);
    all.extend(rates.into_iter().map(|share| middle(&mut rng, share)));
    let mut rng = Rng::new(seed, Stream::Short);
    all.extend((0..SHORT).map(|_| short(&mut rng)));
    all
}

/// A request of 47,000 to 48,000 tokens, 99.4 to 99.7 % of them cached.
pub(super) fn warm(rng: &mut Rng) -> Request {
    let prompt = rng.whole(47_000, 48_000);
    let new = (prompt * rng.whole(300, 596)).div_ceil(100_000);
    let ttft_s = 1.2 + 2.8 * rng.unit().powf(1.7);
    let preempted = rng.unit() < 0.55;
    let mut request = body(rng, prompt, prompt - new, round(ttft_s, 6), (0.25, 0.55));
    if preempted {
        request.preemptions = rng.whole(1, 3);
        request.yields = request.preemptions + rng.whole(0, 6);
    }
    request
}

/// A request of 20,000 to 31,900 tokens whose prefill rate stands at `share` of the rates.
fn middle(rng: &mut Rng, share: f64) -> Request {
    let prompt = rng.whole(20_000, 31_900);
    let cached = prompt * rng.whole(5_110, 11_390) / 100_000;
    let rate = (320.0 * (RATE_SPREAD * normal_at(share)).exp()).clamp(221.0, 419.0);
    let ttft_s = f64::from(prompt - cached) / rate;
    let mut request = body(rng, prompt, cached, round(ttft_s, 6), (0.02, 0.06));
    request.yields = rng.whole(0, 2);
    request
}

/// A request of 120 to 900 tokens. From 400 tokens on, part of it is cached: production sends no
/// cold prompt of any length.
fn short(rng: &mut Rng) -> Request {
    let prompt = rng.whole(120, 900);
    let share = if prompt >= 400 { rng.whole(10, 60) } else { 0 };
    let ttft_s = round(rng.between(1.0, 4.0), 6);
    body(rng, prompt, prompt * share / 100, ttft_s, (0.1, 0.4))
}

fn body(rng: &mut Rng, prompt: u32, cached: u32, ttft_s: f64, overhead: (f64, f64)) -> Request {
    let completion = rng.whole(60, 500);
    let decode_tok_per_s = 30.0 * (0.06 * normal_at(rng.unit())).exp();
    Request {
        id: String::new(),
        session: String::new(),
        started_s: 0.0,
        prompt_tokens: prompt,
        cached_tokens: cached,
        completion_tokens: completion,
        ttft_s,
        decode_s: round(f64::from(completion - 1) / decode_tok_per_s, 6),
        best_prefix_len: if cached > 0 { rng.whole(cached, prompt) } else { 0 },
        preemptions: 0,
        yields: 0,
        parts: Parts::draw(rng, overhead, cached),
    }
}
