"""llmperf files, read by the description of its results and nothing else.

`inter_token_latency_s` is kept as it is named; a failed request keeps its prompt alone.
"""
import ast
import json
from reading import corpus, run, write

NAMES = {"inter_token_latency_s": "itl_s", "ttft_s": "ttft_s",
         "end_to_end_latency_s": "e2e_latency_s",
         "request_output_throughput_token_per_s": "decode_tok_per_s",
         "number_input_tokens": "prompt_tokens", "number_output_tokens": "output_tokens"}
STATS = {f"quantiles_p{n}": f"p{n}" for n in (25, 50, 75, 90, 95, 99)}
STATS |= {"mean": "mean", "min": "min", "max": "max", "stddev": "std"}


def summary(d):
    figures = {f"{ours}.{s}": float(d[f"results_{theirs}_{stat}"])
               for theirs, ours in NAMES.items() for stat, s in STATS.items()}
    figures |= {"output_tok_per_s": d["results_mean_output_throughput_token_per_s"],
                "request_per_s": d["results_num_completed_requests_per_min"] / 60}
    failed = d["results_number_errors"]
    assert sum(ast.literal_eval(d["results_error_code_frequency"]).values()) == failed
    totals = {"planned_requests": d["results_num_requests_started"], "failed_requests": failed,
              "completed_requests": d["results_num_completed_requests"]}
    return [run("llmperf", f"concurrency {d['num_concurrent_requests']}", None, figures, totals)]


def individual(rows):
    ok = [r for r in rows if r["error_code"] is None]
    requests = {"n": len(rows), "failed": len(rows) - len(ok),
                "prompt_tokens": sum(r["number_input_tokens"] for r in rows),
                "output_tokens": sum(r["number_output_tokens"] for r in ok),
                "ttft_s": sum(r["ttft_s"] for r in ok),
                "e2e_s": sum(r["end_to_end_latency_s"] for r in ok)}
    itl = sum(r["inter_token_latency_s"] for r in ok) / len(ok)
    return [run("llmperf", None, None, {"itl_s.mean": itl}, {}, requests)]


load = lambda f: json.loads((corpus() / f).read_text())
SUMMARY = "bench-results/llmperf__summary_bedrock_70b.json"
REQUESTS = "bench-results/llmperf__individual_lepton_7b.json"
write({SUMMARY: summary(load(SUMMARY)), REQUESTS: individual(load(REQUESTS))})
