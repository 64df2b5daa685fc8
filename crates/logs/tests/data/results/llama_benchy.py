"""llama-benchy reports, read by the description of their fields and nothing else.

Rates of each request alone: the totals over all requests mix prefill and decode.
"""
import json
from reading import corpus, run, write

KEYS = {"pp_req_throughput": ("prefill_tok_per_s", 1), "tg_req_throughput": ("decode_tok_per_s", 1),
        "e2e_ttft": ("ttft_s", 1000), "peak_throughput": ("peak_output_tok_per_s", 1)}


def read(test):
    figures = {f"{ours}.{stat}": test[theirs][stat] / per
               for theirs, (ours, per) in KEYS.items() for stat in ("mean", "std")}
    return run("llama-benchy", f"concurrency {test['concurrency']}", None, figures, {})


FILES = ["bench-results/llama-benchy__sample.json"]
write({f: [read(t) for t in json.loads((corpus() / f).read_text())["benchmarks"]] for f in FILES})
