use proptest::prelude::*;
use trueline_core::Share;

use super::*;
use crate::Prompt;

fn row(second: u64, prompt: u64) -> LogRow {
    let mut row = LogRow::new(Duration::from_secs(second), Tokens::new(prompt));
    (row.cached, row.output) = (Some(Tokens::new(0)), Some(Tokens::new(9)));
    row
}

fn words_sent(replayed: &Replayed) -> Vec<usize> {
    let askings =
        replayed.experiment.measured().flat_map(|stage| stage.askings(&Ruler::default(), 0));
    askings
        .map(|asking| match asking.prompt {
            Prompt::Text(text) => text.split(' ').count(),
            Prompt::Messages(_) => 0,
        })
        .collect()
}

#[test]
fn rows_are_sent_in_order_of_arrival_from_the_first() {
    let replayed = Replay::new(vec![row(70, 30), row(50, 10), row(90, 20)], 1).plan().unwrap();
    assert_eq!(replayed.arrivals.to_vec(), [0, 20, 40].map(Duration::from_secs));
    assert_eq!(words_sent(&replayed), [10, 30, 20]);
    assert!(replayed.experiment.cold);
}

#[test]
fn twice_as_fast_is_half_the_gaps() {
    let replay = Replay::new(vec![row(50, 10), row(53, 10)], 1);
    let speed = |value| Ratio::new(value).unwrap();
    let replayed = replay.clone().with_speed(speed(2.0)).plan().unwrap();
    assert_eq!(replayed.arrivals.to_vec(), [Duration::ZERO, Duration::from_millis(1_500)]);
    let stopped = replay.with_speed(speed(0.0)).plan();
    assert_eq!(stopped.unwrap_err().kind(), PlanErrorKind::Number);
}

#[test]
fn what_cannot_be_replayed_is_counted_or_refused() {
    let mut none = row(3, 0);
    none.output = None;
    let mut unknown = row(4, 50);
    (unknown.output, unknown.cached) = (None, None);
    let replayed = Replay::new(vec![row(1, 40), none.clone(), unknown.clone()], 1).plan().unwrap();
    let fit = replayed.fit;
    assert_eq!((fit.rows, fit.left_out, fit.counted), (2, 1, 1));
    assert_eq!((fit.unknown, fit.output_assumed), (1, 1));
    // The output that the log does not count is the median of the others.
    let stage = replayed.experiment.measured().next().unwrap();
    let outputs: Vec<u64> =
        stage.askings(&Ruler::default(), 0).map(|asking| asking.output.get()).collect();
    assert_eq!(outputs, [9, 9]);
    let kind = |replay: Replay| replay.plan().unwrap_err().kind();
    assert_eq!(kind(Replay::new(vec![none], 1)), PlanErrorKind::Empty);
    assert_eq!(kind(Replay::new(Vec::new(), 1)), PlanErrorKind::Empty);
    assert_eq!(kind(Replay::new(vec![unknown.clone()], 1)), PlanErrorKind::Missing);
    assert!(Replay::new(vec![unknown], 1).with_output(Tokens::new(5)).plan().is_ok());
    let mut hashed = row(1, 40);
    hashed.blocks = vec![1, 2];
    assert_eq!(kind(Replay::new(vec![hashed.clone()], 1)), PlanErrorKind::Missing);
    assert_eq!(
        kind(Replay::new(vec![hashed], 1).with_block(Tokens::new(0))),
        PlanErrorKind::Number
    );
}

#[test]
fn the_fit_says_what_the_text_has_of_the_log() {
    let mut second = row(2, 200);
    second.cached = Some(Tokens::new(150));
    let mut third = row(3, 100);
    third.cached = Some(Tokens::new(101));
    let mut hashed = row(4, 50);
    (hashed.cached, hashed.blocks) = (Some(Tokens::new(20)), vec![1, 2]);
    let replay = Replay::new(vec![row(1, 100), second, third, hashed], 1);
    let replayed = replay.with_block(Tokens::new(25)).plan().unwrap();
    let fit = replayed.fit;
    // Nothing of 150 and of 101, which is 100, was served 30 s before; the hashes are the first of theirs.
    assert_eq!((fit.primed, fit.beyond_prompt, fit.hashed), (2, 1, 1));
    assert_eq!((fit.short, fit.short_by), (1, Tokens::new(20)));
    assert_eq!(fit.hit_share_of_log.map(Share::get), Some(270.0 / 450.0));
    assert_eq!(fit.hit_share_of_text.map(Share::get), Some(250.0 / 450.0));
    let stages: Vec<_> = replayed.experiment.stages.iter().map(|s| (s.purpose, s.before)).collect();
    assert_eq!(
        stages,
        [(Purpose::Priming, Between::Disjoint), (Purpose::Measured, Between::Nothing)]
    );
    let primer = replayed.experiment.stages.first().unwrap();
    let primer: Vec<_> = primer.askings(&Ruler::default(), 0).collect();
    assert_eq!(
        primer.iter().map(|asking| (asking.warmup, asking.output.get())).collect::<Vec<_>>(),
        [(true, 1)]
    );
    assert_eq!(primer.first().map(|asking| crate::count_words(&asking.prompt)), Some(150));
}

#[test]
fn lengths_are_told_by_the_ruler() {
    let replayed = Replay::new(vec![row(1, 100), row(2, 8)], 1).with_warmup(2).plan().unwrap();
    let lengths = replayed.lengths(&Ruler::default());
    assert_eq!(
        (lengths.wanted, lengths.expected, lengths.too_short),
        (Tokens::new(108), Tokens::new(108), 0)
    );
    // A template of 20 tokens: the prompt of 8 comes out as 21.
    let ruler = Ruler::learn(&[(10, Tokens::new(30)), (20, Tokens::new(40))]).unwrap();
    let lengths = replayed.lengths(&ruler);
    assert_eq!((lengths.expected, lengths.too_short), (Tokens::new(121), 1));
    assert_eq!(replayed.experiment.stages.len(), 2);
}

/// Conversations of a hundred turns; a text is made when it is asked for.
#[test]
fn a_hundred_thousand_rows_are_planned_and_the_last_is_as_long_as_asked() {
    let rows = (0..100_000_u64).map(|at| {
        let mut row = row(at, 100 + at / 1_000 * 20);
        row.cached = Some(Tokens::new(at / 1_000 * 20));
        row.session = Some(format!("s{}", at % 1_000));
        row
    });
    let replayed = Replay::new(rows.collect(), 1).plan().unwrap();
    assert_eq!(replayed.fit.short, 0);
    assert_eq!(replayed.fit.hit_share_of_text, replayed.fit.hit_share_of_log);
    let stage = replayed.experiment.measured().next().unwrap();
    let last = stage.askings(&Ruler::default(), 0).nth(99_999).unwrap();
    let Prompt::Text(text) = last.prompt else { panic!("a text") };
    assert_eq!(text.split(' ').count(), 100 + 99 * 20);
}

proptest! {
    #[test]
    fn any_log_is_replayed_with_its_lengths(
        drawn in prop::collection::vec(
            (any::<u32>(), 0_u64..60, prop::option::of(0_u64..80), 0_u8..3,
             prop::collection::vec(0_u64..3, 0..4)),
            1..20,
        ),
        seed in any::<u64>(),
    ) {
        let rows: Vec<LogRow> = drawn
            .into_iter()
            .map(|(arrived, prompt, cached, session, blocks)| {
                let mut row = LogRow::new(Duration::from_millis(arrived.into()), Tokens::new(prompt));
                row.cached = cached.map(Tokens::new);
                row.session = (session > 0).then(|| session.to_string());
                row.blocks = blocks;
                row
            })
            .collect();
        let replay = Replay::new(rows.clone(), seed).with_block(Tokens::new(8)).with_output(Tokens::new(3));
        match replay.clone().plan() {
            Err(error) => {
                prop_assert_eq!(error.kind(), PlanErrorKind::Empty);
                prop_assert!(rows.iter().all(|row| row.prompt.get() == 0));
            }
            Ok(replayed) => {
                let mut wanted: Vec<u64> = rows.iter().map(|row| row.prompt.get()).filter(|n| *n > 0).collect();
                let mut sent: Vec<u64> = words_sent(&replayed).into_iter().map(|n| n as u64).collect();
                wanted.sort_unstable();
                sent.sort_unstable();
                prop_assert_eq!(sent, wanted);
                prop_assert!(replayed.arrivals.is_sorted());
                prop_assert_eq!(replayed.arrivals.len() as u64 + replayed.fit.left_out, rows.len() as u64);
                prop_assert_eq!(replay.plan().unwrap().arrivals, replayed.arrivals);
            }
        }
    }
}
