//! What the server's cache makes of each experiment.

use std::collections::BTreeMap;

use proptest::prelude::*;
use trueline_core::{Share, Tokens};
use trueline_probe::{Experiment, Prefix, Purpose, Ruler, Sweep, Versus, Workload, count_words};
use trueline_sim::{Engine, LedgerEntry, ModelConfig};

use crate::engine::{NO_TEMPLATE, Template, serve_alone};

/// Tokens of a block of the simulated cache.
const BLOCK: u64 = 16;

/// Serves an experiment on a new engine, learning the ruler from the warm-up, and gives what was measured,
/// by part.
fn measured(
    experiment: &Experiment,
    template: &Template,
) -> BTreeMap<Option<String>, Vec<LedgerEntry>> {
    let mut engine = Engine::new(ModelConfig::default()).unwrap();
    let (mut ruler, mut sent) = (Ruler::default(), 0);
    let mut parts = BTreeMap::<_, Vec<LedgerEntry>>::new();
    for stage in &experiment.stages {
        let mut counted = Vec::new();
        for asking in stage.askings(&ruler, sent) {
            assert_eq!(asking.number, sent);
            assert_eq!(asking.warmup, stage.purpose != Purpose::Measured);
            let entry = serve_alone(&mut engine, &asking, template);
            counted.push((count_words(&asking.prompt), entry.prompt));
            if !asking.warmup {
                parts.entry(asking.part).or_default().push(entry);
            }
            sent += 1;
        }
        if stage.purpose == Purpose::WarmUp {
            ruler = Ruler::learn(&counted).unwrap();
        }
    }
    parts
}

fn workload(prompt: u64, requests: u64) -> Workload {
    Workload::new(Tokens::new(prompt), Tokens::new(2), 1).with_requests(requests)
}

#[test]
fn nothing_of_a_cold_prompt_is_cached() {
    let experiment = Prefix::Cold.experiment(&workload(300, 200)).unwrap();
    let parts = measured(&experiment, &NO_TEMPLATE);
    let cold = parts.get(&None).unwrap();
    assert_eq!(cold.len(), 200);
    assert!(cold.iter().all(|entry| entry.cached.get() == 0 && entry.prompt.get() == 300));
    assert!(experiment.cold);
}

/// The benchmark of the first origin story: three cold prefills, the best one taken.
#[test]
fn the_naive_benchmark_is_a_cold_experiment_of_three_requests() {
    let naive =
        Workload::new(Tokens::new(24_750), Tokens::new(1), 1).with_requests(3).with_warmup(0);
    let experiment = Prefix::Cold.experiment(&naive).unwrap();
    assert_eq!(experiment.stages.len(), 1);
    let parts = measured(&experiment, &NO_TEMPLATE);
    let sent = parts.get(&None).unwrap();
    let counts = |entry: &LedgerEntry| (entry.prompt.get(), entry.cached.get(), entry.output.get());
    assert_eq!(sent.iter().map(counts).collect::<Vec<_>>(), [(24_750, 0, 1); 3]);
}

#[test]
fn the_warm_part_hits_its_prefix_and_the_control_part_nothing() {
    let experiment = Prefix::Warm.experiment(&workload(1_000, 41)).unwrap();
    let parts = measured(&experiment, &NO_TEMPLATE);
    let part = |name: &str| parts.get(&Some(name.to_owned())).unwrap();
    // 41 requests are 21 whole pairs.
    assert_eq!((part("warm").len(), part("control").len(), parts.len()), (21, 21, 2));
    for warm in part("warm") {
        assert!((900 - BLOCK..=900).contains(&warm.cached.get()), "{warm:?}");
    }
    for (warm, control) in part("warm").iter().zip(part("control")) {
        assert_eq!((control.cached.get(), control.prompt), (0, warm.prompt));
    }
}

#[test]
fn warm_and_control_come_in_random_order_pair_by_pair() {
    let experiment = Prefix::Warm.experiment(&workload(20, 400)).unwrap();
    let stage = experiment.measured().next().unwrap();
    let parts: Vec<String> =
        stage.askings(&Ruler::default(), 0).filter_map(|asking| asking.part).collect();
    assert_eq!(parts.len(), 400);
    assert!(parts.chunks(2).all(|pair| pair.first() != pair.get(1)));
    let warm_first = parts.chunks(2).filter(|pair| pair[0] == "warm").count();
    // Binomial, n = 200, p = 1/2: 100 and five times 7.1.
    assert!(warm_first.abs_diff(100) < 36, "{warm_first}");
}

#[test]
fn each_rung_of_the_ladder_hits_its_share_within_a_block() {
    let ladder: Prefix = "hit-shares=0,0.5,0.9,0.99,1".parse().unwrap();
    let experiment = ladder.experiment(&workload(2_000, 50)).unwrap();
    let parts = measured(&experiment, &NO_TEMPLATE);
    for (part, asked) in [
        ("hit 0", 0),
        ("hit 0.5", 1_000),
        ("hit 0.9", 1_800),
        ("hit 0.99", 1_980),
        ("hit 1", 2_000),
    ] {
        let rung = parts.get(&Some(part.to_owned())).unwrap();
        assert_eq!(rung.len(), 10);
        for entry in rung {
            assert!(
                entry.cached.get() <= asked && asked - entry.cached.get() <= BLOCK,
                "{entry:?}"
            );
            assert_eq!(entry.prompt.get(), 2_000);
        }
    }
}

#[test]
fn no_level_of_a_sweep_hits_what_another_left() {
    let sweep: Sweep = "1,4,16".parse().unwrap();
    let parts = measured(&sweep.experiment(&workload(200, 20)).unwrap(), &NO_TEMPLATE);
    let sizes: Vec<usize> = parts.values().map(Vec::len).collect();
    // In order of the names: concurrency 1, 16, 4.
    assert_eq!(sizes, [20, 80, 20]);
    assert!(parts.values().flatten().all(|entry| entry.cached.get() == 0));
}

#[test]
fn two_endpoints_behind_one_cache_do_not_help_each_other() {
    let parts = measured(&Versus::new(4).experiment(&workload(200, 40)).unwrap(), &NO_TEMPLATE);
    assert_eq!(parts.values().map(Vec::len).collect::<Vec<_>>(), [20, 20]);
    assert!(parts.values().flatten().all(|entry| entry.cached.get() == 0));
}

/// Six stages of ten, each with its prefixes: 90 % of 200 are 180.
#[test]
fn a_warm_comparison_is_warm_on_both_sides() {
    let mut versus = Versus::new(3);
    versus.prefix = Prefix::Warm;
    let parts = measured(&versus.experiment(&workload(200, 60)).unwrap(), &NO_TEMPLATE);
    for (part, entries) in &parts {
        let hit = if part.as_ref().unwrap().ends_with("warm") { 180 - BLOCK..=180 } else { 0..=0 };
        assert!(entries.iter().all(|entry| hit.contains(&entry.cached.get())), "{part:?}");
        assert_eq!(entries.len(), 15);
    }
    let names: Vec<&str> = parts.keys().flatten().map(String::as_str).collect();
    assert_eq!(names, ["first, control", "first, warm", "second, control", "second, warm"]);
}

/// A template of 11 tokens before the text and 6 behind it. The prompt comes out as asked; of the prefix
/// what was asked for is hit, and at most the template's front more.
#[test]
fn lengths_and_prefixes_hold_behind_a_chat_template() {
    let template =
        Template { before: "You are a kind and able aide. User says:", after: "\nassistant: ok" };
    let front = trueline_sim::tokenize(template.before).len() as u64;
    let experiment = Prefix::Warm.experiment(&workload(1_000, 20)).unwrap();
    let parts = measured(&experiment, &template);
    for entry in parts.values().flatten() {
        assert!(entry.prompt.get().abs_diff(1_000) <= 1, "{entry:?}");
    }
    for warm in parts.get(&Some("warm".to_owned())).unwrap() {
        assert!((900 - BLOCK..=900 + front).contains(&warm.cached.get()), "{warm:?}");
    }
    for control in parts.get(&Some("control".to_owned())).unwrap() {
        assert!(control.cached.get() <= front, "{control:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn the_same_seed_gives_the_same_requests_and_another_one_others(
        seed in any::<u64>(), prompt in 20_u64..200, share in 0.01_f64..=1.0,
    ) {
        let ladder = Prefix::HitShares(vec![Share::NONE, Share::new(share).unwrap()]);
        let all = |seed| {
            let experiment = ladder.experiment(&workload(prompt, 6).with_seed(seed)).unwrap();
            let ruler = Ruler::default();
            experiment.stages.iter().flat_map(|stage| stage.askings(&ruler, 0)).collect::<Vec<_>>()
        };
        prop_assert_eq!(all(seed), all(seed));
        let (one, other) = (all(seed), all(seed ^ 1));
        prop_assert!(one.iter().zip(&other).all(|(a, b)| a.prompt != b.prompt));
    }

    #[test]
    fn a_ladder_of_any_lengths_hits_within_a_block(
        seed in any::<u64>(), prompt in 20_u64..800, share in 0.0_f64..=1.0,
    ) {
        let ladder = Prefix::HitShares(vec![Share::new(share).unwrap()]);
        let experiment = ladder.experiment(&workload(prompt, 4).with_seed(seed)).unwrap();
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, clippy::cast_precision_loss,
            reason = "a share of some hundred tokens")]
        let asked = (prompt as f64 * share).round() as u64;
        for entry in measured(&experiment, &NO_TEMPLATE).values().flatten() {
            // Words that are equal by chance may end a block that the prefix has begun.
            prop_assert!(entry.cached.get() <= asked + 3 && asked.saturating_sub(entry.cached.get()) <= BLOCK);
        }
    }
}
