#!/usr/bin/env python3
"""Compute what the tests of traffic expect of the corpus, without any code of this crate.

    python3 crates/logs/tests/data/expected_traffic.py CORPUS > crates/logs/tests/data/expected_traffic.json
"""

import collections
import csv
import datetime
import glob
import json
import statistics
import sys

EDGES = [1000, 4000, 8000, 20000, 32000, 64000, 128000]


def dispersion(counts):
    return statistics.variance(counts) / statistics.fmean(counts)


def windows(stamps, width):
    """Whole windows from the first stamp on, and the busiest half-open stretch that ends with an arrival."""
    first = stamps[0]
    n = (stamps[-1] - first) // width
    counts = [0] * n
    for stamp in stamps:
        if (stamp - first) // width < n:
            counts[(stamp - first) // width] += 1
    busiest = low = 0
    for high, stamp in enumerate(stamps):
        while stamps[low] <= stamp - width:
            low += 1
        busiest = max(busiest, high - low + 1)
    return {"n": n, "mean": statistics.fmean(counts), "dispersion": dispersion(counts), "busiest": busiest}


def arrivals(stamps, second, lengths):
    stamps = sorted(stamps)
    gaps = [b - a for a, b in zip(stamps, stamps[1:])]
    buckets = collections.Counter(sum(1 for edge in EDGES if edge <= n) for n in lengths)
    return {
        "requests": len(stamps),
        "stamps": len(set(stamps)),
        "span_s": (stamps[-1] - stamps[0]) / second,
        "naive_gap_cv": statistics.stdev(gaps) / statistics.fmean(gaps),
        "windows": {str(w): windows(stamps, w * second) for w in (1, 10, 60)},
        "buckets": [n for _, n in sorted(buckets.items())],
    }


def mooncake(folder, name):
    with open(f"{folder}/traces/{name}", encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    stamps = [row["timestamp"] for row in rows]
    found = arrivals(stamps, 1000, [row["input_length"] for row in rows])
    ticks = collections.Counter(stamps)
    distinct = sorted(ticks)
    gaps = [b - a for a, b in zip(distinct, distinct[1:])]
    # Each tick by its place: every gap is one step here, so none is empty.
    found["tick"] = {
        "smallest_gap_ms": min(gaps),
        "largest_gap_ms": max(gaps),
        "mean": len(stamps) / len(distinct),
        "dispersion": dispersion(list(ticks.values())),
        "busiest_20": max(sum(ticks[at] for at in distinct[i:i + 20]) for i in range(len(distinct))),
    }
    return found


def azure(folder, name):
    def nanoseconds(text):
        whole, fraction = text.split(".")
        at = datetime.datetime.strptime(whole, "%Y-%m-%d %H:%M:%S").replace(tzinfo=datetime.timezone.utc)
        return int(at.timestamp()) * 10**9 + int(fraction.ljust(9, "0"))

    with open(f"{folder}/traces/{name}", encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return arrivals([nanoseconds(row["TIMESTAMP"]) for row in rows], 10**9,
                    [int(row["ContextTokens"]) for row in rows])


def traffic(folder):
    """In flight from the client's clock: a sweep over starts and ends; and what TTFT and decode sum up to."""
    with open(f"{folder}/llama-server/traffic-client.jsonl", encoding="utf-8") as file:
        rows = [row for row in map(json.loads, file) if row["tag"] == "prod"]
    moments = collections.Counter()
    for row in rows:
        start = round(row["t_send_unix"] * 1e6)
        moments[start] += 1
        moments[start + round(row["last_s"] * 1e6)] -= 1
    times, level, peak = collections.Counter(), 0, 0
    before = min(moments)
    for at in sorted(moments):
        times[level.bit_length()] += at - before
        level += moments[at]
        peak, before = max(peak, level), at
    span = max(moments) - min(moments)
    whole = sum(row["last_s"] for row in rows)
    compute = sum(row["timings"]["prompt_ms"] for row in rows) / 1e3
    ttft = sum(row["ttft_s"] for row in rows)
    return {
        "rows": len(rows),
        "peak": peak,
        "mean": sum(row["last_s"] for row in rows) / (span / 1e6),
        "levels": [times[band] / span for band in range(peak.bit_length() + 1)],
        "e2e_sum_s": whole,
        "e2e_median_s": statistics.median(row["last_s"] for row in rows),
        "shares": {
            "prefill_compute": compute / whole,
            "up_to_first_token": (ttft - compute) / whole,
            "decode": (whole - ttft) / whole,
        },
    }


def weka(folder):
    """Turns of each conversation, nested ones apart, in the order of the document, which is that of time."""
    sessions = []

    def walk(requests, begun):
        turns = []
        for request in requests:
            if "requests" in request:
                walk(request["requests"], begun + request["t"])
                continue
            start = round((begun + request["t"]) * 1e9)
            took = request.get("api_time")
            end = None if took is None else start + round(took * 1e9)
            turns.append((start, end, request["in"]))
        sessions.append(sorted(turns, key=lambda turn: turn[0]))

    for name in sorted(glob.glob(f"{folder}/traces/weka/*.json")):
        with open(name, encoding="utf-8") as file:
            walk(json.load(file)["requests"], 0.0)
    think, growth, steps, shrinking, overlapping = [], [], [], 0, 0
    for turns in sessions:
        idle = turns[0][1]
        for (start, _, prompt), (at, end, longer) in zip(turns, turns[1:]):
            steps.append((at - start) / 1e9)
            if idle is not None and at >= idle:
                think.append((at - idle) / 1e9)
            elif idle is not None:
                overlapping += 1
            idle = None if end is None else max(idle or end, end)
            if longer >= prompt:
                growth.append(longer - prompt)
            else:
                shrinking += 1
    return {
        "sessions": len(sessions),
        "requests": sum(map(len, sessions)),
        "per_session_median": statistics.median(map(len, sessions)),
        "per_session_most": max(map(len, sessions)),
        "turns": len(steps),
        "start_to_start_median_s": statistics.median(steps),
        "think": len(think),
        "think_median_s": statistics.median(think),
        "overlapping": overlapping,
        "growth": len(growth),
        "growth_median_tokens": statistics.median(growth),
        "shrinking": shrinking,
    }


if __name__ == "__main__":
    folder = sys.argv[1]
    json.dump({
        "mooncake": mooncake(folder, "mooncake_conversation_trace.jsonl"),
        "mooncake_synthetic": mooncake(folder, "mooncake_synthetic_trace.jsonl"),
        "azure_code": azure(folder, "azure_llm_2023_code.csv"),
        "azure_conv": azure(folder, "azure_llm_2023_conv.csv"),
        "traffic": traffic(folder),
        "weka": weka(folder),
    }, sys.stdout, indent=1)
    print()
