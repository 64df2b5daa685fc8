//! What holds for any claim: a verdict that the bounds bear out, and causes that make it fit.

use proptest::prelude::*;
use trueline_core::{Tokens, TokensPerSecond};
use trueline_roofline::{
    Limits, LogitRows, ModelShape, Parallel, Prefix, RuntimePlan, Setup, Speculation, Verdict,
    Workload, estimate_roof, judge_claim,
};

use crate::bound_table::{limits, mixed};
use crate::sizes::{self, model};

fn workload() -> impl Strategy<Value = Workload> {
    let speculation = prop_oneof![
        Just(Speculation::None),
        Just(Speculation::Unknown),
        (1_u32..6).prop_map(Speculation::Drafted),
    ];
    let prefix = prop::sample::select(vec![Prefix::Own, Prefix::Shared, Prefix::Unknown]);
    let length = 1_u64..40_000;
    (0_u8..3, length.clone(), length, 1_u64..300, speculation, prefix, any::<bool>()).prop_map(
        |(which, a, b, batch, speculation, prefix, known)| match which {
            0 => Workload::Prefill {
                new: Tokens::new(a),
                cached: Tokens::new(b),
                batch,
                logits: if known { LogitRows::Last } else { LogitRows::All },
                prefix,
            },
            1 => Workload::Decode { batch, context: Tokens::new(a), speculation, prefix },
            _ => {
                let cached = if known { 0 } else { b };
                mixed([a + cached, cached, b], known.then_some(batch), speculation, prefix)
            }
        },
    )
}

fn setting() -> impl Strategy<Value = (ModelShape, Limits)> {
    let configs =
        vec![sizes::LLAMA_8B, sizes::GPT_OSS_120B, sizes::DEEPSEEK_V32, sizes::QWEN3_NEXT];
    let parts = vec!["H100 SXM", "RTX 4090", "DGX Spark GB10", "M2 Ultra 76c", "H20", "V100 PCIe"];
    let over = (1_u32..3, 1_u32..3, 1_u32..3);
    (prop::sample::select(configs), prop::sample::select(parts), over).prop_map(
        |(config, part, (tensor, pipeline, expert))| {
            let shape = RuntimePlan::default().shape(&model(config)).unwrap();
            (shape, limits(part).with_parallel(Parallel::new(tensor, pipeline, expert).unwrap()))
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn a_verdict_is_what_the_bounds_bear_out(
        (shape, limits) in setting(), workload in workload(), exponent in -3.0_f64..9.0,
    ) {
        let claim = TokensPerSecond::new(10.0_f64.powf(exponent)).unwrap();
        let roof = estimate_roof(&shape, &workload, &limits).unwrap();
        let verdict = judge_claim(claim, Setup::new(&shape, &workload, &limits), &roof);
        let strict = roof.strict.high().get();
        match &verdict {
            Verdict::Impossible { factor, causes } => {
                prop_assert!(factor.get() > 1.01);
                let above = roof.impossible_above.map_or(0.0, TokensPerSecond::get);
                prop_assert!(claim.get() > 1.01 * above);
                let order: Vec<bool> = causes.iter().map(|cause| !cause.exact).collect();
                prop_assert!(order.is_sorted(), "{causes:?}");
                for cause in causes {
                    prop_assert!(cause.fit.get() <= 1.01 + 1e-9, "{cause:?}");
                    prop_assert!((cause.fit.get() * cause.ceiling.get() / claim.get() - 1.0).abs() < 1e-9);
                    prop_assert!(!cause.to_string().is_empty());
                }
            }
            Verdict::Undecidable { missing } => {
                prop_assert!(claim.get() > strict && !missing.is_empty(), "{verdict:?} {:?}", roof.strict);
            }
            Verdict::NotExcluded { efficiency } | Verdict::FarBelow { efficiency } => {
                prop_assert!(efficiency.of_strict.get() <= 1.01 + 1e-9);
            }
            other => prop_assert!(false, "{other:?}"),
        }
        let json = serde_json::to_string(&verdict).unwrap();
        prop_assert!(json.starts_with("{\"verdict\":\""), "{json}");
    }
}
