//! Errors that others made about hardware, each as a fact. Numbers in names are those of the list in the
//! project's notes on roofline modelling.

use trueline_roofline::{
    Bytes, BytesPerSecond, Catalogue, Density, Hardware, HardwareErrorKind, MathPath,
};

fn part(name: &str) -> &'static Hardware {
    Catalogue::built_in().get(name).unwrap()
}

fn path(name: &str) -> MathPath {
    MathPath::parse_dense(name).unwrap()
}

fn tflops(name: &str, path: MathPath) -> f64 {
    part(name).spec_peak(path).unwrap().low().get() / 1e12
}

fn near(got: f64, expected: f64, tolerance: f64) {
    assert!((got / expected - 1.0).abs() <= tolerance, "{got} is not {expected}");
}

/// Sources: fms-fsdp issue 89, `FlashMLA` issue 75, Megatron-LM issues 1276 and 1565.
#[test]
fn a_sparse_peak_is_no_dense_peak_known_error_1() {
    // GH200's 1979 and L40S' 1466 are sparse figures: half of them is dense.
    near(tflops("H100 SXM", path("bf16_f32")), 989.4, 0.003);
    near(tflops("H100 SXM", path("bf16_f32").sparse()), 1979.0, 0.003);
    near(tflops("L40S", path("fp8_f32").sparse()), 1466.0, 0.013);
    near(tflops("L40S", path("fp8_f32")), 733.0, 0.013);
    for part in Catalogue::built_in().parts() {
        for path in part.paths().into_iter().filter(|path| path.density == Density::Dense) {
            let (Some(dense), Some(sparse)) = (part.spec_peak(path), part.spec_peak(path.sparse()))
            else {
                continue;
            };
            let ratio = sparse.high().get() / dense.high().get();
            // B300: 18 of 14 PFLOP/s (aiconfigurator), the one part whose fp4 is not doubled.
            let expected =
                if part.name == "B300 SXM" && path == self::path("fp4_f32") { 1.286 } else { 2.0 };
            near(ratio, expected, 0.003);
        }
    }
}

/// Source: OLMo-core issue 614, which took half of an A100's 312.
#[test]
fn a_dense_peak_is_not_halved_again_known_error_2() {
    for name in ["A100 40GB", "A100 SXM 80GB", "A100 PCIe 80GB"] {
        near(tflops(name, path("bf16_f32")), 312.0, 0.003);
        near(tflops(name, path("bf16_f32").sparse()), 624.0, 0.003);
    }
}

/// Source: torchtitan issue 668, which took the tf32 row for bf16.
#[test]
fn the_row_of_another_dtype_is_never_taken_known_error_3() {
    near(tflops("H100 SXM", path("tf32_f32")), 494.5, 0.003);
    near(tflops("H100 SXM", path("bf16_f32")), 989.4, 0.003);
    // A pair that no source gives is not answered by its neighbour.
    assert_eq!(part("H100 SXM").spec_peak(path("bf16_f16")), None);
    assert!(MathPath::parse_dense("bf16").is_err());
}

/// Sources: nanoGPT pull request 464 (104 % MFU on an H100 with an A100's peak), nanochat pull request
/// 147, LLMs-from-scratch issue 482 (`PCIe` against SXM).
#[test]
fn an_unknown_gpu_has_no_peak_at_all_known_error_4() {
    let catalogue = Catalogue::built_in();
    let error = catalogue.find_name("NVIDIA H999").unwrap_err();
    assert_eq!(error.kind(), HardwareErrorKind::UnknownDevice);
    let error = catalogue.find_name("H100").unwrap_err();
    assert_eq!(error.kind(), HardwareErrorKind::AmbiguousDevice);
    // 104 % of an A100 is a third of an H100.
    near(1.04 * 312.0 / tflops("H100 SXM", path("bf16_f32")), 0.328, 0.003);
    near(tflops("H100 PCIe", path("bf16_f32")), 756.5, 0.003);
}

/// Sources: nanochat issue 60; hmc-tech.com for the 4090.
#[test]
fn geforce_parts_sum_in_f32_at_half_the_rate_known_error_5() {
    for (name, f32, f16) in
        [("RTX 3090", 71.0, 142.0), ("RTX 4090", 165.2, 330.3), ("RTX 5090", 209.5, 419.0)]
    {
        near(tflops(name, path("f16_f32")), f32, 0.003);
        near(tflops(name, path("f16_f16")), f16, 0.003);
        // bf16 is summed in f32 alone.
        near(tflops(name, path("bf16_f32")), f32, 0.003);
        assert_eq!(part(name).spec_peak(path("bf16_f16")), None);
    }
    // A Q4 file on a 4090 is multiplied as int8 (ggml-org/llama.cpp pull requests 7676 and 7860).
    near(tflops("RTX 4090", path("int8_int32")), 660.6, 0.003);
    near(tflops("RTX 4090", path("fp8_f16")) / tflops("RTX 4090", path("fp8_f32")), 2.0, 0.003);
}

/// Sources: `GenZ` unit.py (2^30), Vidur (2^40 FLOP/s); torchcomms pull requests 140 to 142.
#[test]
fn a_gigabyte_is_no_gibibyte_known_error_14() {
    // By hand: 3.35 TiB/s would be 3.35 x 2^40 = 3.683e12 B/s, 10 % above 3.35 TB/s.
    let h100 = part("H100 SXM").bandwidth.value().unwrap();
    assert_eq!(h100, BytesPerSecond::from_gb_per_s(3350.0).unwrap());
    near(3.35 * 1_099_511_627_776.0 / h100.get(), 1.0995, 1e-4);
    // H200: "141 GB" are 143,771 MiB = 150.75e9 B = 140.4 GiB.
    let h200 = part("H200 SXM").memory.value().unwrap();
    near(h200.get(), 150.755e9, 1e-4);
    near(h200.get() / Bytes::from_gib(1.0).unwrap().get(), 140.4, 1e-3);
}

/// Sources: ggml-org/llama.cpp issue 28196; ashalliants/ninfer-3090 pull request 72.
#[test]
fn bandwidth_is_that_of_the_sku_and_of_its_clock_known_error_24() {
    let gb_per_s = |name: &str| part(name).bandwidth().unwrap().high().get() / 1e9;
    near(gb_per_s("RTX PRO 6000 Blackwell Server"), 1597.6, 1e-3);
    near(gb_per_s("RTX PRO 6000 Blackwell Workstation"), 1792.1, 1e-3);
    near(gb_per_s("A100 PCIe 80GB"), 1935.4, 1e-3);
    near(gb_per_s("A100 SXM 80GB"), 2039.0, 1e-3);
    // LLM-Viewer gives an H100 SXM 3072 GB/s, llmfit one without "SXM" in its name 2039.
    near(gb_per_s("H100 SXM"), 3352.3, 1e-3);
}

/// Sources: notes in stas00/ml-engineering; `InferSim`'s 13,400 GB/s for a GB200 that has 8,000.
#[test]
fn an_entry_is_one_device_and_a_link_one_direction_known_error_25() {
    let mi250x = part("MI250X (one die)");
    near(mi250x.devices_per_board.value().unwrap().get(), 2.0, 0.0);
    // The board is sold for 383 TFLOP/s, 3277 GB/s and 128 GB.
    near(2.0 * tflops("MI250X (one die)", path("bf16_f32")), 383.0, 0.003);
    near(2.0 * mi250x.bandwidth().unwrap().low().get(), 3277e9, 0.003);
    near(2.0 * mi250x.memory.value().unwrap().get(), Bytes::from_gib(128.0).unwrap().get(), 1e-9);

    assert!(part("GB200").bandwidth().unwrap().high().get() < 8.2e12);
    // NVLink's "900 GB/s" of an H100 are both directions.
    near(part("H100 SXM").link.value().unwrap().get(), 450e9, 0.0);
}
