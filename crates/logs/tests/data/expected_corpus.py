#!/usr/bin/env python3
"""Compute what the corpus tests expect, without any code of this crate.

    python3 crates/logs/tests/data/expected_corpus.py CORPUS > crates/logs/tests/data/expected_corpus.json
"""

import glob
import json
import statistics
import sys

PROMPT_EDGES = [1000, 4000, 8000, 20000, 32000, 64000, 128000]
HIT_EDGES = [0.05, 0.5, 0.9, 0.97, 0.99]


def number_of(edges, value):
    return sum(1 for edge in edges if edge <= value)


def cells(rows):
    """Requests and, over rows with TTFT and 256 new tokens, the median rate of each cell."""
    found = {}
    for prompt, cached, ttft in rows:
        key = f"{number_of(PROMPT_EDGES, prompt)}/{number_of(HIT_EDGES, cached / prompt)}"
        cell = found.setdefault(key, {"requests": 0, "rates": []})
        cell["requests"] += 1
        if ttft and prompt - cached >= 256:
            cell["rates"].append((prompt - cached) / ttft)
    return {
        key: {"requests": c["requests"], "rated": len(c["rates"]),
              "median": statistics.median(c["rates"]) if c["rates"] else None}
        for key, c in sorted(found.items())
    }


def fit(rows):
    """Least squares of TTFT on (1, new, cached) by normal equations in floats."""
    points = [(1.0, float(p - c), float(c), t) for p, c, t in rows if t]
    a = [[sum(r[i] * r[j] for r in points) for j in range(3)] for i in range(3)]
    b = [sum(r[i] * r[3] for r in points) for i in range(3)]
    for i in range(3):
        pivot = max(range(i, 3), key=lambda k: abs(a[k][i]))
        a[i], a[pivot], b[i], b[pivot] = a[pivot], a[i], b[pivot], b[i]
        for k in range(i + 1, 3):
            f = a[k][i] / a[i][i]
            a[k] = [x - f * y for x, y in zip(a[k], a[i])]
            b[k] -= f * b[i]
    x = [0.0] * 3
    for i in (2, 1, 0):
        x[i] = (b[i] - sum(a[i][j] * x[j] for j in range(i + 1, 3))) / a[i][i]
    mean = sum(r[3] for r in points) / len(points)
    rest = sum((r[3] - sum(x[j] * r[j] for j in range(3))) ** 2 for r in points)
    total = sum((r[3] - mean) ** 2 for r in points)
    return {"n": len(points), "intercept_s": x[0], "per_1k_new_s": 1e3 * x[1],
            "per_1k_cached_s": 1e3 * x[2], "r2": 1 - rest / total}


def common(rows, outputs):
    timed = [r for r in rows if r[2]]
    return {
        "rows": len(rows),
        "timed": len(timed),
        "prompt": sum(p for p, _, _ in rows),
        "cached": sum(c for _, c, _ in rows),
        "output": sum(outputs),
        "naive_median": statistics.median(p / t for p, _, t in timed),
        "new_only_median": statistics.median((p - c) / t for p, c, t in timed),
        "token_weighted": sum(c for _, c, _ in rows) / sum(p for p, _, _ in rows),
        "request_mean": statistics.fmean(c / p for p, c, _ in rows),
        "any_hit": sum(1 for _, c, _ in rows if c) / len(rows),
        "regression": fit(rows),
        "cells": cells(rows),
    }


def weka(folder):
    rows, outputs, declared = [], [], [0, 0]
    for name in sorted(glob.glob(f"{folder}/traces/weka/*.json")):
        with open(name, encoding="utf-8") as file:
            trace = json.load(file)
        declared[0] += trace["totals"]["combined_tokens"]["input"]
        declared[1] += trace["totals"]["combined_tokens"]["output"]
        seen = set()

        def walk(requests):
            for request in requests:
                if "requests" in request:
                    walk(request["requests"])
                    continue
                known = 0
                for block in request["hash_ids"]:
                    if block not in seen:
                        break
                    known += 1
                seen.update(request["hash_ids"])
                cached = min(known * trace["block_size"], request["in"] - 1)
                rows.append((request["in"], cached, request.get("ttft")))
                outputs.append(request["out"])

        walk(trace["requests"])
    result = common(rows, outputs)
    result["declared"] = {"input": declared[0], "output": declared[1]}
    return result


def traffic(folder):
    with open(f"{folder}/llama-server/traffic-client.jsonl", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    rows, outputs, ratios, compute = [], [], [], []
    for record in (r for r in records if r["tag"] == "prod"):
        usage, timings = record["usage"], record["timings"]
        prompt = usage["prompt_tokens"]
        cached = usage["prompt_tokens_details"]["cached_tokens"]
        ttft = record["ttft_s"]
        rows.append((prompt, cached, ttft))
        outputs.append(usage["completion_tokens"])
        if prompt > cached:
            honest = (prompt - cached) / ttft
            ratios.append(timings["prompt_per_second"] / honest)
            compute.append((prompt - cached) / (timings["prompt_ms"] / 1e3)
                           / timings["prompt_per_second"])
    result = common(rows, outputs)
    result["synthetic"] = sum(1 for r in records if r["tag"] == "synthetic")
    result["reported_ratio_median"] = statistics.median(ratios)
    result["compute_agrees"] = sum(1 for c in compute if abs(1 / c - 1) <= 0.01)
    result["ratio_rows"] = len(ratios)
    return result


def mooncake(folder, name):
    """Sums, prompts of each length bucket, and what a cache that never forgets would hit.

    The walk of aiperf and Dynamo: leading ids that any earlier row had, in tokens at most the prompt
    without its last one. Rows of one time stamp are in the order of the file.
    """
    seen = set()
    with open(f"{folder}/traces/{name}", encoding="utf-8") as file:
        records = [json.loads(line) for line in file]
    buckets, hits = {}, {}
    prompt = hit = chained = 0
    for record in records:
        ids, length = record["hash_ids"], record["input_length"]
        known = 0
        while known < len(ids) and ids[known] in seen:
            known += 1
        chained += all(i not in seen for i in ids[known:])
        seen.update(ids)
        here = min(512 * known, length - 1)
        bucket = number_of(PROMPT_EDGES, length)
        buckets[bucket] = buckets.get(bucket, 0) + 1
        hits.setdefault(bucket, [0, 0])
        hits[bucket][0] += here
        hits[bucket][1] += length
        prompt, hit = prompt + length, hit + here
    return {
        "rows": len(records),
        "prompt": prompt,
        "output": sum(r["output_length"] for r in records),
        "hashes": sum(len(r["hash_ids"]) for r in records),
        "last_ms": records[-1]["timestamp"],
        "chained": chained,
        "infinite_hit": hit,
        "buckets": {str(b): n for b, n in sorted(buckets.items())},
        "bucket_hit_share": {str(b): h / n for b, (h, n) in sorted(hits.items())},
    }


if __name__ == "__main__":
    folder = sys.argv[1]
    json.dump({"weka": weka(folder), "traffic": traffic(folder),
               "mooncake": mooncake(folder, "mooncake_conversation_trace.jsonl"),
               "mooncake_synthetic": mooncake(folder, "mooncake_synthetic_trace.jsonl")}, sys.stdout, indent=1)
    print()
