//! From a model and its plan to what the bounds see.

use trueline_core::Tokens;
use trueline_roofline::{
    Arithmetic, LatentForm, Model, ModelErrorKind, ModelShape, Parallel, Part, Reach, Role,
    RuntimePlan, Scales, Stored, estimate_roof,
};

use crate::bound_table::{decode, limits, prefill};
use crate::files::Safetensors;
use crate::sizes::{self, model};

fn shape(config: &str) -> ModelShape {
    RuntimePlan::default().with_kv(Stored::Bf16).shape(&model(config)).unwrap()
}

fn weights(shape: &ModelShape) -> u64 {
    let layers = shape.layers.iter().map(|layer| {
        let linear: u64 = layer.linear.iter().map(|m| m.weights).sum();
        let experts = layer.experts.as_ref().map_or(0, |e| e.routing.per_token() * e.each.weights);
        layer.repeated * (linear + experts)
    });
    layers.sum::<u64>() + shape.head.weights
}

#[test]
fn a_shape_multiplies_what_a_token_is_multiplied_with() {
    for config in [
        sizes::LLAMA_8B,
        sizes::QWEN3_30B,
        sizes::QWEN3_NEXT,
        sizes::MIXTRAL,
        sizes::DEEPSEEK_V3,
        sizes::GPT_OSS_120B,
        sizes::GEMMA3_27B,
        sizes::GEMMA4_31B,
        sizes::NEMOTRON_NANO,
        sizes::KIMI_LINEAR,
        sizes::GLM_45,
    ] {
        // Totals of these configs are held to published integers elsewhere.
        let active = model(config).active().unwrap().total().get();
        assert_eq!(weights(&shape(config)), active, "{config}");
    }
}

#[test]
fn what_neither_plan_nor_config_states_is_missing_and_widens_the_bounds() {
    let llama = model(sizes::LLAMA_8B);
    let open = RuntimePlan::default().shape(&llama).unwrap();
    let limits = limits("H100 SXM");
    let roof = |shape: &ModelShape| estimate_roof(shape, &decode(64, 8192), &limits).unwrap();
    let (open, known) = (roof(&open), roof(&shape(sizes::LLAMA_8B)));
    assert!(
        open.missing.contains(&"dtype of the key-value cache".to_owned()),
        "{:?}",
        open.missing
    );
    assert!(!known.missing.iter().any(|m| m.contains("cache of") || m.contains("key-value")));
    // Four bits instead of sixteen in the best case; the usual one stays.
    assert!(open.strict.high().get() > 2.0 * known.strict.high().get());
    assert_eq!(open.model, known.model);
    // A config that states the cache leaves nothing open.
    let beside = r#"{"quantization": {"quant_algo": "FP8", "kv_cache_quant_algo": "FP8"}}"#;
    let stated = Model::from_hf_config_quantised(sizes::LLAMA_8B, beside).unwrap();
    let stated = RuntimePlan::default().shape(&stated).unwrap();
    assert!(stated.unknown.is_empty() && stated.kv_bits == stated.fewest_kv_bits);
    assert!((stated.kv_bits.get() - 8.0).abs() < 1e-12);
}

#[test]
fn a_header_alone_tells_no_layers_and_is_refused() {
    let mut file = Safetensors::default();
    file.tensor("model.layers.0.mlp.up_proj.weight", "BF16", &[8, 8]);
    let header = Model::from_safetensors_header(file.finish().as_slice()).unwrap();
    let error = RuntimePlan::default().shape(&header).unwrap_err();
    assert_eq!(error.kind(), ModelErrorKind::Missing);
    assert!(error.to_string().contains("would tell"), "{error}");
}

#[test]
fn a_storage_that_does_not_fit_the_rows_is_refused() {
    let odd = sizes::LLAMA_8B.replace("14336", "14337");
    let q4 = Stored::Gguf(trueline_roofline::GgmlType::Q4K);
    let plan = RuntimePlan::default().with_all_weights(q4);
    assert_eq!(plan.shape(&model(&odd)).unwrap_err().kind(), ModelErrorKind::Contradiction);
}

#[test]
fn the_head_of_a_tied_model_is_its_table() {
    let gemma = model(sizes::GEMMA3_27B);
    let plan = RuntimePlan::default().with_weights(Role::Head, Stored::Fp8(Scales::None));
    let shape = plan.shape(&gemma).unwrap();
    assert_eq!(shape.head.weights, 262_208 * 5376);
    assert!((shape.head.bits.get() - 8.0).abs() < 1e-12);
    let window = Reach::AtMost(Tokens::new(1024));
    assert!(shape.layers.iter().any(|layer| layer.mixer.reach() == window));
}

#[test]
fn small_weights_widened_to_sixteen_bits_gain_bytes_and_no_arithmetic_known_error_15() {
    let llama = model(sizes::LLAMA_8B);
    let limits = limits("H100 SXM");
    let plan = RuntimePlan::default().with_kv(Stored::Bf16).with_arithmetic(Arithmetic::SixteenBit);
    let of = |plan: RuntimePlan, workload| {
        let shape = plan.shape(&llama).unwrap();
        estimate_roof(&shape, &workload, &limits).unwrap().strict.high().get()
    };
    let int4 = || plan.clone().with_all_weights(Stored::int4(128));
    let ratio = of(int4(), prefill(4096, 0)) / of(plan.clone(), prefill(4096, 0));
    assert!((ratio - 1.0).abs() < 1e-9, "{ratio}");
    // By hand at one sequence: 6.979e9 at 4.156 bits and a head of 0.525e9 at 16 are 4.68 GB instead of 15.01.
    let ratio = of(int4(), decode(1, 1)) / of(plan.clone(), decode(1, 1));
    assert!((ratio - 15.01 / 4.68).abs() < 0.04, "{ratio}");
}

#[test]
fn the_form_of_latent_attention_changes_the_usual_case_alone() {
    let v3 = model(sizes::DEEPSEEK_V3);
    let limits = limits("H100 SXM");
    let plan = RuntimePlan::default().with_kv(Stored::Bf16);
    let roof = |plan: &RuntimePlan| {
        estimate_roof(&plan.shape(&v3).unwrap(), &decode(128, 4096), &limits).unwrap()
    };
    let absorbed = roof(&plan);
    let expanded = roof(&plan.clone().with_latent(LatentForm::Expanded));
    assert_eq!(absorbed.strict, expanded.strict);
    let core = |roof: &trueline_roofline::Roof| {
        roof.parts.iter().find(|p| p.part == Part::Attention).unwrap().flops.get()
    };
    // Expanding 4,096 cached tokens for each step costs far more than it saves.
    assert!(core(&expanded) > 10.0 * core(&absorbed));
}

/// By hand: two devices halve what each reads, and each layer sums its stream twice: once after attention and
/// once after the feed-forward block, in two blocks here.
#[test]
fn blocks_of_a_layer_sum_over_the_devices_of_a_tensor_as_the_whole_layer_does() {
    let shape = shape(sizes::LLAMA_8B);
    assert_eq!(shape.layers.iter().map(|layer| layer.sums * layer.repeated).sum::<u64>(), 2 * 32);
    let one = limits("H100 SXM");
    let two = one.clone().with_parallel(Parallel::new(2, 1, 1).unwrap());
    let rate = |limits| estimate_roof(&shape, &decode(1, 4096), limits).unwrap().model.unwrap();
    let (one, two) = (rate(&one).low().get(), rate(&two).low().get());
    assert!(two > 1.99 * one && two < 2.0 * one, "{one} {two}");
}

/// Source: jundot/omlx issue 2238, where a mixture of experts reached a third of what a dense model did.
#[test]
fn headroom_is_told_by_kind_of_layer_known_error_28() {
    let limits = limits("M3 Ultra 80c");
    let roof = estimate_roof(&shape(sizes::QWEN3_30B), &decode(1, 512), &limits).unwrap();
    let bytes = |kind: &str, part| {
        let mut parts = roof.parts.iter();
        parts.find(|p| p.kind == kind && p.part == part).unwrap().bytes.get()
    };
    // By hand: 48 layers x 8 experts x 3 x 2048 x 768 weights; attention 2 x 2048 x 128 x (32 + 4); router
    // 2048 x 128; head 2048 x 151,936; two bytes each. 512 keys of 98,304 bytes, and one written.
    let near =
        |got: f64, by_hand: f64| assert!((got / by_hand - 1.0).abs() < 1e-9, "{got} {by_hand}");
    near(bytes("moe", Part::Experts), 2.0 * 48.0 * 8.0 * 3.0 * 2048.0 * 768.0);
    near(bytes("moe", Part::Linear), 2.0 * 48.0 * 2048.0 * 128.0);
    near(bytes("full", Part::Linear), 2.0 * 48.0 * 2.0 * 2048.0 * 128.0 * 36.0);
    near(bytes("full", Part::Attention), 513.0 * 98_304.0);
    near(bytes("output", Part::Head), 2.0 * 2048.0 * 151_936.0);
    let took: f64 = roof.parts.iter().map(|p| p.took.unwrap().as_secs_f64()).sum();
    assert!((took * roof.model.as_ref().unwrap().high().get() - 1.0).abs() < 1e-3, "{took}");
}
