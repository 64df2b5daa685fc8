"""llama-bench files, read by the description of its fields and nothing else.

A test of prompts is a prefill rate, one of generations a decode rate; repetitions are counted by their
times. The CSV sample has rows one value short, so none of its values is to be used.
"""
import csv
import json
from reading import corpus, run, write


def read(d):
    pp, tg = d["n_prompt"] > 0, d["n_gen"] > 0
    metric = "total_tok_per_s" if pp and tg else "prefill_tok_per_s" if pp else "decode_tok_per_s"
    n = len(d["samples_ns"])
    return run("llama-bench", "concurrency 1", None,
               {f"{metric}.mean": d["avg_ts"], f"{metric}.std": d["stddev_ts"]},
               {"planned_requests": n, "completed_requests": n})


JSON = "bench-results/llama-bench__readme_sample.json"
CSV = "bench-results/llama-bench__readme_sample.csv"
head, *rows = csv.reader((corpus() / CSV).read_text().splitlines())
short = [r for r in rows if r and len(r) != len(head)]
assert len(short) == len([r for r in rows if r])
write({JSON: [read(d) for d in json.loads((corpus() / JSON).read_text())],
       CSV: [run("llama-bench", None, None, {}, {}, rejected=len(short))]})
