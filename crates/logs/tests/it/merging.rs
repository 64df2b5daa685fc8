//! Parts that were read anywhere give what reading the whole gives, to the bit.

use proptest::prelude::*;
use trueline_core::{Share, Tokens, TokensPerSecond, WallTime, Window};
use trueline_logs::{LogSummary, Own, PlaceSample, Production, ReadOptions, read_log_from};

fn options() -> ReadOptions {
    let at = |s: i64| WallTime::from_nanos(s * 1_000_000_000);
    ReadOptions::default()
        .with_traffic()
        .with_own(Own::IdPrefix("own".to_owned()))
        .with_windows(vec![Window::new(at(100), at(140)), Window::new(at(120), at(400))])
        .with_place(vec![PlaceSample {
            prompt_tokens: Tokens::new(2_000),
            hit_share: Share::new(0.0).unwrap(),
            rate: TokensPerSecond::new(400.0).unwrap(),
        }])
}

fn read(text: &str, options: &ReadOptions) -> LogSummary {
    read_log_from("part", text.as_bytes(), options).unwrap().value
}

fn row() -> impl Strategy<Value = String> {
    (
        prop_oneof![Just("own-"), Just("r-")],
        0_u32..50,
        0_u64..60_000,
        proptest::option::of(0_u64..60_000),
        proptest::option::of(1_u32..20_000),
        0_u32..500,
        prop_oneof![Just("ok"), Just("failed"), Just("odd")],
        proptest::option::of(0_u32..5_000),
    )
        .prop_map(|(kind, id, prompt, cached, ttft, start, outcome, reported)| {
            let mut row = format!(
                r#"{{"id":"{kind}{id}","model":"m{}","started_at_s":{start}.25,"prompt_tokens":{prompt},"outcome":"{outcome}","output_tokens":{id}"#,
                id % 3
            );
            if id % 5 > 0 {
                row += &format!(r#","session":"s{}","preemptions":{}"#, id % 5, id % 4);
            }
            if let Some(cached) = cached {
                row += &format!(r#","cached_tokens":{cached}"#);
            }
            if let Some(ttft) = ttft {
                let ttft = f64::from(ttft) / 1e3;
                row += &format!(r#","ttft_s":{ttft},"e2e_latency_s":{},"prefill_compute_s":{}"#, ttft * 2.0, ttft * 0.9);
            }
            if let Some(reported) = reported {
                row += &format!(r#","reported":{{"f{}":{reported}}}"#, id % 2);
            }
            if id == 7 {
                // A damaged row now and then.
                row.truncate(row.len() / 2);
            }
            row + if id == 7 { "\n" } else { "}\n" }
        })
}

/// The summary without what names its inputs.
fn summed(log: &LogSummary) -> (Production, Vec<trueline_core::RequestRecord>) {
    (log.production().clone(), log.own().to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_number_of_threads_and_the_size_of_blocks_change_nothing(
        rows in proptest::collection::vec(row(), 1..120),
        block in 1_usize..6_000,
    ) {
        let first = r#"{"id":"z","prompt_tokens":10,"ttft_s":1}"#;
        let text = format!("{first}\n{}", rows.concat());
        let one = read(&text, &options().with_threads(1));
        for threads in [1, 2, 5] {
            let many = read(&text, &options().with_threads(threads).with_block_bytes(block.max(200)));
            prop_assert_eq!(&one, &many);
        }
    }

    #[test]
    fn merging_is_associative_and_commutative(
        parts in proptest::collection::vec(proptest::collection::vec(row(), 0..30), 3),
    ) {
        let options = options();
        let first = "{\"id\":\"z\",\"prompt_tokens\":10,\"ttft_s\":1}\n";
        let [a, b, c] = [0, 1, 2].map(|i| read(&format!("{first}{}", parts[i].concat()), &options));
        let join = |x: &LogSummary, y: &LogSummary| x.clone().merge(y).unwrap();
        let left = join(&join(&a, &b), &c);
        let right = join(&a, &join(&b, &c));
        prop_assert_eq!(&left, &right);
        let (pa, pb) = (a.production(), b.production());
        prop_assert_eq!(pa.clone().merge(pb).unwrap(), pb.clone().merge(pa).unwrap());
        // The other order names the inputs differently and sums up to the same.
        let (production, own) = summed(&join(&b, &a));
        let (expected, expected_own) = summed(&join(&a, &b));
        prop_assert_eq!(own, expected_own);
        prop_assert_eq!(production.counts(), expected.counts());
    }
}

#[test]
fn summaries_made_under_different_options_do_not_merge() {
    let text = r#"{"id":"z","prompt_tokens":10,"ttft_s":1}"#;
    let a = read(text, &ReadOptions::default());
    for other in [
        ReadOptions::default().with_min_new_tokens(Tokens::new(1)),
        ReadOptions::default().with_traffic(),
    ] {
        assert!(a.clone().merge(&read(text, &other)).is_err());
    }
}

#[test]
fn a_reader_that_fails_in_the_middle_is_an_error_on_any_number_of_threads() {
    struct Failing(usize);
    impl std::io::Read for Failing {
        fn read(&mut self, into: &mut [u8]) -> std::io::Result<usize> {
            let row = b"{\"id\":\"z\",\"prompt_tokens\":10,\"ttft_s\":1}\n";
            self.0 += 1;
            if self.0 > 50_000 {
                return Err(std::io::Error::other("the disk is gone"));
            }
            let n = row.len().min(into.len());
            into[..n].copy_from_slice(&row[..n]);
            Ok(n)
        }
    }
    for threads in [1, 4] {
        let options = ReadOptions::default().with_threads(threads).with_block_bytes(10_000);
        let error = read_log_from("failing", Failing(0), &options).unwrap_err();
        assert_eq!(error.kind(), trueline_logs::ErrorKind::Io);
    }
}
