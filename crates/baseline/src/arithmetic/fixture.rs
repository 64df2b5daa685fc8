//! Made-up runs for the tests of this folder, and two real ones by their published numbers.

use std::time::Duration;

use trueline_core::{
    BenchRun, By, CheckOutcome, Definition, Each, Figure, FirstToken, Known, Load, Mark, Metric,
    Outcome, Outcomes, RequestRecord, Share, Side, Statistic, Stretch, Tokens, TokensBy, Total,
};

/// A run under construction.
pub(super) struct Made(pub(super) BenchRun);

pub(super) const SENT: Definition = Definition::new(Mark::Sent, Mark::LastToken, Side::Client);
pub(super) const RATE: Definition =
    Definition::new(Mark::Sent, Mark::Closed, Side::Client).each(Each::Run);

/// What a metric of time usually means.
pub(super) fn usual(metric: Metric) -> Definition {
    let decode = SENT.between(Mark::FirstToken, Mark::LastToken).first_token(FirstToken::Out);
    match metric {
        Metric::TtftS => SENT.between(Mark::Sent, Mark::FirstToken),
        Metric::TpotS => decode.tokens_by(TokensBy::Server),
        Metric::ItlS => decode.each(Each::Chunk),
        _ => SENT,
    }
}

fn took(ms: f64) -> Known<Duration> {
    Known::is(Duration::from_secs_f64(ms / 1e3), By::Measured)
}

impl Made {
    pub(super) fn run() -> Self {
        Self(BenchRun::new("r", Side::Client, Vec::new()))
    }

    pub(super) fn stepped(
        mut self,
        metric: Metric,
        statistic: Statistic,
        value: f64,
        meaning: Definition,
        step: f64,
    ) -> Self {
        let value = Known::is(value, By::Reported);
        let figure = Figure::new(metric, Some(statistic), value, meaning, "made");
        self.0.reported.figures.push(figure.in_steps_of(step));
        self
    }

    /// A statistic in milliseconds, as usually meant.
    pub(super) fn ms(self, metric: Metric, statistic: Statistic, ms: f64) -> Self {
        self.stepped(metric, statistic, ms / 1e3, usual(metric), 0.0)
    }

    /// A mean in milliseconds, as usually meant.
    pub(super) fn mean_ms(self, metric: Metric, ms: f64) -> Self {
        self.ms(metric, Statistic::Mean, ms)
    }

    pub(super) fn run_figure(mut self, metric: Metric, value: f64, step: f64) -> Self {
        let value = Known::is(value, By::Reported);
        let meaning = match metric {
            Metric::PeakConcurrency | Metric::PeakOutputTokPerS => RATE.each(Each::Slice),
            _ => RATE,
        };
        let figure = Figure::new(metric, None, value, meaning, "made");
        self.0.reported.figures.push(figure.in_steps_of(step));
        self
    }

    pub(super) fn total(mut self, total: Total, n: u64) -> Self {
        self.0.reported.set_total(total, Known::is(n, By::Reported), "made");
        self
    }

    pub(super) fn total_completed(self, n: u64) -> Self {
        self.total(Total::CompletedRequests, n)
    }

    pub(super) fn lasting(mut self, seconds: f64, step: f64) -> Self {
        let duration = Duration::from_secs_f64(seconds);
        self.0.reported.duration = Known::is(duration, By::Reported);
        self.0.reported.duration_step_s = step;
        self
    }

    /// A closed loop.
    pub(super) fn held(mut self, n: u32) -> Self {
        self.0.plan.load = Some(Load::Concurrency(n));
        self.0.plan.max_concurrency = Some(n);
        self
    }

    pub(super) fn planned(mut self, n: u64) -> Self {
        self.0.plan.requests = Some(n);
        self
    }

    pub(super) fn asked(mut self, prompt: u64, output: u64) -> Self {
        self.0.plan.prompt_tokens = Some(Tokens::new(prompt));
        self.0.plan.output_tokens = Some(Tokens::new(output));
        self
    }

    /// One answered request, sent after some milliseconds.
    pub(super) fn request(mut self, sent: f64, ttft: f64, e2e: f64, output: u64) -> Self {
        let mut r = RequestRecord::default();
        r.outcome = Outcome::Ok;
        r.sent_after = took(sent);
        r.tokens.output = RequestRecord::counted(output);
        r.spans.set(Stretch::ClientTtft, took(ttft));
        r.spans.set(Stretch::ClientE2e, took(e2e));
        self.0.requests.push(r);
        self
    }

    /// Gaps in milliseconds for the last request.
    pub(super) fn gaps(mut self, ms: &[f64]) -> Self {
        let gaps = ms.iter().map(|ms| Duration::from_secs_f64(ms / 1e3)).collect();
        if let Some(last) = self.0.requests.last_mut() {
            last.gaps = gaps;
        }
        self
    }

    pub(super) fn not_observed(outcomes: &Outcomes) -> bool {
        outcomes.iter().count() > 0
            && outcomes.iter().all(|o| matches!(o, CheckOutcome::NotObserved { .. }))
    }

    pub(super) fn clear(outcomes: &Outcomes) -> bool {
        outcomes.iter().count() > 0
            && outcomes.iter().all(|o| matches!(o, CheckOutcome::Clear { .. }))
    }
}

fn p99() -> Statistic {
    Statistic::Quantile(Share::new(0.99).expect("a share"))
}

/// SGLang 0.5.23 against a mock server of one token a chunk: its own JSON line, to five digits.
pub(super) fn sglang() -> Made {
    Made::run()
        .held(2)
        .lasting(0.812_98, 0.0)
        .total_completed(12)
        .total(Total::PromptTokens, 570)
        .total(Total::OutputTokens, 288)
        .total(Total::OwnOutputTokens, 300)
        .run_figure(Metric::RequestPerS, 14.760_5, 0.0)
        .run_figure(Metric::InputTokPerS, 701.125, 0.0)
        .run_figure(Metric::OutputTokPerS, 354.252, 0.0)
        .run_figure(Metric::TotalTokPerS, 1_055.377, 0.0)
        .run_figure(Metric::Concurrency, 1.964_84, 0.0)
        .run_figure(Metric::PeakOutputTokPerS, 288.0, 0.0)
        .run_figure(Metric::PeakConcurrency, 12.0, 0.0)
        .mean_ms(Metric::E2eLatencyS, 133.114)
        .mean_ms(Metric::TtftS, 32.291_1)
        .ms(Metric::TtftS, Statistic::Median, 31.688_9)
        .ms(Metric::TtftS, p99(), 36.186_1)
        .ms(Metric::TtftS, Statistic::Deviation, 1.600_2)
        .mean_ms(Metric::TpotS, 4.383_6)
        .ms(Metric::TpotS, Statistic::Deviation, 0.064_8)
        .mean_ms(Metric::ItlS, 4.166_2)
        .ms(Metric::ItlS, Statistic::Median, 4.156_6)
        .ms(Metric::ItlS, p99(), 6.633_3)
}

/// The same with four tokens a chunk.
pub(super) fn chunk4() -> Made {
    Made::run()
        .held(2)
        .lasting(0.688_095, 0.0)
        .total_completed(12)
        .total(Total::PromptTokens, 570)
        .total(Total::OutputTokens, 288)
        .total(Total::OwnOutputTokens, 300)
        .run_figure(Metric::RequestPerS, 17.439_5, 0.0)
        .run_figure(Metric::OutputTokPerS, 418.547, 0.0)
        .run_figure(Metric::Concurrency, 1.983_13, 0.0)
        .run_figure(Metric::PeakOutputTokPerS, 72.0, 0.0)
        .run_figure(Metric::PeakConcurrency, 12.0, 0.0)
        .mean_ms(Metric::E2eLatencyS, 113.715)
        .mean_ms(Metric::TtftS, 32.699_6)
        .ms(Metric::TtftS, p99(), 35.583_7)
        .mean_ms(Metric::TpotS, 3.522_4)
        .mean_ms(Metric::ItlS, 16.201_6)
        .ms(Metric::ItlS, Statistic::Median, 16.159_8)
}
