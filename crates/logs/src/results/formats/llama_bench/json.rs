//! The JSON and JSON lines of `llama-bench`: one object a test.

use super::{REPETITIONS, TOOL, take_test};
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::node::{Map, Node};

pub(crate) static LLAMA_BENCH_JSON: ResultFormat = ResultFormat {
    name: "llama-bench-json",
    tool: TOOL,
    versions: "build 5163 and those with the same fields",
    shape: "JSON list or JSON lines",
    evidence: Evidence::Published,
    source: "llama.cpp/tools/llama-bench/README.md",
    reader: Reader::Documents { is, read },
    lists: |list| {
        super::list(list, "avg_ts");
        list.totals(&REPETITIONS);
    },
};

fn is(map: &Map) -> Option<String> {
    map.has_all(&["n_prompt", "n_gen", "avg_ts"]).then(|| "n_prompt, n_gen, avg_ts".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    // Switches are true and false here, 1 and 0 in the other forms and on the command line.
    let plain = map.0.iter().map(|(key, node)| match node {
        Node::Bool(on) => (key.clone(), Node::Text(u8::from(*on).to_string())),
        other => (key.clone(), other.clone()),
    });
    take_test(drafts.begin(TOOL), &Map(plain.collect()), 0.0, "avg_ts");
}

#[cfg(test)]
mod tests {
    use trueline_core::{Known, Metric, Statistic, Why};

    use crate::results::read_results_from;

    fn test(n_prompt: &str, n_gen: &str) -> String {
        format!(
            r#"{{"build_commit":"c","cpu_info":"cpu","gpu_info":"","model_type":"m 7B",
            "use_mmap":true,"n_prompt":{n_prompt},"n_gen":{n_gen},"n_depth":512,"avg_ts":100.0,
            "stddev_ts":0.0,"samples_ns":[1],"samples_ts":[100.0],"brand_new":1}}"#
        )
    }

    #[test]
    fn a_test_of_both_is_neither_prefill_nor_decode() {
        for (n_prompt, n_gen, metric) in [
            ("512", "0", Metric::PrefillTokPerS),
            ("0", "128", Metric::DecodeTokPerS),
            ("512", "128", Metric::TotalTokPerS),
        ] {
            let read = read_results_from("t", test(n_prompt, n_gen).as_bytes()).unwrap();
            let run = &read.runs[0];
            assert_eq!(run.run.reported.value(metric, Some(Statistic::Mean)), Some(100.0));
            let [_, std] = &run.run.reported.figures[..] else { panic!("two figures") };
            assert_eq!(std.value, Known::Not(Why::NeedsMore), "one repetition does not vary");
            assert_eq!(run.unknown, ["brand_new"]);
            let conditions = &run.run.conditions;
            assert_eq!(conditions.get("hardware"), Some("cpu"));
            assert_eq!(conditions.get("use_mmap"), Some("1"));
            assert_eq!(run.run.plan.requests, Some(1));
        }
    }

    #[test]
    fn a_test_of_no_tokens_is_rejected() {
        for (n_prompt, n_gen) in [("0", "0"), ("null", "[1]"), ("-1", "0.5")] {
            let read = read_results_from("t", test(n_prompt, n_gen).as_bytes()).unwrap();
            assert_eq!(read.runs[0].rejected.len(), 1);
            assert!(read.runs[0].run.reported.figures.is_empty());
        }
    }
}
