#!/usr/bin/env python3
"""Writes the files of the casebook about a server's counters around a run: results and host records.

    python3 scripts/cases/host_traffic.py cases

One closed loop is simulated; the counters of the healthy record are sums over its requests, those of
the sick ones have one thing changed.
"""
import json
import random

from host_record import family, processes
from results import write

FILES = {}

# 2026-11-10 09:00:00 UTC.
START = 1_794_301_200
CACHED = 64


def loop(n, slots, seed, begin):
    """Requests of a closed loop, `begin` seconds after the start; the first one is a warm-up."""
    rng = random.Random(seed)
    free = [begin] * slots
    requests = []
    for i in range(n):
        slot = min(range(slots), key=free.__getitem__)
        at = round(free[slot], 3)
        ttft, out = round(0.8 * rng.gauss(1, 0.03), 3), 48 + rng.randint(-4, 4)
        e2e = round(ttft + 0.02 * (out - 1), 3)
        free[slot] = at + e2e + 0.01
        requests.append({"id": f"s{seed}-{i}", "at": at, "ttft": ttft, "e2e": e2e,
                         "prompt": 1024 + rng.randint(-24, 24), "out": out, "warmup": i == 0})
    return requests


def results(label, requests):
    head = {"schema": "trueline.requests/1", "role": "run", "label": label, "side": "client",
            "conditions": {"model": "small-8b", "quantization": "bf16", "hardware": "made-up-gpu",
                           "machine": "box-2", "server": "vllm", "server_version": "made-up"}}
    lines = [head]
    for r in requests:
        line = {"id": r["id"], "started_at_s": START + r["at"], "prompt_tokens": r["prompt"],
                "cached_tokens": CACHED, "output_tokens": r["out"], "ttft_s": r["ttft"],
                "e2e_latency_s": r["e2e"], "outcome": "ok"}
        if r.get("given_up"):
            line |= {"outcome": "failed", "output_tokens": None, "ttft_s": None}
        if r["warmup"]:
            line["warmup"] = True
        lines.append(line)
    return "".join(json.dumps(line) + "\n" for line in lines)


def known(value, by="reported"):
    return {"is": {"value": value, "by": by}}


def absent():
    return {"not": "absent"}


def engine(labels, requests, more=(0, 0, 0)):
    """What an engine has counted that served some requests, and so much more."""
    prompt = sum(r["prompt"] for r in requests) + more[1]
    return {"labels": labels, "requests": known(len(requests) + more[0]), "aborted": known(0),
            "prompt_tokens": known(prompt),
            "new_tokens": known(prompt - CACHED * (len(requests) + more[0]), "derived"),
            "output_tokens": known(sum(r["out"] for r in requests) + more[2]),
            "decode_steps": absent()}


def snapshot(at, engines, started=-3600, running=0):
    nanos = (START + at) * 1_000_000_000
    clock = {"secs": 7200 + at, "nanos": 0}
    return {
        "clocks": {"wall": known(nanos, "measured"), "monotonic": known(clock, "measured"),
                   "since_boot": known(clock, "measured")},
        # A server and a client that are well, on a machine where nobody else is busy.
        "processes": processes(at, family(at)),
        "server": known({
            "server": "vllm", "at": known(nanos, "measured"),
            "started": known((START + started) * 1_000_000_000), "counting": "as_served",
            "engines": engines, "running": known(running), "waiting": known(0), "unreadable_lines": 0,
        }, "measured"),
    }


def open_at(requests, at):
    return sum(r["at"] <= at < r["at"] + r["e2e"] for r in requests)


def record(begin, end, before, after, requests, beyond=lambda at: 0):
    ticks = [{"at": {"secs": s, "nanos": 0},
              "in_flight": known(open_at(requests, begin + s) + beyond(begin + s))}
             for s in range(1, end - begin)]
    return json.dumps({
        "schema": "trueline.host/1", "started_at_s": START + begin, "ended_at_s": START + end,
        "conditions": {"machine": "box-2"}, "before": before, "after": after,
        "ticks": ticks,
    }) + "\n"


OURS = loop(33, 4, seed=1, begin=10.0)
END = int(max(r["at"] + r["e2e"] for r in OURS)) + 6
EARLIER = (120, 98_000, 5_100)


def case(name, host, runs=None):
    FILES[f"{name}/host.json"] = host
    for label, requests in (runs or {"bench": OURS}).items():
        FILES[f"{name}/{label}.jsonl"] = results(label, requests)


def one(requests=(), more=(0, 0, 0)):
    total = tuple(a + b for a, b in zip(EARLIER, more))
    return [engine("engine=0,model_name=small-8b", list(requests), total)]


case("host-traffic-balanced", record(0, END, snapshot(0, one()), snapshot(END, one(OURS)), OURS))

# Three requests of somebody else, about as large as ours.
case("host-traffic-three-more", record(
    0, END, snapshot(0, one()), snapshot(END, one(OURS, (3, 3_072, 144))), OURS))

# The server was started anew after some of ours, and had caught up by the end.
case("host-traffic-restarted", record(
    0, END, snapshot(0, one()), snapshot(END, one(OURS, (40, 40_000, 2_000)), started=15), OURS))

# Two engines serve; at the end only one of them could be read.
A, B = OURS[0::2], OURS[1::2]
both = [engine("engine=0,model_name=small-8b", [], EARLIER),
        engine("engine=1,model_name=small-8b", [], EARLIER)]
case("host-traffic-engine-missing", record(
    0, END, snapshot(0, both), snapshot(END, [engine("engine=0,model_name=small-8b", A, EARLIER)]),
    OURS))

# Two engines serve, and both readings are of the same one.
case("host-traffic-engine-never-read", record(
    0, END, snapshot(0, both[:1]),
    snapshot(END, [engine("engine=0,model_name=small-8b", A, EARLIER)]), OURS))

# The client gave up one of its requests, which the server finished and counted (pitfall 4).
GIVEN_UP = [r | {"given_up": True} if r["id"] == "s1-20" else r for r in loop(120, 4, seed=1, begin=10.0)]
LONGER = int(max(r["at"] + r["e2e"] for r in GIVEN_UP)) + 6
case("host-traffic-given-up", record(0, LONGER, snapshot(0, one()), snapshot(LONGER, one(GIVEN_UP)), GIVEN_UP),
     {"bench": GIVEN_UP})

# Three tokens of each reply are of no usage: ends of turns, drafts, thoughts (pitfall 5).
case("host-traffic-hidden-tokens", record(
    0, END, snapshot(0, one()), snapshot(END, one(OURS, (0, 0, 99))), OURS))

# Read while somebody else's request is served: what will be counted of it is not known (pitfall 6).
case("host-traffic-still-busy", record(
    0, END, snapshot(0, one()), snapshot(END, one(OURS), running=1), OURS))

# A long generation of somebody else runs beside the middle of ours; it was cut, and is in no count.
case("host-traffic-in-flight-beyond", record(
    0, END, snapshot(0, one()), snapshot(END, one(OURS)), OURS,
    beyond=lambda at: 2 if 13 <= at < 19 else 0))

# Two runs one after the other, inside one record.
LATER = loop(33, 4, seed=2, begin=float(END))
LAST = int(max(r["at"] + r["e2e"] for r in LATER)) + 6
case("host-traffic-two-runs", record(
    0, LAST, snapshot(0, one()), snapshot(LAST, one(OURS + LATER)), OURS + LATER),
    {"first": OURS, "second": LATER})

if __name__ == "__main__":
    write(FILES)
