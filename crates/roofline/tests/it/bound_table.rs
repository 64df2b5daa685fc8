//! The worked examples of the project's notes on roofline modelling, section 2.9: one H100 SXM at its
//! published clock and 3.35 TB/s, context 4096, bf16 keys and values, expected experts.

use trueline_core::Tokens;
use trueline_roofline::{
    Bound, Catalogue, Limits, LiveClocks, LogitRows, Megahertz, ModelShape, Part, Prefix, Roof,
    Speculation, Workload, estimate_roof,
};

use crate::shapes::{BF16, Stored, deepseek_v3, gpt_oss_120b, llama_8b, mixtral};

pub(crate) fn limits(name: &str) -> Limits {
    Limits::of(Catalogue::built_in().get(name).unwrap(), &LiveClocks::default())
}

pub(crate) fn prefill(new: u64, cached: u64) -> Workload {
    let (new, cached) = (Tokens::new(new), Tokens::new(cached));
    Workload::Prefill { new, cached, batch: 1, logits: LogitRows::Last, prefix: Prefix::Own }
}

pub(crate) fn decode(batch: u64, context: u64) -> Workload {
    let context = Tokens::new(context);
    Workload::Decode { batch, context, speculation: Speculation::None, prefix: Prefix::Own }
}

/// Requests of a prompt, its cached part and an answer.
pub(crate) fn mixed(
    [isl, cached, osl]: [u64; 3],
    concurrency: Option<u64>,
    speculation: Speculation,
    prefix: Prefix,
) -> Workload {
    let (isl, cached, osl) = (Tokens::new(isl), Tokens::new(cached), Tokens::new(osl));
    Workload::Mixed { isl, cached, osl, concurrency, speculation, prefix }
}

pub(crate) fn roof(model: &ModelShape, workload: &Workload, device: &str) -> Roof {
    estimate_roof(model, workload, &limits(device)).unwrap()
}

pub(crate) fn near(got: f64, expected: f64, tolerance: f64) {
    assert!((got / expected - 1.0).abs() <= tolerance, "{got} is not {expected}");
}

/// The model bound's low end: published figures at their lowest, as the table.
fn model(shape: &ModelShape, workload: &Workload) -> f64 {
    roof(shape, workload, "H100 SXM").model.unwrap().low().get()
}

/// The strict bound's low end: published figures, arithmetic alone. The table's prefill column, which
/// reads no weights, is that; the model bound adds the time to read the head and all expected experts.
fn strict(shape: &ModelShape, workload: &Workload) -> f64 {
    roof(shape, workload, "H100 SXM").strict.low().get()
}

#[test]
fn llama_8b_on_an_h100_is_the_table() {
    let llama = llama_8b(&BF16, &BF16);
    near(strict(&llama, &prefill(4096, 0)), 65_816.0, 1e-3);
    near(model(&llama, &prefill(4096, 0)), 65_816.0, 6e-3);
    near(model(&llama, &decode(1, 4096)), 215.5, 1e-3);
    near(model(&llama, &decode(32, 4096)), 3330.0, 1e-3);
    near(model(&llama, &decode(128, 4096)), 5121.0, 1e-3);
}

#[test]
fn llama_8b_in_parts_is_the_table() {
    // 13.959 GFLOP a token in weights, 15.01 GB streamed, 131,072 B of keys and values a token.
    let roof = roof(&llama_8b(&BF16, &BF16), &decode(1, 4096), "H100 SXM");
    let part = |part| roof.parts.iter().find(|p| p.part == part).unwrap();
    near(part(Part::Linear).flops.get(), 13.959e9, 1e-4);
    near(part(Part::Head).flops.get(), 1.0507e9, 1e-4);
    near(part(Part::Linear).bytes.get() + part(Part::Head).bytes.get(), 15.009e9, 1e-3);
    near(part(Part::Attention).bytes.get(), 4097.0 * 131_072.0, 1e-9);
    assert_eq!(roof.bound, Some(Bound::Memory));
    assert!(roof.missing.is_empty());
}

#[test]
fn mixtral_on_an_h100_is_the_table() {
    let mixtral = mixtral();
    near(model(&mixtral, &decode(1, 4096)), 129.0, 5e-3);
    near(model(&mixtral, &decode(32, 4096)), 972.0, 2e-3);
    near(model(&mixtral, &decode(128, 4096)), 2649.0, 2e-3);
    near(strict(&mixtral, &prefill(4096, 0)), 37_607.0, 1e-3);
    // Known error 6: 2 x active weights, 25.235 GFLOP a token, not 2 x all of them.
    let roof = roof(&mixtral, &decode(1, 1), "H100 SXM");
    let flops = |part| roof.parts.iter().find(|p| p.part == part).unwrap().flops.get();
    near(flops(Part::Linear) + flops(Part::Experts), 25.235e9, 1e-4);
}

#[test]
fn deepseek_v3_on_an_h100_is_the_table() {
    // The table takes one maximum over all parts; the sum of parts is at or below it.
    let v3 = deepseek_v3();
    near(model(&v3, &decode(1, 4096)), 88.5, 5e-3);
    near(model(&v3, &decode(32, 4096)), 242.0, 1e-2);
    near(strict(&v3, &prefill(4096, 0)), 21_541.0, 5e-3);
    // Expected experts at 32 are many; the fewest are eight, so the strict bound is far above.
    let roof = roof(&v3, &decode(32, 4096), "H100 SXM");
    assert!(roof.strict.high().get() > 5.0 * 242.0, "{}", roof.strict);
}

#[test]
fn gpt_oss_streams_5_gigabytes() {
    let roof = roof(&gpt_oss_120b(&BF16, &BF16), &decode(1, 1), "H100 SXM");
    let weights: f64 =
        roof.parts.iter().filter(|p| p.part != Part::Attention).map(|p| p.bytes.get()).sum();
    near(weights, 5.00e9, 1e-3);
}

#[test]
fn a_third_of_the_clock_costs_prefill_two_thirds_and_decode_nothing() {
    // Notes, section 3.5: 65.8k to 23.7k tok/s, decode at one sequence still 215.
    let h100 = Catalogue::built_in().get("H100 SXM").unwrap();
    let clocks = LiveClocks::default().with_processor(Megahertz::new(660.0).unwrap());
    let limits = Limits::of(h100, &clocks);
    let llama = llama_8b(&BF16, &BF16);
    let at = |workload| estimate_roof(&llama, &workload, &limits).unwrap();
    near(at(prefill(4096, 0)).model.unwrap().low().get(), 23_737.0, 4e-3);
    near(at(decode(1, 4096)).model.unwrap().low().get(), 215.5, 1e-3);
    // The strict bound does not hang on a reading.
    near(at(prefill(4096, 0)).strict.high().get(), 71_225.0, 3e-3);
    assert_eq!(at(prefill(4096, 0)).bound, Some(Bound::Compute));
}

#[test]
fn seventy_billion_nvfp4_on_a_spark_is_at_most_6_72_known_error_29() {
    // Notes: 38.50 GB of nvfp4 and 2.10 GB of head at 273 GB/s; NVIDIA/dgx-spark-playbooks pull request 91.
    let nvfp4 = Stored { bits: 4.5, paths: &["fp4_f32", "bf16_f32"] };
    let attention = 2 * 8192 * 8192 + 2 * 8192 * 1024;
    let layer = trueline_roofline::LayerShape::new(
        "full attention",
        80,
        crate::shapes::grouped(64, 8, 128, trueline_roofline::Reach::All),
    )
    .with_linear(nvfp4.matmul(attention + 3 * 8192 * 28_672));
    let model = ModelShape::new(
        vec![layer],
        BF16.matmul(8192 * 128_256),
        crate::shapes::bits(16.0),
        crate::shapes::paths(&["bf16_f32"]),
    );
    let roof = roof(&model, &decode(1, 1), "DGX Spark GB10");
    near(roof.model.unwrap().low().get(), 6.72, 2e-3);
}
