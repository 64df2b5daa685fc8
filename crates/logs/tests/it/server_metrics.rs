//! Counters from the metrics of servers: our captures of llama.cpp, and texts written by the names in
//! the sources of the others.

use proptest::prelude::*;
use trueline_core::{By, Count, Counting, Known, ServerCounters, WallTime, Why};
use trueline_logs::{ErrorKind, METRICS_SERVERS, parse_server_counters};

fn read(text: &str) -> ServerCounters {
    parse_server_counters(text, Known::Not(Why::Absent)).unwrap()
}

fn sums(counters: &ServerCounters) -> [Option<u64>; 6] {
    Count::ALL.map(|count| counters.sum(count).value())
}

#[test]
fn llama_cpp_counts_no_requests_and_leaves_cached_tokens_out() {
    let before = read(include_str!("../data/metrics/llama-cpp-before.txt"));
    assert_eq!((before.server.as_str(), before.started), ("llama.cpp", Known::Not(Why::Absent)));
    assert_eq!(sums(&before), [None, None, Some(0), Some(0), Some(0), Some(0)]);
    let after = read(include_str!("../data/metrics/llama-cpp-after.txt"));
    // As captured: 1,028 computed and 1,004 cached prompt tokens.
    assert_eq!(sums(&after), [None, None, Some(2_032), Some(1_028), Some(132), Some(144)]);
    let busy = read(include_str!("../data/metrics/llama-cpp-busy.txt"));
    assert_eq!((busy.running.value(), busy.in_flight().value()), (Some(2), Some(8)));
    // An older build, without the count of cached tokens.
    let older = "llamacpp:prompt_tokens_total 1028\nllamacpp:tokens_predicted_total 132\n";
    let older = read(older);
    assert_eq!(older.sum(Count::PromptTokens), Known::Not(Why::Absent));
    assert_eq!(older.sum(Count::NewTokens), Known::is(1_028, By::Reported));
    assert_eq!(older.in_flight(), Known::Not(Why::Absent));
}

#[test]
fn vllm_is_summed_over_its_engines_which_stay_apart() {
    let counters = read(include_str!("../data/metrics/vllm-two-engines.txt"));
    // By hand: 5 + 3 + 4 finished, 1 aborted; 4,096 + 2,048 prompt tokens, 96 + 48 of them cached.
    let expected = [Some(12), Some(1), Some(6_144), Some(6_000), Some(768), None];
    assert_eq!(sums(&counters), expected);
    assert_eq!((counters.in_flight().value(), counters.counting), (Some(6), Counting::AsServed));
    let labels: Vec<&str> = counters.engines.iter().map(|e| e.labels.as_str()).collect();
    let model = "model_name=org/model \"a\"";
    assert_eq!(labels, [format!("engine=0,{model}"), format!("engine=1,{model}")]);
    // The process's own start, not that of a series.
    let started = WallTime::from_secs_f64(1_795_954_698.36).unwrap();
    assert_eq!(counters.started, Known::is(started, By::Reported));
}

#[test]
fn older_vllm_lists_requests_only_once_one_has_ended() {
    let counters = read(include_str!("../data/metrics/vllm-v0.txt"));
    assert_eq!(counters.sum(Count::Requests), Known::is(0, By::Derived));
    assert_eq!(counters.sum(Count::NewTokens), Known::Not(Why::Absent));
    // 2 run, 1 is swapped out, 4 wait.
    assert_eq!((counters.running.value(), counters.in_flight().value()), (Some(3), Some(7)));
}

#[test]
fn sglang_holds_cached_tokens_and_repeats_gauges_by_rank() {
    let counters = read(include_str!("../data/metrics/sglang-ranks.txt"));
    // 2,500 + 300 + 200 of 9,000 prompt tokens were cached.
    let expected = [Some(11), Some(2), Some(9_000), Some(6_000), Some(700), None];
    assert_eq!(sums(&counters), expected);
    assert_eq!(counters.counting, Counting::WhenFinished);
    // 4 of one scheduler, on two ranks, and 2 of the other: neither 10 nor 13.
    assert_eq!((counters.running.value(), counters.waiting.value()), (Some(6), Some(1)));
    assert_eq!(counters.engines.len(), 1);
}

#[test]
fn a_server_that_served_nobody_yet_has_counted_none() {
    let counters = read(include_str!("../data/metrics/sglang-fresh.txt"));
    let none = Some(0);
    assert_eq!(sums(&counters), [none, none, none, none, none, None]);
    assert_eq!(counters.in_flight().value(), Some(0));
}

#[test]
fn tgi_is_read_from_its_histograms_and_not_from_its_doubled_count() {
    let counters = read(include_str!("../data/metrics/tgi.txt"));
    assert_eq!(sums(&counters), [Some(11), None, Some(6_400), None, Some(1_320), None]);
    assert_eq!((counters.in_flight().value(), counters.unreadable_lines), (Some(5), 0));
}

#[test]
fn replicas_behind_one_another_are_told_apart() {
    let one = include_str!("../data/metrics/tgi.txt");
    let both = read(&format!("{one}# EOF\n{one}"));
    assert_eq!(both.sum(Count::Requests).value(), Some(22));
    let labels: Vec<&str> = both.engines.iter().map(|e| e.labels.as_str()).collect();
    assert_eq!(labels, ["", "#2"]);
    // A gauge that is there twice under the same labels is of two replicas as well.
    assert_eq!(both.in_flight().value(), Some(10));
}

#[test]
fn a_count_that_is_no_number_is_not_known_and_a_torn_line_is_counted() {
    let text = "vllm:generation_tokens_total{engine=\"0\"} NaN\n\
                vllm:generation_tokens_total{engine=\"1\"} 5\n\
                vllm:prompt_tokens_total{engine=\"0\"} -1\nvllm:prompt_tokens_total{engine=\"1\n";
    let counters = read(text);
    assert_eq!(counters.sum(Count::OutputTokens), Known::Not(Why::NonFinite));
    assert_eq!(counters.engines[0].prompt_tokens, Known::Not(Why::Impossible));
    assert_eq!(counters.unreadable_lines, 1);
}

#[test]
fn the_start_of_the_first_series_stands_in_for_that_of_the_process() {
    let text = "vllm:prompt_tokens_total 1\nvllm:prompt_tokens_created 1.5e9\n\
                vllm:generation_tokens_created 1.4e9\nother_created 1\n";
    let started = WallTime::from_secs_f64(1.4e9).unwrap();
    assert_eq!(read(text).started, Known::is(started, By::Derived));
}

#[test]
fn metrics_of_no_known_server_say_which_are() {
    let error = |text| parse_server_counters(text, Known::Not(Why::Absent)).unwrap_err();
    for text in ["", "<html>404</html>", "http_requests_total 3\n", "{\"error\":{\"code\":501}}"] {
        assert_eq!(error(text).kind(), ErrorKind::UnknownFormat);
        for server in METRICS_SERVERS {
            assert!(error(text).to_string().contains(server.name), "{text}");
        }
    }
    let two = error("vllm:prompt_tokens_total 1\ntgi_request_success 1\n").to_string();
    assert!(two.contains("tgi and vllm"), "{two}");
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(lines in proptest::collection::vec(
        "(vllm:|sglang:|tgi_|# TYPE )?[a-z_]{0,12}(\\{[a-z=\",\\\\]{0,16}\\})? ?[-+0-9.eINaf]{0,8}", 0..12
    )) {
        let text = lines.join("\n");
        if let Ok(counters) = parse_server_counters(&text, Known::Not(Why::Absent)) {
            prop_assert!(counters.unreadable_lines <= lines.len() as u64);
        }
    }

    #[test]
    fn the_order_of_lines_does_not_matter(seed in any::<u64>()) {
        let text = include_str!("../data/metrics/vllm-two-engines.txt");
        let mut lines: Vec<&str> = text.lines().collect();
        let n = lines.len() as u64;
        for i in 0..n {
            let other = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(i * i * 97) % n;
            lines.swap(usize::try_from(i).unwrap(), usize::try_from(other).unwrap());
        }
        prop_assert_eq!(read(&lines.join("\n")), read(text));
    }
}
