//! Ceilings side by side, and what a clock does to them.

use trueline_roofline::{Catalogue, ClockRange, Hardware, LiveClocks, MathPath, Megahertz, Tag};

fn part(name: &str) -> &'static Hardware {
    Catalogue::built_in().get(name).unwrap()
}

fn bf16() -> MathPath {
    MathPath::parse_dense("bf16_f32").unwrap()
}

fn mhz(clock: f64) -> Megahertz {
    Megahertz::new(clock).unwrap()
}

fn near(got: f64, expected: f64) {
    assert!((got / expected - 1.0).abs() < 1e-3, "{got} is not {expected}");
}

#[test]
fn a_third_of_the_clock_is_a_third_of_the_compute_and_all_of_the_memory() {
    // By hand: 132 x 4096 x 660e6 = 356.8e12; ridge 989.4/3.35 = 295 and 356.8/3.35 = 107 FLOP/B.
    let ceilings = part("H100 SXM").ceilings(&LiveClocks::default().with_processor(mhz(660.0)));
    let live = ceilings.live.unwrap();
    near(live.peak(bf16()).unwrap().high().get(), 356.8e12);
    assert_eq!(live.memory, ceilings.spec.memory);
    let bandwidth = live.memory.unwrap().low().get();
    near(live.compute[&bf16()].low().get() / bandwidth, 106.5);
    near(ceilings.spec.compute[&bf16()].low().get() / bandwidth, 295.3);
}

#[test]
fn the_memory_clock_scales_bandwidth_and_nothing_else() {
    let clocks = LiveClocks::default().with_memory(mhz(9501.0));
    let ceilings = part("RTX 3090").ceilings(&clocks);
    let live = ceilings.live.unwrap();
    near(live.memory.unwrap().high().get(), 912.096e9);
    assert_eq!(live.compute, ceilings.spec.compute);
}

#[test]
fn an_overclocked_memory_raises_what_a_board_reaches_at_most() {
    // NVIDIA/open-gpu-kernel-modules issue 1266: an RTX 5090 whose memory runs at 15,001 MHz. By hand:
    // 15001e6 x 2 x 64 B = 1920.1e9, above the published 1792.
    let ceilings = part("RTX 5090").ceilings(&LiveClocks::default().with_memory(mhz(15_001.0)));
    near(ceilings.most.memory.unwrap().high().get(), 1920.1e9);
    near(ceilings.spec.memory.unwrap().high().get(), 1792.1e9);
}

#[test]
fn a_range_of_clocks_is_a_range_of_rates() {
    let range = ClockRange::new(mhz(1650.0), mhz(1500.0));
    let live = part("RTX 3090").ceilings(&LiveClocks::default().with_processor_range(range));
    let peak = live.live.unwrap().compute[&bf16()].clone();
    // By hand: 82 x 512 x 1500e6 = 62.976e12 and x 1650e6 = 69.27e12.
    near(peak.low().get(), 62.976e12);
    near(peak.high().get(), 69.274e12);
    assert!(peak.basis().iter().any(|basis| basis.tag == Tag::Measured));
}

#[test]
fn without_a_live_clock_there_is_no_live_ceiling() {
    let ceilings = part("L4").ceilings(&LiveClocks::default());
    assert!(ceilings.live.is_none());
    assert!(ceilings.measured.is_none());
}

#[test]
fn a_genuine_run_may_exceed_the_datasheet_but_not_the_highest_clock() {
    // By hand: 132 x 4096 x 1980e6 = 1070.53e12, 8.2 % above the published 989.4.
    let ceilings = part("H100 SXM").ceilings(&LiveClocks::default());
    let (spec, most) = (&ceilings.spec.compute[&bf16()], &ceilings.most.compute[&bf16()]);
    near(most.high().get() / spec.high().get(), 1.082);
    assert!(most.convicts());
}

#[test]
fn a_clock_at_zero_is_a_rate_of_zero() {
    let live = part("H100 SXM").ceilings(&LiveClocks::default().with_processor(mhz(0.0)));
    assert!(live.live.unwrap().compute[&bf16()].high().get().abs() < f64::EPSILON);
}

#[test]
fn a_highest_clock_that_nobody_verified_convicts_nobody() {
    // The published rate of an H100 PCIe is verified, its 1755 MHz are not.
    let pcie = part("H100 PCIe");
    assert!(pcie.spec_peak(bf16()).unwrap().convicts());
    assert!(!pcie.peak(bf16()).unwrap().convicts());
    for name in [
        "A100 40GB",
        "A100 SXM 80GB",
        "L4",
        "L40S",
        "H100 SXM",
        "H200 SXM",
        "B200 SXM",
        "GB200",
        "RTX PRO 6000 Blackwell Server",
        "RTX 3090",
        "RTX 4090",
        "RTX 5090",
        "MI300X",
        "M2 Ultra 76c",
    ] {
        assert!(part(name).peak(bf16()).unwrap().convicts(), "{name}");
    }
}

#[test]
fn a_part_known_from_memory_alone_never_convicts() {
    for name in ["H100 NVL", "A40", "DGX Spark GB10", "Ryzen AI Max+ 395"] {
        assert!(!part(name).peak(bf16()).unwrap().convicts(), "{name}");
    }
    // Its bandwidth may: the two are apart.
    assert!(part("DGX Spark GB10").bandwidth().unwrap().convicts());
    // Two ratios are thinkable for its bf16; both are inside.
    let gb10 = part("DGX Spark GB10").spec_peak(bf16()).unwrap();
    near(gb10.low().get(), 61.9e12);
    near(gb10.high().get(), 123.9e12);
}

#[test]
fn ceilings_are_written_as_json_with_their_basis() {
    let ceilings = part("H200 SXM").ceilings(&LiveClocks::default().with_processor(mhz(1500.0)));
    let json = serde_json::to_value(&ceilings).unwrap();
    let bf16 = &json["spec"]["compute_flop_per_s"]["bf16_f32_dense"];
    assert_eq!(bf16["strength"], "convicts");
    assert!(bf16["basis"][0]["source"].as_str().unwrap().contains("ml-engineering"), "{bf16}");
    assert!(json["most"]["compute_flop_per_s"]["bf16_f32_sparse"]["high"].as_f64().unwrap() > 2e15);
}
