#!/usr/bin/env python3
"""Writes the arms of the casebook's comparisons: runs of one simulated server whose true ratio is known.

    python3 scripts/cases/compare.py cases

As in `results.py`, every number of a run follows from one simulated closed loop. Each run has a factor of
its own (log-normal, 1.5 %): runs of one server differ by more than their many requests show. The true
ratio of an arm is the speed by which all its times are divided. A sick arm has one thing changed.
"""
import json
import math
import random

from results import sglang_console, simulate, text, vllm, write

FILES = {}
SPREAD = 0.015


def case(name, **files):
    for file, content in files.items():
        FILES[f"{name}/{file.replace('__', '.')}"] = content


def runs(n, speed=1.0, seed=1, slots=4, requests=320, spread=SPREAD, out=16, prompt=512, drift=0.0):
    """The requests of `n` runs of one arm."""
    rng = random.Random(seed)
    arm = []
    for i in range(n):
        factor = math.exp(rng.gauss(0, spread)) * (1 + drift * i) / speed
        arm.append(simulate(requests, slots, ttft=0.3 * factor, gap=0.06 * factor, out=out, prompt=prompt,
                            seed=1000 * seed + i))
    return arm


def as_vllm(arm, place, slots=4, after=0, **change):
    """One file a run; arms of places 0 and 1 ran in turns, each first in every other round (A B B A)."""
    minutes = [after + 4 * i + 2 * ((place + i) % 2) for i in range(len(arm))]
    return [text(vllm(run, cap=slots, date=f"20261101-{12 + m // 60:02}{m % 60:02}00", **change))
            for run, m in zip(arm, minutes)]


ECHO = ("backend='sglang', dataset_name='random', model='made-up-8b', num_prompts={n}, random_input_len={i}, "
        "random_output_len={o}, random_range_ratio=1.0, request_rate=inf, max_concurrency={c}, "
        "sharegpt_output_len=None, seed={s}")


def as_sglang(arm, slots=4):
    """The console of each run: its JSON does not say how many requests were to be sent."""
    return [sglang_console(run, slots, ECHO.format(n=len(run), i=run[0]["prompt"], o=run[0]["out"], c=slots,
                                                   s=i)) for i, run in enumerate(arm)]


def files(old, new):
    end = "json" if old[0].startswith("{") else "txt"
    arms = {f"old-{i + 1}__{end}": content for i, content in enumerate(old)}
    return arms | {f"new-{i + 1}__{end}": content for i, content in enumerate(new)}


# One server in both arms, a server that is 5 % and one that is 30 % faster.
case("compare-alike", **files(as_vllm(runs(12, seed=11), 0), as_vllm(runs(12, seed=12), 1)))
case("compare-5-percent-faster", **files(as_sglang(runs(8, seed=21)), as_sglang(runs(8, 1.05, seed=22))))
case("compare-30-percent-faster", **files(as_vllm(runs(3, seed=31), 0), as_vllm(runs(3, 1.3, seed=32), 1)))
# The same, one arm after the other: what changed meanwhile is in the ratio.
case("compare-one-after-the-other", **files(as_vllm(runs(3, seed=31), 0), as_vllm(runs(3, 1.3, seed=32), 0, after=30)))
# One server in both arms, and a harness that gives the second one 27 %: the version string alone had changed
# (the public case fast_mail_parser 207).
case("compare-a-vs-a-differs", **files(as_vllm(runs(6, seed=13, spread=0.002), 0), as_vllm(runs(6, 1.27, seed=14, spread=0.002), 1)))
# Too few runs: five of 5 %, two, one.
case("compare-5-percent-in-five-runs", **files(as_sglang(runs(5, seed=44, spread=0.03)),
                                               as_sglang(runs(5, 1.05, seed=45, spread=0.03))))
case("compare-two-runs-each", **files(as_vllm(runs(2, seed=51), 0), as_vllm(runs(2, 1.3, seed=52), 1)))
case("compare-one-run-each", **files(as_vllm(runs(1, seed=61), 0), as_vllm(runs(1, 1.3, seed=62), 1)))
# A level that the baseline does not have.
levels = {c: (runs(3, 1 - c / 100, seed=70 + c, slots=c, requests=80 * c + 80),
              runs(3, 1.3 - c / 77, seed=90 + c, slots=c, requests=80 * c + 80)) for c in (4, 8, 16)}
case("compare-level-of-one-arm",
     **{f"old-{c}-{i + 1}__txt": content for c in (4, 8)
        for i, content in enumerate(as_sglang(levels[c][0], c))},
     **{f"new-{c}-{i + 1}__txt": content for c in (4, 8, 16)
        for i, content in enumerate(as_sglang(levels[c][1], c))})
# Other work: replies a quarter shorter.
case("compare-shorter-replies", **files(as_sglang(runs(3, seed=31)),
                                        as_sglang(runs(3, seed=33, out=12, requests=420))))
# Three copies of one run beside three runs.
case("compare-copies", **files(as_vllm(runs(3, seed=31), 0), as_vllm(3 * runs(1, 1.3, seed=32), 1)))
# The same 30 %, the other way round, is worse; and by no more than runs differ.
slower = runs(6, 1 / 1.05, seed=82)
case("compare-5-percent-slower", **files(as_vllm(runs(6, seed=81), 0), as_vllm(slower, 1)))


def own(arm, label, place, conditions):
    """Runs in our own lines, which say when each request started: in turns, each arm first in every other round."""
    lines = []
    for i, run in enumerate(arm):
        began = 1794297600 + 120 * i + 60 * ((place + i) % 2)
        head = {"schema": "trueline.requests/1", "role": "run", "label": f"{label}-{i + 1}", "arm": label,
                "side": "client", "conditions": conditions,
                "plan": {"requests": len(run), "load": "concurrency 4"}}
        lines.append(head)
        for k, r in enumerate(run):
            lines.append({"id": f"{label}-{i + 1}-{k}", "started_at_s": round(began + r["start"], 5),
                          "prompt_tokens": r["prompt"], "cached_tokens": 0, "output_tokens": r["out"],
                          "ttft_s": r["ttft"], "e2e_latency_s": r["e2e"], "outcome": "ok"})
    return "".join(json.dumps(line) + "\n" for line in lines)


# In turns on a machine that slows by a hundredth a round: the rounds show 3 %, the runs would not.
CONDITIONS = {"model": "made-up-8b", "quantization": "bf16", "hardware": "made-up-gpu", "machine": "box-2",
              "server": "made-up", "server_version": "1.0"}
paired = [runs(9, speed, seed=seed, requests=24, spread=0.002, drift=0.01) for speed, seed in ((1, 91), (1.03, 92))]
case("compare-in-turns", old__jsonl=own(paired[0], "old", 0, CONDITIONS),
     new__jsonl=own(paired[1], "new", 1, CONDITIONS))

# Beside a baseline that make_story draws: eight requests of its length, three times as fast.
STORY = {"client": "prefill-bench", "hardware": "apple-m-series-reconstructed", "machine": "box-1",
         "model": "qwen3-next-80b-a3b-4bit", "quantization": "4bit", "server": "mtplx", "server_version": "2.13.0"}


def faster(factor):
    head = {"schema": "trueline.requests/1", "role": "run", "label": "faster", "arm": "faster", "side": "client",
            "conditions": STORY, "plan": {"load": "concurrency 1", "output_tokens": 1, "prompt_tokens": 24750,
                                          "requests": 8}}
    rows, at = [head], 1793890800.0
    rng = random.Random(7)
    for i in range(8):
        ttft = round(70 / factor * rng.gauss(1, 0.03), 6)
        rows.append({"id": f"faster-{i + 1}", "started_at_s": round(at, 4), "prompt_tokens": 24750,
                     "cached_tokens": 2000, "output_tokens": 1, "ttft_s": ttft, "e2e_latency_s": round(ttft + 0.002, 6),
                     "outcome": "ok"})
        at += ttft + 5
    return "".join(json.dumps(row) + "\n" for row in rows)


case("compare-over-the-slow-tail", faster__jsonl=faster(1.3))
case("compare-over-a-usual-baseline", faster__jsonl=faster(1.3))

if __name__ == "__main__":
    write(FILES)
