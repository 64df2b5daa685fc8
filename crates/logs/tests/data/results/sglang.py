"""SGLang result lines, read by the description of `bench_serving` and nothing else."""
import json
from reading import corpus, run, write

STATS = ["mean", "median", "std", "p90", "p95", "p99"]
TIMES = {"ttft": "ttft_s", "tpot": "tpot_s", "itl": "itl_s", "e2e_latency": "e2e_latency_s"}


def requests(d):
    if "output_lens" not in d:
        return None
    ok = [n > 0 for n in d["output_lens"]]
    e2e = sum(t + sum(g) for t, g, fine in zip(d["ttfts"], d["itls"], ok) if fine)
    return {"n": len(ok), "failed": ok.count(False), "prompt_tokens": sum(d["input_lens"]),
            "output_tokens": sum(d["output_lens"]), "ttft_s": sum(d["ttfts"]), "e2e_s": e2e,
            "gaps": sum(map(len, d["itls"])), "gap_s": sum(map(sum, d["itls"]))}


def read(d):
    # A latency of zero is read as it stands; that it stands for nothing is for a check to say.
    figures = {f"{ours}.{s}": d[f"{s}_{theirs}_ms"] / 1e3
               for theirs, ours in TIMES.items() for s in STATS if f"{s}_{theirs}_ms" in d}
    figures |= {"request_per_s": d["request_throughput"], "input_tok_per_s": d["input_throughput"],
                "output_tok_per_s": d["output_throughput"], "concurrency": d["concurrency"],
                "total_tok_per_s": d.get("total_throughput"),
                "peak_output_tok_per_s": d.get("max_output_tokens_per_s"),
                "peak_concurrency": d.get("max_concurrent_requests"),
                "goodput_request_per_s": d.get("request_goodput")}
    totals = {"completed_requests": d["completed"], "prompt_tokens_total": d["total_input_tokens"],
              "output_tokens_total": d["total_output_tokens"],
              "own_output_tokens_total": d["total_output_tokens_retokenized"]}
    return run("sglang bench_serving", f"concurrency {d['max_concurrency']}", d["duration"], figures,
               totals, requests(d))


def lines(path):
    # Python's own parser takes bare Infinity.
    return [read(json.loads(line)) for line in path.read_text().splitlines() if line.startswith("{")]


GENERATED = [f"bench-results/generated/sglang-{v}.jsonl"
             for v in ["0.4.2", "0.5.3", "0.5.23", "0.5.23-chunk4"]]
MEASURED = [f"measured/{d}/out.jsonl" for d in ["sglang-python", "sglang-rust", "sglang-sweep-same-seed"]]
FILES = GENERATED + MEASURED + ["bench-results/sglang__issue12389_degenerate_zero_ttft.jsonl"]
write({f: lines(corpus() / f) for f in FILES})
