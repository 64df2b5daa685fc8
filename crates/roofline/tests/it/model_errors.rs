//! Errors that published tools made, each as a fact that holds here.
//!
//! Each names the issue or pull request where the error was seen.

use trueline_core::Tokens;
use trueline_roofline::{Bytes, Role, Routing, Stored};

use crate::sizes::{self, model};

fn giga(parameters: u64) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
    let count = parameters as f64;
    2.0 * count / 1e9
}

/// Number 6: twice the total instead of twice the active parameters (prime-rl 778, maxtext 678).
#[test]
fn a_mixture_multiplies_with_its_active_parameters_known_error_6() {
    let linear = model(sizes::MIXTRAL).active().unwrap().linear.get();
    assert!((giga(linear) - 25.235).abs() < 0.001);
}

/// Number 7: the width of routed experts for shared ones (maxtext 4017, where test and code shared
/// the error). Here every total is held to a published integer; this one tells the widths apart.
#[test]
fn shared_experts_have_a_width_of_their_own_known_error_7() {
    let model = model(sizes::NEMOTRON_NANO);
    let of = |role| model.tensors().iter().find(|t| t.role() == role).unwrap().shape()[0];
    assert_eq!((of(Role::Expert), of(Role::Shared)), (1856, 3712));
}

/// Number 8: the table counted as a multiplication (tt-metal 50114).
#[test]
fn the_table_is_looked_up_and_not_multiplied_known_error_8() {
    let model = model(sizes::LLAMA_8B);
    let linear = model.active().unwrap().linear.get();
    assert!((giga(linear) - 13.959).abs() < 0.001);
    // 8,030,261,248 less table and head of 525,336,576 each, less 65 norms of 4,096.
    assert_eq!(linear, 8_030_261_248 - 2 * 525_336_576 - 65 * 4096);
}

/// Number 10: every query head has its own keys (LLM-Viewer 12, vllm-fit 2).
#[test]
fn grouped_heads_share_their_keys_known_error_10() {
    assert_eq!(model(sizes::LLAMA_8B).kv_per_token(Stored::Bf16), Bytes::from_count(131_072));
    assert_eq!(model(sizes::LLAMA_70B).kv_per_token(Stored::Bf16), Bytes::from_count(327_680));
}

/// Number 11: `hidden / heads` for the width of a head (LLM-Viewer, llm-analysis, BLIS).
#[test]
fn the_width_of_a_head_is_read_and_not_divided_known_error_11() {
    // 2,048 / 32 = 64 would give half of this.
    assert_eq!(model(sizes::QWEN3_30B).kv_per_token(Stored::Bf16), Bytes::from_count(98_304));
}

/// Number 12: all experts, or as many as tokens ask for (inference-sim 764, `TileOPs` 2127).
#[test]
fn a_batch_touches_fewer_experts_than_it_asks_for_known_error_12() {
    let mixtral = Routing::new(8, 2);
    assert!((mixtral.expected(3) - 4.625).abs() < 1e-9);
    assert_eq!((mixtral.fewest(3), mixtral.most(3)), (2, 6));
    // TileOPs 2127: 256 local experts charged where 170 are active makes 3.95 TB/s 5.98.
    let streamed = model(sizes::MIXTRAL).streamed().unwrap();
    assert!(streamed.fewest() < streamed.expected(3));
    assert!((streamed.expected(1).get() - streamed.fewest().get()).abs() < 1.0);
}

/// Number 13: windows dropped, or as long as the context (hf-mem 60, ollama 16958).
#[test]
fn a_window_fills_and_then_stays_known_error_13() {
    let model = model(sizes::GPT_OSS_120B);
    let read = |context| model.kv_read(Tokens::new(context), Stored::Bf16).get();
    let read_are = |got: f64, bytes: u32| assert!((got - f64::from(bytes)).abs() < 0.5, "{got}");
    read_are(read(1), 73_728);
    read_are(read(128), 128 * 73_728);
    read_are(read(129) - read(128), 36_864);
    read_are(read(9_000) - read(8_000), 1_000 * 36_864);
}

/// Numbers 15 and 16: what weights are stored in is not what they are multiplied in (`AutoAWQ` 106,
/// llama.cpp 7676). The storage says its bits and its sort; no dtype of arithmetic is derived here.
#[test]
fn four_bit_integers_are_neither_int4_arithmetic_nor_bf16_bytes_known_error_15_16() {
    let config = sizes::LLAMA_8B.replace(
        "\"torch_dtype\": \"bfloat16\"",
        r#""torch_dtype": "float16", "quantization_config": {"quant_method": "awq", "bits": 4,
            "group_size": 128, "zero_point": true}"#,
    );
    let (awq, plain) = (model(&config), model(sizes::LLAMA_8B));
    // The same multiplications...
    assert_eq!(awq.active(), plain.active());
    // ...over 4.15625 bits a weight, the head and the norms in 16.
    let linear = plain.active().unwrap().linear.as_f64();
    let expected = linear * 4.156_25 / 8.0 + 2.0 * (525_336_576.0 + 65.0 * 4096.0);
    let streamed = awq.streamed().unwrap().fixed.get();
    assert!((streamed / expected - 1.0).abs() < 1e-9, "{streamed} for {expected}");
}

/// Number 17: the head on every token of a prompt (inference-lab).
#[test]
fn the_head_stands_apart_from_what_every_token_passes_known_error_17() {
    let active = model(sizes::LLAMA_8B).active().unwrap();
    let excess = active.head.as_f64() / active.linear.as_f64();
    assert!((excess - 0.075).abs() < 0.001, "{excess}");
}

/// Number 18: what is held for what is read (ninfer-3090 50).
#[test]
fn a_step_reads_less_than_the_memory_holds_known_error_18() {
    let deepseek = model(sizes::DEEPSEEK_V3);
    let held: Bytes = deepseek.tensors().iter().map(trueline_roofline::Tensor::bytes).sum();
    let streamed = deepseek.streamed().unwrap();
    assert!(streamed.fewest().times(18.0).unwrap() < held);
    // Untied: the table stays out. Tied: it is the head, and is read once.
    let llama = model(sizes::LLAMA_8B);
    assert_eq!(
        llama.streamed().unwrap().fixed,
        Bytes::from_count(2 * (8_030_261_248 - 525_336_576))
    );
    let gemma = model(sizes::GEMMA3_27B);
    assert_eq!(gemma.streamed().unwrap().fixed, Bytes::from_count(2 * 27_009_346_304));
}

/// Number 19: layers for further tokens, and scales, in the total.
#[test]
fn both_totals_are_told_and_scales_stand_apart_known_error_19() {
    let totals = model(sizes::DEEPSEEK_V3).totals();
    assert_eq!(totals.text.get(), 671_026_419_200);
    assert_eq!(totals.with_mtp().get(), 684_489_845_504);
    assert_eq!(totals.scales, 41_540_496);
    assert_eq!(totals.vision.get(), 0);
}
