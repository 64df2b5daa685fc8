//! Totals against integers that others published.

use trueline_core::Tokens;
use trueline_roofline::{Bytes, KvStorage, ModelPart, Role, Stored};

use crate::sizes::{self, model};

/// A config, its parameters without and with multi-token prediction.
type Row = (&'static str, &'static str, u64, Option<u64>);

/// Totals of the hub, of safetensors or GGUF, unless noted.
const TOTALS: [Row; 16] = [
    ("Llama-3.1-8B", sizes::LLAMA_8B, 8_030_261_248, None),
    ("Llama-3.1-70B", sizes::LLAMA_70B, 70_553_706_496, None),
    ("Qwen2.5-7B", sizes::QWEN25_7B, 7_615_616_512, None),
    ("Qwen3-30B-A3B", sizes::QWEN3_30B, 30_532_122_624, None),
    ("Qwen3-Next-80B-A3B", sizes::QWEN3_NEXT, 79_674_391_296, None),
    ("Mixtral-8x7B", sizes::MIXTRAL, 46_702_792_704, None),
    ("gpt-oss-120b", sizes::GPT_OSS_120B, 116_829_156_672, None),
    ("DeepSeek-V3", sizes::DEEPSEEK_V3, 671_026_419_200, Some(684_489_845_504)),
    ("GLM-4.5", sizes::GLM_45, 352_797_829_024, Some(358_337_791_296)),
    ("GLM-4.5-Air", sizes::GLM_45_AIR, 106_852_251_264, Some(110_468_824_832)),
    // Text part; held to the hub's total below.
    ("Gemma-3-27B", sizes::GEMMA3_27B, 27_009_346_304, None),
    // Computed from the same config by a script of our own; no integer is published.
    ("GLM-5", sizes::GLM_5, 743_911_218_432, None),
    // Hub total of google/gemma-3-1b-it.
    ("Gemma-3-1B", sizes::GEMMA3_1B, 999_885_952, None),
    // Hub total of deepseek-ai/DeepSeek-V3.2, multi-token prediction included.
    ("DeepSeek-V3.2", sizes::DEEPSEEK_V32, 671_877_944_064, Some(685_355_329_792)),
    // Hub total 31,577,937,344, which leaves out the 23 x 128 correction biases.
    ("Nemotron-3-Nano", sizes::NEMOTRON_NANO, 31_577_937_344 + 23 * 128, None),
    // Hub total of moonshotai/Kimi-Linear-48B-A3B-Instruct, not checked again.
    ("Kimi-Linear-48B", sizes::KIMI_LINEAR, 49_122_681_728, None),
];

#[test]
fn parameter_totals_are_the_published_integers() {
    for (name, config, text, with_mtp) in TOTALS {
        let totals = model(config).totals();
        assert_eq!(totals.text.get(), text, "{name}");
        if let Some(with_mtp) = with_mtp {
            assert_eq!(totals.with_mtp().get(), with_mtp, "{name} with its MTP layer");
        }
    }
}

#[test]
fn gemma_of_two_sizes_leaves_the_same_vision_tower() {
    // Hub totals of gemma-3-27b-it and gemma-3-4b-it, less text and projector (1,152 x hidden and a
    // norm of 1,152): what is left is the same tower, so both text parts are right.
    let small = sizes::GEMMA3_27B
        .replace("5376", "2560")
        .replace("21504", "10240")
        .replace("62,", "34,")
        .replace("\"num_attention_heads\": 32", "\"num_attention_heads\": 8")
        .replace("\"num_key_value_heads\": 16", "\"num_key_value_heads\": 4")
        .replace("\"head_dim\": 128", "\"head_dim\": 256");
    let tower = |total: u64, config: &str, hidden: u64| {
        total - model(config).totals().text.get() - 1152 * hidden - 1152
    };
    assert_eq!(tower(27_432_406_640, sizes::GEMMA3_27B, 5376), 416_866_032);
    assert_eq!(tower(4_300_079_472, &small, 2560), 416_866_032);
}

#[test]
fn qwen_35_of_two_sorts_leaves_the_same_vision_tower() {
    // Hub totals of Qwen3.5-35B-A3B and Qwen3.5-27B (those of Qwen3.6 are equal), less text and
    // multi-token prediction. The towers differ in the last projection alone, from 4,608 to the
    // width of the text with a bias: 3,072 x 4,609.
    let tower = |total: u64, config: &str| total - model(config).totals().with_mtp().get();
    let sparse = tower(35_951_822_704, sizes::QWEN35_35B);
    let dense = tower(27_781_427_952, sizes::QWEN35_27B);
    assert_eq!(dense - sparse, (5120 - 2048) * 4609);
}

#[test]
fn gemma_4_is_as_large_as_its_card_says() {
    // The card of gemma-4-31b says 30.7 billion; the sum by hand: table 262,144 x 5,376; 50 layers
    // of 132,121,088 with a window and 10 of 187,171,840 without; 60 times 346,838,017 of
    // feed-forward block, norms and a scalar; a norm.
    let model = model(sizes::GEMMA4_31B);
    assert_eq!(model.totals().text.get(), 30_697_345_340);
    assert_eq!(
        model.kv_per_token(Stored::Bf16),
        Bytes::from_count(2 * 2 * (50 * 16 * 256 + 10 * 4 * 512))
    );
}

#[test]
fn active_parameters_leave_out_table_norms_and_idle_experts() {
    // Worked out from the configs by a script of our own, before this code was written.
    for (config, active) in [
        (sizes::LLAMA_8B, 7_504_658_432),
        (sizes::LLAMA_70B, 69_501_714_432),
        (sizes::QWEN25_7B, 7_070_285_824),
        (sizes::QWEN3_30B, 3_041_656_832),
        (sizes::QWEN3_NEXT, 3_562_373_120),
        (sizes::MIXTRAL, 12_748_587_008),
        (sizes::DEEPSEEK_V3, 36_624_596_992),
        (sizes::GEMMA3_27B, 27_007_991_808),
        (sizes::GPT_OSS_120B, 5_131_100_160),
        (sizes::GLM_45, 32_854_016_000),
        (sizes::GLM_45_AIR, 12_802_326_528),
    ] {
        assert_eq!(model(config).active().unwrap().total().get(), active, "{config}");
    }
}

#[test]
fn cache_bytes_per_token_are_those_worked_out_from_the_configs() {
    // Worked out likewise, in bf16. Windows count here, as they do while they fill.
    for (config, bytes) in [
        (sizes::LLAMA_8B, 131_072),
        (sizes::LLAMA_70B, 327_680),
        (sizes::QWEN25_7B, 57_344),
        (sizes::QWEN3_30B, 98_304),
        (sizes::QWEN3_NEXT, 24_576),
        (sizes::MIXTRAL, 131_072),
        (sizes::DEEPSEEK_V3, 70_272),
        (sizes::GEMMA3_27B, 81_920 + 425_984),
        (sizes::GPT_OSS_120B, 36_864 + 36_864),
        (sizes::GLM_45, 376_832),
        (sizes::GLM_45_AIR, 188_416),
        (sizes::GLM_5, 89_856),
        (sizes::KIMI_LINEAR, 8_064),
    ] {
        assert_eq!(model(config).kv_per_token(Stored::Bf16), Bytes::from_count(bytes), "{config}");
    }
    assert_eq!(model(sizes::QWEN3_NEXT).state(), Bytes::from_count(77_266_944));
    assert_eq!(model(sizes::LLAMA_8B).state(), Bytes::from_count(0));
}

#[test]
fn a_token_streams_what_the_worked_examples_say() {
    // Worked out likewise, in GB: weights alone, rounded to three digits.
    for (config, gigabytes) in [
        (sizes::LLAMA_8B, 15.01),
        (sizes::LLAMA_70B, 139.0),
        (sizes::QWEN25_7B, 14.1),
        (sizes::QWEN3_30B, 6.08),
        (sizes::QWEN3_NEXT, 7.12),
        (sizes::MIXTRAL, 25.5),
        (sizes::GEMMA3_27B, 54.0),
        (sizes::GLM_45, 65.7),
        (sizes::GLM_45_AIR, 25.6),
    ] {
        let weights = model(config).streamed().unwrap().fewest().get() / 1e9;
        assert!((weights / gigabytes - 1.0).abs() < 0.004, "{weights} for {gigabytes}: {config}");
    }
}

#[test]
fn scales_of_deepseek_are_those_that_the_hub_counts_as_parameters() {
    // Hub totals 684,531,386,000 and 685,396,921,376 less the parameters.
    for (config, scales) in [
        (sizes::DEEPSEEK_V3, 684_531_386_000 - 684_489_845_504),
        (sizes::DEEPSEEK_V32, 685_396_921_376_u64 - 685_355_329_792),
    ] {
        assert_eq!(model(config).totals().scales, scales);
    }
}

#[test]
fn deepseek_is_stored_as_its_checkpoint_is() {
    // The hub's counts by dtype: F8 680,571,043,840, BF16 3,918,786,560, F32 15,104.
    let model = model(sizes::DEEPSEEK_V3);
    let of = |wanted: &dyn Fn(Stored) -> bool| -> u64 {
        model.tensors().iter().filter(|t| wanted(t.stored())).map(|t| t.parameters().get()).sum()
    };
    assert_eq!(of(&|s| matches!(s, Stored::Fp8(_))), 680_571_043_840);
    assert_eq!(of(&|s| s == Stored::Bf16), 3_918_786_560);
    assert_eq!(of(&|s| s == Stored::F32), 15_104);
}

#[test]
fn gpt_oss_stores_its_experts_in_mxfp4_and_the_rest_in_bf16() {
    let model = model(sizes::GPT_OSS_120B);
    for tensor in model.tensors() {
        let expected = if tensor.role() == Role::Expert && tensor.is_matrix() {
            Stored::Mxfp4
        } else {
            Stored::Bf16
        };
        assert_eq!(tensor.stored(), expected, "{}", tensor.name());
    }
    // 36 x 128 x (3 x 2,880 x 2,880) values at 4.25 bits, their biases in bf16.
    let experts = 36 * 128 * (3 * 2880 * 2880 * 17 / 32 + (2 * 2880 + 2880) * 2);
    assert_eq!(model.bytes_of(Role::Expert), Bytes::from_count(experts));
    assert_eq!(model.bytes(ModelPart::Mtp) + model.bytes(ModelPart::Vision), Bytes::from_count(0));
}

#[test]
fn a_window_holds_what_it_sees_or_everything() {
    let model = model(sizes::GPT_OSS_120B);
    let held = |context, storage| model.kv_held(Tokens::new(context), Stored::Bf16, storage);
    assert_eq!(held(4096, KvStorage::Window), Bytes::from_count(36_864 * (4096 + 128)));
    assert_eq!(held(4096, KvStorage::Whole), Bytes::from_count(73_728 * 4096));
}
