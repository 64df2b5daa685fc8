//! From what the client saw to the words that every other crate knows: one request, one run.

mod conditions;

use std::time::Duration;

use trueline_core::{
    BenchRun, By, Conditions, Definition, Figure, Known, Load, Mark, Metric, Plan, Reported,
    RequestRecord, Share, Side, Statistic, Stretch, Tokens, Tool, Total, Why,
};

pub use self::conditions::PROBE_CONDITIONS;
use self::conditions::{asked, seen};
use crate::{Arrival, Budget, Exchange, Ran, RunClock, Schedule, Spread};

/// The name under which this client stands in results.
pub const CLIENT: &str = "trueline-probe";

/// Of fewer requests no 99th percentile is stated: ten of them lie above it.
const ENOUGH_FOR_P99: u64 = 1_000;

/// One request as a record.
///
/// # Formula
/// TTFT is `first_token - sent`, the end-to-end latency `last_token - sent`, decode time
/// `last_token - first_token`, all by the client's clock, and the send delay `sent - intended`: making a
/// connection is in the delay and in none of the others. What did not happen is absent; marks out of order
/// give no duration and say so.
///
/// # Shape
/// The part of an experiment that the request belongs to is not in a record: runs are made of one part.
pub fn request_record(exchange: &Exchange, clock: &RunClock) -> RequestRecord {
    let marks = &exchange.marks;
    let mut record = RequestRecord::default();
    record.id.clone_from(&exchange.id);
    record.session.clone_from(&exchange.session);
    record.model.clone_from(&exchange.model);
    record.started = measured(marks.sent.and_then(|sent| clock.wall(sent)));
    record.sent_after = measured(marks.sent);
    record.tokens = exchange.tokens;
    for (stretch, from, to) in [
        (Stretch::ClientTtft, marks.sent, marks.first_token),
        (Stretch::ClientE2e, marks.sent, marks.last_token),
        (Stretch::ClientDecode, marks.first_token, marks.last_token),
        (Stretch::SendDelay, marks.intended, marks.sent),
    ] {
        record.spans.set(stretch, between(from, to));
    }
    record.gaps.clone_from(&exchange.gaps);
    record.reported.clone_from(&exchange.reported);
    record.outcome = exchange.outcome;
    record.warmup = exchange.warmup;
    record
}

fn measured<T>(value: Option<T>) -> Known<T> {
    value.map_or_else(Known::default, |value| Known::is(value, By::Measured))
}

fn between(from: Option<Duration>, to: Option<Duration>) -> Known<Duration> {
    let Some((from, to)) = from.zip(to) else { return Known::default() };
    to.checked_sub(from).map_or(Known::Not(Why::Impossible), |took| Known::is(took, By::Measured))
}

/// What a run was asked for beside its load, as far as the caller knows.
///
/// # Shape
/// What is absent is not known, or differs from request to request.
#[derive(Debug, Clone, PartialEq, Default)]
#[non_exhaustive]
pub struct RunFacts {
    /// How many requests were to be sent, warm-up left out.
    pub requests: Option<u64>,
    /// Prompt length asked for.
    pub prompt_tokens: Option<Tokens>,
    /// Output length asked for.
    pub output_tokens: Option<Tokens>,
    /// Whether every prompt was meant to miss the prefix cache.
    pub cold: Option<bool>,
    /// The prefixes of its prompts, such as `cold` or `hit-shares=0,0.5`.
    pub prefix: Option<String>,
    /// The interface that it spoke, such as `openai-chat`.
    pub api: Option<String>,
    /// Whether connections served again: `fresh` or `kept`.
    pub connections: Option<String>,
}

impl RunFacts {
    /// The plan of a run with this schedule within this budget: known before the first request is sent.
    ///
    /// # Formula
    /// The load is the concurrency of a closed loop or the rate of a schedule; a trace has neither.
    pub fn plan(&self, schedule: &Schedule, budget: &Budget) -> Plan {
        let arrival = schedule.arrival();
        let mut plan = Plan::default();
        plan.requests = self.requests;
        plan.prompt_tokens = self.prompt_tokens;
        plan.output_tokens = self.output_tokens;
        plan.cold = self.cold;
        plan.load = match arrival {
            Arrival::Closed(n) => Some(Load::Concurrency(n.get())),
            _ => arrival.rate().map(|rate| Load::Rate(rate.per_second())),
        };
        plan.max_concurrency = arrival.rate().and(budget.most_in_flight);
        plan
    }

    /// The conditions of a run with this schedule within this budget: known before the first request is
    /// sent. The caller adds what it knows of server and machine.
    pub fn conditions(&self, schedule: &Schedule, budget: &Budget) -> Conditions {
        asked(self, schedule, budget)
    }
}

/// A run of these requests that came to this.
///
/// # Shape
/// `requests` in the order in which they ended, warm-up and failed ones included. The conditions are those
/// that were asked for with what was seen: which model answered, why it ended and whether it is a part of
/// what was asked for, and what the client knows of itself.
///
/// The client's send lag stands among the figures of the tool as the send delay: from when a request was
/// due to when the client began to deal with it, so that a slow connection is not taken for a slow client.
pub fn bench_run(
    label: impl Into<String>,
    plan: Plan,
    conditions: &Conditions,
    ran: &Ran,
    requests: Vec<RequestRecord>,
) -> BenchRun {
    let mut run = BenchRun::new(label, Side::Client, requests)
        .with_plan(plan)
        .with_conditions(seen(ran).with_missing_from(conditions));
    run.reported = reported(ran);
    run
}

/// What the probe itself says of a run.
fn reported(ran: &Ran) -> Reported {
    let mut tool = Tool::new(CLIENT);
    tool.version = Known::is(env!("CARGO_PKG_VERSION").to_owned(), By::Reported);
    let mut reported = Reported::default();
    reported.tool = Some(tool);
    reported.set_total(Total::Retries, Known::is(ran.counts.resent, By::Measured), "resent");
    if let Some(lag) = &ran.client.send_lag {
        reported.figures.extend(send_delays(lag));
    }
    reported
}

fn send_delays(lag: &Spread) -> impl Iterator<Item = Figure> + use<> {
    let meaning = Definition::new(Mark::Intended, Mark::Sent, Side::Client)
        .note("to when the client began to deal with it: making a connection is not in it");
    let p99 = Share::new(0.99).ok().filter(|_| lag.n >= ENOUGH_FOR_P99).map(Statistic::Quantile);
    [(Some(Statistic::Median), lag.p50), (p99, lag.p99), (Some(Statistic::Max), lag.max)]
        .into_iter()
        .filter(|(statistic, _)| statistic.is_some())
        .map(move |(statistic, late)| {
            let value = Known::is(late.as_secs_f64(), By::Measured);
            Figure::new(Metric::SendDelayS, statistic, value, meaning, "send_lag")
        })
}

#[cfg(test)]
mod tests {
    use trueline_core::{Outcome, RequestRecord};

    use super::*;
    use crate::{Against, ClientLoad, Counts, Ended};

    const MS: Duration = Duration::from_millis(1);

    /// Due at 100 ms, begun at 101, connected at 103, sent at 104, tokens from 204 to 404 ms.
    fn exchange() -> Exchange {
        let mut exchange = Exchange { outcome: Outcome::Ok, ..Exchange::default() };
        let marks = &mut exchange.marks;
        (marks.intended, marks.begun) = (Some(MS * 100), Some(MS * 101));
        (marks.connected, marks.sent) = (Some(MS * 103), Some(MS * 104));
        (marks.first_token, marks.last_token) = (Some(MS * 204), Some(MS * 404));
        exchange.gaps = vec![MS * 100; 2];
        exchange.tokens.output = RequestRecord::counted(3);
        exchange
    }

    fn ran() -> Ran {
        Ran {
            ended: Ended::Requests,
            partial: false,
            counts: Counts { sent: 2, answered: 1, failed: 1, resent: 1, ..Counts::default() },
            began: Duration::ZERO,
            sending: MS,
            took: MS * 2,
            spent: Tokens::new(3),
            arrival: "poisson=4".parse().unwrap(),
            seed: 7,
            bystander: None,
            models: vec!["m".to_owned()],
            client: ClientLoad {
                send_lag: Some(Spread { n: 2, p50: MS, p99: MS * 2, max: MS * 3 }),
                loop_lag: None,
                cpu_share: Share::new(0.25).ok(),
                clock_step: None,
                against: Against::default(),
            },
        }
    }

    fn schedule(text: &str) -> Schedule {
        Schedule::of(text.parse().unwrap(), 7).unwrap()
    }

    #[test]
    fn times_count_from_when_a_request_was_sent_and_its_delay_stands_apart() {
        let clock = RunClock::start();
        let record = request_record(&exchange(), &clock);
        let took = |stretch| record.spans.get(stretch).value();
        assert_eq!(took(Stretch::ClientTtft), Some(MS * 100));
        assert_eq!(took(Stretch::ClientE2e), Some(MS * 300));
        assert_eq!(took(Stretch::ClientDecode), Some(MS * 200));
        assert_eq!(took(Stretch::SendDelay), Some(MS * 4));
        assert_eq!((took(Stretch::ServerTtft), took(Stretch::Queue)), (None, None));
        assert_eq!(record.sent_after.value(), Some(MS * 104));
        assert_eq!(record.started.value(), clock.wall(MS * 104));
        // 3 tokens are 2 steps in 200 ms.
        assert_eq!(
            record.decode_rate().value().map(trueline_core::TokensPerSecond::get),
            Some(10.0)
        );
        assert_eq!(record.disorder(), None);
    }

    #[test]
    fn what_did_not_happen_is_absent_and_never_zero() {
        let mut failed = exchange();
        failed.outcome = Outcome::Failed;
        (failed.marks.intended, failed.marks.sent) = (None, None);
        failed.marks.last_token = None;
        failed.tokens.output = Known::default();
        let record = request_record(&failed, &RunClock::start());
        for stretch in Stretch::ALL {
            assert_eq!(record.spans.get(stretch), Known::Not(Why::Absent), "{stretch:?}");
        }
        assert_eq!(record.sent_after, Known::Not(Why::Absent));
        assert_eq!(record.started, Known::Not(Why::Absent));
        assert_eq!(record.tokens.output, Known::Not(Why::Absent));
    }

    #[test]
    fn marks_out_of_order_are_no_time() {
        let mut out = exchange();
        out.marks.first_token = Some(MS);
        let record = request_record(&out, &RunClock::start());
        assert_eq!(record.spans.get(Stretch::ClientTtft), Known::Not(Why::Impossible));
    }

    #[test]
    fn a_closed_loop_is_a_concurrency_and_a_rate_is_a_rate() {
        let facts = RunFacts { requests: Some(9), cold: Some(true), ..RunFacts::default() };
        let budget: Budget = "in-flight=16".parse().unwrap();
        let closed = facts.plan(&schedule("closed=8"), &budget);
        assert_eq!((closed.load, closed.max_concurrency), (Some(Load::Concurrency(8)), None));
        assert_eq!((closed.requests, closed.cold), (Some(9), Some(true)));
        let open = facts.plan(&schedule("gamma=2,0.5"), &budget);
        assert_eq!((open.load, open.max_concurrency), (Some(Load::Rate(2.0)), Some(16)));
        let trace = facts.plan(&Schedule::of_trace(vec![MS]).unwrap(), &budget);
        assert_eq!((trace.load, trace.max_concurrency), (None, None));
    }

    #[test]
    fn a_run_says_under_which_conditions_it_stood() {
        let facts = RunFacts { prefix: Some("cold".to_owned()), ..RunFacts::default() };
        let (schedule, budget) = (schedule("poisson=4"), Budget::default());
        let mut conditions = facts.conditions(&schedule, &budget);
        conditions.set("server", "vllm", By::Reported);
        let plan = facts.plan(&schedule, &budget);
        let run = bench_run("r", plan, &conditions, &ran(), vec![RequestRecord::default()]);
        for (key, value) in [
            ("client", concat!("trueline-probe ", env!("CARGO_PKG_VERSION"))),
            ("model", "m"),
            ("server", "vllm"),
            ("arrival", "poisson=4"),
            ("arrival_seed", "7"),
            ("prefix", "cold"),
            ("ended", "as many requests as asked for were sent"),
            ("partial", "no"),
            ("client_bottleneck", "not observed"),
            ("client_cpu_share", "0.250"),
            ("client_send_lag_p99_s", "0.002"),
        ] {
            assert_eq!(run.conditions.get(key), Some(value), "{key}");
        }
        // What is not known is not there.
        assert_eq!(
            (run.conditions.get("api"), run.conditions.get("client_loop_lag_p99_s")),
            (None, None)
        );
        let declared = PROBE_CONDITIONS.iter().chain(trueline_core::RUN_CONDITIONS);
        let declared: Vec<_> = declared.map(|key| key.name).collect();
        assert!(run.conditions.iter().all(|(key, _)| declared.contains(&key)));
        let tool = run.reported.tool.as_ref().map(ToString::to_string);
        assert_eq!(tool.as_deref(), run.conditions.get("client"));
        assert_eq!(run.reported.total(Total::Retries), Some(1));
        assert_eq!(delays(&run), [Some(0.001), None, Some(0.003)]);
        assert!(!run.reported.states_results());
    }

    /// The median, the 99th percentile and the maximum of the send delay that a run states.
    fn delays(run: &BenchRun) -> [Option<f64>; 3] {
        ["median", "p99", "max"].map(|statistic| {
            run.reported.value(Metric::SendDelayS, Some(statistic.parse().unwrap()))
        })
    }

    #[test]
    fn a_99th_percentile_is_stated_of_a_thousand_requests_and_more() {
        let mut many = ran();
        many.client.send_lag = many.client.send_lag.map(|lag| Spread { n: 1_000, ..lag });
        let run = bench_run("r", Plan::default(), &Conditions::default(), &many, Vec::new());
        assert_eq!(delays(&run), [Some(0.001), Some(0.002), Some(0.003)]);
    }
}
