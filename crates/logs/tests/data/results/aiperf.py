"""AIPerf result files, read by the description of its exports and nothing else.

The rates are over the phase, `end_time - start_time`: request_count / request_throughput says so.
"""
import csv
import json
import re
from datetime import datetime
from reading import corpus, run, write

STATS = {"avg": "mean", "min": "min", "max": "max", "std": "std",
         **{f"p{p}": f"p{p}" for p in (1, 5, 10, 25, 50, 75, 90, 95, 99)}}
# Ours, unit, tag, printed name. Lengths are the server's where it counted.
SPREADS = [
    ("e2e_latency_s", 1e-3, "request_latency", "Request Latency (ms)"),
    ("ttft_s", 1e-3, "time_to_first_token", "Time to First Token (ms)"),
    ("tpot_s", 1e-3, "inter_token_latency", "Inter Token Latency (ms)"),
    ("itl_s", 1e-3, "inter_chunk_latency", "Inter Chunk Latency (ms)"),
    ("send_delay_s", 1e-3, "credit_to_start_latency", "Credit-to-Start Latency (ms)"),
    ("decode_tok_per_s", 1, "output_token_throughput_per_user",
     "Output Token Throughput Per User (tokens/sec/user)"),
    ("prefill_tok_per_s", 1, "prefill_throughput_per_user",
     "Prefill Throughput Per User (tokens/sec/user)"),
    ("prompt_tokens", 1, "usage_prompt_tokens", "Usage Prompt Tokens (tokens)"),
    ("output_tokens", 1, "usage_completion_tokens", "Usage Completion Tokens (tokens)"),
]
SINGLE = [
    ("request_per_s", 1, "request_throughput", "Request Throughput (requests/sec)"),
    ("output_tok_per_s", 1, "output_token_throughput", "Output Token Throughput (tokens/sec)"),
    ("input_tok_per_s", 1, "input_token_throughput", "Input Token Throughput (tokens/sec)"),
    ("total_tok_per_s", 1, "total_token_throughput", "Total Token Throughput (tokens/sec)"),
    ("cache_hit_share", 1e-2, "overall_usage_prompt_cache_read_pct",
     "Overall Usage Prompt Cache Read % (%)"),
    ("concurrency", 1, "effective_concurrency", "Effective Concurrency"),
]
TOTALS = [
    ("completed_requests", "request_count", "Request Count"),
    ("prompt_tokens_total", "total_usage_prompt_tokens", "Total Usage Prompt Tokens (tokens)"),
    ("output_tokens_total", "total_usage_completion_tokens",
     "Total Usage Completion Tokens (tokens)"),
    ("cached_tokens_total", "total_usage_prompt_cache_read_tokens",
     "Total Usage Prompt Cache Read Tokens (tokens)"),
    ("own_prompt_tokens_total", "total_isl", "Total Input Sequence Length (tokens)"),
    ("own_output_tokens_total", "total_osl", "Total Output Sequence Length (tokens)"),
]
COMPLETED = ("completed_request_count", "Completed Requests (Success + Error)")


def summary(metrics, which, load, duration, planned, unit=lambda name: name):
    """A run from metrics by tag (which 0) or by printed name (which 1)."""
    names = lambda row: unit(row[which - 2])
    figures = {}
    for row in SPREADS:
        for theirs, ours in STATS.items():
            value = metrics.get(names(row), {}).get(theirs)
            if value is not None:
                figures[f"{row[0]}.{ours}"] = value * row[1]
    for row in SINGLE:
        if names(row) in metrics:
            figures[row[0]] = metrics[names(row)]["avg"] * row[1]
    concurrency = names(SINGLE[-1])
    if concurrency in metrics:
        figures["peak_concurrency"] = metrics[concurrency]["max"]
    totals = {row[0]: metrics[names(row)]["avg"] for row in TOTALS if names(row) in metrics}
    both = metrics[unit(COMPLETED[which])]["avg"]
    totals["failed_requests"] = both - totals["completed_requests"]
    totals["planned_requests"] = planned
    return run("aiperf", load, duration, figures, totals)


def read_json(d):
    phase = next(p for p in d["input_config"]["phases"] if p["kind"] == "profiling")
    took = datetime.fromisoformat(d["end_time"]) - datetime.fromisoformat(d["start_time"])
    metrics = {k: v for k, v in d.items() if isinstance(v, dict) and "unit" in v}
    return [summary(metrics, 0, f"concurrency {phase['concurrency']}", took.total_seconds(),
                    phase["requests"])]


def read_csv(text):
    metrics, columns = {}, None
    for row in csv.reader(text.splitlines()):
        if row and row[0] in ("Metric", "Endpoint"):
            columns = None if row[0] == "Endpoint" else ["avg" if c == "Value" else c for c in row[1:]]
        elif row and columns:
            metrics[row[0]] = {c: float(v) for c, v in zip(columns, row[1:]) if v}
    return [summary(metrics, 1, None, None, None)]


def read_console(text):
    metrics, columns, last = {}, [], None
    for line in text.splitlines():
        if not re.match(r"[│┃]", line) or line.count(line[0]) < 5:
            continue
        label, *cells = [c.strip() for c in line.strip(line[0]).split(line[0])]
        if label == "Metric":
            columns = cells
        elif not any(cells):
            metrics[f"{last} {label}"] = metrics.pop(last)
            last = f"{last} {label}"
        else:
            last = label
            metrics[label] = {c: float(v.replace(",", "")) for c, v in zip(columns, cells) if v != "N/A"}
    # On the console counts have their unit too.
    counts = {"Request Count", COMPLETED[1], "Effective Concurrency"}
    return [summary(metrics, 1, None, None, None,
                    lambda name: f"{name} (requests)" if name in counts else name)]


def read_records(text):
    records = [json.loads(line) for line in text.splitlines()]
    value = lambda r, tag: r["metrics"][tag]["value"]
    measured = [r for r in records if r["metadata"]["benchmark_phase"] == "profiling"]
    gaps = [g for r in records for g in value(r, "inter_chunk_latency")]
    total = lambda tag, of=records: sum(value(r, tag) for r in of)
    requests = {"n": len(records), "warmup": len(records) - len(measured),
                "prompt_tokens": total("usage_prompt_tokens"),
                "output_tokens": total("usage_completion_tokens"),
                "cached_tokens": total("usage_prompt_cache_read_tokens"),
                "ttft_s": total("time_to_first_token") / 1e3, "e2e_s": total("request_latency") / 1e3,
                "gaps": len(gaps), "gap_s": sum(gaps) / 1e3}
    totals = {"own_prompt_tokens_total": total("input_sequence_length", measured),
              "own_output_tokens_total": total("output_sequence_length", measured)}
    return [run("aiperf", None, None, {}, totals, requests)]


FORMS = {"profile_export_aiperf.json": lambda text: read_json(json.loads(text)),
         "profile_export_aiperf.csv": read_csv, "profile_export_console.txt": read_console,
         "profile_export.jsonl": read_records,
         "phase_manifest.json": lambda _: [], "inputs.json": lambda _: []}
files = {}
for folder in ("bench-results/generated/aiperf-0.13.0.", "measured/aiperf/"):
    for form, read in FORMS.items():
        path = corpus() / (folder + form)
        if path.exists():
            files[folder + form] = read(path.read_text())
write(files)
