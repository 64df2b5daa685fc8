#!/usr/bin/env python3
"""Writes the inputs of the casebook about comparisons of two arms: runs, host records and claims.

    python3 scripts/cases/comparison.py cases

Everything is simulated from seeds. An arm is a decode rate; a run multiplies it by a factor of its
own, a request by another one. `case.toml` of each folder says what must be found and is written by
hand.
"""
import json
import math
import random
import sys
from pathlib import Path

START = 1794300000  # 2026-11-10 12:00 UTC
FILES = {}
CONDITIONS = {"model": "small-8b", "quantization": "bf16", "hardware": "made-up-gpu", "machine": "box-2",
              "server": "made-up", "server_version": "1.0"}


def rows(label, start, factors, rate=50.0, prompt=500, out=101, ttft=0.5, failed=0):
    """Requests one after the other: decode steps at `rate` times each factor."""
    lines, at = [], start
    for i, factor in enumerate(factors):
        decode = (out - 1) / (rate * factor)
        row = {"id": f"{label}-{i}", "started_at_s": round(at, 4), "prompt_tokens": prompt,
               "cached_tokens": 0, "output_tokens": out, "ttft_s": round(ttft / factor, 6),
               "e2e_latency_s": round(ttft / factor + decode, 6), "outcome": "ok"}
        if i >= len(factors) - failed:
            row = {k: row[k] for k in ("id", "started_at_s", "prompt_tokens")} | {"outcome": "failed"}
        lines.append(row)
        at += ttft / factor + decode + 0.01
    return lines


def run(case, arm, number, start, factors, load=None, conditions=None, drop=(), **shape):
    label = f"{arm}-{number}"
    plan = {"requests": len(factors), "output_tokens": shape.get("out", 101)}
    if load:
        plan["load"] = load
    head = {"schema": "trueline.requests/1", "role": "run", "label": label, "arm": arm, "side": "client",
            "conditions": {**CONDITIONS, **(conditions or {})}, "plan": plan}
    lines = rows(label, start, factors, **shape)
    for line in lines:
        for key in drop:
            line.pop(key, None)
    text = "".join(json.dumps(x, separators=(",", ":")) + "\n" for x in [head, *lines])
    FILES[f"{case}/{label}.jsonl"] = text


def spread(rng, n, by):
    return [math.exp(rng.gauss(0, by)) for _ in range(n)]


def arms(case, order, seed=1, requests=6, ratio=1.25, run_spread=0.01, request_spread=0.02, every=60,
         failed=(0, 0), once=(0, 0), drop=(), **shape):
    """Runs in the order of the letters: A is `new`, `ratio` times as fast as B, `old`; of each run of an
    arm so many requests failed, and so many of its first run besides."""
    rng = random.Random(seed)
    numbers = {"A": 0, "B": 0}
    for place, letter in enumerate(order):
        numbers[letter] += 1
        level = math.exp(rng.gauss(0, run_spread)) * (ratio if letter == "A" else 1.0)
        factors = [level * f for f in spread(rng, requests, request_spread)]
        arm = "AB".index(letter)
        lost = failed[arm] + (once[arm] if numbers[letter] == 1 else 0)
        run(case, ("new", "old")[arm], numbers[letter], START + place * every, factors, drop=drop,
            rate=40.0, failed=lost, **shape)


def host(case, name, start, end, **conditions):
    FILES[f"{case}/{name}.json"] = json.dumps(
        {"schema": "trueline.host/1", "started_at_s": start, "ended_at_s": end,
         "conditions": {"machine": "box-2", "nice": 0, **conditions}}, separators=(",", ":")) + "\n"


def claims(case, *tables):
    def value(v):
        if isinstance(v, str):
            return json.dumps(v)
        if isinstance(v, dict):
            return "{ " + ", ".join(f"{k} = {value(x)}" for k, x in v.items()) + " }"
        if isinstance(v, (list, tuple)):
            return "[" + ", ".join(value(x) for x in v) + "]"
        return repr(v)
    text = "\n".join("[[claim]]\n" + "".join(f"{k} = {value(v)}\n" for k, v in table.items())
                     for table in tables)
    FILES[f"{case}/claims.toml"] = text


def decode_rates(case, arm):
    """Decode rates of the requests of each run of an arm, read back from the files."""
    runs = []
    for name in sorted(FILES):
        if name.startswith(f"{case}/{arm}-") and name.endswith(".jsonl"):
            done = [r for r in map(json.loads, FILES[name].splitlines()[1:]) if r["outcome"] == "ok"]
            runs.append([(r["output_tokens"] - 1) / (r["e2e_latency_s"] - r["ttft_s"]) for r in done])
    return runs


def shown(case):
    """The ratio of the geometric means of the runs' medians, in four digits."""
    def middle(runs):
        logs = [math.log(sorted(r)[len(r) // 2] + sorted(r)[(len(r) - 1) // 2]) - math.log(2) for r in runs]
        return sum(logs) / len(logs)
    return round(math.exp(middle(decode_rates(case, "new")) - middle(decode_rates(case, "old"))), 3)


RATIO = {"id": "ratio", "kind": "relative", "metric": "decode_tok_per_s", "of": "new", "baseline": "old"}

# In which order the arms ran.
for case, order in [("order-one-arm-before-the-other", "AAABBB"), ("order-nearly-one-after-the-other", "AABABB"),
                    ("order-balanced", "ABBAAB"), ("order-alternating", "ABABAB")]:
    arms(case, order)
    claims(case, RATIO | {"value": shown(case)})
arms("order-without-times", "AAABBB", drop=("started_at_s",))
claims("order-without-times", RATIO | {"value": shown("order-without-times")})

# Which requests each arm lost.
arms("failures-of-one-arm", "ABBAAB", requests=20, failed=(4, 0))
claims("failures-of-one-arm", RATIO | {"value": shown("failures-of-one-arm")})
arms("failures-of-both-arms", "ABBAAB", requests=50, once=(1, 1))
claims("failures-of-both-arms", RATIO | {"value": shown("failures-of-both-arms")})

# A machine at a third of its clock: a ratio in decode stands, one of output rates does not.
LOW = {"gpu_clock_busy_mhz": 460, "gpu_clock_expected_mhz": 1380}
WELL = {"gpu_clock_busy_mhz": 1375, "gpu_clock_expected_mhz": 1380}
for case, metric, state in [("degraded-machine-and-output-rates", "output_tok_per_s", LOW),
                            ("degraded-machine-and-decode", "decode_tok_per_s", LOW),
                            ("healthy-machine-and-output-rates", "output_tok_per_s", WELL)]:
    arms(case, "ABBAAB", load="concurrency 1")
    host(case, "host", START - 60, START + 3600, **state)
    claims(case, RATIO | {"metric": metric, "value": shown(case)})

# Three copies of one value, and three values of few digits.
for case, values in [("arm-of-one-value", [1.0371] * 3), ("arm-of-values-close-by", [1.0371, 1.0375, 1.0367])]:
    for i, place in enumerate([0, 3, 4]):
        # Other times to the first token, as copies of a decode rate alone are made.
        run(case, "new", i + 1, START + place * 60, [values[i]], rate=50.0, ttft=0.5 + 0.01 * i)
    for i, (place, factor) in enumerate(zip([1, 2, 5], [1.0, 1.01, 0.99])):
        run(case, "old", i + 1, START + place * 60, [factor], rate=40.0)
    claims(case, RATIO | {"value": 1.3})

# A gain of 5 % that is called confirmed.
SMALL = RATIO | {"text": "a confirmed gain of 5 % in decode"}
arms("small-gain-confirmed-on-one-machine", "ABBAABBA", ratio=1.05, run_spread=0.004)
claims("small-gain-confirmed-on-one-machine",
       SMALL | {"value": shown("small-gain-confirmed-on-one-machine")})
arms("small-gain-confirmed-after-a-restart", "ABBAABBA", ratio=1.05, run_spread=0.004, every=1000)
host("small-gain-confirmed-after-a-restart", "host-1", START - 10, START + 3900, boot_id="made-up-1")
host("small-gain-confirmed-after-a-restart", "host-2", START + 3950, START + 9000, boot_id="made-up-2")
claims("small-gain-confirmed-after-a-restart",
       SMALL | {"value": shown("small-gain-confirmed-after-a-restart")})


def welch_ln(a, b):
    """Half of Welch's 95 % interval on the logarithms of two samples, with the normal quantile."""
    def moments(x):
        logs = [math.log(v) for v in x]
        m = sum(logs) / len(logs)
        return m, sum((v - m) ** 2 for v in logs) / (len(logs) - 1) / len(logs)
    (ma, va), (mb, vb) = moments(a), moments(b)
    return ma - mb, 1.96 * math.sqrt(va + vb)


# Runs spread by 3 %, requests by 8 %: pooled requests give a narrower interval than the runs do.
arms("interval-of-pooled-requests", "ABBAABBA", requests=25, run_spread=0.03, request_spread=0.08, seed=3)
middle, half = welch_ln(*(sum(decode_rates("interval-of-pooled-requests", arm), []) for arm in ("new", "old")))
pooled = [round(math.exp(middle - half), 3), round(math.exp(middle + half), 3)]
claims("interval-of-pooled-requests", RATIO | {"value": round(math.exp(middle), 3), "statistic": "mean",
                                               "interval": pooled})
# The same runs with the interval that they give: scipy.stats.ttest_ind(equal_var=False) of the
# logarithms of their means, 1.2392 [1.18193, 1.29929].
for name in [n for n in FILES if n.startswith("interval-of-pooled-requests/") and n.endswith(".jsonl")]:
    FILES[name.replace("interval-of-pooled-requests", "interval-of-runs")] = FILES[name]
claims("interval-of-runs", RATIO | {"value": 1.239, "statistic": "mean", "interval": [1.182, 1.299]})

# Requests that are alike because they follow each other: each keeps 0.8 of the one before.
def chain(seed, n, keep, by=0.1):
    rng, x, out = random.Random(seed), 0.0, []
    for _ in range(n):
        x = keep * x + rng.gauss(0, by * math.sqrt(1 - keep * keep))
        out.append(math.exp(x))
    return out


for case, keep in [("tail-of-requests-that-follow-each-other", 0.85), ("tail-of-independent-requests", 0.0)]:
    run(case, "new", 1, START, chain(5, 100, keep), rate=50.0, load="concurrency 1")
    tpots = sorted(1 / r for r in decode_rates(case, "new")[0])
    at = 0.9 * (len(tpots) - 1)
    p90 = tpots[int(at)] + (at - int(at)) * (tpots[int(at) + 1] - tpots[int(at)])
    claims(case, {"id": "tail", "metric": "tpot_ms", "statistic": "p90", "value": round(1e3 * p90, 3), "of": "new"})

# Tables of ratios that somebody publishes, without their data.
TABLE = lambda values: [RATIO | {"id": f"row-{i}", "load": f"concurrency {2 ** i}", "value": v}
                        for i, v in enumerate(values)]
claims("table-that-goes-one-way", *TABLE([0.988, 0.991, 0.979, 0.985, 0.992, 0.983, 0.99, 0.98]))
claims("table-of-a-large-gain", *TABLE([1.062, 1.058, 1.071, 1.049, 1.066, 1.055, 1.06, 1.052]))
claims("table-that-goes-both-ways", *TABLE([0.988, 1.011, 0.979, 1.015, 0.992, 1.008, 0.99, 1.01]))
# Metrics of the same runs are one row: eight of them at one load are no table.
claims("table-of-metrics-of-one-load", *[
    RATIO | {"id": f"row-{m}", "metric": m, "value": v} for m, v in [
        ("output_tok_per_s", 1.02), ("total_tok_per_s", 1.02), ("request_per_s", 1.02), ("decode_tok_per_s", 1.021),
        ("tpot_ms", 0.98), ("itl_ms", 0.98), ("e2e_latency_ms", 0.981), ("ttft_ms", 0.99)]])

# What a change is said to touch and to remove.
claims("speedup-above-its-bound", RATIO | {"value": 4.0, "changed_share": 0.69})
claims("speedup-within-its-bound", RATIO | {"value": 3.1, "changed_share": 0.69, "saved": 0.6})
claims("speedup-far-below-what-was-removed", RATIO | {"value": 1.29, "saved": 0.69})

# Looks and variants.
claims("peeking-five-looks", RATIO | {"value": 1.03, "looks": 5})
claims("peeking-best-of-eight-variants", RATIO | {"value": 1.03, "variants": 8})
claims("peeking-corrected", RATIO | {"value": 1.03, "looks": 5, "correction": "obrien-fleming"})
claims("peeking-confirmed-in-fresh-runs", RATIO | {"value": 1.13, "variants": 8, "confirmed_by": "six fresh runs an arm"})

# Which way is better.
claims("ranking-by-hit-share", {"id": "ranking", "kind": "ranking", "metric": "cache_hit_share",
                                "text": "A, then B, then C"})
claims("ranking-by-output-rate", {"id": "ranking", "kind": "ranking", "metric": "output_tok_per_s",
                                  "text": "A, then B, then C"})
claims("ratio-said-faster-and-written-slower", RATIO | {"metric": "tpot_ms", "value": 1.29,
                                                       "text": "new is 1.29x faster in TPOT"})

# Over what a ratio is. 1.30 +/- 0.04 times 1.10 +/- 0.03, as standard errors.
def about(value, se):
    reach = 1.959964 * se / value
    return [round(value * math.exp(-reach), 6), round(value * math.exp(reach), 6)]


def linked(first, second):
    return {"id": "ratio", "kind": "relative", "metric": "output_tok_per_s", "value": 1.3, "of": "new",
            "baseline": "library", "incumbent": "engine", "chain": [
                {"ratio": 1.3, "of": "new", "over": "library", "interval": about(1.3, 0.04),
                 "over_value": first, "over_interval": about(first, 1.0)},
                {"ratio": 1.1, "of": "library", "over": "engine", "interval": about(1.1, 0.03),
                 "of_value": second, "of_interval": about(second, 1.0)}]}


claims("baseline-chain-that-closes", linked(40.0, 41.0))
claims("baseline-chain-that-does-not-close", linked(40.0, 44.0))
# The incumbent itself is among the runs.
arms("baseline-and-incumbent-measured", "ABBAAB")
rng = random.Random(9)
for i, place in enumerate([6, 7, 8]):
    run("baseline-and-incumbent-measured", "engine", i + 1, START + place * 60,
        [1.1 * f for f in spread(rng, 6, 0.01)], rate=40.0)
claims("baseline-and-incumbent-measured",
       RATIO | {"value": shown("baseline-and-incumbent-measured"), "incumbent": "engine"})


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
