#!/usr/bin/env python3
"""Writes the result files of the casebook in the shape of faults that were published.

    python3 scripts/cases/public.py cases

Each comment names the public case. Where numbers were published the file carries these and nothing
else of the case: the rest follows from a simulated run, as in `results.py`.
"""
import json
import random

from arithmetic import exported, llmperf
from load import inference_perf, queue, slower
from results import duration, mean, sglang, sglang_console, simulate, text, vllm, write

FILES = {}


def case(name, **files):
    for file, content in files.items():
        FILES[f"results-public-{name}/{file.replace('__', '.')}"] = content


def settled(requests, slots):
    """The same requests in a closed loop of so many slots, to the microsecond."""
    free = [0.0] * slots
    for r in requests:
        slot = min(range(slots), key=free.__getitem__)
        r["ttft"], r["gaps"] = round(r["ttft"], 6), [round(g, 6) for g in r["gaps"]]
        r["e2e"] = round(r["ttft"] + sum(r["gaps"]), 6)
        r["start"], free[slot] = round(free[slot], 6), free[slot] + r["e2e"] + 0.0005
    return requests


def at_throughput(requests, tok_per_s):
    return slower(requests, sum(r["out"] for r in requests) / duration(requests) / tok_per_s)


# --- The first token.
# vLLM issue 3759: the role chunk was taken for the first token: TTFT of 5 ms where another server had
# 214 ms. The wait for the first token is the first gap.
run = simulate(140, 2, ttft=0.214, gap=0.06, out=14, seed=101)
drawn = random.Random(101)
role = [r | {"ttft": 0.005 * drawn.gauss(1, 0.1)} for r in run]
role = settled([r | {"gaps": [x["ttft"] - r["ttft"]] + r["gaps"], "out": r["out"] + 1}
                for r, x in zip(role, run)], 2)
case("role-chunk-as-first-token", bench__json=text(vllm(role, cap=2, detailed=True)))
# Prefill on one machine and decoding on another: the state travels between the first two tokens.
moved = settled([r | {"gaps": [0.18] + r["gaps"][1:]} for r in
                 simulate(150, 2, ttft=0.214, gap=0.06, out=14, seed=102)], 2)
case("first-gap-as-long-as-ttft", bench__json=text(vllm(moved, cap=2, detailed=True)))
# vLLM issue 5895: empty replies; the median TTFT is 0.00 and 1,000 are called successful.
empty = vllm(simulate(1000, 8, ttft=0.3, gap=0.02, out=24, seed=103), cap=8)
case("median-ttft-of-zero", bench__json=text(empty | {"median_ttft_ms": 0.0}))
# SGLang issue 6525: TTFT and ITL are missing of a run whose TPOT is there.
console = sglang_console(simulate(240, 4, ttft=0.3, gap=0.064, seed=104), 4)
lines, skip = [], False
for line in console.splitlines():
    if line.startswith("-"):
        skip = "First Token" in line or "Inter-Token" in line
    if not skip or line.startswith("="):
        lines.append(line)
case("console-without-ttft-and-itl", run__txt="\n".join(lines) + "\n")

# --- Chunks and tokens.
# vLLM issue 27485 and the same in vLLM 0.33, as measured: chunks of four tokens give a mean ITL of
# 16.36 ms for tokens of 4.1 ms; TPOT is 3.56 ms, since four tokens came with the first chunk, and the
# peak of 72 chunks a second is below the mean of 414 tok/s.
four = [r | {"out": 4 * (len(r["gaps"]) + 1)} for r in
        simulate(1200, 2, ttft=0.0336, gap=0.01636, out=6, spread=0.01, seed=105)]
case("chunks-of-four-tokens", bench__json=text(vllm(four, cap=2, max_output_tokens_per_s=72.0)))
# club-3090 PR 1232: reasoning is left out of the stream, so TTFT is that of the first token of the
# answer: a cliff where replies begin to reason. 474 of 512 tokens come before it.
answer = settled([r | {"ttft": r["ttft"] + 474 * 0.010, "out": 512} for r in
                  simulate(60, 2, ttft=0.3, gap=0.010, out=38, seed=106)], 2)
case("first-token-of-the-answer", bench__json=text(vllm(answer, cap=2, detailed=True)))
# SGLang PR 24255: the output length stays at what was asked for although replies end early.
asked = simulate(240, 4, ttft=0.3, gap=0.024, out=128, seed=107)
case("output-length-as-asked", bench__jsonl=text(sglang(asked, 4, retokenized=240 * 71)))

# --- The cache.
# vLLM issue 52884: the random data set again on the same server: 86 % more throughput.
# 0.9 s and 15 gaps of 20 ms are 1.2 s; of 1.86 times the throughput 0.345 s are left for TTFT.
first = settled(simulate(400, 4, ttft=0.9, gap=0.02, out=16, prompt=4096, seed=108), 4)
again = settled([r | {"ttft": r["ttft"] * 0.345 / 0.9} for r in first], 4)
case("run-again-on-a-warm-cache", run_1__json=text(vllm(first, cap=4)), run_2__json=text(vllm(again, cap=4)))
# minefield trap 110: a shared endpoint gave 41 to 77 and 167 to 302 tok/s at one setting.
for i, rate in enumerate([41.0, 77.0, 167.0, 302.0]):
    n = 800 if rate > 200 else 400
    case("endpoint-that-others-use", **{f"rep{i + 1}__json": text(
        vllm(at_throughput(simulate(n, 4, ttft=0.3, gap=0.06, out=40, seed=110 + i), rate), cap=4))})

# --- Failures.
# sample-apj-sup-sa PR 181: 9 % of 40,000 replies never came, and the tool says that none failed.
kept = simulate(400, 16, ttft=0.4, gap=0.05, out=32, seed=115)
lost = vllm(kept, cap=16)
times_100 = {"num_prompts": 40_000, "completed": 36_400, "failed": 0, "duration": lost["duration"] * 91,
             "total_input_tokens": lost["total_input_tokens"] * 91,
             "total_output_tokens": lost["total_output_tokens"] * 91}
case("nine-percent-never-came", bench__json=text(lost | times_100))
# SGLang issue 2805: 1,648 of 3,000 requests, and no line says so.
quiet = simulate(1648, 64, ttft=0.6, gap=0.04, out=40, seed=116)
echo = ("backend='sglang', dataset_name='random', model='made-up-8b', num_prompts=3000, random_input_len=512, "
        "random_output_len=40, random_range_ratio=1.0, request_rate=inf, max_concurrency=64, "
        "sharegpt_output_len=None, seed=1")
planned = sglang_console(quiet, 64, echo, planned=3000 * 40)
case("1648-of-3000", run__txt=planned.replace(f"#Input tokens: {1648 * 512}", f"#Input tokens: {3000 * 512}"))
# vllm-omni issue 7058: a dead engine, 74.9 requests a second, all successful, without a token.
dead = vllm(simulate(4500, 64, ttft=0.85, gap=0.0, out=1, seed=117), cap=64)
nothing = {k: 0.0 for k in dead if "_tpot_" in k or "_itl_" in k or "_ttft_" in k}
seconds = 4500 / 74.9
case("no-token-from-a-dead-engine", bench__json=text(dead | nothing | {
    "duration": seconds, "request_throughput": 74.9, "total_output_tokens": 0, "output_throughput": 0.0,
    "total_token_throughput": dead["total_input_tokens"] / seconds, "max_output_tokens_per_s": 0.0}))
# mlcommons endpoints issue 34: 166 requests a second, all of them failed.
case("rate-of-failures", bench__json=text(dead | {k: 0.0 for k in dead if k.endswith("_ms")} | {
    "duration": 10_000 / 166.0, "request_throughput": 166.0, "completed": 0, "failed": 10_000,
    "num_prompts": 10_000, "total_input_tokens": 0, "total_output_tokens": 0, "output_throughput": 0.0,
    "total_token_throughput": 0.0, "max_output_tokens_per_s": 0.0}))
# A published summary of llmperf: 49 of 150 requests failed, and its TTFT is quoted without them.
third = llmperf(0.40837, 7.0582, 149.752, 0.0446, completed=101)
case("third-of-llmperf-failed", summary__json=text(third | {
    "results_num_requests_started": 150, "results_number_errors": 49, "results_error_rate": 49 / 150,
    "results_error_code_frequency": "{\"429\": 49}"}))

# --- Values that are none.
# inference-perf issues 150 and 241: metrics are null or missing; an export of server metrics is zero.
blank = inference_perf(queue(300, 4.0, 40, seed=118, ttft=0.53, gap=0.04, out=66), [0.0004] * 300, rate=4.0)
blank["successes"]["latency"] = {k: None for k in blank["successes"]["latency"]}
blank["successes"]["throughput"] = {k: None for k in blank["successes"]["throughput"]}
case("stage-of-nulls", stage_0_lifecycle_metrics__json=text(blank))
zeros = exported(0.0628)
for key in ("request_latency", "time_to_first_token", "time_per_output_token"):
    zeros["successes"][key] = {k: 0.0 for k in zeros["successes"][key]}
case("export-of-zeros", summary_prometheus_metrics__json=text(zeros))
# memtier issue 271 in the shape of vLLM: NaN and infinities stand bare in JSON.
base = vllm(simulate(240, 4, ttft=0.34, gap=0.064, seed=119), cap=4)
case("bare-nan", bench__json=text(base | {"mean_tpot_ms": float("nan"), "p99_tpot_ms": float("inf")}))

# --- Load.
# vLLM PR 21095: a cap of 0 is printed and means none.
free = queue(400, 4.0, 64, ttft=0.3, gap=0.05, out=32, seed=120)
case("cap-of-zero", bench__json=text(vllm(free, cap=0, rate=4.0)))
# vLLM issues 3127 and 9390: a rate of infinity without a cap is one burst: TTFT is the place in a queue.


def at_once(n, slots, ttft, gap, out, seed):
    """Requests that are all sent within a fraction of a second, to a server of so many slots."""
    of = random.Random(seed)
    free, requests = [0.0] * slots, []
    for i in range(n):
        slot = min(range(slots), key=free.__getitem__)
        sent = round(0.0002 * i, 6)
        first = max(free[slot], sent) + ttft * of.gauss(1, 0.04)
        gaps = [round(gap * of.gauss(1, 0.04), 6) for _ in range(out - 1)]
        free[slot] = first + sum(gaps)
        e2e = round(first - sent, 6) + sum(gaps)
        requests.append({"start": sent, "ttft": round(first - sent, 6), "gaps": gaps, "e2e": round(e2e, 6),
                         "prompt": 512, "out": out})
    return requests


for name, n, gap, out in [("all-at-once", 600, 0.3, 12), ("all-at-once-and-taken-in", 32, 0.4, 180)]:
    case(name, bench__json=text(vllm(at_once(n, 32, 0.3, gap, out, 121), cap=None, quantiles=(95,))))
case("all-at-once-request-by-request", bench__json=text(
    vllm(at_once(200, 8, 0.3, 0.3, 8, 122), cap=None, quantiles=(95,), detailed=True)))

# --- Rates.
# llmgateway PR 2927: 1,845 tok/s of prompt and output tokens, where 38 of output are right.
# 64 tokens of output and 3,043 of the prompt: 38 x 3,107 / 64 = 1,845.
both = at_throughput(simulate(220, 1, ttft=0.25, gap=0.0262, out=64, prompt=3043, seed=122), 38.0)
case("gateway-1845-for-38", bench__json=text(vllm(both, cap=1)))
# llama-toolchest PR 93: a mean of rates of 351 tok/s where tokens over time are 445, and long prompts
# alone ran at over 2,400. Input over the whole run is no prefill rate either (sglang-jax issue 682).
case("input-called-prefill", bench__jsonl=text(sglang(simulate(240, 4, ttft=0.3, gap=0.064, seed=123), 4)))


# --- llama-bench.
def llama_bench(tests):
    rows = []
    for i, (n_prompt, n_gen, samples) in enumerate(tests):
        n = n_prompt + n_gen
        m = mean(samples)
        deviation = (sum((s - m) ** 2 for s in samples) / (len(samples) - 1)) ** 0.5
        rows.append({"build_commit": "abc1234", "build_number": 7000, "cpu_info": "made-up CPU",
                     "gpu_info": "made-up GPU", "backends": "CUDA", "model_filename": "m.gguf",
                     "model_type": "llama 8B Q4_K", "model_size": 4_700_000_000, "model_n_params": 8_030_000_000,
                     "n_batch": 2048, "n_ubatch": 512, "n_threads": 8, "n_prompt": n_prompt, "n_gen": n_gen,
                     "n_depth": 0, "test_time": f"2026-11-01T12:{i:02d}:00Z",
                     "avg_ns": round(mean([n / s * 1e9 for s in samples])), "stddev_ns": 1,
                     "avg_ts": m, "stddev_ts": deviation, "samples_ns": [round(n / s * 1e9) for s in samples],
                     "samples_ts": samples})
    return json.dumps(rows, indent=2) + "\n"


def around(m, deviation, n=5):
    """So many samples of a mean and a deviation over n - 1."""
    shape = [i - (n - 1) / 2 for i in range(n)]
    unit = (sum(x * x for x in shape) / (n - 1)) ** 0.5
    return [m + deviation * x / unit for x in shape]


# llama.cpp issue 21282: 25,231 tok/s with a deviation of 17,262.
case("llama-bench-25231-pm-17262", bench__json=llama_bench(
    [(512, 0, around(25_231.0, 17_262.0)), (0, 128, around(210.0, 2.1))]))
case("llama-bench-pm-4-percent", bench__json=llama_bench(
    [(512, 0, around(25_231.0, 1_009.0)), (0, 128, around(210.0, 2.1))]))
# llama.cpp issue 18570: 92 or 275 tok/s as the clock ramps up or not, steady within each run.
case("llama-bench-of-two-clocks",
     **{f"run{i + 1}__json": llama_bench([(0, 128, around(m, 0.004 * m))]) for i, m in enumerate([92.0, 275.0])})
# llama.cpp issue 12874: the rate of a test of prompt and generation is that of both.
case("llama-bench-pg", bench__json=llama_bench([(512, 128, around(1_840.0, 9.0)), (0, 128, around(210.0, 2.1))]))

if __name__ == "__main__":
    write(FILES)
