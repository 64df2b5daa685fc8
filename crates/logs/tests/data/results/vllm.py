"""vLLM result files, read by the description of `vllm bench serve` and nothing else."""
import json
from reading import corpus, run, write

STATS = {"mean": "mean", "median": "median", "std": "std", "p50": "p50", "p90": "p90", "p99": "p99"}
TIMES = {"ttft": "ttft_s", "tpot": "tpot_s", "itl": "itl_s", "e2el": "e2e_latency_s",
         "client_queue_time": "send_delay_s"}


def requests(d):
    if "output_lens" not in d:
        return None
    ok = [t > 0 or n > 0 for t, n in zip(d["ttfts"], d["output_lens"])]
    e2e = d.get("latencies") or [t + sum(g) for t, g in zip(d["ttfts"], d["itls"])]
    return {"n": len(ok), "failed": ok.count(False), "prompt_tokens": sum(d["input_lens"]),
            "output_tokens": sum(d["output_lens"]), "ttft_s": sum(d["ttfts"]), "e2e_s": sum(e2e),
            "gaps": sum(map(len, d["itls"])), "gap_s": sum(map(sum, d["itls"]))}


def read(d):
    figures = {f"{ours}.{s}": d[f"{s}_{theirs}_ms"] / 1e3
               for theirs, ours in TIMES.items() for s in STATS if f"{s}_{theirs}_ms" in d}
    figures |= {"request_per_s": d["request_throughput"], "output_tok_per_s": d["output_throughput"],
                "total_tok_per_s": d["total_token_throughput"],
                "peak_output_tok_per_s": d.get("max_output_tokens_per_s"),
                "peak_concurrency": d.get("max_concurrent_requests"),
                "goodput_request_per_s": d.get("request_goodput")}
    totals = {"planned_requests": d["num_prompts"], "completed_requests": d["completed"],
              "failed_requests": d.get("failed"), "prompt_tokens_total": d["total_input_tokens"],
              "output_tokens_total": d["total_output_tokens"]}
    return [run("vllm bench serve", f"concurrency {d['max_concurrency']}", d["duration"], figures,
                totals, requests(d))]


FILES = ["bench-results/generated/vllm-0.9.2-detailed.json",
         "bench-results/generated/vllm-0.33.0-detailed.json",
         "bench-results/vllm__tenstorrent_fixture_not_really_streaming.json"]
write({f: read(json.loads((corpus() / f).read_text())) for f in FILES})
