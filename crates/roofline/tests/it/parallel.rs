//! A model over several devices.

use trueline_core::Tokens;
use trueline_roofline::{
    Bound, Catalogue, LayerShape, Limits, LiveClocks, ModelShape, Parallel, Part, Prefix, Reach,
    Roof, Speculation, Workload, estimate_roof,
};

use crate::bound_table::{decode, limits, near, prefill};
use crate::shapes::{BF16, Stored, bits, deepseek_v3, grouped, mixtral, paths};

/// Llama-3-70B: 80 layers of 8192, 64 heads and 8 key heads of 128, feed-forward 28,672, 128,256 words.
fn llama_70b(stored: &Stored<'_>) -> ModelShape {
    let attention = 2 * 8192 * 8192 + 2 * 8192 * 1024;
    let layer = LayerShape::new("full attention", 80, grouped(64, 8, 128, Reach::All))
        .with_linear(stored.matmul(attention + 3 * 8192 * 28_672));
    ModelShape::new(vec![layer], stored.matmul(8192 * 128_256), bits(16.0), paths(&["bf16_f32"]))
        .with_hidden(8192)
}

fn over(
    model: &ModelShape,
    workload: &Workload,
    device: &str,
    tensor: u32,
    pipeline: u32,
    expert: u32,
) -> Roof {
    let limits = limits(device).with_parallel(Parallel::new(tensor, pipeline, expert).unwrap());
    estimate_roof(model, workload, &limits).unwrap()
}

fn bytes(roof: &Roof, part: Part) -> f64 {
    roof.parts.iter().find(|p| p.part == part).unwrap().bytes.get()
}

/// Table of XiongjieDai/GPU-Benchmarks-on-LLM-Inference: 70B at four bits decodes at 19.22 tok/s on two and 19.80 on four RTX 4090.
#[test]
fn bandwidths_of_a_pipeline_do_not_add_up_for_one_stream_known_error_23() {
    let q4 = Stored { bits: 4.83, paths: &["int8_int32", "f16_f16", "f16_f32"] };
    let model = llama_70b(&q4);
    let high =
        |stages| over(&model, &decode(1, 4096), "RTX 4090", 1, stages, 1).strict.high().get();
    near(high(2), high(1), 1e-12);
    near(high(4), high(1), 1e-12);
    // By hand: 69.50e9 weights x 4.83 / 8 B and 1.34 GB of keys and values at 1008.1 GB/s: 23.3 tok/s.
    near(high(4), 23.3, 1e-2);
    assert!(high(4) > 19.80);
    // Four streams keep four stages busy with their own keys and values; the weights are read for each.
    let many = over(&model, &decode(64, 4096), "RTX 4090", 1, 4, 1).strict.high().get();
    let one = over(&model, &decode(64, 4096), "RTX 4090", 1, 1, 1).strict.high().get();
    assert!(many > 1.5 * one && many < 4.0 * one, "{many} {one}");
}

#[test]
fn a_tensor_split_divides_weights_and_key_heads_as_far_as_they_go() {
    let model = llama_70b(&BF16);
    let at = |t| over(&model, &decode(32, 4096), "H100 SXM", t, 1, 1);
    let (one, eight, sixteen) = (at(1), at(8), at(16));
    near(bytes(&one, Part::Linear) / bytes(&eight, Part::Linear), 8.0, 1e-12);
    near(bytes(&one, Part::Linear) / bytes(&sixteen, Part::Linear), 16.0, 1e-12);
    near(bytes(&one, Part::Attention) / bytes(&eight, Part::Attention), 8.0, 1e-12);
    // Beyond eight key heads they are copied.
    near(bytes(&one, Part::Attention) / bytes(&sixteen, Part::Attention), 8.0, 1e-12);
    // Below one device's rate times eight: sums have to be sent.
    let (one, eight) = (one.model.unwrap(), eight.model.unwrap());
    assert!(eight.high().get() > 4.0 * one.high().get());
    assert!(eight.high().get() < 8.0 * one.high().get());
}

#[test]
fn sums_over_the_tensor_take_their_time() {
    // By hand, ring: 80 layers x 2 sums x 2 x 7/8 x 4096 tokens x 8192 x 2 B = 18.79e9 B at 450 GB/s are
    // 41.8 ms; arithmetic: 4096 x (138.3e9 / 8) at 989.4 TFLOP/s are 71.6 ms and 2.8 ms of attention.
    let model = llama_70b(&BF16);
    let roof = over(&model, &prefill(4096, 0), "H100 SXM", 8, 1, 1);
    let seconds = 4096.0 / roof.model.unwrap().low().get();
    near(seconds, 0.0418 + 0.0716 + 0.0028, 2e-2);
    // Hidden behind arithmetic in the strict bound.
    near(roof.strict.low().get(), 4096.0 / (0.0716 + 0.0028), 2e-2);
    // On slow links they are what limits: half of it, with sums reduced on the way, at 32 GB/s.
    let slow = over(&model, &prefill(4096, 0), "A100 PCIe 80GB", 8, 1, 1);
    near(slow.strict.high().get(), 4096.0 / (9.395e9 / 32e9), 1e-3);
    assert_eq!(slow.bound, Some(Bound::Link));
    assert!(!slow.strict.convicts(), "nobody verified that link");
    assert!(slow.impossible_above.unwrap() > slow.strict.high());
}

#[test]
fn a_latent_is_copied_to_all_devices_of_a_tensor() {
    let model = deepseek_v3();
    let one = over(&model, &decode(32, 4096), "H200 SXM", 1, 1, 1);
    let eight = over(&model, &decode(32, 4096), "H200 SXM", 8, 1, 1);
    near(bytes(&one, Part::Attention), bytes(&eight, Part::Attention), 1e-12);
    assert!(eight.missing.contains(&"hidden size".to_owned()), "{:?}", eight.missing);
}

#[test]
fn groups_of_experts_share_experts_and_sequences_and_copy_the_rest() {
    let model = mixtral().with_hidden(4096);
    let one = over(&model, &decode(64, 4096), "H200 SXM", 1, 1, 1);
    let four = over(&model, &decode(64, 4096), "H200 SXM", 1, 1, 4);
    near(bytes(&one, Part::Experts) / bytes(&four, Part::Experts), 4.0, 1e-12);
    near(bytes(&one, Part::Attention) / bytes(&four, Part::Attention), 4.0, 1e-12);
    near(bytes(&one, Part::Linear) / bytes(&four, Part::Linear), 1.0, 1e-12);
    // A single sequence is in one group.
    let one = over(&model, &decode(1, 4096), "H200 SXM", 1, 1, 1);
    let four = over(&model, &decode(1, 4096), "H200 SXM", 1, 1, 4);
    near(bytes(&one, Part::Attention), bytes(&four, Part::Attention), 1e-12);
}

#[test]
fn an_unknown_link_leaves_the_strict_bound_and_takes_the_model_bound() {
    let m2 = Catalogue::built_in().get("M2 Ultra 76c").unwrap();
    let limits =
        Limits::of(m2, &LiveClocks::default()).with_parallel(Parallel::new(2, 1, 1).unwrap());
    let workload = Workload::Decode {
        batch: 1,
        context: Tokens::new(100),
        speculation: Speculation::None,
        prefix: Prefix::Own,
    };
    let roof = estimate_roof(&llama_70b(&BF16), &workload, &limits).unwrap();
    assert_eq!(roof.missing, ["bandwidth between devices"]);
    assert_eq!((roof.model, roof.bound), (None, None));
    // By hand: half of 139.0 GB and of the 33 MB at 819.2 GB/s, less 96 MiB of cache.
    near(roof.strict.high().get(), 819.2e9 / (69.52e9 - 0.1007e9), 2e-3);
}
