#!/usr/bin/env python3
"""Writes the result files of the cases on whether the numbers of one run agree with each other.

    python3 scripts/cases/arithmetic.py cases

Like results.py, from which the simulation comes: every number follows from one simulated run, and a
sick file has one thing changed. Where a public case is named, the file is made up and carries the
numbers that were published. Nothing here is taken from anybody's files.
"""
import copy
import math
import random

from results import (duration, grep, mean, percentile, sglang, sglang_console, simulate, spread_of,
                     text, times, vllm, write)

FILES = {}


def case(name, **files):
    for file, content in files.items():
        FILES[f"results-{name}/{file.replace('__', '.')}"] = content


def aggregate(n=240, slots=4, seed=21, **shape):
    """A closed loop of over a minute and ten waves whose file keeps sums alone."""
    return simulate(n, slots, seed=seed, **({"ttft": 0.34, "gap": 0.064} | shape))


def detailed(n=120, slots=2, seed=22, **shape):
    """A closed loop of a minute whose file keeps every request, at short replies."""
    return simulate(n, slots, seed=seed, **({"ttft": 0.42, "gap": 0.06, "out": 12} | shape))


def rounded(requests):
    """The same requests to the microsecond, end-to-end latencies summed again."""
    for r in requests:
        r["ttft"], r["gaps"] = round(r["ttft"], 6), [round(g, 6) for g in r["gaps"]]
        r["e2e"] = round(r["ttft"] + sum(r["gaps"]), 6)
    return requests


def scaled(requests, factor):
    """The same run on a server that is slower by a factor."""
    for r in requests:
        for key in ("start", "ttft", "e2e"):
            r[key] *= factor
        r["gaps"] = [g * factor for g in r["gaps"]]
    return requests


def lasting(requests, seconds):
    """The rates of a run over another time than its own."""
    done, tokens_in = len(requests), sum(r["prompt"] for r in requests)
    tokens_out = sum(r["out"] for r in requests)
    return {"duration": seconds, "request_throughput": done / seconds,
            "output_throughput": tokens_out / seconds,
            "total_token_throughput": (tokens_in + tokens_out) / seconds}


def last_sent(requests):
    return max(r["start"] for r in requests)


# --- What the figures of one metric say of each other.
run = aggregate()
base = vllm(run, cap=4, quantiles=(90, 95, 99))
case("order-p99-below-median", bench__json=text(
    base | {"median_ttft_ms": base["p99_ttft_ms"], "p99_ttft_ms": base["median_ttft_ms"]}))
# Three requests in 240 wait twenty times as long: the mean lies above the p95.
slow = copy.deepcopy(run)
for r in slow[60:180:50]:
    r["ttft"] *= 20
    r["e2e"] = r["ttft"] + sum(r["gaps"])
# Requests of a slot follow each other, so what comes after a slow one starts later.
free = [0.0] * 4
for r in slow:
    slot = min(range(4), key=free.__getitem__)
    r["start"] = free[slot]
    free[slot] += r["e2e"] + 0.0005
case("order-mean-above-p95", bench__json=text(vllm(slow, cap=4, quantiles=(90, 95, 99))))

case("p99-of-50", bench__json=text(vllm(aggregate(50, 2, seed=23, out=40), cap=2)))
case("p99-of-100", bench__json=text(vllm(aggregate(100, 2, seed=24), cap=2)))

# Long prompts: one request in about twelve seconds, printed as 0.08 of them a second.
sparse = simulate(100, 2, ttft=22.0, gap=0.06, out=64, prompt=60_000, seed=25)
console = sglang_console(sparse, 2)
case("rounding-rates-alone", run__txt=grep(["throughput", "TTFT", "TPOT", "ITL", "Latency"], console))
case("rounding-beside-counts", run__txt=console)

ticks = lambda requests, step: rounded([r | {
    "ttft": round(r["ttft"] / step) * step, "gaps": [round(g / step) * step for g in r["gaps"]]}
    for r in copy.deepcopy(requests)])
fine = rounded(detailed())
case("clock-of-ten-ms", bench__json=text(vllm(ticks(fine, 0.010), cap=2, detailed=True)))
case("clock-of-half-a-ms", bench__json=text(vllm(ticks(fine, 0.0005), cap=2, detailed=True)))

whole = vllm(fine, cap=2, detailed=True)
case("unit-seconds-called-ms", bench__json=text(
    base | {key: value / 1e3 for key, value in base.items() if key.endswith("_tpot_ms")}))
# TTFT is a thousand times TPOT and the token rate sixty times the request rate, as it happens.
case("unit-a-thousand-apart", bench__json=text(
    vllm(simulate(100, 4, ttft=3.0, gap=0.003, out=60, seed=26), cap=4)))

other = spread_of([r["ttft"] for r in detailed(seed=27, ttft=0.45)], "ttft", (99,))
case("summary-of-another-run", bench__json=text(whole | other))
# Percentiles by the nearest rank and deviations over n - 1, where numpy takes neither.
nearest = {}
for name, values in [("ttft", times(fine)["ttft"]), ("tpot", times(fine)["tpot"]),
                     ("itl", times(fine)["itl"]), ("e2el", times(fine)["e2e"])]:
    ms = sorted(1e3 * v for v in values)
    nearest |= {f"median_{name}_ms": ms[math.ceil(0.50 * len(ms)) - 1],
                f"p99_{name}_ms": ms[math.ceil(0.99 * len(ms)) - 1],
                f"std_{name}_ms": math.sqrt(sum((v - mean(ms)) ** 2 for v in ms) / (len(ms) - 1))}
case("summary-by-nearest-rank", bench__json=text(whole | nearest))

# --- Rates, counts and durations.
wide = aggregate(120, 10, seed=28, out=80)
sums = vllm(wide, cap=10)
case("tokens-without-the-drain", bench__json=text(
    sums | {"output_throughput": sums["total_output_tokens"] / last_sent(wide)}))
# The same change in runs of 60 and of 130 waves is worth less.
case("tokens-without-a-short-drain", bench__json=text(
    base | {"output_throughput": base["total_output_tokens"] / last_sent(run)}))
narrow = aggregate(520, 4, seed=29)
long = vllm(narrow, cap=4)
case("tokens-within-one-percent", bench__json=text(
    long | {"output_throughput": long["total_output_tokens"] / last_sent(narrow)}))

case("requests-without-the-drain", bench__json=text(
    sums | {"request_throughput": sums["completed"] / last_sent(wide)}))
case("requests-within-one-percent", bench__json=text(
    long | {"request_throughput": long["completed"] / last_sent(narrow)}))
lost = vllm(run, cap=4, failed=8)
case("requests-with-the-failed", bench__json=text(
    lost | {"request_throughput": (lost["completed"] + lost["failed"]) / lost["duration"]}))

case("failed-all-but-one", bench__json=text(vllm(run[:1], cap=2, failed=11)))
case("failed-of-500-asked", bench__json=text(vllm(run[:1], cap=None, failed=99, planned=500)))
case("failed-one-of-240", bench__json=text(vllm(run[:239], cap=4, failed=1)))


# --- Latencies and their parts.
def inference_perf(n, rate, **latencies):
    """A stage of inference-perf without its duration, as before tokens were counted in chunks."""
    spread = lambda m: {"mean": m, "min": m * 0.97, "median": m * 0.998, "p90": m * 1.02,
                        "max": m * 1.05}
    latency = {key: spread(m) for key, m in latencies.items()}
    return {"load_summary": {"count": n, "schedule_delay": spread(0.0005), "requested_rate": rate},
            "successes": {"count": n, "latency": latency,
                          "throughput": {"requests_per_sec": 1.017, "input_tokens_per_sec": 207.6,
                                         "output_tokens_per_sec": 64.23,
                                         "total_tokens_per_sec": 271.83},
                          "prompt_len": spread(204.1), "output_len": spread(63.15)},
            "failures": {"count": 0, "request_latency": None, "prompt_len": None}}


stage = {"request_latency": 0.48048, "time_to_first_token": 0.031127,
         "normalized_time_per_output_token": 0.0076087, "inter_token_latency": 0.0034734}
case("latency-tpot-of-half-tokens",
     stage__json=text(inference_perf(60, 1.0, time_per_output_token=0.0034734, **stage)))
# Short replies decode slower than long ones, so that a product of means is too large.
short_ones = aggregate(90, 4, seed=30, out=8, gap=0.07)
mixed = short_ones + [r | {"start": r["start"] + duration(short_ones)}
                      for r in aggregate(90, 4, seed=31, out=60, gap=0.048)]
case("latency-of-mixed-lengths", bench__json=text(vllm(mixed, cap=4)))

# The end-to-end latency of vLLM 0.9 to 0.20 moves on with the usage chunk behind the last token.
for name, behind in [("itl-usage-chunk-behind", 0.050), ("itl-usage-chunk-close-behind", 0.010)]:
    late = simulate(120, 2, ttft=0.42, gap=0.06, out=12, seed=32)
    file = vllm(rounded(late), cap=2, detailed=True)
    late = [r | {"e2e": r["e2e"] + behind} for r in late]
    free = [0.0] * 2
    for r in late:
        slot = min(range(2), key=free.__getitem__)
        r["start"], free[slot] = round(free[slot], 5), free[slot] + r["e2e"] + 0.0005
    file |= lasting(late, duration(late))
    file |= spread_of([r["e2e"] for r in late], "e2el", (99,))
    file |= spread_of([(r["e2e"] - r["ttft"]) / 11 for r in late], "tpot", (99,))
    case(name, bench__json=text(file | {"latencies": [round(r["e2e"], 6) for r in late],
                                        "start_times": [r["start"] for r in late]}))

# Speculative decoding: 400 gaps of 8.72 ms for 1,020 tokens, 2.55 a chunk, about 292 tok/s.
chunked = [r | {"out": 1021} for r in
           simulate(100, 1, ttft=0.015, gap=0.00872, out=401, prompt=64, seed=33)]
case("chunks-of-several-tokens", bench__jsonl=text(sglang(chunked, 1, max_output_tokens_per_s=116.0)))
# One token in 25 waits for the next: 1.04 tokens a gap.
held = detailed(110, 2, seed=34, out=26, gap=0.03)
for r in held:
    r["gaps"] = r["gaps"][:10] + [round(r["gaps"][10] + r["gaps"][11], 5)] + r["gaps"][12:]
case("chunks-now-and-then-two", bench__json=text(vllm(rounded(held), cap=2, detailed=True)))

# tenstorrent/vllm: TTFT of 49 ms and then 127 tokens in one go.
burst = {"date": "20261101-120000", "model_id": "made-up-8b", "tokenizer_id": "made-up-8b",
         "num_prompts": 1000, "max_concurrency": 64, "duration": 0.88365, "completed": 1000,
         "failed": 0, "total_input_tokens": 127_000, "total_output_tokens": 127_853,
         "request_throughput": 1131.669, "output_throughput": 144_687.4,
         "total_token_throughput": 288_409.4, "max_output_tokens_per_s": 128_853.0,
         "mean_ttft_ms": 49.234, "median_ttft_ms": 48.762, "std_ttft_ms": 5.5848, "p99_ttft_ms": 77.79,
         "mean_tpot_ms": 0.010592, "median_tpot_ms": 0.0019247, "std_tpot_ms": 0.017114,
         "p99_tpot_ms": 0.064401, "mean_itl_ms": 0.010471, "median_itl_ms": 0.001703,
         "std_itl_ms": 0.20524, "p99_itl_ms": 0.003327}
case("burst-at-once", bench__json=text(burst))
# A proxy that buffers: all but the last millisecond of a reply is before its first token.
proxied = detailed(120, 2, seed=35, ttft=1.08, gap=0.0001)
case("burst-behind-a-proxy", bench__json=text(vllm(rounded(proxied), cap=2, detailed=True)))
# Long prompts and short replies: 97.7 % of the time is before the first of nine tokens.
prefill = detailed(120, 8, seed=36, ttft=4.2, gap=0.0125, out=9, spread=0.01)
case("burst-long-prefill", bench__json=text(vllm(rounded(prefill), cap=8, detailed=True)))

appended = copy.deepcopy(fine)
first_in = [r | {"gaps": [r["ttft"]] + r["gaps"]} for r in appended]
joined = spread_of([g for r in first_in for g in r["gaps"]], "itl", (99,))
case("ttft-among-the-gaps",
     bench__json=text(whole | joined | {"itls": [r["gaps"] for r in first_in]}))
# Short prompts: the first token takes as long as the next ones, and there is one gap fewer.
even = detailed(180, 2, seed=37, ttft=0.0605, gap=0.06, out=12)
case("ttft-of-one-gap", bench__json=text(vllm(rounded(even), cap=2, detailed=True)))


def llmperf(ttft, e2e, tokens, itl, completed=150, per_minute=25.0):
    """The summary of llmperf, with the spread of any of its runs around the given means."""
    result = {"version": "2023-08-31", "name": "made-up-summary", "model": "made-up-8b",
              "mean_input_tokens": 550, "stddev_input_tokens": 0, "mean_output_tokens": 150,
              "stddev_output_tokens": 0, "num_concurrent_requests": 5}
    quantities = {"inter_token_latency_s": itl, "ttft_s": ttft, "end_to_end_latency_s": e2e,
                  "request_output_throughput_token_per_s": tokens / e2e,
                  "number_input_tokens": 550.0, "number_output_tokens": tokens}
    for name, m in quantities.items():
        spread = 0.0 if name == "number_input_tokens" else 0.01
        at = lambda steps: m * (1 + spread * steps)
        result |= {f"results_{name}_quantiles_p{q}": at(steps) for q, steps in
                   [(25, -0.7), (50, 0.0), (75, 0.7), (90, 1.3), (95, 1.6), (99, 2.3)]}
        result |= {f"results_{name}_mean": m, f"results_{name}_min": at(-2.5),
                   f"results_{name}_max": at(2.5), f"results_{name}_stddev": m * spread}
    rate = per_minute / 60
    return result | {"results_num_requests_started": completed, "results_error_rate": 0.0,
                     "results_number_errors": 0, "results_error_code_frequency": "{}",
                     "results_mean_output_throughput_token_per_s": rate * tokens,
                     "results_num_completed_requests": completed,
                     "results_num_completed_requests_per_min": per_minute, "timestamp": 1798700000}


case("ttft-in-itl-of-llmperf",
     summary__json=text(llmperf(0.40837, 7.0582, 149.752, 0.047075)))
# TTFT is 4.7 % of the end-to-end latency: what is in the gaps moves them by no more.
case("ttft-in-itl-hardly", summary__json=text(llmperf(0.332, 7.0582, 149.752, 7.0582 / 149.752)))

# --- Requests in flight.
measured = duration(run) * 0.90
case("little-above-the-cap", bench__json=text(base | lasting(run, measured)))
case("little-at-the-cap", bench__json=text(base | lasting(run, duration(run) * 0.985)))
# A client that opens 48 connections and no more, and a level that is called 64.
capped = aggregate(960, 48, seed=38, out=48)
case("little-48-connections-of-64", bench__json=text(vllm(capped, cap=64)))
# The last reply takes four times as long as any other, and twelve waves are soon over.
straggler = detailed(100, 8, seed=39, ttft=4.4, spread=0.02)
straggler[-1]["gaps"] = [g * 20 for g in straggler[-1]["gaps"]]
case("little-last-reply-long",
     bench__json=text(vllm(rounded(straggler), cap=8, detailed=True)))
served = aggregate(240, 4, seed=40)
case("little-stated-mean-of-3", bench__jsonl=text(sglang(served, 4, concurrency=3.0)))
case("little-stated-mean-near", bench__jsonl=text(
    sglang(served, 4, concurrency=0.982 * sum(times(served)["e2e"]) / duration(served))))

# Replies of four tokens a chunk, 414.75 tok/s, and a fullest second of 111 chunks.
draft = [r | {"out": 4 * len(r["gaps"]) + 1} for r in aggregate(300, 4, seed=41, out=26)]
draft = scaled(draft, sum(r["out"] for r in draft) / duration(draft) / 414.75)
case("peak-of-chunks", bench__jsonl=text(sglang(draft, 4, max_output_tokens_per_s=111.0)))
# Sixteen slots that never fall into step: the fullest second holds little more than the mean.
steady = aggregate(400, 16, seed=42, out=60, spread=0.10)
case("peak-just-above-the-mean", bench__jsonl=text(sglang(steady, 16)))

case("cap-of-two-three-in-flight",
     bench__json=text(vllm(rounded(detailed(180, 3, seed=43)), cap=2, detailed=True)))
pair = aggregate(150, 2, seed=44)
case("cap-peak-by-seconds", bench__jsonl=text(sglang(pair, 2, max_concurrent_requests=12)))

# --- Lengths and who counts them.
parser = aggregate(100, 2, seed=45, out=64)
case("tokenizer-sees-nothing-of-tools", bench__jsonl=text(
    sglang(parser, 2, retokenized=32, max_output_tokens_per_s=5.0)))
replies = aggregate(100, 8, seed=46, out=1000, gap=0.015)
case("tokenizer-one-percent-apart", bench__jsonl=text(sglang(replies, 8, retokenized=101_500)))
case("tokenizer-three-tokens-each", bench__jsonl=text(
    sglang(run, 4, retokenized=sum(r["out"] for r in run) + 3 * len(run))))

lengths = aggregate(100, 4, seed=47, out=14_382, gap=0.001)
case("output-14382-for-8192", bench__jsonl=text(sglang(lengths, 4, random_output_len=8192)))
short = aggregate(240, 4, seed=48, out=122)
case("output-a-little-short", bench__jsonl=text(sglang(short, 4, random_output_len=128)))
case("prompts-of-nine-tenths", bench__jsonl=text(sglang(
    aggregate(240, 4, seed=49, prompt=922), 4, random_input_len=1024)))
case("prompts-with-a-template", bench__jsonl=text(sglang(
    aggregate(240, 4, seed=50, prompt=1048), 4, random_input_len=1024)))


def aiperf(requests, cap, own_prompt=None, own_output=None, reasoning=None, usage=True):
    """AIPerf's export, with the server's counts beside its own."""
    d, t = duration(requests), times(requests)
    n = len(requests)
    server_in, server_out = requests[0]["prompt"], requests[0]["out"]
    own_in = server_in if own_prompt is None else own_prompt
    own_out = server_out if own_output is None else own_output

    def spread(values, unit):
        stats = {f"p{q}": percentile(values, q) for q in (1, 5, 10, 25, 50, 75, 90, 95, 99)}
        m = mean(values)
        std = math.sqrt(mean([(v - m) ** 2 for v in values]))
        return {"unit": unit, "avg": m} | stats | {"min": min(values), "max": max(values), "std": std,
                                                   "count": len(values), "sum": sum(values)}

    one = lambda value, unit: {"unit": unit, "avg": value}
    ms = lambda values: spread([1e3 * v for v in values], "ms")
    tpot = [(r["e2e"] - r["ttft"]) / (own_out - 1) for r in requests]
    result = {"schema_version": "1.4", "aiperf_version": "0.13.0", "benchmark_id": "made-up",
              "request_throughput": one(n / d, "requests/sec"), "request_latency": ms(t["e2e"]),
              "request_count": one(float(n), "requests"), "time_to_first_token": ms(t["ttft"]),
              "inter_token_latency": ms(tpot), "inter_chunk_latency": ms(t["itl"]),
              "output_token_throughput": one(n * own_out / d, "tokens/sec"),
              "input_token_throughput": one(n * own_in / d, "tokens/sec"),
              "total_token_throughput": one(n * (own_in + own_out) / d, "tokens/sec"),
              "output_token_throughput_per_user": spread([1 / v for v in tpot], "tokens/sec/user"),
              "output_sequence_length": spread([float(own_out)] * n, "tokens"),
              "input_sequence_length": spread([float(own_in)] * n, "tokens"),
              "benchmark_duration": one(d, "sec"), "total_isl": one(float(n * own_in), "tokens"),
              "total_osl": one(float(n * own_out), "tokens")}
    if usage:
        result |= {"usage_prompt_tokens": spread([float(server_in)] * n, "tokens"),
                   "usage_completion_tokens": spread([float(server_out)] * n, "tokens"),
                   "total_usage_prompt_tokens": one(float(n * server_in), "tokens"),
                   "total_usage_completion_tokens": one(float(n * server_out), "tokens")}
    if reasoning is not None:
        result |= {"total_usage_reasoning_tokens": one(float(n * reasoning), "tokens")}
    config = {"models": {"items": [{"name": "made-up-8b"}]},
              "endpoint": {"type": "chat", "streaming": True},
              "phases": [{"name": "profiling", "type": "concurrency", "concurrency": cap,
                          "requests": n}]}
    return result | {"input_config": config, "was_cancelled": False, "error_summary": []}


# The tool counts what it sent as 40 tokens, the server as 9.
case("tokenizer-of-another-model", profile_export_aiperf__json=text(
    aiperf(aggregate(240, 4, seed=51, prompt=9), 4, own_prompt=40)))
# 474 of 512 tokens are reasoning, and the tool counts the 38 of the answer.
thinking = aggregate(120, 4, seed=52, out=512, gap=0.010)
answered = copy.deepcopy(thinking)
case("reasoning-left-out", profile_export_aiperf__json=text(
    aiperf(answered, 4, own_output=38, reasoning=474)))
case("reasoning-counted", profile_export_aiperf__json=text(aiperf(thinking, 4, reasoning=474)))

# --- What two tools mean by one name.
for i in range(3):
    old = aggregate(240, 4, seed=60 + i)
    new = aggregate(240, 4, seed=70 + i, ttft=0.30, gap=0.051)
    case("ratio-of-one-tool",
         **{f"eight-{i + 1}__json": text(vllm(old, cap=4, model="made-up-8b")),
            f"seven-{i + 1}__json": text(vllm(new, cap=4, model="made-up-7b"))})
case("ratio-of-two-itls", llmperf__json=text(llmperf(0.40837, 7.0582, 149.752, 0.047075)),
     vllm__json=text(vllm(aggregate(100, 5, seed=80, out=150, gap=0.055), cap=5)))


def exported(tpot):
    """What inference-perf takes from the server's metrics: the server's release decides what one
    sample of its time per token is."""
    spread = lambda m: {"mean": m, "median": m * 0.998, "p90": m * 1.05, "p99": m * 1.12}
    e2e = 0.338 + 15 * tpot
    rate = 240 / (60 * (e2e + 0.0005))
    return {"load_summary": {}, "failures": {}, "successes": {
        "count": 240, "rate": rate, "prompt_len": {"mean": 512, "rate": 512 * rate},
        "output_len": {"mean": 16, "rate": 16 * rate}, "request_latency": spread(e2e),
        "time_to_first_token": spread(0.338), "time_per_output_token": spread(tpot)}}


case("ratio-of-two-exports", before__json=text(exported(0.0628)), after__json=text(exported(0.0523)))

if __name__ == "__main__":
    write(FILES)
