//! The worked examples of the project's notes on roofline modelling, section 2.9, from config to rates.
//!
//! One H100 SXM at 132 x 4096 x 1830 MHz and 3.35 TB/s, context 4096, bf16 keys and values, expected experts.
//! The notes take one maximum over the sums of all parts, so that is what is compared here; the model bound
//! adds up a maximum for each part and may only be lower.

use trueline_roofline::{
    Arithmetic, Model, Part, Role, Roof, RuntimePlan, Scales, Stored, Workload, estimate_roof,
};

use crate::bound_table::{decode, limits, prefill};
use crate::corpus::configs;
use crate::sizes;

/// Half a unit of the last digit that the notes print, where that is more than 0.3 %.
const TOLERANCE: f64 = 0.003;

struct Row {
    file: &'static str,
    /// The same sizes in the tree.
    own: Option<&'static str>,
    fp8: bool,
    total: u64,
    active: u64,
    kv: f64,
    /// GFLOP a prompt token at 4096, and the attention core's part of it.
    gflop: Option<(f64, f64)>,
    streamed_gb: f64,
    decode: Option<[f64; 3]>,
    prefill: Option<f64>,
}

const ROWS: [Row; 13] = [
    row("meta-llama--Meta-Llama-3.1-8B", Some(sizes::LLAMA_8B), 8_030_261_248, 7_504_658_432)
        .kv(131_072.0)
        .work(15.03, 1.07, 15.01)
        .rates([215.5, 3330.0, 5121.0], 65_816.0),
    row("meta-llama--Meta-Llama-3.1-70B", Some(sizes::LLAMA_70B), 70_553_706_496, 69_501_714_432)
        .kv(327_680.0)
        .work(142.3, 5.37, 139.0)
        .rates([23.9, 589.0, 1380.0], 6954.0),
    row("meta-llama--Meta-Llama-3.1-70B", Some(sizes::LLAMA_70B), 70_553_706_496, 69_501_714_432)
        .fp8()
        .kv(327_680.0)
        .work(142.3, 5.37, 70.6)
        .rates([46.6, 944.0, 1769.0], 13_404.0),
    row("Qwen--Qwen2.5-7B-Instruct", Some(sizes::QWEN25_7B), 7_615_616_512, 7_070_285_824)
        .kv(57_344.0)
        .work(13.87, 0.82, 14.1)
        .rates([233.0, 4950.0, 9700.0], 71_318.0),
    row("Qwen--Qwen3-30B-A3B", Some(sizes::QWEN3_30B), 30_532_122_624, 3_041_656_832)
        .kv(98_304.0)
        .work(7.07, 1.61, 6.08)
        .rates([516.0, 1625.0, 3830.0], 139_901.0),
    row("Qwen--Qwen3-Next-80B-A3B", Some(sizes::QWEN3_NEXT), 79_674_391_296, 3_562_373_120)
        .kv(24_576.0)
        .work(6.91, 0.40, 7.12)
        .rates([454.0, 1267.0, 2395.0], 143_281.0),
    row("mistralai--Mixtral-8x7B-v0.1", Some(sizes::MIXTRAL), 46_702_792_704, 12_748_587_008)
        .kv(131_072.0)
        .work(26.31, 1.07, 25.5)
        .rates([129.0, 972.0, 2649.0], 37_607.0),
    row("deepseek-ai--DeepSeek-V3", Some(sizes::DEEPSEEK_V3), 671_026_419_200, 36_624_596_992)
        .fp8()
        .kv(70_272.0)
        .work(81.6, 10.2, 37.6)
        .rates([88.5, 242.0, 616.0], 21_541.0),
    row("google--gemma-3-27b-it.text", Some(sizes::GEMMA3_27B), 27_009_346_304, 27_007_991_808)
        .kv(81_920.0 + 425_984.0)
        .work(52.30, 1.10, 54.0)
        .rates([61.1, 1362.0, 2806.0], 18_919.0),
    row("openai--gpt-oss-120b", Some(sizes::GPT_OSS_120B), 116_829_156_672, 5_131_100_160)
        .kv(73_728.0)
        .work(9.75, 0.64, 5.00)
        .rates([650.0, 2284.0, 5173.0], 101_524.0),
    row("zai-org--GLM-4.5", Some(sizes::GLM_45), 352_797_829_024, 32_854_016_000)
        .kv(376_832.0)
        .work(73.4, 9.3, 65.7)
        .rates([49.8, 172.0, 476.0], 13_476.0),
    row("zai-org--GLM-4.5-Air", Some(sizes::GLM_45_AIR), 106_852_251_264, 12_802_326_528)
        .kv(188_416.0)
        .work(29.0, 4.6, 25.6)
        .rates([127.0, 506.0, 1378.0], 34_123.0),
    // The notes reckon its rates as if attention were dense; it is sparse.
    row("zai-org--GLM-5", Some(sizes::GLM_5), 743_911_218_432, 40_830_000_000)
        .fp8()
        .kv(89_856.0)
        .streamed(41.8),
];

const fn row(file: &'static str, own: Option<&'static str>, total: u64, active: u64) -> Row {
    Row {
        file,
        own,
        fp8: false,
        total,
        active,
        kv: 0.0,
        gflop: None,
        streamed_gb: 0.0,
        decode: None,
        prefill: None,
    }
}

impl Row {
    const fn fp8(mut self) -> Self {
        self.fp8 = true;
        self
    }

    const fn kv(mut self, bytes: f64) -> Self {
        self.kv = bytes;
        self
    }

    const fn work(mut self, gflop: f64, attention: f64, streamed_gb: f64) -> Self {
        self.gflop = Some((gflop, attention));
        self.streamed(streamed_gb)
    }

    const fn streamed(mut self, gb: f64) -> Self {
        self.streamed_gb = gb;
        self
    }

    const fn rates(mut self, decode: [f64; 3], prefill: f64) -> Self {
        self.decode = Some(decode);
        self.prefill = Some(prefill);
        self
    }

    fn plan(&self) -> RuntimePlan {
        let plan = RuntimePlan::default().with_kv(Stored::Bf16);
        if !self.fp8 {
            return plan.with_arithmetic(Arithmetic::SixteenBit);
        }
        let plan = plan.with_all_weights(Stored::Fp8(Scales::None));
        plan.with_weights(Role::Head, Stored::Bf16).with_arithmetic(Arithmetic::AsStored)
    }

    /// Operations a second of a part: fp8 twice bf16, the core and the head in bf16.
    fn rate(&self, part: Part) -> f64 {
        let bf16 = 132.0 * 4096.0 * 1830e6;
        let eight = self.fp8 && matches!(part, Part::Linear | Part::Experts);
        if eight { 2.0 * bf16 } else { bf16 }
    }

    /// Seconds of arithmetic; recurrences are not in the notes' sums.
    fn compute_s(&self, roof: &Roof) -> f64 {
        let counted = roof.parts.iter().filter(|p| p.part != Part::State);
        counted.map(|p| p.flops.get() / self.rate(p.part)).sum()
    }

    /// Seconds of one maximum over the sums.
    fn seconds(&self, roof: &Roof) -> f64 {
        let memory: f64 = roof.parts.iter().map(|p| p.bytes.get() / 3.35e12).sum();
        self.compute_s(roof).max(memory)
    }

    fn check(&self, model: &Model) -> Vec<String> {
        let mut off = Vec::new();
        let mut near = |what: &str, got: f64, notes: f64, tolerance: f64| {
            if (got / notes - 1.0).abs() > tolerance {
                off.push(format!("{} {what}: {got} for {notes}", self.file));
            }
        };
        assert_eq!(model.totals().text.get(), self.total, "{}", self.file);
        let active = model.active().unwrap().total().as_f64();
        #[expect(clippy::cast_precision_loss, reason = "below 2^53")]
        let (noted, exact) = (self.active as f64, self.gflop.is_some());
        near("active", active, noted, if exact { 1e-12 } else { TOLERANCE });
        near("kv", model.kv_per_token(Stored::Bf16).get(), self.kv, 1e-12);

        let shape = self.plan().shape(model).unwrap();
        let limits = limits("H100 SXM");
        let roof = |workload: &Workload| estimate_roof(&shape, workload, &limits).unwrap();
        let one = roof(&decode(1, 4096));
        let weights = one.parts.iter().filter(|p| !matches!(p.part, Part::Attention | Part::State));
        near(
            "streamed",
            weights.map(|p| p.bytes.get()).sum::<f64>() / 1e9,
            self.streamed_gb,
            0.004,
        );
        let prompt = roof(&prefill(4096, 0));
        if let Some((gflop, attention)) = self.gflop {
            let sum = |of: &dyn Fn(Part) -> bool| {
                let parts = prompt.parts.iter().filter(|p| of(p.part));
                parts.map(|p| p.flops.get()).sum::<f64>() / 4096.0 / 1e9
            };
            near("GFLOP", sum(&|p| p != Part::State), gflop, TOLERANCE);
            near("attention GFLOP", sum(&|p| p == Part::Attention), attention, 0.015);
        }
        for (batch, noted) in [1, 32, 128].into_iter().zip(self.decode.iter().flatten()) {
            let roof = roof(&decode(batch, 4096));
            let rate = f64::from(u32::try_from(batch).unwrap()) / self.seconds(&roof);
            near(&format!("decode at {batch}"), rate, *noted, TOLERANCE + 0.5 / noted);
            assert!(roof.model.unwrap().high().get() <= rate * 1.001, "{} {batch}", self.file);
            assert!(roof.strict.high().get() >= rate, "{} {batch}", self.file);
        }
        if let Some(noted) = self.prefill {
            // The notes' column is arithmetic alone. One prompt of 4096 reads nearly all experts, which for
            // DeepSeek-V3 and Qwen3-Next takes longer than to multiply them.
            near("prefill", 4096.0 / self.compute_s(&prompt), noted, TOLERANCE);
            assert!(prompt.strict.high().get() >= noted, "{}", self.file);
        }
        off
    }
}

fn all_agree(models: impl Iterator<Item = (&'static Row, Model)>) {
    let off: Vec<String> = models.flat_map(|(row, model)| row.check(&model)).collect();
    assert!(off.is_empty(), "{off:#?}");
}

static TABLE: &[Row] = &ROWS;

#[test]
fn sizes_in_the_tree_give_every_row_of_the_notes() {
    all_agree(TABLE.iter().filter_map(|row| Some((row, sizes::model(row.own?)))));
}

#[test]
fn real_configs_give_every_row_of_the_notes() {
    let Some(folder) = configs() else { return };
    all_agree(TABLE.iter().map(|row| {
        let text = std::fs::read_to_string(folder.join(format!("{}.json", row.file))).unwrap();
        (row, Model::from_hf_config(&text).unwrap())
    }));
}
