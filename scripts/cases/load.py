#!/usr/bin/env python3
"""Writes the result files of the casebook about the load of a run and about the levels of a sweep.

    python3 scripts/cases/load.py cases

As in `results.py`, every number follows from one simulated run, and a sick file has one thing
changed. Files that stand for a public case carry its published numbers and nothing else of it.
"""
import random

from results import duration, mean, percentile, sglang, simulate, std, text, times, vllm, write

FILES = {}


def case(name, **files):
    for file, content in files.items():
        FILES[f"{name}/{file.replace('__', '.')}"] = content


def queue(n, rate, slots, ttft=0.2, gap=0.05, out=5, prompt=512, seed=1, spread=0.1):
    """Requests that come at a rate, to a server that holds so many at once and lets others wait."""
    rng = random.Random(seed)
    free = [0.0] * slots
    at, requests = 0.0, []
    for _ in range(n):
        slot = min(range(slots), key=free.__getitem__)
        begin = max(at, free[slot])
        first = round(begin - at + ttft * rng.gauss(1, spread), 5)
        gaps = [round(gap * max(0.5, rng.gauss(1, spread)), 5) for _ in range(out - 1)]
        e2e = round(first + sum(gaps), 5)
        free[slot] = at + e2e
        requests.append({"start": round(at, 5), "ttft": first, "gaps": gaps, "e2e": e2e,
                         "prompt": prompt, "out": out})
        at += rng.expovariate(rate)
    return requests


def closed(works, slots, ttft=0.3, gap=0.05, seed=1, spread=0.04):
    """A closed loop over requests of given `(prompt, out, factor of TTFT, factor of gaps)`."""
    rng = random.Random(seed)
    free = [0.0] * slots
    requests = []
    for prompt, out, of_ttft, of_gaps in works:
        slot = min(range(slots), key=free.__getitem__)
        first = round(ttft * of_ttft * rng.gauss(1, spread), 5)
        gaps = [round(gap * of_gaps * max(0.5, rng.gauss(1, spread)), 5) for _ in range(out - 1)]
        e2e = round(first + sum(gaps), 5)
        requests.append({"start": round(free[slot], 5), "ttft": first, "gaps": gaps, "e2e": e2e,
                         "prompt": prompt, "out": out})
        free[slot] += e2e + 0.0005
    return requests


def slower(requests, factor):
    """The same run on a clock that is so much slower."""
    return [r | {"start": r["start"] * factor, "ttft": r["ttft"] * factor, "e2e": r["e2e"] * factor,
                 "gaps": [g * factor for g in r["gaps"]]} for r in requests]


def at_rate(requests, tok_per_s):
    """The same run at another output throughput."""
    return slower(requests, sum(r["out"] for r in requests) / duration(requests) / tok_per_s)


def distribution(values, ms=False):
    unit = 1e3 if ms else 1.0
    v = [unit * x for x in values]
    quantiles = {f"p{q}": percentile(v, q) for q in (1, 5, 10, 25, 75, 90, 95, 99)}
    return {"mean": mean(v), "min": min(v), "median": percentile(v, 50), "max": max(v)} | quantiles


def inference_perf(requests, delays, rate=None, concurrency=None, failed=0, retried=None):
    """A stage of inference-perf 0.7: delays are those of sends behind the schedule."""
    d, t = duration(requests), times(requests)
    tokens_in, tokens_out = sum(r["prompt"] for r in requests), sum(r["out"] for r in requests)
    sent = max(r["start"] for r in requests)
    load = {"count": len(requests) + failed, "schedule_delay": distribution(delays),
            "send_duration": sent, "requested_rate": rate or len(requests) / d,
            "achieved_rate": len(requests) / sent}
    load |= {"concurrency": concurrency} if concurrency else {}
    lengths = {"prompt_len": distribution([float(r["prompt"]) for r in requests]),
               "output_len": distribution([float(r["out"]) for r in requests])}
    report = {"benchmark_time_seconds": d, "load_summary": load, "successes": {
        "count": len(requests),
        "latency": {"request_latency": distribution(t["e2e"]),
                    "normalized_time_per_output_token": distribution([r["e2e"] / r["out"] for r in requests]),
                    "time_per_output_token": distribution(t["tpot"]),
                    "time_to_first_token": distribution(t["ttft"]),
                    "inter_token_latency": distribution(t["itl"])},
        "throughput": {"input_tokens_per_sec": tokens_in / d, "output_tokens_per_sec": tokens_out / d,
                       "total_tokens_per_sec": (tokens_in + tokens_out) / d,
                       "requests_per_sec": len(requests) / d}} | lengths}
    report["successes"] |= {"client_fallback_requests": 0}
    report["failures"] = {"count": failed, "request_latency": None, "prompt_len": None}
    return report | ({} if retried is None else {"retries": {"attempts": retried}})


def guidellm(requests, streams, seconds):
    """A benchmark of GuideLLM 0.8 that ends after so many seconds, whatever is in flight."""
    whole = [r for r in requests if r["start"] + r["e2e"] <= seconds]
    cut = [r for r in requests if r["start"] < seconds < r["start"] + r["e2e"]]
    t = times(whole)

    def spread(values, ms=False, total=False):
        d = distribution(values, ms)
        d = {"mean": d["mean"], "median": d["median"], "min": d["min"], "max": d["max"],
             "std_dev": std([x * (1e3 if ms else 1) for x in values]), "count": len(values),
             "total_sum": sum(values) * (1e3 if ms else 1),
             "percentiles": {"p50": d["median"], "p90": d["p90"], "p95": d["p95"], "p99": d["p99"]}}
        return {"successful": d | ({"total_sum": int(d["total_sum"])} if total else {})}

    def rate(value):
        return {"successful": {"mean": value, "count": len(whole)}}

    prompts, outs = [r["prompt"] for r in whole], [r["out"] for r in whole]
    metrics = {
        "request_totals": {"successful": len(whole), "errored": 0, "incomplete": len(cut),
                           "total": len(whole) + len(cut)},
        "requests_per_second": rate(len(whole) / seconds),
        "request_concurrency": rate(sum(r["e2e"] for r in whole) / seconds),
        "prompt_tokens_per_second": rate(sum(prompts) / seconds),
        "output_tokens_per_second": rate(sum(outs) / seconds),
        "tokens_per_second": rate((sum(prompts) + sum(outs)) / seconds),
        "request_latency": spread(t["e2e"]),
        "time_to_first_token_ms": spread(t["ttft"], ms=True),
        "time_per_output_token_ms": spread([r["e2e"] / r["out"] for r in whole], ms=True),
        "inter_token_latency_ms": spread(t["tpot"], ms=True),
        "prompt_token_count": spread(prompts, total=True), "output_token_count": spread(outs, total=True)}
    strategy = {"type_": "concurrent", "streams": streams}
    return {"metadata": {"version": 2, "guidellm_version": "0.8.1"}, "benchmarks": [
        {"type_": "generative_benchmark", "duration": seconds,
         "config": {"strategy": strategy, "constraints": {"max_seconds": seconds},
                    "backend": {"model": "made-up-8b", "stream": True}},
         "metrics": metrics, "requests": {"successful": [], "errored": [], "incomplete": []}}]}


def even(n, **change):
    work = {"prompt": 512, "out": 5, "ttft": 1.0, "gaps": 1.0} | change
    return [tuple(work.values())] * n


def detailed(requests, cap=None, **change):
    return text(vllm(requests, cap=cap, detailed=True, **change))


def sweep(levels, **change):
    return "".join(text(sglang(r, c, **change)) for c, r in levels.items())


# Waves. The sweep of the second story as it would have been, had it finished: 100 prompts at every
# level are 1.6 waves at 64 and cannot fill 256. The same is lmdeploy PR 2928.
story = {c: simulate(100, c, seed=c, ttft=0.30 + 0.004 * min(c, 100), gap=0.045 + 0.0012 * min(c, 100), out=64)
         for c in (1, 2, 10, 64, 256)}
case("results-story2-finished", sweep__jsonl=sweep(story))
# InferenceX PR 258: the number of prompts stood at 10 where ten for each slot were meant.
for n, name in [(lambda c: 10, "results-ten-prompts"), (lambda c: 11 * c, "results-eleven-prompts-a-slot")]:
    case(name, **{f"conc{c}__json": text(vllm(simulate(n(c), c, seed=c, ttft=0.6 + 0.02 * c, out=120), cap=c,
                                              quantiles=(90,))) for c in (4, 8, 16)})
case("results-waves-five", bench__json=text(
    vllm(simulate(40, 8, seed=8, ttft=1.2, gap=0.9), cap=8, quantiles=(90,))))

# A client whose connections stop at 1,000 (sample-apj-sup-sa PR 181) under a cap of 2,048.
thousand = simulate(22528, 1000, seed=9, ttft=0.8, gap=0.16, out=24)
case("results-client-of-1000-connections", run__jsonl=text(sglang(thousand, 2048)))
case("results-client-of-2048-connections", run__jsonl=text(
    sglang(simulate(22528, 2048, seed=9, ttft=0.8, gap=0.3, out=24), 2048)))
case("results-five-of-eight-slots", bench__json=detailed(closed(even(160), 5, ttft=1.6, gap=0.3, seed=5), 8))
lengths = random.Random(6)
ragged = [(512, lengths.randint(1, 10), 1, 1) for _ in range(160)]
case("results-slots-full-of-ragged-replies", bench__json=detailed(closed(ragged, 8, ttft=2.4, gap=0.4, seed=6), 8))

# Length: one request more is over a minute; and requests that last long need a longer run.
minute = simulate(200, 4, seed=4)
for seconds, name in [(59.4, "results-run-of-59-seconds"), (60.6, "results-run-of-61-seconds")]:
    case(name, bench__json=text(vllm(slower(minute, seconds / duration(minute)), cap=4, quantiles=(95, 99))))
slow = simulate(27, 3, seed=3, ttft=1.0, gap=0.5, out=17)
case("results-run-of-nine-latencies", bench__json=text(vllm(slow, cap=3, quantiles=(95,))))
case("results-run-of-eleven-latencies", bench__json=text(
    vllm(simulate(33, 3, seed=3, ttft=1.0, gap=0.5, out=17), cap=3, quantiles=(95,))))

# Warm-up. NVIDIA aicr PR 1096: the first requests compile, and p99 TTFT is about 42 s.
cold = [(512, 5, 140.0 if i < 8 else 1.0, 1.0) for i in range(400)]
case("results-compiles-inside", bench__json=detailed(closed(cold, 8, seed=15, gap=0.3), 8))
nearly = [(512, 5, 1.0, 1.12 if i < 8 else 1.0) for i in range(400)]
case("results-first-wave-a-tenth-slower", bench__json=detailed(closed(nearly, 8, seed=15, gap=0.3), 8))
falling = [(512, 5, 1.0, 4.0 - 3.0 * min(i, 140) / 140) for i in range(200)]
case("results-never-steady", bench__json=detailed(closed(falling, 2, seed=16, gap=0.2), 2))

# Drift: heat slows the decoding down; a hundredth is nothing; longer prompts take longer.
for share, name in [(0.40, "results-slows-by-a-quarter"), (0.012, "results-slows-by-a-hundredth")]:
    heat = [(512, 5, 1.0, 1.0 + share * i / 200) for i in range(200)]
    case(name, bench__json=detailed(closed(heat, 2, seed=17, gap=0.2, spread=0.01), 2))
longer = [(512 + 2 * i, 5, 1.0 + 2 * i / 512, 1.0) for i in range(200)]
case("results-prompts-grow", bench__json=detailed(closed(longer, 2, seed=18, ttft=0.6), 2))

# Rates: a server of four slots and 0.4 s a request answers 10 a second.
for rate, name in [(11.5, "results-rate-above-capacity"), (8.0, "results-rate-of-four-fifths")]:
    came = queue(700, rate, 4, seed=19)
    case(name, bench__json=detailed(came, rate=rate))
    case(name + "-summed", bench__json=text(vllm(queue(3000, rate, 4, seed=19), rate=rate)))

# The client. The published demonstration of inference-perf: delays of 9.25 s on average and 41.5 s
# at p99 beside request latencies of 3.13 s.
rng = random.Random(20)
served = queue(400, 4.0, 40, seed=20, ttft=0.53, gap=0.04, out=66)
served = slower(served, 3.13 / mean([r["e2e"] for r in served]))
late = [rng.expovariate(1.0) ** 1.35 for _ in served]
late = [9.25 * x / mean(late) for x in late]
late = [x * 41.5 / percentile(late, 99) if x > percentile(late, 95) else x for x in late]
rest = [x for x in late if x <= percentile(late, 95)]
late = [x if x not in rest else x * (9.25 * len(late) - sum(y for y in late if y not in rest)) / sum(rest)
        for x in late]
case("results-client-sends-late", stage_0_lifecycle_metrics__json=text(inference_perf(served, late, rate=4.0)))
punctual = [abs(rng.gauss(0.0004, 0.0003)) for _ in served]
case("results-client-sends-in-time", stage_0_lifecycle_metrics__json=text(
    inference_perf(served, punctual, rate=4.0)))
# A held concurrency spreads intended times over the stage; requests wait for a slot by design.
held = simulate(300, 8, seed=21, ttft=0.4, gap=0.04, out=40)
wait = [r["start"] * 0.8 for r in held]
# What the server counted over the run, its own probe and warm-up among them, or half as much again.
def prometheus(requests, counted):
    """inference-perf's report of the server's metrics; zeros stand for what was not scraped."""
    d, t = duration(requests), times(requests)
    each = lambda values: {"mean": mean(values), "median": percentile(values, 50),
                           "p90": percentile(values, 90), "p99": percentile(values, 99)}
    rate = counted / len(requests)
    return {"load_summary": {}, "successes": {
        "count": counted, "rate": counted / d,
        "prompt_len": {"mean": 0, "rate": rate * sum(r["prompt"] for r in requests) / d},
        "output_len": {"mean": 0, "rate": rate * sum(r["out"] for r in requests) / d},
        "queue_len": {"mean": 0}, "request_latency": each(t["e2e"]), "time_to_first_token": each(t["ttft"]),
        "time_per_output_token": each(t["tpot"]),
        "kv_cache_usage_percentage": {"mean": 0.0, "median": 0.0, "p90": 0.0, "p99": 0.0},
        "num_requests_swapped": {"mean": 0}, "num_preemptions_total": {"mean": 0},
        "prefix_cache_hit_percent": {"mean": 0.0}}, "failures": {}}


for name, counted in [("server-counted-others", 3 * len(served) // 2), ("server-counted-ours", len(served) + 2)]:
    case(f"results-{name}", stage_0_lifecycle_metrics__json=text(inference_perf(served, punctual, rate=4.0)),
         stage_0_prometheus_metrics__json=text(prometheus(served, counted)))
case("results-client-holds-a-concurrency", stage_0_lifecycle_metrics__json=text(
    inference_perf(held, wait, concurrency=8)))
# Retries.
many = queue(1200, 4.0, 40, seed=20, ttft=0.53, gap=0.04, out=66)
on_time = [abs(rng.gauss(0.0004, 0.0003)) for _ in many]
for n, name in [(14, "results-retried-14-of-1200"), (1, "results-retried-1-of-1200")]:
    case(name, stage_0_lifecycle_metrics__json=text(inference_perf(many, on_time, rate=4.0, retried=n)))

# Two modes of TTFT that nothing explains; and two lengths of prompts that explain theirs.
coin = random.Random(22)
flips = [coin.random() < 0.35 for _ in range(240)]
case("results-two-modes", bench__json=detailed(
    closed([(512, 5, 2.2 if slow else 1.0, 1.0) for slow in flips], 4, seed=22, ttft=1.2, spread=0.08), 4))
case("results-two-prompt-lengths", bench__json=detailed(
    closed([(1280 if slow else 512, 5, 2.2 if slow else 1.0, 1.0) for slow in flips], 4, seed=22, ttft=1.2, spread=0.08), 4))

# Twenty bursts of four, six seconds apart: what finds the server asleep takes 35 % longer (TensorRT 2042 and others
# report 29 to 40 %), or 8 %.
def bursts(factor, seed):
    rng = random.Random(seed)
    at, requests = 0.0, []
    for burst in range(20):
        for place in range(4):
            first = round(0.4 * (factor if place == 0 and burst else 1.0) * rng.gauss(1, 0.04), 5)
            gaps = [round(0.05 * max(0.5, rng.gauss(1, 0.04)), 5) for _ in range(4)]
            e2e = round(first + sum(gaps), 5)
            requests.append({"start": round(at, 5), "ttft": first, "gaps": gaps, "e2e": e2e, "prompt": 512, "out": 5})
            at += e2e + 0.0005
        at += 6.0
    return requests


case("results-slow-after-idle", bench__json=detailed(bursts(1.35, 31)))
case("results-hardly-slower-after-idle", bench__json=detailed(bursts(1.08, 31)))

# Two or three of 240 requests stall.
for factor, name in [(36.0, "results-three-stalls"), (26.0, "results-three-shorter-stalls")]:
    stalls = [(512, 5, factor if i in (77, 131, 200) else 1.0, 1.0) for i in range(240)]
    case(name, bench__json=detailed(closed(stalls, 4, seed=23, ttft=1.0, gap=0.05), 4))

# A run that ends on the clock: 16 slots with long replies, and with short ones.
for out, name in [(64, "results-cut-off-in-flight"), (14, "results-cut-off-few")]:
    going = closed(even(3000, out=out), 16, ttft=0.3, gap=0.05, seed=24)
    case(name, benchmarks__json=text(guidellm(going, 16, 60.0)))

# Levels.
healthy = {c: simulate(n, c, seed=c, ttft=0.30 + 0.01 * c, gap=0.056 + 0.002 * c)
           for c, n in [(1, 120), (2, 120), (4, 240), (8, 400)]}
# The result at concurrency 4 is that at 2 once more, under another load.
case("results-same-figures-at-two-levels", sweep__jsonl="".join(
    text(sglang(healthy[2 if c == 4 else c], c)) for c in healthy))
# One figure that two levels share by chance.
case("results-one-figure-alike", sweep__jsonl="".join(
    text(sglang(r, c, **({"median_ttft_ms": sglang(healthy[1], 1)["median_ttft_ms"]} if c == 2 else {})))
    for c, r in healthy.items()))

# vLLM issue 54227: a fixed seed through a sweep. TTFT is 49 times lower where the prompts are in the
# cache, and the throughput of the levels 59 %, 76 % and 25 % too high.
cold_levels = {c: simulate(760, c, seed=c, ttft=1.47, gap=0.02, out=24, prompt=1999) for c in (2, 4, 8, 16)}
prompts = random.Random(26)
for r in zip(*cold_levels.values()):
    length = prompts.randint(1800, 2200)
    for one in r:
        one["prompt"] = length
tok = {c: sum(x["out"] for x in r) / duration(r) for c, r in cold_levels.items()}
warm = {2: cold_levels[2]}
for c, gain in [(4, 1.59), (8, 1.76), (16, 1.25)]:
    hit = [x | {"ttft": x["ttft"] / 49} for x in cold_levels[c]]
    free = [0.0] * c
    target = tok[c] * gain
    for x in hit:
        slot = min(range(c), key=free.__getitem__)
        x["start"] = free[slot]
        x["e2e"] = x["ttft"] + sum(x["gaps"])
        free[slot] += x["e2e"] + 0.0005
    # The gaps give the throughput that was published; the first token comes as fast as it did.
    scale = 1.0
    for _ in range(60):
        free = [0.0] * c
        for x, old in zip(hit, cold_levels[c]):
            slot = min(range(c), key=free.__getitem__)
            x["gaps"] = [g * scale for g in old["gaps"]]
            x["start"], x["e2e"] = free[slot], x["ttft"] + sum(x["gaps"])
            free[slot] += x["e2e"] + 0.0005
        scale *= sum(x["out"] for x in hit) / duration(hit) / target
    warm[c] = hit
for levels, name in [(warm, "results-one-seed-for-all-levels"), (cold_levels, "results-one-total-for-all-levels")]:
    case(name, **{f"c{c}__json": text(vllm(r, cap=c)) for c, r in levels.items()})

# vLLM issue 52884 in the shape of SGLang's cache report: the second level finds 86 % in the cache.
hits = {1: 0.004, 2: 0.86, 4: 0.011, 8: 0.009}
for shares, name in [(hits, "results-cache-report-warm-level"), (hits | {2: 0.018}, "results-cache-report-alike")]:
    case(name, sweep__jsonl="".join(
        text(sglang(r, c, cache_report={"total_cached_tokens": round(shares[c] * sum(x["prompt"] for x in r))}))
        for c, r in healthy.items()))

# sparkinfer PR 1121: c16 = 169.6 between c8 = 318.5 and c32 = 1334.6; it was 1,276 when measured again.
published = {8: 318.5, 16: 169.6, 32: 1334.6}
for rates, name in [(published, "results-dip-at-16"), (published | {16: 260.0}, "results-no-dip-at-16")]:
    case(name, **{f"c{c}__json": text(vllm(at_rate(simulate(40 * c, c, seed=c, out=96), rate), cap=c))
                  for c, rate in rates.items()})

# Repetitions at one load.
for spread, name in [(1.13, "results-repetitions-spread-by-13-percent"), (1.09, "results-repetitions-spread-by-9-percent")]:
    runs = [slower(simulate(280, 4, seed=30 + i), f) for i, f in enumerate((1.0, spread ** 0.5, spread))]
    case(name, **{f"rep{i + 1}__json": text(vllm(r, cap=4)) for i, r in enumerate(runs)})
one = vllm(simulate(280, 4, seed=30), cap=4)
case("results-three-copies", **{f"rep{i}__json": text(one | {"date": f"20261101-12{i}000"}) for i in (1, 2, 3)})
case("results-three-of-one-machine", **{f"rep{i}__json": text(
    vllm(slower(simulate(280, 4, seed=30), f), cap=4, date=f"20261101-12{i}000"))
    for i, f in ((1, 1.0), (2, 1.0004), (3, 0.9997))})
case("results-copied-under-another-model", **{f"{m}__json": text(one | {"model_id": m, "tokenizer_id": m})
                                              for m in ("alpha-8b", "beta-8b")})
case("results-two-models-nearly-alike", alpha_8b__json=text(one | {"model_id": "alpha-8b", "tokenizer_id": "alpha-8b"}),
     beta_8b__json=text(vllm(slower(simulate(280, 4, seed=30), 1.0004), cap=4, model="beta-8b")))

# Levels that should do the same work: 300 requests each, of 400 tokens on average.
for mean_out, name in [(42, "results-longer-replies-at-8"), (28, "results-nearly-alike-replies-at-8")]:
    levels = {}
    for c in (2, 4, 8):
        of = random.Random(40 + c)
        middle = mean_out if c == 8 else 24
        works = [(512, middle + of.randint(-4, 4), 1.0, 1.0) for _ in range(300)]
        levels[c] = closed(works, c, ttft=0.3, gap=0.05 + 0.005 * c, seed=40 + c)
    case(name, **{f"c{c}__json": text(vllm(r, cap=c))
                  for c, r in levels.items()})

# Where the throughput ends: the last doubling still gives a half, or a twentieth.
for last, name in [(1.5, "results-still-grows"), (1.08, "results-grows-no-more")]:
    rates = {4: 200.0, 8: 340.0, 16: 340.0 * last}
    case(name, **{f"c{c}__json": text(vllm(at_rate(simulate(48 * c, c, seed=c, out=80), rate), cap=c))
                  for c, rate in rates.items()})

# vLLM issue 24005: 500 prompts asked, 100 run, 1 answered.
case("results-one-answered-of-500", bench__json=text(
    vllm(simulate(1, 1, seed=27, out=128), cap=10, planned=500, failed=99)))

if __name__ == "__main__":
    write(FILES)
