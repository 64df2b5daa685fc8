"""llmeter files, read by the description of their fields and nothing else."""
import json
from reading import corpus, run, write

NAMES = {"time_to_first_token": "ttft_s", "time_to_last_token": "e2e_latency_s",
         "time_per_output_token": "tpot_s", "num_tokens_input": "prompt_tokens",
         "num_tokens_output": "output_tokens"}
STATS = {"average": "mean", "p50": "p50", "p90": "p90", "p99": "p99"}


def stats(d):
    figures = {f"{ours}.{s}": d.get(f"{theirs}-{stat}")
               for theirs, ours in NAMES.items() for stat, s in STATS.items()}
    for theirs, ours in [("requests_per_minute", "request_per_s"),
                         ("average_input_tokens_per_minute", "input_tok_per_s"),
                         ("average_output_tokens_per_minute", "output_tok_per_s")]:
        figures[ours] = d[theirs] / 60 if theirs in d else None
    failed = d.get("failed_requests")
    totals = {"planned_requests": d["total_requests"], "failed_requests": failed,
              "completed_requests": None if failed is None else d["total_requests"] - failed,
              "prompt_tokens_total": d.get("total_input_tokens"),
              "output_tokens_total": d.get("total_output_tokens")}
    return [run("llmeter", f"concurrency {d['clients']}", d["total_test_time"], figures, totals)]


def responses(rows):
    total = lambda key: sum(r[key] for r in rows)
    assert all(r["error"] is None for r in rows)
    return [run("llmeter", None, None, {}, {}, {
        "n": len(rows), "prompt_tokens": total("num_tokens_input"),
        "cached_tokens": total("num_tokens_input_cached"),
        "output_tokens": total("num_tokens_output"), "ttft_s": total("time_to_first_token"),
        "e2e_s": total("time_to_last_token")})]


HOME = "measured/llmeter/"
files = {f: stats(json.loads((corpus() / f).read_text()))
         for f in [HOME + "stats.json", HOME + "summary.json"]}
f = HOME + "responses.jsonl"
files[f] = responses([json.loads(line) for line in (corpus() / f).read_text().splitlines()])
write(files)
