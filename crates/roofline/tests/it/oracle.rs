//! A second way to the same numbers: walking every query-key pair, every weight and every expert draw.

use proptest::prelude::*;
use trueline_core::Tokens;
use trueline_roofline::{
    Experts, LayerShape, LogitRows, ModelShape, Parallel, Part, Prefix, Reach, Roof, Routing,
    Speculation, Workload, estimate_roof,
};

use crate::bound_table::{decode, limits, mixed, prefill};
use crate::shapes::{BF16, bits, grouped, paths};

/// A model small enough to walk.
#[derive(Debug, Clone, Copy)]
struct Small {
    layers: u64,
    hidden: u64,
    heads: u64,
    kv_heads: u64,
    dim: u64,
    window: Option<u64>,
    experts: u64,
    per_token: u64,
    width: u64,
}

impl Small {
    fn shape(self) -> ModelShape {
        let reach = self.window.map_or(Reach::All, |w| Reach::AtMost(Tokens::new(w)));
        let attention = 2 * self.hidden * self.dim * (self.heads + self.kv_heads);
        let layer = LayerShape::new(
            "small",
            self.layers,
            grouped(self.heads, self.kv_heads, self.dim, reach),
        )
        .with_linear(BF16.matmul(attention))
        .with_experts(Experts::new(
            Routing::new(self.experts, self.per_token),
            BF16.matmul(3 * self.hidden * self.width),
        ));
        let head = BF16.matmul(self.hidden * 10);
        ModelShape::new(vec![layer], head, bits(16.0), paths(&["bf16_f32"]))
    }

    /// Multiply-adds of the attention core, one at a time, for queries at these positions.
    fn core_flops(self, positions: std::ops::Range<u64>) -> u64 {
        let mut flops = 0;
        for _layer in 0..self.layers {
            for query in positions.clone() {
                for key in 0..=query {
                    if self.window.is_none_or(|window| query - key < window) {
                        for _head in 0..self.heads {
                            // One product for the score and one for the sum, in each of `dim` places.
                            flops += 2 * self.dim + 2 * self.dim;
                        }
                    }
                }
            }
        }
        flops
    }

    /// Bytes of keys and values that one query at a position reads.
    fn kv_read(self, position: u64) -> u64 {
        let keys =
            (0..=position).filter(|key| self.window.is_none_or(|window| position - key < window));
        u64::try_from(keys.count()).unwrap() * self.layers * self.kv_heads * self.dim * 2 * 2
    }

    /// The mean number of distinct experts over every way in which `tokens` tokens can draw.
    fn experts_read(self, tokens: u64) -> f64 {
        let draws: Vec<u32> = (0..1_u32 << self.experts)
            .filter(|s| u64::from(s.count_ones()) == self.per_token)
            .collect();
        let mut unions = vec![0_u32];
        for _ in 0..tokens {
            unions = unions.iter().flat_map(|u| draws.iter().map(move |d| u | d)).collect();
        }
        let sum: u32 = unions.iter().map(|union| union.count_ones()).sum();
        f64::from(sum) / f64::from(u32::try_from(unions.len()).unwrap())
    }
}

fn small() -> impl Strategy<Value = Small> {
    (1_u64..3, 1_u64..5, 1_u64..4, 1_u64..3, 1_u64..4, any::<bool>(), 1_u64..6, 1_u64..5, 1_u64..4)
        .prop_map(|(layers, hidden, kv_heads, group, dim, window, experts, k, width)| Small {
            layers,
            hidden,
            heads: kv_heads * group,
            kv_heads,
            dim,
            window: window.then_some(k),
            experts,
            per_token: experts.min(k),
            width,
        })
}

fn walked(small: Small, workload: &Workload) -> Roof {
    estimate_roof(&small.shape(), workload, &limits("H100 SXM")).unwrap()
}

fn float(n: u64) -> f64 {
    f64::from(u32::try_from(n).unwrap())
}

fn same(got: f64, expected: f64) -> Result<(), TestCaseError> {
    prop_assert!((got - expected).abs() <= 1e-9 * expected.abs().max(1.0), "{got} {expected}");
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_prefill_computes_what_walking_every_pair_counts(
        small in small(), new in 1_u64..20, cached in 0_u64..20,
    ) {
        let roof = walked(small, &prefill(new, cached));
        let part = |part| roof.parts.iter().find(|p| p.part == part).unwrap();
        same(part(Part::Attention).flops.get(), float(small.core_flops(cached..cached + new)))?;
        let attention = 2 * small.hidden * small.dim * (small.heads + small.kv_heads);
        let linear = float(2 * new * small.layers * attention);
        same(part(Part::Linear).flops.get(), linear)?;
        let expert = 3 * small.hidden * small.width;
        let experts = float(2 * new * small.layers * small.per_token * expert);
        same(part(Part::Experts).flops.get(), experts)?;
        // One row of logits, whatever the prompt.
        same(part(Part::Head).flops.get(), float(2 * small.hidden * 10))?;
    }

    #[test]
    fn a_decode_step_reads_what_walking_every_key_and_draw_counts(
        small in small(), batch in 1_u64..4, context in 1_u64..30,
    ) {
        let roof = walked(small, &decode(batch, context));
        let part = |part| roof.parts.iter().find(|p| p.part == part).unwrap();
        let core = batch * small.core_flops(context - 1..context);
        same(part(Part::Attention).flops.get(), float(core))?;
        // Each sequence writes its new key and value as well.
        let written = small.layers * small.kv_heads * small.dim * 2 * 2;
        let bytes = batch * (small.kv_read(context - 1) + written);
        same(part(Part::Attention).bytes.get(), float(bytes))?;
        let expert = float(small.layers * 3 * small.hidden * small.width * 2);
        same(part(Part::Experts).bytes.get(), expert * small.experts_read(batch))?;
    }

    #[test]
    fn a_mixed_request_is_its_prompt_and_each_of_its_steps(
        small in small(), new in 1_u64..12, cached in 0_u64..12, osl in 1_u64..12,
    ) {
        let isl = cached + new;
        let workload = mixed([isl, cached, osl], Some(1), Speculation::None, Prefix::Own);
        let roof = walked(small, &workload);
        let core = roof.parts.iter().find(|p| p.part == Part::Attention).unwrap();
        // The prompt gives the first token; each further one is a step at its own position.
        let positions = cached..isl + osl - 1;
        same(core.flops.get(), float(small.core_flops(positions.clone())))?;
        let written = (new + osl - 1) * small.layers * small.kv_heads * small.dim * 2 * 2;
        let steps: u64 = (isl..isl + osl - 1).map(|position| small.kv_read(position)).sum();
        let before = if cached > 0 { small.kv_read(cached - 1) } else { 0 };
        same(core.bytes.get(), float(before + steps + written))?;
    }

    #[test]
    fn drafts_that_are_all_accepted_compute_each_token_once_in_fewer_passes(
        small in small(), isl in 1_u64..12, drafted in 1_u32..4, passes in 1_u64..4,
    ) {
        let osl = 1 + passes * (u64::from(drafted) + 1);
        let of = |speculation| walked(small, &mixed([isl, 0, osl], Some(1), speculation, Prefix::Own));
        let (plain, quick) = (of(Speculation::None), of(Speculation::Drafted(drafted)));
        let part = |roof: &Roof, part| {
            let found = roof.parts.iter().find(|p| p.part == part).unwrap();
            (found.flops.get(), found.bytes.get())
        };
        for which in [Part::Linear, Part::Attention, Part::Head] {
            same(part(&quick, which).0, part(&plain, which).0)?;
        }
        // One pass for the prompt, and one for each group of tokens; each reads the head once.
        let reads = (float(passes) + 1.0) / float(osl);
        same(part(&quick, Part::Head).1, part(&plain, Part::Head).1 * reads)?;
    }

    #[test]
    fn no_model_bound_is_above_the_strict_one(
        small in small(),
        batch in 1_u64..200,
        context in 1_u64..5000,
        cached in 0_u64..5000,
        scale in 1_u64..2000,
        which in 0_u8..3,
        split in (1_u32..5, 1_u32..4, 1_u32..5),
        speculation in prop::sample::select(vec![Speculation::None, Speculation::Drafted(3)]),
        device in prop::sample::select(vec!["H100 SXM", "RTX 4090", "M2 Ultra 76c", "MI300X", "A40"]),
    ) {
        let small = Small { hidden: small.hidden * scale, width: small.width * scale, ..small };
        let workload = match which {
            0 => decode(batch, context),
            1 => mixed([context + cached, cached, batch], None, speculation, Prefix::Unknown),
            _ => Workload::Prefill {
                new: Tokens::new(context),
                cached: Tokens::new(cached),
                batch,
                logits: LogitRows::Last,
                prefix: Prefix::Unknown,
            },
        };
        let parallel = Parallel::new(split.0, split.1, split.2).unwrap();
        let shape = small.shape().with_hidden(small.hidden);
        let roof = estimate_roof(&shape, &workload, &limits(device).with_parallel(parallel)).unwrap();
        // No link is known of that one, and so no model bound over several.
        let Some(model) = roof.model else {
            prop_assert!(device == "M2 Ultra 76c" && parallel.devices() > 1);
            return Ok(());
        };
        prop_assert!(model.low() <= model.high());
        prop_assert!(model.high().get() <= roof.strict.high().get() * (1.0 + 1e-9), "{model} {}", roof.strict);
    }
}
