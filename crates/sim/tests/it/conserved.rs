//! Nothing is lost and nothing is counted twice, whatever is asked and however small the cache.

use std::collections::BTreeMap;

use proptest::prelude::*;
use trueline_core::{Known, Outcome, Why};
use trueline_sim::{Finish, Happening, Ledger, RequestId};

use crate::serving::{asked, model, serve};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn tokens_are_conserved(model in model(), asked in asked()) {
        let (engine, events) = serve(&model, &asked);
        let mut output: BTreeMap<RequestId, u64> = BTreeMap::new();
        for event in &events {
            if let Happening::Tokens { n } = event.what {
                *output.entry(event.request).or_default() += n.get();
            }
        }
        prop_assert_eq!(engine.ledger().entries().len(), asked.len());
        for (entry, asked) in engine.ledger().entries().zip(&asked) {
            let came = output.get(&entry.id).copied().unwrap_or_default();
            prop_assert_eq!(entry.prompt.get(), asked.shared + asked.own);
            prop_assert_eq!(entry.output.get(), came);
            prop_assert_eq!(entry.token_times.len() as u64, came);
            prop_assert!(entry.finished.is_some());
            let covered = entry.cached.get() + entry.computed.get();
            match entry.outcome() {
                Outcome::Ok => {
                    let stop = asked.stop.filter(|stop| *stop <= asked.output);
                    prop_assert_eq!(came, stop.unwrap_or(asked.output));
                    prop_assert_eq!(entry.finish == Some(Finish::Stop), stop.is_some());
                    prop_assert_eq!(covered, entry.prompt.get());
                }
                Outcome::Cancelled => {
                    prop_assert!(asked.gone_after_ms.is_some());
                    prop_assert!(came < asked.output);
                    prop_assert_eq!(covered == entry.prompt.get(), came > 0);
                }
                _ => {
                    prop_assert!(entry.refused.is_some());
                    prop_assert_eq!(covered + came, 0);
                }
            }
        }
        // All is given back at the end.
        prop_assert_eq!(engine.load().blocks_in_use, 0);
        prop_assert_eq!(engine.load().running + engine.load().waiting, 0);
    }

    #[test]
    fn events_come_in_order_and_make_the_ledger(model in model(), asked in asked()) {
        let (engine, events) = serve(&model, &asked);
        prop_assert!(events.is_sorted_by_key(|event| event.at));
        let mut ledger = Ledger::default();
        for event in &events {
            ledger.record(event);
        }
        prop_assert_eq!(&ledger, engine.ledger());
        prop_assert_eq!(ledger.strays(), 0);
        for entry in ledger.entries() {
            let marks = [Some(entry.arrived), entry.scheduled, entry.first_token, entry.last_token,
                entry.finished];
            prop_assert!(marks.into_iter().flatten().is_sorted());
        }
        let counts = ledger.counts(Known::Not(Why::Absent));
        prop_assert_eq!(counts.in_flight().value(), Some(0));
    }

    #[test]
    fn the_same_seed_gives_the_same_bytes_and_another_seed_others(
        model in model(),
        asked in asked(),
    ) {
        let written = |model: &_| {
            let mut bytes = Vec::new();
            serve(model, &asked).0.ledger().write(&mut bytes).unwrap();
            bytes
        };
        let once = written(&model);
        prop_assert_eq!(&once, &written(&model));
        let served = serve(&model, &asked).0.ledger().entries().any(|e| e.first_token.is_some());
        let mut other = model.clone();
        other.seed += 1;
        prop_assert!(!served || once != written(&other));
    }
}
