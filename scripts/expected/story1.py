"""Works out the figures of the first origin story from the files that `make_story` writes.

Shares no code with the workspace; Python's standard library only.

    python3 scripts/expected/story1.py DIR
"""

import json
import statistics
import sys
from fractions import Fraction
from math import comb
from pathlib import Path

BUCKET = (20_000, 32_000)
HIT_EDGES = [0.0, 0.05, 0.5, 0.9, 0.97, 0.99, 1.0]
READINGS = {
    "new/ttft": lambda r: r["new_prefill_tokens"] / r["ttft_s"],
    "prompt/ttft": lambda r: r["prompt_tokens"] / r["ttft_s"],
    "new/compute": lambda r: r["new_prefill_tokens"] / r["prompt_eval_time_s"],
    "prompt/compute": lambda r: r["prompt_tokens"] / r["prompt_eval_time_s"],
}


def lines(path):
    return [json.loads(line) for line in path.read_text().splitlines() if line.strip()]


def rate(row):
    return READINGS["new/ttft"](row)


def hit(row):
    return row["cached_tokens"] / row["prompt_tokens"]


def is_own(row):
    return row["request_id"].startswith("bench-")


def in_bucket(row):
    return BUCKET[0] <= row["prompt_tokens"] < BUCKET[1]


def spread(values):
    values = sorted(values)
    if not values:
        return None
    return {
        "n": len(values),
        "min": values[0],
        "median": statistics.median(values),
        "max": values[-1],
    }


def median_interval(values, level=Fraction(95, 100)):
    """Order statistics around the median: the two equal tails hold at most (1 - level) / 2 each."""
    n, values = len(values), sorted(values)

    def below(k):  # P(Binomial(n, 1/2) <= k)
        return Fraction(sum(comb(n, i) for i in range(k + 1)), 2**n)

    tail = (1 - level) / 2
    low = max((k for k in range(1, n + 1) if below(k - 1) <= tail), default=None)
    if low is None:
        return None
    high = n + 1 - low
    coverage = below(high - 1) - below(low - 1)
    return {
        "orders": [low, high],
        "low": values[low - 1],
        "high": values[high - 1],
        "coverage": float(coverage),
    }


def place(samples, others):
    """Ranks of the samples among themselves and others, slowest first; mid-ranks for ties."""
    pool = sorted(samples + others)
    total, k = len(pool), len(samples)
    ranks = []
    for s in samples:
        less, equal = sum(x < s for x in pool), sum(x == s for x in pool)
        ranks.append(less + (equal + 1) / 2)
    worst = int(-(-max(ranks) // 1))
    fastest = int(-(-(total + 1 - min(ranks)) // 1))
    tails = {}
    for name, w in (("slow", worst), ("fast", fastest)):
        p = Fraction(comb(w, k), comb(total, k))
        tails[name] = {"w": w, "p": float(p), "exact": f"C({w},{k})/C({total},{k}) = {p}"}
    return {
        "k": k,
        "n_production": len(others),
        "N": total,
        "ranks_from_slow_end": ranks,
        "mid_p_percentiles": [
            (sum(x < s for x in others) + sum(x == s for x in others) / 2) / len(others)
            for s in samples
        ],
        "tail": tails,
        "production_median_over_sample_median": statistics.median(others)
        / statistics.median(samples),
    }


def window(row):
    return row["completed_at_s"] - row["request_elapsed_s"], row["completed_at_s"]


def overlapping(rows, start, end):
    found = []
    for row in rows:
        a, b = window(row)
        if a < end and b > start:
            found.append(row["request_id"])
    return found


def agreement(rows):
    counts = {}
    for name, reading in READINGS.items():
        counts[name] = sum(abs(r["prefill_tok_s"] / reading(r) - 1) <= 0.01 for r in rows)
    return {"rows": len(rows), **counts}


def shares(rows):
    totals = {
        "requests": len(rows),
        "prompt_tokens": sum(r["prompt_tokens"] for r in rows),
        "new_tokens": sum(r["new_prefill_tokens"] for r in rows),
        "ttft_s": sum(r["ttft_s"] for r in rows),
    }
    bands = []
    for low, high in zip(HIT_EDGES, HIT_EDGES[1:]):
        top = high == 1.0
        band = [r for r in rows if low <= hit(r) and (hit(r) < high or top)]
        sums = {
            "requests": len(band),
            "prompt_tokens": sum(r["prompt_tokens"] for r in band),
            "new_tokens": sum(r["new_prefill_tokens"] for r in band),
            "ttft_s": sum(r["ttft_s"] for r in band),
        }
        entry = {"band": [low, high], "rows": len(band)}
        entry.update({name + "_share": sums[name] / totals[name] for name in totals})
        bands.append(entry)
    return {"totals": totals, "bands": bands}


def decode_rate(row):
    """Of a row of results: the first token belongs to prefill."""
    return (row["output_tokens"] - 1) / (row["e2e_latency_s"] - row["ttft_s"])


def expected(folder):
    log = lines(folder / "request-log-8080.jsonl")
    own = [r for r in log if is_own(r)]
    production = [r for r in log if not is_own(r)]
    guests = [r for r in production if r["session_id"] == "sess-guest"]
    bucket = [r for r in production if in_bucket(r)]
    warm = [r for r in production if r["prompt_tokens"] >= BUCKET[1]]
    short = [r for r in production if r["prompt_tokens"] < 1_000]
    cell = [r for r in bucket if 0.05 <= hit(r) < 0.5]
    rates = [rate(r) for r in bucket]

    results = {}
    for path in sorted(folder.glob("results-*.jsonl")):
        header, *rows = lines(path)
        results[header["label"]] = (header, rows)
    _, incumbent = results["incumbent"]
    repetitions = [
        {
            "id": r["id"],
            "client_rate": (r["prompt_tokens"] - r["cached_tokens"]) / r["ttft_s"],
            "foreign": overlapping(
                production, r["started_at_s"], r["started_at_s"] + r["e2e_latency_s"]
            ),
        }
        for r in incumbent
    ]
    arms = {}
    for label, (header, rows) in results.items():
        if header["arm"] != "incumbent":
            arms.setdefault(header["arm"], []).extend(decode_rate(r) for r in rows)
    beside_arms = {
        label: overlapping(log, r["started_at_s"], r["started_at_s"] + r["e2e_latency_s"])
        for label, (header, rows) in results.items()
        if header["arm"] != "incumbent"
        for r in rows
    }

    host = json.loads((folder / "host.json").read_text())
    every = [r for _, rows in results.values() for r in rows]
    spans = host["started_at_s"] < min(r["started_at_s"] for r in every) and host[
        "ended_at_s"
    ] > max(r["started_at_s"] + r["e2e_latency_s"] for r in every)
    ends = [r["completed_at_s"] for r in log]

    ratio = lambda rows: spread([r["prefill_tok_s"] / rate(r) for r in rows])
    decode = [r["decode_tok_s"] for r in production]
    return {
        "rows": {
            "all": len(log),
            "production_without_guests": len(production) - len(guests),
            "warm_without_guests": len(warm) - len(guests),
            "bucket_20_32k": len(bucket),
            "bucket_cell_5_50": len(cell),
            "short": len(short),
            "own": len(own),
            "guests": len(guests),
            "told_row": sum(
                r["cached_tokens"] == 47_351
                and r["prompt_tokens"] == 47_556
                and r["post_commit"]["best_prefix_len"] == 47_556
                for r in production
            ),
            "cold_production_512_tokens_or_more": sum(
                hit(r) < 0.05 and r["prompt_tokens"] >= 512 for r in production
            ),
            "with_preemptions": sum(r["scheduler"]["preemptions"] > 0 for r in production),
        },
        "sound": {
            "in_order_of_completion": ends == sorted(ends),
            "new_is_prompt_minus_cached": all(
                r["new_prefill_tokens"] == r["prompt_tokens"] - r["cached_tokens"] for r in log
            ),
            "parts_within_ttft": all(
                r["prompt_eval_time_s"]
                + r["queue_wait_s"]
                + r["lock_wait_time_s"]
                + r["cache_restore_time_s"]
                <= r["ttft_s"] + 3e-6
                for r in log
            ),
            "request_ids_unique": len({r["request_id"] for r in log}) == len(log),
            "host_spans_results": spans,
        },
        "bucket": {
            "prompt_tokens": spread([r["prompt_tokens"] for r in bucket]),
            "hit_share": spread([hit(r) for r in bucket]),
            "new_over_ttft": spread(rates),
            "sum_over_sum": sum(r["new_prefill_tokens"] for r in bucket)
            / sum(r["ttft_s"] for r in bucket),
            "median_interval_95": median_interval(rates),
        },
        "warm": {
            "prompt_tokens": spread([r["prompt_tokens"] for r in warm]),
            "hit_share": spread([hit(r) for r in warm]),
            "ttft_s": spread([r["ttft_s"] for r in warm]),
            "new_over_ttft": spread([rate(r) for r in warm]),
        },
        "short": {
            "prompt_tokens": spread([r["prompt_tokens"] for r in short]),
            "hit_share": spread([hit(r) for r in short]),
            "ttft_s": spread([r["ttft_s"] for r in short]),
        },
        "own_server_rates": [rate(r) for r in own],
        "placement": place([rate(r) for r in own], rates) if own else None,
        "repetitions": repetitions,
        "reported_over_new_per_ttft": {
            "bucket": ratio(bucket),
            "warm": ratio(warm),
            "own": ratio(own),
        },
        "agree_within_1_percent": {
            "bucket": agreement(bucket),
            "warm": agreement(warm),
            "short": agreement(short),
            "own": agreement(own),
            "all": agreement(log),
        },
        "hit_bands_of_production": shares(production),
        "decode_tok_per_s": spread(decode),
        "arms": {
            "decode_tok_per_s": arms,
            "candidate_over_library": statistics.median(arms["candidate"])
            / statistics.median(arms["library"]),
            "log_rows_beside": beside_arms,
        },
        "host": {key: value["is"]["value"] for key, value in host["conditions"].items()},
        "ratios": {
            "40.6/1.87": 40.6 / 1.87,
            "0.84*40.6": 0.84 * 40.6,
            "115/460": 115 / 460,
            "320/460": 320 / 460,
        },
    }


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("expected one folder that make_story wrote")
    print(json.dumps(expected(Path(sys.argv[1])), indent=1))
