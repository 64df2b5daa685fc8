//! Several runs in one file, their requests in any order, saved while they are measured.

use std::time::Duration;

use proptest::prelude::*;
use trueline_core::{
    BenchRun, By, Conditions, Definition, Figure, Known, Load, Mark, Metric, Outcome, Plan,
    Reported, RequestRecord, Side, Statistic, Stretch, Tool, Total, Why,
};
use trueline_logs::{
    ErrorKind, Kind, LogHeader, ReadOptions, Role, RunWriter, Stated, read_log_from,
    read_results_from, read_runs_from, sniff_bytes, write_run,
};

pub(super) const LABELS: [&str; 3] = ["warm", "control", "rung-0.5"];

/// A request that tells which one it is.
pub(super) fn request(n: u64) -> RequestRecord {
    let mut request = RequestRecord::default();
    request.id = Some(format!("r{n}"));
    request.tokens.prompt = RequestRecord::counted(100 + n);
    request.spans.set(Stretch::ClientTtft, Known::is(Duration::from_millis(50 + n), By::Measured));
    request.gaps = vec![Duration::from_millis(10), Duration::from_micros(n)];
    request.outcome = Outcome::Ok;
    request
}

pub(super) fn header(label: &str) -> LogHeader {
    let mut header = LogHeader::new(Role::Run);
    header.label = Some(label.to_owned());
    header.arm = Some("hit-shares".to_owned());
    header.side = Some(Side::Client);
    header.conditions = Conditions::from_iter([("model", "m"), ("partial", "not known yet")]);
    let mut plan = Plan::default();
    plan.load = Some(Load::Concurrency(2));
    header.plan = Some(plan);
    header
}

/// What the probe states at the end of a run: 1, 2 and 3 ms of send lag, one retry.
pub(super) fn reported() -> Reported {
    let mut tool = Tool::new("trueline-probe");
    tool.version = Known::is("0.1.0".to_owned(), By::Reported);
    let mut reported = Reported::default();
    reported.tool = Some(tool);
    reported.duration = Known::is(Duration::from_millis(12_500), By::Reported);
    let meaning = Definition::new(Mark::Intended, Mark::Sent, Side::Client);
    for (statistic, value) in [("max", 0.003), ("median", 0.001), ("p99", 0.002)] {
        let statistic: Option<Statistic> = statistic.parse().ok();
        let value = Known::is(value, By::Reported);
        let name = format!("send_delay_s.{}", statistic.unwrap());
        reported.figures.push(Figure::new(Metric::SendDelayS, statistic, value, meaning, name));
    }
    reported.set_total(Total::Retries, Known::is(1, By::Reported), "retries");
    reported
}

/// A file of all three runs whose requests come in this order, by place among the labels.
pub(super) fn written(order: &[usize]) -> Vec<u8> {
    let mut file = Vec::new();
    let mut writer = RunWriter::new(&mut file);
    for label in LABELS {
        writer.begin(&header(label)).unwrap();
    }
    for (n, run) in (0..).zip(order) {
        writer.row(LABELS[*run], &request(n)).unwrap();
    }
    for label in LABELS {
        let conditions = Conditions::from_iter([("model", "m"), ("partial", "no")]);
        writer.close(label, &conditions, &reported()).unwrap();
    }
    assert_eq!(writer.lost(), 0);
    file
}

fn runs(text: &[u8]) -> Vec<BenchRun> {
    read_runs_from("memory", text).unwrap().value
}

fn ids(run: &BenchRun) -> Vec<&str> {
    run.requests.iter().filter_map(|r| r.id.as_deref()).collect()
}

#[test]
fn interleaved_arms_come_back_as_the_runs_they_are() {
    let file = written(&[0, 1, 0, 0, 2, 1]);
    let read = runs(&file);
    assert_eq!(read.iter().map(|r| r.label.as_str()).collect::<Vec<_>>(), LABELS);
    assert_eq!(ids(&read[0]), ["r0", "r2", "r3"]);
    assert_eq!(ids(&read[1]), ["r1", "r5"]);
    assert_eq!(ids(&read[2]), ["r4"]);
    for run in &read {
        assert_eq!((run.arm(), run.side), ("hit-shares", Side::Client));
        assert_eq!(run.plan.load, Some(Load::Concurrency(2)));
        assert_eq!(run.conditions, Conditions::from_iter([("model", "m"), ("partial", "no")]));
        // What the tool said means the same and stands under the names of the format.
        let (mut found, said) = (run.reported.clone(), reported());
        for figure in &mut found.figures {
            assert!(figure.definition.means_same_as(&said.figures[0].definition));
            figure.definition = said.figures[0].definition;
        }
        assert_eq!(found, said);
    }
    assert_eq!(read[2].requests, [request(4)]);
    // A row costs its line, and a header of its label where the run changes: here before each row
    // but the third of the first run.
    let text = String::from_utf8(file.clone()).unwrap();
    let switch =
        |label| format!(r#"{{"schema":"trueline.requests/1","role":"run","label":"{label}"}}"#);
    let switches = text.lines().filter(|line| LABELS.map(switch).contains(&(*line).to_owned()));
    assert_eq!((switches.count(), text.lines().count()), (5, 3 + 6 + 5 + 3));
    assert_eq!(sniff_bytes("f", &file).unwrap(), Kind::Runs);
    let results = read_results_from("f", &file[..]).unwrap();
    let found: Vec<(&str, usize)> =
        results.runs.iter().map(|r| (r.run.label.as_str(), r.run.requests.len())).collect();
    assert_eq!(found, [("warm", 3), ("control", 2), ("rung-0.5", 1)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_order_of_the_requests_gives_the_runs_of_files_of_their_own(
        order in proptest::collection::vec(0_usize..3, 1..40),
    ) {
        let read = runs(&written(&order));
        prop_assert_eq!(read.len(), 3);
        for (place, label) in LABELS.into_iter().enumerate() {
            let mut alone = Vec::new();
            let mut writer = RunWriter::new(&mut alone);
            writer.begin(&header(label)).unwrap();
            for (n, _) in (0..).zip(&order).filter(|(_, run)| **run == place) {
                writer.row(label, &request(n)).unwrap();
            }
            let conditions = Conditions::from_iter([("partial", "no")]);
            writer.close(label, &conditions, &reported()).unwrap();
            // A file without a request is none.
            if order.contains(&place) {
                prop_assert_eq!(&runs(&alone), &read[place..=place]);
            } else {
                prop_assert!(read[place].requests.is_empty());
            }
        }
    }
}

#[test]
fn a_file_of_runs_cut_at_any_byte_holds_the_whole_rows_before_the_cut() {
    let file = written(&[0, 1, 0, 2, 2]);
    // By hand: a row is whole from its closing brace on, which stands before its line end.
    let (mut at, mut rows, mut headers) = (0, Vec::new(), Vec::new());
    for line in file.split_inclusive(|byte| *byte == b'\n') {
        at += line.len();
        let is_row = !line.starts_with(b"{\"schema\"");
        if is_row { &mut rows } else { &mut headers }.push((at - line.len(), at - 1));
    }
    for end in 1..=file.len() {
        let whole = rows.iter().filter(|(_, last)| *last <= end).count();
        let Ok(read) = read_runs_from("cut", &file[..end]) else {
            assert_eq!(whole, 0, "{end}");
            continue;
        };
        let found: usize = read.value.iter().map(|run| run.requests.len()).sum();
        assert_eq!(found, whole, "{end}");
        let torn = rows.iter().chain(&headers).any(|(from, last)| *from < end && end < *last);
        assert_eq!(read.outcomes.has("truncated-file"), torn, "{end}");
        assert!(!read.outcomes.has("rejected-lines") && !read.outcomes.has("torn-line"), "{end}");
    }
}

#[test]
fn runs_of_one_label_in_two_files_stay_two_runs() {
    let (a, b) = (written(&[0]), written(&[0, 0]));
    let (a, b) = (runs(&a), runs(&b));
    assert_eq!((a[0].label.as_str(), b[0].label.as_str()), ("warm", "warm"));
    assert_eq!((a[0].requests.len(), b[0].requests.len()), (1, 2));
}

#[test]
fn a_further_header_adds_and_takes_nothing_back() {
    let text = r#"{"schema":"trueline.requests/1","role":"run","label":"a","side":"server","conditions":{"model":"m","gpu":"g"},"plan":{"requests":3,"cold":true}}
{"prompt_tokens":10,"ttft_s":1}
{"schema":"trueline.requests/1","role":"run","label":"b"}
{"prompt_tokens":20,"ttft_s":2}
{"schema":"trueline.requests/1","role":"run","label":"a","arm":"x","conditions":{"model":null,"gpu":"h","ended":"budget"},"plan":{"requests":2},"reported":{"ttft_s.mean":null}}
{"prompt_tokens":11,"ttft_s":1}
{"schema":"trueline.requests/1","role":"run"}
{"prompt_tokens":30,"ttft_s":3}
"#;
    let read = runs(text.as_bytes());
    let found: Vec<(&str, usize)> =
        read.iter().map(|run| (run.label.as_str(), run.requests.len())).collect();
    assert_eq!(found, [("a", 2), ("b", 1), ("memory-3", 1)]);
    let a = &read[0];
    // The side of the first header holds for all its rows.
    assert!(a.requests.iter().all(|r| r.ttft(Side::Server).is_known()));
    assert!(read[1].requests[0].ttft(Side::Client).is_known());
    assert_eq!((a.arm(), a.conditions.get("model")), ("x", Some("m")));
    assert_eq!((a.conditions.get("gpu"), a.conditions.get("ended")), (Some("h"), Some("budget")));
    assert_eq!((a.plan.requests, a.plan.cold), (Some(2), Some(true)));
    assert_eq!(a.reported.figures[0].value, Known::Not(Why::Null));
}

#[test]
fn a_header_that_contradicts_its_run_is_an_error() {
    let text = |first: &str, second: &str| {
        let header = |more: &str| {
            format!(r#"{{"schema":"trueline.requests/1","role":"run","label":"a"{more}}}"#)
        };
        format!("{}\n{{\"ttft_s\":1}}\n{}\n{{\"ttft_s\":1}}\n", header(first), header(second))
    };
    let (client, server) = (r#","side":"client""#, r#","side":"server""#);
    for (first, second) in [(client, server), (server, client), ("", server)] {
        let error = read_runs_from("m", text(first, second).as_bytes()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Header);
        assert!(error.to_string().contains("for the run \"a\""), "{error}");
    }
    for (first, second) in [(client, client), (server, ""), ("", client)] {
        assert_eq!(runs(text(first, second).as_bytes()).len(), 1);
    }
    let log = format!("{}{}", text("", ""), r#"{"schema":"trueline.requests/1","role":"log"}"#);
    assert_eq!(read_runs_from("m", log.as_bytes()).unwrap_err().kind(), ErrorKind::Header);
}

#[test]
fn names_that_are_none_are_kept_and_told() {
    let text = r#"{"schema":"trueline.requests/1","role":"run","label":"a","reported":{"tool":"t","mood":"good","ttft_ms.p50":3,"ttft_s.most":1,"retries":-1,"itl_s.p99.9":"x","queue_s.max":-2}}
{"prompt_tokens":10,"ttft_s":1}
"#;
    let results = read_results_from("f", text.as_bytes()).unwrap();
    let run = &results.runs[0];
    let unknown: Vec<&str> = run.unknown.iter().map(String::as_str).collect();
    assert_eq!(unknown, ["reported.mood", "reported.ttft_ms.p50", "reported.ttft_s.most"]);
    let reported = &run.run.reported;
    // What cannot be is no value.
    assert_eq!(reported.totals[0].value, Known::Not(Why::Impossible));
    let figures: Vec<_> = reported.figures.iter().map(|f| (f.name(), f.value)).collect();
    let impossible = Known::Not(Why::Impossible);
    assert_eq!(
        figures,
        [("itl_s.p99.9".to_owned(), impossible), ("queue_s.max".to_owned(), impossible)]
    );
}

#[test]
fn a_figure_of_another_meaning_is_not_written_under_our_name() {
    let mut run = BenchRun::new("a", Side::Client, vec![request(0)]);
    let ours = Definition::new(Mark::Sent, Mark::FirstToken, Side::Client);
    let value = |x: f64| Known::is(x, By::Reported);
    let mut figure = |metric, statistic, x, meaning| {
        run.reported.figures.push(Figure::new(metric, Some(statistic), value(x), meaning, "k"));
    };
    figure(Metric::TtftS, Statistic::Mean, 0.25, ours);
    figure(Metric::TtftS, Statistic::Mean, 0.75, ours);
    // To the end of the reply, which is no TTFT.
    figure(Metric::TtftS, Statistic::Max, 0.5, ours.between(Mark::Sent, Mark::Closed));
    run.reported.figures.push(
        Figure::new(Metric::TtftS, Some(Statistic::Min), value(0.1), ours, "k").in_steps_of(0.1),
    );
    let stated = Stated::of(&run.reported, Side::Client);
    assert_eq!(serde_json::to_string(&stated).unwrap(), r#"{"ttft_s.mean":0.25}"#);
    let mut file = Vec::new();
    write_run(&run, &mut file).unwrap();
    let read = runs(&file);
    assert_eq!(read[0].reported.value(Metric::TtftS, Some(Statistic::Mean)), Some(0.25));
    assert_eq!(read[0].reported.figures.len(), 1);
}

#[test]
fn a_header_with_figures_is_no_row_of_a_log() {
    let text = r#"{"schema":"trueline.requests/1","role":"log"}
{"id":"a","prompt_tokens":10,"cached_tokens":0,"ttft_s":1}
{"schema":"trueline.requests/1","role":"run","label":"x","side":"client","reported":{"retries":1,"ttft_s.mean":1.5}}
{"reported":{"prefill_tok_per_s":5},"side":"server"}
"#;
    let log = read_log_from("t", text.as_bytes(), &ReadOptions::default()).unwrap();
    let counts = log.value.counts();
    assert_eq!((counts.headers, counts.used, counts.other), (2, 2, 2));
    assert!(log.outcomes.has("mixed-schema"));
}

#[test]
fn the_document_s_own_example_is_read_as_it_says() {
    let document = include_str!("../../../../docs/request-log.md");
    let blocks: Vec<&str> = document
        .split("```json\n")
        .filter_map(|rest| rest.split_once("```"))
        .map(|b| b.0)
        .collect();
    let read = runs(blocks[1].as_bytes());
    assert_eq!(read.iter().map(BenchRun::arm).collect::<Vec<_>>(), ["warm", "control"]);
    assert_eq!((ids(&read[0]), ids(&read[1])), (vec!["a", "c"], vec!["b"]));
    assert_eq!(read[0].conditions.get("ended"), Some("as asked"));
    let p99 = "p99".parse().ok();
    assert_eq!(read[0].reported.value(Metric::SendDelayS, p99), Some(0.002));
}
