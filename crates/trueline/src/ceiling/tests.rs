//! Claims on rates of runs whose truth is known, against the ceiling.
//!
//! By hand, of Llama-3.1-8B in bf16: a token streams 7,504,658,432 weights (its published 8,030,261,248 less
//! the table), 15.01 GB. At 3.35 TB/s (H100 SXM) that is 223 tok/s, 224 with 50 MB of cache left out; 4.8 TB/s
//! (H200) 321, 8 TB/s (B200) 535. A new prompt token takes 13.96 GFLOP and 1,071 TFLOP/s are most: 76,700.

use std::time::Duration;

use trueline_core::{
    BenchRun, By, Conditions, Known, Load, Outcome, RequestRecord, Side, Stretch, WallTime,
};
use trueline_host::parse_host_record;
use trueline_roofline::{Catalogue, Model, Parallel, Speculation};

use super::Deployment;
use crate::Audit;
use crate::claims::parse_claim;
use crate::report::Report;

const LLAMA_8B: &str = r#"{"model_type": "llama", "hidden_size": 4096, "num_hidden_layers": 32,
    "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
    "intermediate_size": 14336, "vocab_size": 128256,
    "tie_word_embeddings": false, "torch_dtype": "bfloat16"}"#;

fn on(device: &str) -> Deployment {
    Deployment::default()
        .with_hardware(Catalogue::built_in().find_name(device).unwrap().clone())
        .with_model(Model::from_hf_config(LLAMA_8B).unwrap())
}

/// One device of a kind, nothing drafted.
fn one(device: &str) -> Deployment {
    on(device).with_devices(1).with_speculation(Speculation::None)
}

/// Requests of one kind: prompt, cached and output tokens, seconds to the first token and to the last.
#[derive(Clone, Copy)]
struct Kind {
    tokens: (u64, u64, u64),
    ttft_s: f64,
    e2e_s: f64,
}

/// So many requests, as many at once; one after the other where that is one.
fn run(kind: Kind, requests: u32, at_once: u32) -> BenchRun {
    let rows = (0..requests).map(|i| {
        let mut row = RequestRecord::default();
        let (prompt, cached, output) = kind.tokens;
        row.tokens.prompt = RequestRecord::counted(prompt);
        row.tokens.cached = RequestRecord::counted(cached);
        row.tokens.output = RequestRecord::counted(output);
        let start = 1e9 + f64::from(i / at_once) * kind.e2e_s;
        row.started = Known::is(WallTime::from_secs_f64(start).unwrap(), By::Measured);
        let took = |s| Known::is(Duration::from_secs_f64(s), By::Measured);
        row.spans.set(Stretch::ClientTtft, took(kind.ttft_s));
        row.spans.set(Stretch::ClientE2e, took(kind.e2e_s));
        row.outcome = Outcome::Ok;
        row
    });
    let mut run = BenchRun::new("r", Side::Client, rows.collect());
    run.plan.load = Some(Load::Concurrency(at_once));
    run
}

/// Ten requests alone, each 128 output tokens at a rate after a prompt of 512.
fn decoding(tok_per_s: f64) -> BenchRun {
    let (ttft_s, e2e_s) = (0.02, 0.02 + 127.0 / tok_per_s);
    run(Kind { tokens: (512, 0, 128), ttft_s, e2e_s }, 10, 1)
}

fn judged(served: Deployment, run: BenchRun, claim: &str) -> Report {
    let claims = [parse_claim("c", claim).unwrap()];
    Audit::new().run(run).deployment(served).judge(&claims)
}

/// The codes of this module that are found, those that only note included.
fn codes(report: &Report) -> Vec<&'static str> {
    let ours = |code: &str| super::CEILING_CHECKS.iter().any(|check| check.code == code);
    let found = report.outcomes.findings().map(|f| f.code).filter(|code| ours(code));
    found.collect()
}

fn decode(served: Deployment, tok_per_s: f64) -> Vec<&'static str> {
    codes(&judged(served, decoding(tok_per_s), &format!("decode_tok_per_s = {tok_per_s}")))
}

#[test]
fn a_rate_above_what_the_memory_gives_is_impossible_and_the_dtype_is_asked_for() {
    let report = judged(one("H100 SXM"), decoding(400.0), "decode_tok_per_s = 400");
    assert_eq!(codes(&report), ["above-ceiling"]);
    assert!(report.claims[0].revoked_by.contains(&"above-ceiling"));
    let finding = report.outcomes.findings().find(|f| f.code == "above-ceiling").unwrap();
    assert!(finding.message.contains("possible with weights stored in 9."), "{}", finding.message);
    // fp8 as it really ran: 7.5 GB a token.
    let mut fp8 = decoding(400.0);
    fp8.conditions = Conditions::from_iter([("quantization", "fp8")]);
    assert_eq!(codes(&judged(one("H100 SXM"), fp8, "decode_tok_per_s = 400")), [""; 0]);
}

#[test]
fn healthy_decoding_at_60_to_95_percent_is_quiet_on_every_device() {
    for (device, most) in [("H100 SXM", 223.0), ("H200 SXM", 319.0), ("B200", 513.0)] {
        for share in [0.6, 0.75, 0.9, 0.95] {
            assert_eq!(decode(one(device), most * share), [""; 0], "{device} {share}");
        }
    }
}

#[test]
fn what_nobody_said_makes_a_rate_undecidable_and_revokes_nothing() {
    // Neither devices nor drafts; then either of them.
    for served in [
        on("H100 SXM"),
        on("H100 SXM").with_devices(1),
        on("H100 SXM").with_speculation(Speculation::None),
    ] {
        let report = judged(served, decoding(400.0), "decode_tok_per_s = 400");
        assert_eq!(codes(&report), ["ceiling-undecidable"]);
        assert!(report.claims[0].revoked_by.is_empty());
    }
    // Drafting makes at most about six of one: 224 x 6 = 1,344.
    assert_eq!(decode(on("H100 SXM").with_devices(1), 1_300.0), ["ceiling-undecidable"]);
    assert_eq!(decode(on("H100 SXM").with_devices(1), 1_400.0), ["above-ceiling"]);
    let drafted = one("H100 SXM").with_speculation(Speculation::Drafted(2));
    assert_eq!(decode(drafted, 400.0), [""; 0]);
}

#[test]
fn two_devices_share_the_weights_of_one_sequence() {
    assert_eq!(decode(one("H100 SXM").with_devices(2), 400.0), [""; 0]);
    assert_eq!(decode(one("H100 SXM").with_devices(2), 500.0), ["above-ceiling"]);
    // Two replicas of one device each give one sequence nothing.
    let replicas = one("H100 SXM").with_parallel(Parallel::default()).with_devices(2);
    assert_eq!(decode(replicas, 400.0), ["above-ceiling"]);
}

#[test]
fn a_rate_of_one_sequence_among_many_is_held_against_one_and_their_sum_against_all() {
    // 64 at once at 60 tok/s each: 3,840 tok/s in all.
    let kind = Kind { tokens: (512, 0, 257), ttft_s: 0.5, e2e_s: 0.5 + 256.0 / 60.0 };
    let many = || run(kind, 128, 64);
    let each = judged(one("H100 SXM"), many(), "decode_tok_per_s = 60");
    assert_eq!(codes(&each), [""; 0]);
    // 128 x 257 tokens in two rounds of 4.77 s.
    let sum = judged(one("H100 SXM"), many(), "output_tok_per_s = 3450.4");
    assert_eq!(codes(&sum), [""; 0]);
    // The sum of all as that of one.
    let wrong = judged(one("H100 SXM"), many(), "decode_tok_per_s = 3840");
    assert!(codes(&wrong).contains(&"above-ceiling"));
    // 64 x 224 is all that 64 sequences can have from this memory.
    let wrong = judged(one("H100 SXM"), many(), "output_tok_per_s = 16000");
    assert!(codes(&wrong).contains(&"above-ceiling"));
}

#[test]
fn a_decode_rate_without_any_data_may_be_the_sum_of_all() {
    let told = |text: &str| {
        let claims = [parse_claim("c", text).unwrap()];
        codes(&Audit::new().deployment(one("H100 SXM")).judge(&claims))
    };
    assert_eq!(told("decode_tok_per_s = 5000"), ["ceiling-undecidable"]);
    assert_eq!(told("decode_tok_per_s = 5000 at concurrency 64"), ["ceiling-undecidable"]);
    assert_eq!(told("decode_tok_per_s = 5000 at concurrency 1"), ["above-ceiling"]);
    assert_eq!(told("output_tok_per_s = 5000"), ["ceiling-undecidable"]);
    assert_eq!(told("prefill_tok_per_s = 70000"), [""; 0]);
    assert_eq!(told("prefill_tok_per_s = 90000"), ["above-ceiling"]);
}

#[test]
fn cached_tokens_that_were_counted_are_found_as_the_cause() {
    // A server that reports no cached tokens: 24,750 tokens in 0.25 s are 99,000 tok/s.
    let silent = Kind { tokens: (24_750, 0, 20), ttft_s: 0.25, e2e_s: 0.5 };
    let report = judged(one("H100 SXM"), run(silent, 8, 1), "prefill_tok_per_s = 99000");
    assert_eq!(codes(&report), ["above-ceiling"]);
    let finding = report.outcomes.findings().find(|f| f.code == "above-ceiling").unwrap();
    let causes = format!("{:?}", finding.evidence.get("causes"));
    assert!(causes.contains("cached and counted all the same"), "{causes}");
    // One that says so: 12,000 new tokens in 0.25 s are 48,000 tok/s.
    let honest = Kind { tokens: (24_750, 12_750, 20), ttft_s: 0.25, e2e_s: 0.5 };
    let report = judged(one("H100 SXM"), run(honest, 8, 1), "prefill_tok_per_s = 48000");
    assert_eq!(codes(&report), [""; 0]);
}

#[test]
fn a_tenth_of_the_ceiling_is_far_below_it_unless_the_load_asks_for_no_more() {
    assert_eq!(decode(one("H100 SXM"), 15.0), ["far-below-ceiling"]);
    assert_eq!(decode(one("H100 SXM"), 30.0), [""; 0]);
    let mut slow_load = decoding(15.0);
    slow_load.plan.load = Some(Load::Rate(0.1));
    for request in &mut slow_load.requests {
        // All at once: nobody knows how many share a pass.
        request.started = Known::is(WallTime::from_nanos(0), By::Measured);
    }
    let report = judged(one("H100 SXM"), slow_load, "decode_tok_per_s = 15");
    assert_eq!(codes(&report), [""; 0]);
    // A short prompt over a network: 300 tokens in 0.1 s are 4 % of the ceiling.
    let short = Kind { tokens: (300, 0, 20), ttft_s: 0.1, e2e_s: 0.3 };
    let report = judged(one("H100 SXM"), run(short, 8, 1), "prefill_tok_per_s = 3000");
    assert_eq!(codes(&report), [""; 0]);
}

#[test]
fn a_run_that_names_another_device_or_model_is_not_judged_by_this_one() {
    for (key, value) in [
        ("hardware", "NVIDIA B200"),
        ("model", "meta-llama/Llama-3.2-1B"),
        ("model", "llama 8B Q4_K - Medium"),
        ("quantization", "awq_marlin"),
    ] {
        let mut run = decoding(400.0);
        run.conditions = Conditions::from_iter([(key, value)]);
        let report = judged(one("H100 SXM"), run, "decode_tok_per_s = 400");
        assert_eq!(codes(&report), ["ceiling-undecidable"], "{key} {value}");
    }
    let mut same = decoding(400.0);
    same.conditions = Conditions::from_iter([("hardware", "NVIDIA H100 80GB HBM3")]);
    let report = judged(one("H100 SXM"), same, "decode_tok_per_s = 400");
    assert_eq!(codes(&report), ["above-ceiling"]);
}

#[test]
fn a_cell_without_a_source_convicts_nobody() {
    let own = |tag: &str| {
        let text = format!(
            "[source.s]\ntitle = \"a sheet\"\nread = \"2026-11-30\"\n[[part]]\nname = \"Own\"\n\
             [[part.says]]\nsource = \"s\"\ntag = \"{tag}\"\nunits = 132\nclock_mhz = 1830\n\
             max_clock_mhz = 1980\ngb_per_s = 3350\nllc_mib = 50\n\
             dense_flop_per_clk = {{ bf16_f32 = 4096, f16_f32 = 4096 }}\n"
        );
        let catalogue = Catalogue::built_in().with_toml(&text).unwrap();
        one("H100 SXM").with_hardware(catalogue.find_name("Own").unwrap().clone())
    };
    assert_eq!(decode(own("datasheet"), 400.0), ["above-ceiling"]);
    assert_eq!(decode(own("unverified"), 400.0), ["ceiling-undecidable"]);
}

/// A record over the runs of these tests, with a clock of busy samples.
fn host(busy_mhz: f64) -> trueline_host::HostRecord {
    let text = format!(
        r#"{{"schema":"trueline.host/1","started_at_s":999999000,"ended_at_s":1000009000,
            "conditions":{{"nice":0,"gpu":"NVIDIA H100 80GB HBM3",
            "gpu_clock_busy_mhz":{busy_mhz},"gpu_clock_expected_mhz":{busy_mhz}}}}}"#
    );
    parse_host_record(&text).unwrap()
}

fn with_host(run: BenchRun, busy_mhz: f64, claim: &str) -> Vec<&'static str> {
    let served = Deployment { hardware: None, ..one("H100 SXM") };
    let claims = [parse_claim("c", claim).unwrap()];
    let audit = Audit::new().run(run).host(host(busy_mhz)).deployment(served);
    codes(&audit.judge(&claims))
}

#[test]
fn the_device_is_taken_from_the_host_record() {
    assert_eq!(with_host(decoding(400.0), 1_830.0, "decode_tok_per_s = 400"), ["above-ceiling"]);
    assert_eq!(with_host(decoding(150.0), 1_830.0, "decode_tok_per_s = 150"), [""; 0]);
}

#[test]
fn a_low_clock_explains_a_loss_of_its_size_and_no_larger_one() {
    // 660 of 1,830 MHz are 36 %. With its attention (4 x 4,096 x 32 layers x 12,375 keys, 6.5 GFLOP) a token
    // takes 20.4 GFLOP, 48,400 tok/s of 989 TFLOP/s: half of 36 % of that are 8,700.
    let prompts =
        |seconds| run(Kind { tokens: (24_750, 0, 20), ttft_s: seconds, e2e_s: 20.0 }, 8, 1);
    let fine = with_host(prompts(1.65), 660.0, "prefill_tok_per_s = 15000");
    assert_eq!(fine, [""; 0]);
    let slow = with_host(prompts(4.95), 660.0, "prefill_tok_per_s = 5000");
    assert_eq!(slow, ["clock-does-not-explain"]);
    // Full clock: there is nothing to explain by it, and 10.3 % is not under a tenth.
    assert_eq!(with_host(prompts(4.95), 1_830.0, "prefill_tok_per_s = 5000"), [""; 0]);
}
