//! Errors that others made about work and bounds, each as a fact, and what missing input does.

use trueline_core::{Share, Tokens};
use trueline_roofline::{
    BoundError, Catalogue, LayerShape, Limits, LiveClocks, LogitRows, Mixer, ModelShape, Prefix,
    Speculation, Workload, estimate_roof, tokens_per_step,
};

use crate::bound_table::{decode, limits, mixed, near, prefill, roof};
use crate::shapes::{BF16, Stored, bits, gpt_oss_120b, llama_8b, mixtral, paths};

/// `AutoAWQ` issues 106, 172 and 276; marlin issue 21.
#[test]
fn four_bit_weights_gain_prefill_nothing_known_error_15() {
    let w4a16 = Stored { bits: 4.156, paths: &["f16_f32"] };
    let f16 = Stored { bits: 16.0, paths: &["f16_f32"] };
    let rate = |stored: &Stored<'_>| {
        roof(&llama_8b(stored, &f16), &prefill(4096, 0), "A100 SXM 80GB").strict.high().get()
    };
    near(rate(&w4a16), rate(&f16), 1e-12);
}

/// ggml-org/llama.cpp pull request 7676: quantised weights are multiplied as int8.
#[test]
fn a_q4_file_is_judged_by_the_int8_peak_known_error_16() {
    let q4 = Stored { bits: 4.83, paths: &["int8_int32", "f16_f16", "f16_f32"] };
    let f16 = Stored { bits: 16.0, paths: &["f16_f32"] };
    let rate = |stored: &Stored<'_>| {
        roof(&llama_8b(stored, &f16), &prefill(512, 0), "RTX 4090").strict.high().get()
    };
    // 660.6 over 165.2, less the attention core, which stays at the slow path.
    let ratio = rate(&q4) / rate(&f16);
    assert!(ratio > 3.5 && ratio < 4.0, "{ratio}");
}

/// inference-lab folds the head into the active weights: 7.5 % at 512 tokens.
#[test]
fn the_head_is_not_multiplied_for_every_prompt_token_known_error_17() {
    let llama = llama_8b(&BF16, &BF16);
    let all = Workload::Prefill {
        new: Tokens::new(512),
        cached: Tokens::new(0),
        batch: 1,
        logits: LogitRows::All,
        prefix: Prefix::Own,
    };
    let last = roof(&llama, &prefill(512, 0), "H100 SXM").strict.high().get();
    let every = roof(&llama, &all, "H100 SXM").strict.high().get();
    near(last / every, 1.075, 2e-3);
}

/// Notes, section 2.8: at 512 new tokens 14.1 GFLOP a token at no cache, 31.3 after 32k cached.
#[test]
fn the_ceiling_of_new_tokens_falls_with_the_cache_known_error_22() {
    let llama = llama_8b(&BF16, &BF16);
    let rate = |cached| roof(&llama, &prefill(512, cached), "H100 SXM").strict.high().get();
    near(rate(0), 1070.53e12 / 14.1e9, 3e-3);
    near(rate(32_768), 1070.53e12 / 31.3e9, 3e-3);
    near(rate(0) / rate(32_768), 2.22, 1e-2);
}

/// spark-arena/recipe-registry pull request 17: 59.5 tok/s, above the ceiling of the config's dtypes and
/// below that of the dtypes which the launch recipe sets.
#[test]
fn a_dtype_of_the_config_is_not_that_of_the_run_known_error_20() {
    let claim = 59.5;
    let config = roof(&gpt_oss_120b(&BF16, &BF16), &decode(1, 1), "DGX Spark GB10");
    near(config.strict.high().get(), 54.6, 1e-2);
    assert!(claim > 1.01 * config.strict.high().get());
    assert!(config.strict.convicts(), "the bandwidth is verified, and it is what limits");
    near(config.impossible_above.unwrap().get(), config.strict.high().get(), 1e-12);

    let mxfp4 = Stored { bits: 4.25, paths: &["fp4_f32", "bf16_f32"] };
    let run = roof(&gpt_oss_120b(&mxfp4, &mxfp4), &decode(1, 1), "DGX Spark GB10");
    near(run.strict.high().get(), 99.4, 2e-2);
}

/// Derived: no public case of it is known.
#[test]
fn weights_that_fit_into_the_cache_need_no_bandwidth_known_error_26() {
    // 8 MiB of weights in the 50 MiB cache of an H100: arithmetic alone limits.
    let layer = LayerShape::new("tiny", 1, Mixer::None).with_linear(BF16.matmul(4 << 20));
    let tiny = ModelShape::new(vec![layer], BF16.matmul(1024), bits(16.0), Vec::new());
    let roof = roof(&tiny, &decode(1, 1), "H100 SXM");
    // By hand: 2 x (4,194,304 + 1024) FLOP at 1070.53 TFLOP/s.
    near(roof.strict.high().get(), 1070.53e12 / (2.0 * 4_195_328.0), 1e-3);
    // The model bound streams them all the same: 8.39 MB at 3.35 TB/s.
    near(roof.model.unwrap().low().get(), 3.35e12 / 8_390_656.0, 1e-3);
}

/// ggml-org/llama.cpp issue 28196 (1.06 to 1.8 times), qwen38-mtp pull request 42 (+65 %).
#[test]
fn unknown_speculation_convicts_nobody_known_error_27() {
    let llama = llama_8b(&BF16, &BF16);
    let at = |speculation| {
        let context = Tokens::new(4096);
        let workload = Workload::Decode { batch: 1, context, speculation, prefix: Prefix::Own };
        roof(&llama, &workload, "H100 SXM")
    };
    let (none, unknown) = (at(Speculation::None), at(Speculation::Unknown));
    assert!(none.strict.convicts() && !unknown.strict.convicts());
    assert_eq!(unknown.impossible_above, None);
    near(unknown.strict.high().get(), none.strict.high().get(), 1e-12);
    // Three drafted tokens: at most four tokens a step, at least the one that is sure.
    let drafted = at(Speculation::Drafted(3));
    near(drafted.strict.high().get() / none.strict.high().get(), 4.0, 1e-2);
    let model = drafted.model.unwrap();
    near(model.high().get() / model.low().get(), 4.0, 1e-2);
    near(tokens_per_step(3, Share::new(1.0).unwrap()), 4.0, 1e-12);
}

#[test]
fn a_shared_prompt_may_be_read_once_where_nobody_said_otherwise() {
    let llama = llama_8b(&BF16, &BF16);
    let at = |prefix| {
        let (context, speculation) = (Tokens::new(4096), Speculation::None);
        roof(&llama, &Workload::Decode { batch: 128, context, speculation, prefix }, "H100 SXM")
    };
    let (own, unknown, shared) = (at(Prefix::Own), at(Prefix::Unknown), at(Prefix::Shared));
    assert!(unknown.strict.high() > own.strict.high());
    assert_eq!(unknown.strict.high(), shared.strict.high());
    assert_eq!(unknown.model.unwrap().low(), own.model.unwrap().low());
}

#[test]
fn mixed_load_is_bound_by_prompts_as_well() {
    // Notes, section 4: 2048 in, 128 out hides 16 times more prefill. By hand, strict: 2048 tokens of
    // 13.959 GFLOP and 0.54 of attention at 1070.53 TFLOP/s are 27.7 ms, 127 more add 1.9 ms and 16 ms of
    // reading keys and values overlap: 128 / 29.6 ms = 4320 tok/s.
    let workload = |concurrency| mixed([2048, 0, 128], concurrency, Speculation::None, Prefix::Own);
    let llama = llama_8b(&BF16, &BF16);
    let unknown = roof(&llama, &workload(None), "H100 SXM");
    near(unknown.strict.high().get(), 4320.0, 1e-2);
    let one = roof(&llama, &workload(Some(1)), "H100 SXM");
    // One at a time is a decode of 215 and a prompt of 30 ms: below 220.
    assert!(one.strict.high().get() < 230.0, "{}", one.strict);
    let model = unknown.model.unwrap();
    assert!(model.low() <= one.model.as_ref().unwrap().high());
    assert!(model.high() > one.model.unwrap().high());
    assert!(model.high() <= unknown.strict.high());
}

#[test]
fn cached_tokens_of_a_mixed_load_are_not_computed_and_a_shared_prefix_is_read_once() {
    let llama = llama_8b(&BF16, &BF16);
    let high = |cached, prefix| {
        let workload = mixed([32_768, cached, 128], Some(64), Speculation::None, prefix);
        roof(&llama, &workload, "H100 SXM").strict.high().get()
    };
    // By hand, nothing cached: 32,768 x 13.96 GFLOP and 4 x 32 x 32 x 128 x 32,768^2 / 2 of attention =
    // 738.9 TFLOP at 1070.53 TFLOP/s: 0.690 s for 128 tokens.
    near(high(0, Prefix::Own), 185.0, 2e-2);
    // 90 % cached by each: the prompt takes 0.09 s, and 127 steps read 32,832 keys of 131,072 B each,
    // and the weights for 64: 127 x (4.303 + 0.235) GB at 3.35 TB/s = 0.172 s.
    near(high(29_491, Prefix::Own), 128.0 / 0.172, 2e-2);
    // All of it the same for all: a step reads 29,491 keys once and 3,341 for each.
    let step = 131_072.0 * (29_491.0 / 64.0 + 3341.0) + 0.235e9;
    assert!(high(29_491, Prefix::Shared) > high(29_491, Prefix::Own));
    assert!(high(29_491, Prefix::Shared) <= 128.0 / (127.0 * step / 3.3523e12) * 1.01);
    near(high(29_491, Prefix::Unknown), high(29_491, Prefix::Shared), 1e-12);
    let whole = mixed([4096, 4096, 1], None, Speculation::None, Prefix::Own);
    let whole = estimate_roof(&llama, &whole, &limits("H100 SXM"));
    assert_eq!(whole.unwrap_err(), BoundError::NothingNew);
}

#[test]
fn an_unknown_path_leaves_the_memory_bound_standing() {
    let roof = roof(&llama_8b(&BF16, &BF16), &decode(1, 4096), "M5 Max");
    // By hand: 15.009e9 + 4097 x 131,072 less 48 MiB at 614.4e9.
    near(roof.strict.high().get(), 614.4e9 / (15.546e9 - 50.3e6), 1e-3);
    assert!(roof.strict.convicts());
    assert_eq!((roof.model, roof.bound), (None, None));
    assert_eq!(roof.missing, ["rate of bf16 summed in f32, dense"]);
    assert!(roof.parts.iter().all(|part| part.took.is_none()));
}

#[test]
fn unverified_arithmetic_does_not_convict_a_prefill() {
    let roof = roof(&llama_8b(&BF16, &BF16), &prefill(4096, 0), "DGX Spark GB10");
    assert!(!roof.strict.convicts());
    // What is verified, the bandwidth, excludes only what is far above.
    assert!(roof.impossible_above.unwrap() > roof.strict.high());
}

#[test]
fn an_empty_workload_is_an_error() {
    let limits = limits("L4");
    for workload in [
        prefill(0, 100),
        decode(0, 100),
        decode(1, 0),
        mixed([0, 0, 1], None, Speculation::None, Prefix::Own),
        mixed([1, 0, 0], None, Speculation::None, Prefix::Own),
        mixed([1, 0, 1], Some(0), Speculation::None, Prefix::Own),
    ] {
        let got = estimate_roof(&mixtral(), &workload, &limits);
        assert_eq!(got.unwrap_err(), BoundError::EmptyWorkload);
    }
    // One token of answer is no decode step at all.
    let one = mixed([10, 0, 1], None, Speculation::None, Prefix::Own);
    assert!(estimate_roof(&mixtral(), &one, &limits).is_ok());
}

#[test]
fn absurd_sizes_and_unknown_devices_end_in_an_error_or_a_bound() {
    let huge = u64::MAX;
    let layer = LayerShape::new(
        "huge",
        huge,
        crate::shapes::grouped(huge, huge, huge, trueline_roofline::Reach::All),
    )
    .with_linear(BF16.matmul(huge));
    let model = ModelShape::new(vec![layer], BF16.matmul(huge), bits(1e300), paths(&["bf16_f32"]));
    for workload in [prefill(huge, huge), decode(huge, huge)] {
        let _either = estimate_roof(&model, &workload, &limits("H100 SXM"));
    }
    let blank = r#"
        [[part]]
        name = "blank"
    "#;
    let catalogue = Catalogue::built_in().with_toml(blank).unwrap();
    let limits = Limits::of(catalogue.get("blank").unwrap(), &LiveClocks::default());
    let got = estimate_roof(&mixtral(), &decode(1, 1), &limits);
    assert_eq!(got.unwrap_err(), BoundError::NothingKnown);
}
