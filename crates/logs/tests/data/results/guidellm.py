"""GuideLLM reports, tables in CSV and on the console, read by the tool's description of them."""
import csv
import json
import re
from reading import corpus, run, write

QUANTILES = {"p001": "p0.1", "p01": "p1", "p05": "p5", "p10": "p10", "p25": "p25", "p50": "p50",
             "p75": "p75", "p90": "p90", "p95": "p95", "p99": "p99", "p999": "p99.9"}
# Name in the report: name here, unit, group in CSV and its name, group on the console.
SPREADS = [("request_latency", "e2e_latency_s", 1, "Request Latency", "Successful Sec", "Request Latency"),
           ("time_to_first_token_ms", "ttft_s", 1e-3, "Time to First Token", "Successful ms", "TTFT"),
           ("time_per_output_token_ms", "e2e_per_token_s", 1e-3, "Time per Output Token", "Successful ms",
            "TPOT"),
           ("inter_token_latency_ms", "tpot_s", 1e-3, "Inter Token Latency", "Successful ms", "ITL"),
           ("prompt_token_count", "prompt_tokens", 1, "Token Metrics", "Successful Input Tokens",
            "Input Tok"),
           ("output_token_count", "output_tokens", 1, "Token Metrics", "Successful Output Tokens",
            "Output Tok")]
RATES = {"requests_per_second": "request_per_s", "prompt_tokens_per_second": "input_tok_per_s",
         "output_tokens_per_second": "output_tok_per_s", "tokens_per_second": "total_tok_per_s",
         "request_concurrency": "concurrency"}
CSV_RATES = {"Successful Requests/Sec": "request_per_s", "Successful Concurrency": "concurrency",
             "Successful Input Tokens/Sec": "input_tok_per_s",
             "Successful Output Tokens/Sec": "output_tok_per_s",
             "Successful Total Tokens/Sec": "total_tok_per_s"}


def load(name):
    kind, _, level = name.partition("@")
    return f"rate {float(level):g}" if kind in ("constant", "poisson") else f"concurrency {level}"


def requests(b):
    sums = dict.fromkeys(("n", "prompt_tokens", "cached_tokens", "output_tokens", "ttft_s", "e2e_s"), 0)
    for r in b["requests"]["successful"]:
        t = r["info"]["timings"]
        sums["n"] += 1
        for key in ("prompt_tokens", "cached_tokens", "output_tokens"):
            sums[key] += r[key]
        sums["ttft_s"] += t["first_token_iteration"] - t["request_start"]
        sums["e2e_s"] += t["last_token_iteration"] - t["request_start"]
    assert not b["requests"]["errored"] and not b["requests"]["incomplete"]
    return sums


def benchmark(b):
    m = b["metrics"]
    figures = {ours: m[theirs]["successful"]["mean"] for theirs, ours in RATES.items()}
    figures["peak_concurrency"] = m["request_concurrency"]["successful"]["max"]
    for theirs, ours, unit, *_ in SPREADS:
        d = m[theirs]["successful"]
        assert d["count"] > 0
        values = {"mean": d["mean"], "median": d["median"], "std": d["std_dev"], "min": d["min"],
                  "max": d["max"]} | {QUANTILES[q]: v for q, v in d["percentiles"].items()}
        figures |= {f"{ours}.{s}": v * unit for s, v in values.items()}
    counts, s = m["request_totals"], b["config"]["strategy"]
    totals = {"planned_requests": b["config"]["constraints"]["max_requests"]["args"]["count"],
              "completed_requests": counts["successful"], "failed_requests": counts["errored"],
              "cancelled_requests": counts["incomplete"],
              "prompt_tokens_total": m["prompt_token_count"]["successful"]["total_sum"],
              "output_tokens_total": m["output_token_count"]["successful"]["total_sum"]}
    name = f"{s['type_']}@{s['streams'] if s['type_'] == 'concurrent' else s['rate']}"
    return run("GuideLLM", load(name), b["duration"], figures, totals, requests(b))


def table(row):
    """One row of the CSV under its three headings."""
    def cell(*heading):
        return row[heading]

    figures = {}
    for *_, ours, unit, group, name, _ in [(None, *x[1:]) for x in SPREADS]:
        for theirs, s in (("Mean", "mean"), ("Median", "median"), ("Std Dev", "std")):
            figures[f"{ours}.{s}"] = float(cell(group, name, theirs)) * unit
        for s, v in zip(QUANTILES.values(), json.loads(cell(group, name, "Percentiles")), strict=True):
            figures[f"{ours}.{s}"] = v * unit
    for (group, name, unit), value in row.items():
        if name in CSV_RATES and unit == "Mean" and group.endswith("Throughput"):
            figures[CSV_RATES[name]] = float(value)
    planned = json.loads(cell("Benchmark", "Constraints", ""))["max_requests"]["args"]["count"]
    totals = {"planned_requests": planned,
              "completed_requests": cell("Request Counts", "Successful", ""),
              "failed_requests": cell("Request Counts", "Errored", ""),
              "cancelled_requests": cell("Request Counts", "Incomplete", "")}
    return run("GuideLLM", load(cell("Benchmark", "Strategy", "")),
               float(cell("Timings", "Duration", "Sec")), figures, totals)


def console(text):
    """The one benchmark of a console, by the place of its cells in the tables' rows."""
    rows = [[c.strip() for c in line.strip("|").split("|")] for line in text.splitlines()
            if line.startswith("| concurrent@2 ")]
    summary, _inputs, _outputs, lengths, latency, rates = rows

    def number(cell):
        return float(re.match(r"[0-9.]+", cell)[0])

    figures = {}
    # Mean, median, p95 of latency, TTFT, TTFOT, ITL, TPOT.
    for i, ours, unit in ((1, "e2e_latency_s", 1), (4, "ttft_s", 1e-3), (10, "tpot_s", 1e-3),
                          (13, "e2e_per_token_s", 1e-3)):
        for j, s in enumerate(("mean", "median", "p95")):
            figures[f"{ours}.{s}"] = number(latency[i + j]) * unit
    for i, ours in ((1, "prompt_tokens"), (3, "output_tokens")):
        figures |= {f"{ours}.median": number(lengths[i]), f"{ours}.p95": number(lengths[i + 1])}
    for i, ours in ((2, "concurrency"), (3, "request_per_s"), (4, "input_tok_per_s"),
                    (5, "output_tok_per_s"), (6, "total_tok_per_s")):
        figures[ours] = number(rates[i])
    totals = {"completed_requests": summary[6], "cancelled_requests": summary[7],
              "failed_requests": summary[8], "prompt_tokens_total": number(summary[9]),
              "output_tokens_total": number(summary[12])}
    return run("GuideLLM", load(summary[0]), number(summary[3]), figures, totals)


files = {}
for f in ("bench-results/guidellm__report_v2.json", "measured/guidellm/benchmarks.json"):
    files[f] = [benchmark(b) for b in json.loads((corpus() / f).read_text())["benchmarks"]]
f = "measured/guidellm/benchmarks.csv"
with (corpus() / f).open(newline="") as file:
    groups, names, units, *data = csv.reader(file)
files[f] = [table(dict(zip(zip(groups, names, units), row, strict=True))) for row in data]
f = "measured/guidellm/console.txt"
files[f] = [console((corpus() / f).read_text())]
write(files)
