#!/usr/bin/env python3
"""Writes the result files of the casebook: simulated closed and open loops in the formats of tools.

    python3 scripts/cases/results.py cases

Every number follows from one simulated run, so that the healthy files hold together exactly; the
sick ones have one thing changed. Nothing here is taken from anybody's files.
"""
import json
import math
import random
import sys
from pathlib import Path


def simulate(n, slots, ttft=0.30, gap=0.06, out=16, prompt=512, seed=1, rate=None, spread=0.04,
             slow_start=0, slow_factor=1.0, drift=0.0):
    """Requests of a closed loop of `slots`, or of an open loop at `rate` requests a second."""
    rng = random.Random(seed)
    free = [0.0] * slots
    at, requests = 0.0, []
    for i in range(n):
        if rate:
            start = at
            at += rng.expovariate(rate)
        else:
            slot = min(range(slots), key=free.__getitem__)
            start = free[slot]
        factor = (slow_factor if i < slow_start else 1.0) * (1 + drift * i / n)
        first = round(ttft * factor * rng.gauss(1, spread), 5)
        gaps = [round(gap * factor * max(0.5, rng.gauss(1, 2 * spread)), 5) for _ in range(out - 1)]
        e2e = first + sum(gaps)
        requests.append({"start": round(start, 5), "ttft": first, "gaps": gaps, "e2e": round(e2e, 5),
                         "prompt": prompt, "out": out})
        if not rate:
            free[slot] = start + e2e + 0.0005
    return requests


def percentile(values, q):
    s = sorted(values)
    k = (len(s) - 1) * q / 100
    low = math.floor(k)
    high = min(low + 1, len(s) - 1)
    return s[low] + (s[high] - s[low]) * (k - low)


def mean(values):
    return sum(values) / len(values)


def std(values):
    m = mean(values)
    return math.sqrt(mean([(v - m) ** 2 for v in values]))


def spread_of(values, name, quantiles):
    ms = [1e3 * v for v in values]
    stats = {f"mean_{name}_ms": mean(ms), f"median_{name}_ms": percentile(ms, 50),
             f"std_{name}_ms": std(ms)}
    return stats | {f"p{q}_{name}_ms": percentile(ms, q) for q in quantiles}


def times(requests):
    return {"ttft": [r["ttft"] for r in requests],
            "tpot": [sum(r["gaps"]) / (r["out"] - 1) for r in requests if r["out"] > 1],
            "itl": [g for r in requests for g in r["gaps"]],
            "e2e": [r["e2e"] for r in requests]}


def duration(requests):
    return max(r["start"] + r["e2e"] for r in requests)


def peak(requests):
    buckets = {}
    for r in requests:
        t = r["start"] + r["ttft"]
        for g in [0.0] + r["gaps"]:
            t += g
            buckets[int(t)] = buckets.get(int(t), 0) + 1
    return max(buckets.values())


def vllm(requests, cap=None, rate="inf", failed=0, planned=None, detailed=False, quantiles=(99,),
         model="made-up-8b", **change):
    d, t = duration(requests), times(requests)
    tokens_in, tokens_out = sum(r["prompt"] for r in requests), sum(r["out"] for r in requests)
    result = {"date": "20261101-120000", "endpoint_type": "openai", "backend": "openai", "label": None,
              "model_id": model, "tokenizer_id": model,
              "num_prompts": planned or len(requests) + failed, "request_rate": rate, "burstiness": 1.0,
              "max_concurrency": cap, "duration": d, "completed": len(requests), "failed": failed,
              "total_input_tokens": tokens_in, "total_output_tokens": tokens_out,
              "request_throughput": len(requests) / d, "request_goodput": None,
              "output_throughput": tokens_out / d, "total_token_throughput": (tokens_in + tokens_out) / d,
              "max_output_tokens_per_s": float(peak(requests))}
    for name, theirs in [("ttft", "ttft"), ("tpot", "tpot"), ("itl", "itl"), ("e2e", "e2el")]:
        if t[name]:
            result |= spread_of(t[name], theirs, quantiles)
    if detailed:
        result |= {"input_lens": [r["prompt"] for r in requests], "output_lens": [r["out"] for r in requests],
                   "ttfts": [r["ttft"] for r in requests], "itls": [r["gaps"] for r in requests],
                   "start_times": [r["start"] for r in requests],
                   "latencies": [r["e2e"] for r in requests], "errors": ["" for _ in requests]}
    return result | change


def sglang(requests, cap, seed_note=None, retokenized=None, quantiles=(90, 95, 99), **change):
    d, t = duration(requests), times(requests)
    tokens_in, tokens_out = sum(r["prompt"] for r in requests), sum(r["out"] for r in requests)
    result = {"tag": None, "backend": "sglang", "dataset_name": "random", "request_rate": float("inf"),
              "max_concurrency": cap, "sharegpt_output_len": None, "random_input_len": requests[0]["prompt"],
              "random_output_len": requests[0]["out"], "random_range_ratio": 1.0, "server_info": None,
              "duration": d, "completed": len(requests), "total_input_tokens": tokens_in,
              "total_input_text_tokens": tokens_in, "total_input_vision_tokens": 0,
              "total_output_tokens": tokens_out,
              "total_output_tokens_retokenized": tokens_out if retokenized is None else retokenized,
              "request_throughput": len(requests) / d, "input_throughput": tokens_in / d,
              "output_throughput": tokens_out / d, "total_throughput": (tokens_in + tokens_out) / d}
    for name, theirs in [("e2e", "e2e_latency"), ("ttft", "ttft"), ("tpot", "tpot"), ("itl", "itl")]:
        result |= spread_of(t[name], theirs, quantiles)
    result |= {"concurrency": sum(t["e2e"]) / d, "accept_length": None,
               "max_output_tokens_per_s": float(peak(requests)), "max_concurrent_requests": cap}
    return result | change


SECTIONS = [("End-to-End Latency", "e2e", "E2E Latency"), ("Time to First Token", "ttft", "TTFT"),
            ("Time per Output Token (excl. 1st token)", "tpot", "TPOT"), ("Inter-Token Latency", "itl", "ITL")]


def sglang_console(requests, cap, arguments=None, planned=None):
    """The console of SGLang 0.5.15 and later, whole."""
    d, t = duration(requests), times(requests)
    tokens_in, tokens_out = sum(r["prompt"] for r in requests), sum(r["out"] for r in requests)
    lines = [f"Namespace({arguments})"] if arguments else []
    lines += [f"#Input tokens: {tokens_in}", f"#Output tokens: {planned or tokens_out}",
              "Starting warmup with 1 sequences...",
              "Warmup completed with 1 sequences. Starting main benchmark run...", "",
              " Serving Benchmark Result ".center(50, "=")]
    row = lambda label, value: lines.append(f"{label:<40} {value:<10}")
    row("Backend:", "sglang")
    row("Traffic request rate:", "inf")
    row("Max request concurrency:", cap)
    row("Successful requests:", len(requests))
    row("Benchmark duration (s):", f"{d:.2f}")
    row("Total input tokens:", tokens_in)
    row("Total input text tokens:", tokens_in)
    row("Total generated tokens:", tokens_out)
    row("Total generated tokens (retokenized):", tokens_out)
    row("Request throughput (req/s):", f"{len(requests) / d:.2f}")
    row("Input token throughput (tok/s):", f"{tokens_in / d:.2f}")
    row("Output token throughput (tok/s):", f"{tokens_out / d:.2f}")
    row("Peak output token throughput (tok/s):", f"{peak(requests):.2f}")
    row("Peak concurrent requests:", cap)
    row("Total token throughput (tok/s):", f"{(tokens_in + tokens_out) / d:.2f}")
    row("Concurrency:", f"{sum(t['e2e']) / d:.2f}")
    for title, key, name in SECTIONS:
        ms = [1e3 * v for v in t[key]]
        lines.append(title.center(50, "-"))
        row(f"Mean {name} (ms):", f"{mean(ms):.2f}")
        row(f"Median {name} (ms):", f"{percentile(ms, 50):.2f}")
        for q in (90, 95, 99):
            row(f"P{q} {name} (ms):", f"{percentile(ms, q):.2f}")
        if key == "itl":
            row("Max ITL (ms):", f"{max(ms):.2f}")
    lines.append("=" * 50)
    return "\n".join(lines) + "\n"


def text(value):
    """JSON as the tools write it: floats in full, infinity bare."""
    return json.dumps(value) + "\n"


def grep(pattern_words, console):
    return "".join(l + "\n" for l in console.splitlines() if any(w in l for w in pattern_words))


FILES = {}


def case(name, **files):
    for file, content in files.items():
        FILES[f"{name}/{file.replace('__', '.')}"] = content


# The story of the sweep that printed nothing, and the same sweep in health.
LEVELS = [1, 2, 10, 64, 256]
case("results-story2-grepped", sweep__txt="".join(
    f"=== Concurrency {c} ===\n#Output tokens: 21392\n\n" for c in LEVELS))
# Over a minute and ten waves at every level.
healthy = {c: simulate(n, c, seed=c, ttft=0.30 + 0.01 * c, gap=0.056 + 0.002 * c)
           for c, n in [(1, 120), (2, 120), (4, 240), (8, 400)]}
ECHO = ("backend='sglang', dataset_name='random', model='made-up-8b', num_prompts={n}, "
        "random_input_len=512, random_output_len=16, random_range_ratio=1.0, request_rate=inf, "
        "max_concurrency={c}, sharegpt_output_len=None, seed={c}")
consoles = {c: sglang_console(r, c, ECHO.format(n=len(r), c=c)) for c, r in healthy.items()}
case("results-sweep-healthy", sweep__txt="".join(consoles.values()))
case("results-sweep-healthy-filtered", sweep__txt="".join(
    f"=== Concurrency {c} ===\n" + grep(["Output token", "TPOT", "ITL"], consoles[c]) + "\n"
    for c in healthy))
case("results-sweep-jsonl-healthy", sweep__jsonl="".join(text(sglang(r, c)) for c, r in healthy.items()))

# One thing changed in a healthy console or file.
console = consoles[4]
without_tpot = []
skip = False
for line in console.splitlines():
    if line.startswith("-"):
        skip = "Time per Output Token" in line
    if not skip:
        without_tpot.append(line)
case("results-console-without-tpot", run__txt="\n".join(without_tpot) + "\n")
# SGLang 0.5.3 prints no TPOT section and no peaks, P90 or P95 but of ITL.
older = [l for l in without_tpot if not l.startswith(("Peak", "P90", "P95 TTFT", "P95 E2E", "P99 E2E",
                                                      "Total input text"))]
case("results-console-of-a-version-without-tpot", run__txt="\n".join(older) + "\n")

base = vllm(healthy[4], cap=4)
case("results-vllm-healthy", bench__json=text(base))
nothing = {k: (0.0 if isinstance(v, float) and ("_ms" in k or "throughput" in k) else v)
           for k, v in base.items()}
nothing |= {"completed": 0, "failed": 240, "total_input_tokens": 0, "total_output_tokens": 0,
            "max_output_tokens_per_s": 0.0}
case("results-all-failed", bench__json=text(nothing))
case("results-new-field", bench__json=text(base | {"kv_transfer_bytes": 12, "mean_queue_depth": 1.5}))
degenerate = sglang(healthy[4], 4, retokenized=0)
degenerate |= {k: 0.0 for k in degenerate if "ttft_ms" in k or "itl_ms" in k}
case("results-ttft-of-zero", bench__jsonl=text(degenerate))
case("results-doubled-key", bench__json=text(base).replace('"completed": 240', '"completed": 240, "completed": 230'))


def llama_rows(n, short=0):
    """Rows of `llama-bench -o csv`, the last `short` of them one value short."""
    head = ["build_commit", "build_number", "cpu_info", "gpu_info", "backends", "model_filename",
            "model_type", "model_size", "model_n_params", "n_batch", "n_ubatch", "n_threads", "n_prompt",
            "n_gen", "n_depth", "test_time", "avg_ns", "stddev_ns", "avg_ts", "stddev_ts"]
    rows = [",".join(head)]
    for i in range(n):
        prompt = 512 * (i + 1)
        speed = 4000.0 - 10 * i
        ns = round(prompt / speed * 1e9)
        row = ["abc1234", 7000, "made-up CPU", "made-up GPU", "CUDA", "m.gguf", "llama 8B Q4_K", 4700000000,
               8030000000, 2048, 512, 8, prompt, 0, 0, "2026-11-01T12:00:00Z", ns, round(ns * 0.01),
               speed, speed * 0.01]
        rows.append(",".join(f'"{v}"' for v in (row[:-1] if i >= n - short else row)))
    return "\n".join(rows) + "\n"


case("results-rows-of-wrong-width", bench__csv=llama_rows(5, short=1))
case("results-llama-bench-healthy", bench__csv=llama_rows(5))

MLPERF = """================================================
MLPerf Results Summary
================================================
SUT name : made-up
Scenario : Server
Mode     : PerformanceOnly
Completed samples per second    : 29.41
Completed tokens per second: 8840.42
Result is : {result}
  Performance constraints satisfied : {kept}
  Min duration satisfied : Yes
  Min queries satisfied : Yes
  Early stopping satisfied: Yes

================================================
Additional Stats
================================================
Scheduled samples per second : 29.62
Min latency (ns)                : 262990969
Max latency (ns)                : 34822486568
Mean latency (ns)               : 9716742157
50.00 percentile latency (ns)   : 8609970750
99.00 percentile latency (ns)   : 30354675329

Min First Token latency (ns)                : 32205892
Max First Token latency (ns)                : 672689406
Mean First Token latency (ns)               : 201330486
50.00 percentile first token latency (ns)   : 198602240
99.00 percentile first token latency (ns)   : 435976100

================================================
Test Parameters Used
================================================
samples_per_query : 1
target_qps : 29.5
ttft_latency (ns): 450000000
tpot_latency (ns): 40000000
min_duration (ms): 600000
"""
case("results-mlperf-invalid", mlperf_log_summary__txt=MLPERF.format(result="INVALID", kept="NO"))
case("results-mlperf-valid", mlperf_log_summary__txt=MLPERF.format(result="VALID", kept="Yes"))

# Output lengths that vary: the mean of the requests' rates is not the rate of the run.
varied = simulate(80, 4, out=4, seed=3) + simulate(80, 4, out=60, seed=4)
offset = duration(varied[:80])
for r in varied[80:]:
    r["start"] = round(r["start"] + offset, 5)
case("results-rates-of-two-lengths", bench__json=text(vllm(varied, cap=4, detailed=True)))

def write(files):
    """Writes files below the folder that the command line names."""
    root = Path(sys.argv[1])
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    print(f"{len(files)} files, the largest of {max(len(c) for c in files.values())} bytes")


if __name__ == "__main__":
    write(FILES)
