//! Verdicts on claimed rates, and the causes found for impossible ones.

use trueline_core::TokensPerSecond;
use trueline_roofline::{
    Cause, Limits, ModelShape, Parameter, Prefix, Role, RuntimePlan, Scales, Setup, Speculation,
    Stored, Verdict, Workload, estimate_roof, judge_claim,
};

use crate::bound_table::{decode, limits, prefill};
use crate::sizes::{self, model};

fn tokens_per_second(rate: f64) -> TokensPerSecond {
    TokensPerSecond::new(rate).unwrap()
}

pub(crate) fn judge(
    rate: f64,
    shape: &ModelShape,
    workload: &Workload,
    limits: &Limits,
) -> Verdict {
    let roof = estimate_roof(shape, workload, limits).unwrap();
    judge_claim(tokens_per_second(rate), Setup::new(shape, workload, limits), &roof)
}

fn strict(shape: &ModelShape, workload: &Workload, limits: &Limits) -> f64 {
    estimate_roof(shape, workload, limits).unwrap().strict.high().get()
}

fn causes(verdict: Verdict) -> Vec<Cause> {
    let Verdict::Impossible { causes, .. } = verdict else { panic!("{verdict:?}") };
    causes
}

fn bf16(config: &str) -> ModelShape {
    RuntimePlan::default().with_kv(Stored::Bf16).shape(&model(config)).unwrap()
}

/// Source: spark-arena/recipe-registry issue 17: 59.5 tok/s on one GB10 of 273 GB/s. As shipped the weights of
/// a token are 5.00 GB; launch recipes store qkv, o and head in mxfp4 as well, which makes 2.75.
#[test]
fn the_claim_above_the_ceiling_of_the_config_has_another_dtype_known_error_20() {
    let gpt_oss = model(sizes::GPT_OSS_120B);
    let spark = limits("DGX Spark GB10");
    let plan = RuntimePlan::default().with_kv(Stored::Fp8(Scales::None));
    let shipped = plan.shape(&gpt_oss).unwrap();
    // By hand: 273 / 5.00 = 54.6; what the cache holds of them adds less than 1 %.
    let ceiling = strict(&shipped, &decode(1, 1), &spark);
    assert!((ceiling / 54.6 - 1.0).abs() < 0.01, "{ceiling}");
    let verdict = judge(59.5, &shipped, &decode(1, 1), &spark);
    let found = causes(verdict.clone());
    let first = found.first().unwrap();
    assert!(matches!(first.parameter, Parameter::Dtype { .. }), "{found:#?}");
    let Verdict::Impossible { factor, .. } = verdict else { panic!() };
    assert!((factor.get() - 59.5 / ceiling).abs() < 1e-9);

    let recipe =
        plan.with_weights(Role::Attn, Stored::Mxfp4).with_weights(Role::Head, Stored::Mxfp4);
    let recipe = recipe.shape(&gpt_oss).unwrap();
    let ceiling = strict(&recipe, &decode(1, 1), &spark);
    assert!((ceiling / 99.4 - 1.0).abs() < 0.01, "{ceiling}");
    let Verdict::NotExcluded { efficiency } = judge(59.5, &recipe, &decode(1, 1), &spark) else {
        panic!("the recipe's dtypes resolve it")
    };
    assert!((efficiency.of_strict.get() - 0.60).abs() < 0.01);
}

#[test]
fn a_claim_within_a_percent_of_the_ceiling_is_not_impossible() {
    let (llama, h100) = (bf16(sizes::LLAMA_8B), limits("H100 SXM"));
    let ceiling = strict(&llama, &decode(1, 4096), &h100);
    let judged = |share: f64| judge(share * ceiling, &llama, &decode(1, 4096), &h100);
    assert!(matches!(judged(1.009), Verdict::NotExcluded { .. }));
    assert!(matches!(judged(1.011), Verdict::Impossible { .. }));
    assert!(matches!(judged(0.2), Verdict::NotExcluded { .. }));
    assert!(matches!(judged(0.05), Verdict::FarBelow { .. }));
    assert!(matches!(judged(0.0), Verdict::FarBelow { .. }));
}

/// Source: ggml-org/llama.cpp issue 28196.
#[test]
fn a_claim_with_drafting_left_open_is_undecidable_up_to_six_times_known_error_27() {
    let (llama, h100) = (bf16(sizes::LLAMA_8B), limits("H100 SXM"));
    let Workload::Decode { batch, context, prefix, .. } = decode(1, 4096) else { panic!() };
    let open = Workload::Decode { batch, context, prefix, speculation: Speculation::Unknown };
    let ceiling = strict(&llama, &decode(1, 4096), &h100);
    let Verdict::Undecidable { missing } = judge(1.8 * ceiling, &llama, &open, &h100) else {
        panic!()
    };
    assert!(missing.iter().any(|m| m.contains("drafted")), "{missing:?}");
    assert!(matches!(judge(5.9 * ceiling, &llama, &open, &h100), Verdict::Undecidable { .. }));
    assert!(matches!(judge(6.1 * ceiling, &llama, &open, &h100), Verdict::Impossible { .. }));
    assert!(matches!(
        judge(1.8 * ceiling, &llama, &decode(1, 4096), &h100),
        Verdict::Impossible { .. }
    ));
}

#[test]
fn cached_tokens_in_a_prefill_rate_are_solved_for_known_error_21() {
    let (llama, h100) = (bf16(sizes::LLAMA_8B), limits("H100 SXM"));
    let workload = prefill(4096, 0);
    let found = causes(judge(2.0 * strict(&llama, &workload, &h100), &llama, &workload, &h100));
    let share = found.iter().find_map(|cause| match cause.parameter {
        Parameter::CachedTokens { share, .. } => Some(share.get()),
        _ => None,
    });
    // By hand: linear and head work of 13.959 GFLOP a token and attention of 4096 (c n + n (n + 1) / 2) x 128
    // layer-heads; half of 61.6 TFLOP is reached at n = 1980, c = 2116: 51.7 %.
    let share = share.unwrap();
    let work = |n: f64| n * 13.959e9 + 524_288.0 * (n * (4096.0 - n) + n * (n + 1.0) / 2.0);
    let half = work(4096.0 * (1.0 - share)) / work(4096.0);
    assert!((half - 0.5 * 1.01).abs() < 0.003, "{share} leaves {half}");
}

#[test]
fn twice_a_compute_ceiling_is_the_sparse_peak_known_error_1() {
    let (llama, h100) = (bf16(sizes::LLAMA_8B), limits("H100 SXM"));
    let workload = prefill(4096, 0);
    let ceiling = strict(&llama, &workload, &h100);
    let found = causes(judge(2.0 * ceiling, &llama, &workload, &h100));
    let sparse = found.iter().find(|cause| cause.parameter == Parameter::SparsePeak).unwrap();
    assert!(sparse.exact, "{sparse:?}");
    // 1.6 times fits under it and is no diagnosis; memory does not hang on it at all.
    let found = causes(judge(1.6 * ceiling, &llama, &workload, &h100));
    assert!(found.iter().any(|c| c.parameter == Parameter::SparsePeak && !c.exact));
    let ceiling = strict(&llama, &decode(1, 4096), &h100);
    let found = causes(judge(1.6 * ceiling, &llama, &decode(1, 4096), &h100));
    assert!(found.iter().all(|cause| cause.parameter != Parameter::SparsePeak));
}

#[test]
fn a_factor_of_1_074_is_gib_for_gb_known_error_14() {
    let (llama, h100) = (bf16(sizes::LLAMA_8B), limits("H100 SXM"));
    let ceiling = strict(&llama, &decode(1, 4096), &h100);
    let found = causes(judge(1.0737 * ceiling, &llama, &decode(1, 4096), &h100));
    let binary = found.first().unwrap();
    assert!(binary.parameter == Parameter::BinaryUnits && binary.exact, "{found:#?}");
}

#[test]
fn whole_multiples_are_sequences_or_devices_that_were_added_up() {
    let (llama, h100) = (bf16(sizes::LLAMA_8B), limits("H100 SXM"));
    let ceiling = strict(&llama, &prefill(4096, 0), &h100);
    let found = causes(judge(8.0 * ceiling, &llama, &prefill(4096, 0), &h100));
    let devices = found.first().unwrap();
    assert!(devices.exact && devices.parameter == Parameter::Devices { times: 8 }, "{found:#?}");
    let ceiling = strict(&llama, &decode(1, 128), &h100);
    let found = causes(judge(30.0 * ceiling, &llama, &decode(1, 128), &h100));
    let sequences = found.iter().find(|c| matches!(c.parameter, Parameter::Sequences { .. }));
    let Parameter::Sequences { at_least } = sequences.unwrap().parameter else { panic!() };
    assert!((30..=31).contains(&at_least), "{at_least}");
}

#[test]
fn what_was_never_verified_convicts_nobody() {
    // What a GB10 multiplies in bf16 is from memory alone; its bandwidth is not, and allows more.
    let (llama, spark) = (bf16(sizes::LLAMA_8B), limits("DGX Spark GB10"));
    let ceiling = strict(&llama, &prefill(4096, 0), &spark);
    let verdict = judge(1.5 * ceiling, &llama, &prefill(4096, 0), &spark);
    let Verdict::Undecidable { missing } = verdict else { panic!("{verdict:?}") };
    assert!(missing.iter().any(|m| m.contains("a source for")), "{missing:?}");
    // 16 GB in a pass of 4096 tokens at 273 GB/s: 70,000 tok/s at most, whatever the arithmetic.
    assert!(matches!(judge(1e5, &llama, &prefill(4096, 0), &spark), Verdict::Impossible { .. }));
}

#[test]
fn a_shared_prefix_that_nobody_mentioned_is_not_held_against_a_claim() {
    let (llama, h100) = (bf16(sizes::LLAMA_70B), limits("H100 SXM"));
    let Workload::Decode { batch, context, speculation, .. } = decode(64, 32_000) else { panic!() };
    let own = strict(&llama, &decode(64, 32_000), &h100);
    let open = Workload::Decode { batch, context, speculation, prefix: Prefix::Unknown };
    assert!(matches!(judge(1.5 * own, &llama, &open, &h100), Verdict::NotExcluded { .. }));
}
