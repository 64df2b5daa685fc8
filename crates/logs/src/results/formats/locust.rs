//! `locust`: `run.json` (one object a name) and `run_stats.csv` (one row a name).
//!
//! Locust times requests and knows no tokens: what it says of them is what the locustfile fires
//! under names of its own. Its row of a request is no latency: with a streamed reply it ends at the
//! headers. Only the counts of such rows are read.

use trueline_core::{
    By, Definition, Deviation, Each, Figure, Known, Mark, Metric, Percentiles, Side, Statistic,
    Total,
};

use crate::results::draft::Draft;
use crate::results::drafts::Drafts;
use crate::results::format::{Evidence, Reader, ResultFormat};
use crate::results::input::Input;
use crate::results::meaning::{Meanings, Statistics};
use crate::results::node::{Map, Node, known_count, known_number, text_number};
use crate::results::quantity::{MS, scaled};
use crate::results::records::records;
use crate::results::row::{Row, Takes, statistic};

const TOOL: &str = "locust";

pub(crate) static LOCUST_JSON: ResultFormat = ResultFormat {
    name: "locust-json",
    tool: TOOL,
    versions: "2.47.0",
    shape: "JSON list, one object a name",
    evidence: Evidence::Captured,
    source: "locust/stats.py",
    reader: Reader::Documents { is, read },
    lists: |list| {
        list_events(list);
        list.totals(&counts("num_requests"));
    },
};

pub(crate) static LOCUST_CSV: ResultFormat = ResultFormat {
    name: "locust-stats-csv",
    tool: TOOL,
    versions: "2.47.0",
    shape: "CSV, one row a name",
    evidence: Evidence::Captured,
    source: "locust/stats.py",
    reader: Reader::Text { is: is_csv, read: read_csv },
    lists: |list| {
        list_events(list);
        list.row(REQUESTS.key, &REQUESTS, Statistics::None);
        list.totals(&counts("Request Count"));
    },
};

const EVENT: Definition = Definition::new(Mark::Sent, Mark::FirstToken, Side::Client)
    .spread(Percentiles::Nearest, Deviation::NotApplicable)
    .note("as the locustfile fires it under this name; percentiles of values cut to two digits");

const GAP: Definition = EVENT.between(Mark::FirstToken, Mark::LastToken).each(Each::Chunk);

const TPOT: Definition = EVENT.between(Mark::FirstToken, Mark::LastToken);

const E2E: Definition = EVENT.between(Mark::Sent, Mark::LastToken);

const RATE: Definition = Definition::new(Mark::Sent, Mark::Closed, Side::Client)
    .each(Each::Run)
    .note("from the first to the last request that ended, not over the run");

/// What names stand for that are used for nothing else, in small letters.
const EVENTS: &[(&[&str], Metric, Definition)] = &[
    (&["ttft", "time_to_first_token"], Metric::TtftS, EVENT),
    (&["itl", "inter_token_latency"], Metric::ItlS, GAP),
    (&["tpot", "time_per_output_token"], Metric::TpotS, TPOT),
    (&["e2e", "e2e_latency"], Metric::E2eLatencyS, E2E),
];

/// The rate of the one path that a run has.
const REQUESTS: Row = Row::run("Requests/s", Metric::RequestPerS, 1.0, RATE);

/// What the counts of rows are, by the column that counts requests.
const fn counts(source: &str) -> [(&str, Total); 2] {
    [(source, Total::CompletedRequests), (source, Total::FailedRequests)]
}

fn list_events(list: &mut Meanings) {
    for (names, metric, meaning) in EVENTS {
        for name in *names {
            let key = format!("{name}.STATISTIC");
            list.figure(key, (*metric, MS, *meaning), Statistics::Any);
        }
    }
}

/// What a name stands for, where it is one of those.
fn event(name: &str) -> Option<(Metric, Definition)> {
    let name = name.trim().to_ascii_lowercase();
    let known = EVENTS.iter().find(|(names, ..)| names.contains(&name.as_str()));
    known.map(|(_, metric, meaning)| (*metric, *meaning))
}

/// Whether a row counts requests: those of events have types of their own.
fn is_request(method: &str) -> bool {
    matches!(method, "GET" | "POST" | "PUT" | "PATCH" | "DELETE" | "HEAD" | "OPTIONS")
}

const ROWS: &[Row] = &[
    Row::elsewhere("name"),
    Row::elsewhere("method"),
    Row::unused("last_request_timestamp"),
    Row::unused("start_time"),
    Row::elsewhere("num_requests"),
    Row::elsewhere("num_none_requests"),
    Row::elsewhere("num_failures"),
    Row::elsewhere("total_response_time"),
    Row::elsewhere("max_response_time"),
    Row::elsewhere("min_response_time"),
    Row::unused("total_content_length"),
    Row::unused("response_times"),
    Row::unused("num_reqs_per_sec"),
    Row::unused("num_fail_per_sec"),
];

fn is(map: &Map) -> Option<String> {
    map.has_all(&["method", "num_requests", "num_failures", "total_response_time"])
        .then(|| "method, num_requests, total_response_time".to_owned())
}

fn read(map: &Map, drafts: &mut Drafts) {
    let draft = drafts.current(TOOL);
    draft.take(map, ROWS);
    draft.used += 1;
    let count = |key: &str| known_count(map.get(key)).value();
    let name = map.get("name").and_then(Node::text).unwrap_or_default();
    let method = map.get("method").and_then(Node::text).unwrap_or_default();
    if is_request(method) {
        add_counts(draft, count("num_requests"), count("num_failures"), "num_requests");
    }
    let Some((metric, meaning)) = event(name).filter(|_| !is_request(method)) else { return };
    // Entries without a time are counted and not summed.
    let n = count("num_requests").and_then(|n| n.checked_sub(count("num_none_requests")?));
    let Some(n) = n.and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0) else { return };
    let mean = match known_number(map.get("total_response_time")) {
        Known::Is { value, .. } => Known::is(value / f64::from(n) * MS, By::Derived),
        Known::Not(why) => Known::Not(why),
    };
    draft.figure(metric, Some(Statistic::Mean), mean, meaning, &format!("{name}.mean"));
    for (key, stat) in
        [("min_response_time", Statistic::Min), ("max_response_time", Statistic::Max)]
    {
        let value = scaled(known_number(map.get(key)), MS);
        draft.figure(metric, Some(stat), value, meaning, &format!("{name}.{key}"));
    }
}

/// Adds a row's requests to those of the run: a run has one such row a path.
fn add_counts(draft: &mut Draft, all: Option<u64>, failed: Option<u64>, source: &str) {
    let answered = all.and_then(|all| all.checked_sub(failed?));
    for ((source, total), more) in counts(source).into_iter().zip([answered, failed]) {
        draft.add(total, more, source);
    }
}

const HEAD: &str = "Type,Name,Request Count,Failure Count,";

fn is_csv(input: &Input) -> Option<String> {
    input.text().starts_with(HEAD).then(|| "columns Type, Name, Request Count".to_owned())
}

fn read_csv(input: &Input, drafts: &mut Drafts) {
    let draft = drafts.current(TOOL);
    let mut names: Vec<String> = Vec::new();
    let mut rates = Vec::new();
    for record in records(input.text()) {
        let Ok(record) = record else {
            draft.rejected.push("a row that is no CSV".to_owned());
            continue;
        };
        let row: Vec<String> = record.iter().map(str::to_owned).collect();
        if names.is_empty() {
            names = row;
        } else if row.len() == names.len() {
            take_row(draft, &names, &row, &mut rates);
        } else {
            let (found, expected) = (row.len(), names.len());
            draft.rejected.push(format!("a row of {found} values under {expected} columns"));
        }
    }
    // The rates of several paths are over several windows.
    if let ([rate], Takes::Run(metric, meaning)) = (&rates[..], REQUESTS.takes) {
        draft.figure(metric, None, *rate, meaning, REQUESTS.key);
    }
}

fn take_row(draft: &mut Draft, names: &[String], row: &[String], rates: &mut Vec<Known<f64>>) {
    let cells = names.iter().zip(row).map(|(name, cell)| (name.clone(), Node::Text(cell.clone())));
    let map = Map(cells.collect());
    let text = |key: &str| map.get(key).and_then(Node::text).unwrap_or_default();
    let count = |key: &str| known_count(map.get(key)).value();
    draft.used += 1;
    if is_request(text("Type")) {
        add_counts(draft, count("Request Count"), count("Failure Count"), "Request Count");
        rates.push(known_number(map.get(REQUESTS.key)));
        return;
    }
    let Some((metric, meaning)) = event(text("Name")) else { return };
    if count("Request Count") == Some(0) {
        return;
    }
    for (column, cell) in names.iter().zip(row) {
        let (stat, step) = match column.as_str() {
            "Average Response Time" => (Some(Statistic::Mean), 0.0),
            "Min Response Time" => (Some(Statistic::Min), 0.0),
            "Max Response Time" => (Some(Statistic::Max), 0.0),
            // The median stands again under 50%, the largest under 100%.
            "100%" => (None, 0.0),
            percent => {
                let number = percent.strip_suffix('%');
                (number.and_then(|n| statistic(&format!("p{n}"))), MS)
            }
        };
        if stat.is_some() {
            let value = scaled(text_number(cell), MS);
            let source = format!("{}.{column}", text("Name"));
            draft.stepped(Figure::new(metric, stat, value, meaning, source), step);
        }
    }
}

#[cfg(test)]
mod tests {
    use trueline_core::{Metric, Statistic, Total};

    use crate::results::read_results_from;

    #[test]
    fn a_row_of_a_request_is_no_latency() {
        let text = r#"[{"name":"chat","method":"POST","num_requests":5,"num_none_requests":0,
            "num_failures":1,"total_response_time":100.0},
            {"name":"other","method":"POST","num_requests":3,"num_none_requests":0,
            "num_failures":0,"total_response_time":100.0},
            {"name":"TTFT","method":"METRIC","num_requests":4,"num_none_requests":0,
            "num_failures":0,"total_response_time":200.0,"min_response_time":null},
            {"name":"ITL","method":"METRIC","num_requests":0,"num_none_requests":0,
            "num_failures":0,"total_response_time":0,"min_response_time":0}]"#;
        let read = read_results_from("t", text.as_bytes()).unwrap();
        let [run] = &read.runs[..] else { panic!("one run") };
        let reported = &run.run.reported;
        // By hand: 200 ms over 4.
        assert_eq!(reported.value(Metric::TtftS, Some(Statistic::Mean)), Some(0.05));
        assert_eq!(reported.figures_of(Metric::ItlS).count(), 0, "no sample is no zero");
        assert_eq!(reported.figures_of(Metric::E2eLatencyS).count(), 0);
        assert_eq!(reported.total(Total::CompletedRequests), Some(7));
        assert_eq!(reported.total(Total::FailedRequests), Some(1));
    }
}
