"""Works out what compare_runs must find in the pairs of real runs, from the files of cases/compare-real-*.

Shares no code with the workspace; Python's standard library only.

    python3 scripts/expected/real_arms.py cases

One value a run: the figure that the tool states. Welch's interval on the logarithms of the runs' values, at 95 % for a
row alone and at 1 - 0.05 / k for k rows together; behind the verdict, for a margin of 5 %, whether the interval of two
one-sided tests (1 - 0.1 / k) lies within 0.95 to 1 / 0.95.
"""

import json
import math
import re
import sys
from pathlib import Path

# Our name, SGLang's key, whether more is better.
METRICS = [
    ("ttft_s", "median_ttft_ms", False),
    ("itl_s", "median_itl_ms", False),
    ("tpot_s", "median_tpot_ms", False),
    ("e2e_latency_s", "median_e2e_latency_ms", False),
    ("output_tok_per_s", "output_throughput", True),
    ("request_per_s", "request_throughput", True),
]
PAIRS = [
    ("compare-real-equal", 1.0),
    ("compare-real-equal-by-chance", 1.0),
    ("compare-real-5-percent", 1.05),
    ("compare-real-30-percent", 1.3),
]
MARGIN = 0.05
TOGETHER = (1, 3, 5)


def beta_part(a, b, x):
    """The continued fraction of the incomplete beta function (Lentz)."""
    tiny = 1e-300
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > tiny else tiny)
    total = d
    for m in range(1, 500):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + numerator * d
            c = 1.0 + numerator / c
            d = 1.0 / (d if abs(d) > tiny else tiny)
            c = c if abs(c) > tiny else tiny
            total *= c * d
        if abs(c * d - 1.0) < 1e-15:
            break
    return total


def beta(a, b, x):
    """The regularised incomplete beta function."""
    if x <= 0.0 or x >= 1.0:
        return float(x >= 1.0)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )
    if x < (a + 1.0) / (a + b + 2.0):
        return front * beta_part(a, b, x) / a
    return 1.0 - front * beta_part(b, a, 1.0 - x) / b


def t_quantile(p, df):
    """Student's t for p above a half, by halving."""
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2.0
        below = 1.0 - beta(df / 2.0, 0.5, df / (df + middle * middle)) / 2.0
        low, high = (middle, high) if below < p else (low, middle)
    return (low + high) / 2.0


def log_welch(candidate, baseline, level):
    """Ratio of geometric means and its interval; None with fewer than three runs an arm."""
    moments = []
    for values in (candidate, baseline):
        logs = [math.log(value) for value in values]
        mean = math.fsum(logs) / len(logs)
        spread = math.fsum((x - mean) ** 2 for x in logs)
        moments.append((mean, spread / (len(logs) - 1) / len(logs) if len(logs) > 1 else math.nan, len(logs)))
    (a, va, na), (b, vb, nb) = moments
    if min(na, nb) < 3:
        return math.exp(a - b), None
    df = (va + vb) ** 2 / (va * va / (na - 1) + vb * vb / (nb - 1))
    half = t_quantile(0.5 + level / 2.0, df) * math.sqrt(va + vb)
    return math.exp(a - b), (math.exp(a - b - half), math.exp(a - b + half))


def runs(folder, arm):
    """The runs of an arm in their order: several in one file, or a file each."""
    found = [path for path in sorted(folder.glob("*.jsonl")) if re.fullmatch(rf"{arm}(-\d+)?", path.stem)]
    return [json.loads(line) for path in found for line in path.read_text().splitlines()]


def two_tools(folder):
    """TTFT by two tools that mean one thing by it, in ms: one median a run, candidate and baseline."""
    other = [json.loads(path.read_text())["successes"]["latency"] for path in sorted(folder.glob("candidate-*.json"))]
    return [of["time_to_first_token"]["median"] * 1e3 for of in other], [
        run["median_ttft_ms"] for run in runs(folder, "baseline")
    ]


def verdict(interval, margin_interval, more_is_better):
    if interval[0] > 1.0 or interval[1] < 1.0:
        return "better" if (interval[0] > 1.0) == more_is_better else "worse"
    inside = margin_interval[0] > 1.0 - MARGIN and margin_interval[1] < 1.0 / (1.0 - MARGIN)
    return "no direction, equivalent within 5 %" if inside else "no direction"


def shown(interval):
    return f"[{interval[0]:.12f}, {interval[1]:.12f}]"


def main():
    cases = Path(sys.argv[1])
    for name, speed in PAIRS:
        arms = [runs(cases / name, arm) for arm in ("candidate", "baseline")]
        print(f"{name}: true ratio of speeds {speed}, {len(arms[0])} and {len(arms[1])} runs")
        for metric, key, more in METRICS:
            values = [[run[key] for run in arm] for arm in arms]
            true = speed if more else 1.0 / speed
            first, _ = log_welch(*[v[:1] for v in values], 0.95)
            print(f"  {metric}: {log_welch(*values, 0.95)[0]:.12f} (true {true:.4f}), first run each {first:.12f}")
            for rows in TOGETHER:
                interval, margin = (log_welch(*values, 1.0 - alpha / rows)[1] for alpha in (0.05, 0.1))
                words = verdict(interval, margin, more)
                words += "" if interval[0] <= true <= interval[1] else ", truth outside"
                print(f"    of {rows} {shown(interval)} {words}")
    ratio, interval = log_welch(*two_tools(cases / "compare-real-two-tools"), 0.95)
    print(f"compare-real-two-tools: ttft_s {ratio:.12f} {shown(interval)}")


if __name__ == "__main__":
    main()
