"""Writes inputs of the resampling half of `trueline_baseline::stats` with what other programs make
of them.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0 arch==8.0.0
    venv/bin/python scripts/expected/resampling.py > crates/baseline/tests/data/resampling.json

The stream of random numbers is written out here in plain Python; intervals are those of scipy's
`bootstrap` and of arch at the confidence that has the same deviate, so they agree within what two
sets of samples differ by. Where neither has a function the figure is counted out. Shares no code
with the workspace. Inputs are from seed 11.
"""

import itertools
import json
import math
import struct
import sys

import numpy as np
from arch.bootstrap import IIDBootstrap, MovingBlockBootstrap, optimal_block_length
from scipy import stats
from statsmodels.stats.diagnostic import acorr_ljungbox
from statsmodels.tsa.stattools import acf

RNG = np.random.default_rng(11)
ROWS = []
MASK = 0xFFFFFFFF


def row(function, given, expected, tolerance=1e-9):
    """One row; the tolerance is relative."""
    ROWS.append({"function": function, "given": given, "expected": expected, "tolerance": tolerance})


def plain(values, digits=5):
    return [round(float(v), digits) for v in values]


def lognormal(n, spread=0.3, scale=100.0):
    return plain(scale * np.exp(spread * RNG.standard_normal(n)))


def remembering(n, share):
    """A series around 10 in which each value keeps a share of the one before."""
    series, last = [], RNG.standard_normal()
    for _ in range(n):
        last = share * last + math.sqrt(1 - share**2) * RNG.standard_normal()
        series.append(10 + last)
    return plain(series)


def block(key, counter):
    """One block of ChaCha with 8 rounds, nonce zero."""
    start = list(struct.unpack("<4I", b"expand 32-byte k")) + list(struct.unpack("<8I", key))
    start += [counter & MASK, counter >> 32, 0, 0]
    words = start[:]

    def turn(value, by):
        return ((value << by) | (value >> (32 - by))) & MASK

    def quarter(a, b, c, d):
        for first, second, third, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            words[first] = (words[first] + words[second]) & MASK
            words[third] = turn(words[third] ^ words[first], by)

    for _ in range(4):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return [(a + b) & MASK for a, b in zip(start, words)]


def stream(seed):
    key = struct.pack("<Q", seed) + bytes(24)
    for counter in itertools.count():
        words = block(key, counter)
        for low, high in zip(words[::2], words[1::2]):
            yield low | high << 32


def chance():
    for seed in (0, 1, 42, 2**64 - 1):
        bits = list(itertools.islice(stream(seed), 40))
        row("bits", {"seed": seed, "n": 40}, {"bits": bits})
        row("below", {"seed": seed, "n": 1_000_003, "times": 40},
            {"drawn": [(b * 1_000_003) >> 64 for b in bits]})


def geyer(values):
    x = np.asarray(values) - np.mean(values)
    n = len(x)
    rho = [float(x[: n - k] @ x[k:] / (x @ x)) for k in range(n)]
    total, before = 0.0, math.inf
    for k in range(0, n - 1, 2):
        pair = rho[k] + rho[k + 1]
        if pair <= 0:
            break
        before = min(before, pair)
        total += before
    return 2 * total - 1


def series():
    made = [remembering(n, share) for n, share in ((60, 0.3), (200, 0.6), (500, 0.9), (800, -0.4))]
    made += [plain(range(1, 11)), lognormal(100), [1.0, 2.0] * 20]
    for values in made:
        x, n = np.asarray(values), len(values)
        tau = geyer(values)
        expected = {"r1": acf(x, nlags=1, fft=False)[-1], "r5": acf(x, nlags=5, fft=False)[-1],
                    "tau": tau, "effective": n / min(max(tau, 1.0), n)}
        for lags in (1, 8):
            test = acorr_ljungbox(x, lags=[lags])
            expected |= {f"q{lags}": float(test.lb_stat.iloc[0]), f"p{lags}": float(test.lb_pvalue.iloc[0])}
        if n > 20:
            best = optimal_block_length(x)
            expected |= {"stationary": float(best.stationary.iloc[0]), "circular": float(best.circular.iloc[0])}
        for length in (1, 3, 7):
            means = np.lib.stride_tricks.sliding_window_view(x, length).mean(axis=1)
            expected[f"variance{length}"] = float(means.var() * length / n)
        row("series", {"values": values}, expected, 1e-8)
    long = remembering(600, 0.6)
    drawn = MovingBlockBootstrap(12, np.asarray(long), seed=1).var(np.mean, reps=40_000)
    row("block_variance", {"values": long, "length": 12}, {"variance": float(np.squeeze(drawn))}, 0.04)


def runs():
    for sizes in ((3, 3, 3), (5, 5), (10, 10, 10, 10), (40,) * 6):
        arms = [lognormal(n, 0.1, float(RNG.normal(100, 8))) for n in sizes]
        means = np.array([np.mean(a) for a in arms])
        within = float(np.mean([np.var(a, ddof=1) for a in arms]))
        r, k = sizes[0], len(sizes)
        between = max(0.0, float(np.var(means, ddof=1)) - within / r)
        # The mean squares of the analysis of variance say the same of runs of one size.
        f = stats.f_oneway(*arms).statistic
        assert abs(f * within / r - np.var(means, ddof=1)) < 1e-8
        icc = between / (between + within)
        row("components", {"runs": arms}, {
            "within": within, "between": between, "icc": icc, "design_effect": 1 + (r - 1) * icc,
            "half_width": float(stats.t.ppf(0.975, k - 1) * np.sqrt(np.var(means, ddof=1) / k))}, 1e-8)
    for n, m in ((3, 3), (4, 6), (8, 8), (1, 9), (2, 12)):
        a, b = lognormal(n, 0.05), lognormal(m, 0.05, 104.0)
        both, seen = np.array(a + b), abs(np.mean(a) - np.mean(b))
        far = [abs(both[list(c)].mean() - np.delete(both, c).mean()) >= seen - 1e-9
               for c in itertools.combinations(range(n + m), n)]
        if n == m:
            test = stats.permutation_test((a, b), lambda x, y: np.mean(x) - np.mean(y), n_resamples=np.inf)
            assert abs(test.pvalue - np.mean(far)) < 1e-12
        row("label_test", {"a": a, "b": b}, {"p": float(np.mean(far)), "ways": len(far)})


def students(parts, confidence=0.95):
    """The deviate of parts of (variance that drawing gives, units), and the confidence whose normal
    deviate it is."""
    right = [v * n / (n - 1) for v, n in parts]
    df = sum(right) ** 2 / sum(v**2 / (n - 1) for v, (_, n) in zip(right, parts))
    z = stats.t.ppf(0.5 + confidence / 2, df) * math.sqrt(sum(right) / sum(v for v, _ in parts))
    return 1 - 2 * stats.norm.sf(z)


def influence(statistic, samples, at):
    """The variance by the jackknife of one of the samples."""
    n = len(samples[at])
    without = []
    for i in range(n):
        kept = list(samples)
        kept[at] = np.delete(np.asarray(samples[at]), i)
        without.append(statistic(*kept))
    return np.sum(((n - 1) * (np.mean(without) - without) / n) ** 2), n


def quantiles():
    for n, q in ((9, 0.5), (25, 0.5), (60, 0.5), (150, 0.9), (240, 0.95), (240, 0.05)):
        values = lognormal(n)
        statistic = lambda x, axis=-1: np.quantile(x, q, axis=axis)
        level = students([influence(statistic, [values], 0)])
        low, high = stats.bootstrap((values,), statistic, n_resamples=40_000, confidence_level=level,
                                    method="BCa", vectorized=True, rng=np.random.default_rng(3)).confidence_interval
        row("bootstrap_quantile", {"values": values, "q": q}, {"low": low, "high": high}, 0.02)
    for n, m in ((7, 9), (30, 30), (100, 60)):
        a, b = lognormal(n, 0.2, 130.0), lognormal(m, 0.3)
        statistic = lambda x, y, axis=-1: np.median(x, axis=axis) / np.median(y, axis=axis)
        level = students([influence(statistic, [a, b], 0), influence(statistic, [a, b], 1)])
        low, high = stats.bootstrap((a, b), statistic, n_resamples=40_000, confidence_level=level,
                                    method="BCa", vectorized=True, rng=np.random.default_rng(4)).confidence_interval
        row("bootstrap_ratio_of_medians", {"a": a, "b": b}, {"low": low, "high": high}, 0.02)


def sums():
    def studentized(statistic, error, *arrays):
        """arch hands the error function the estimate first."""
        bs = IIDBootstrap(*arrays, seed=np.random.default_rng(5))
        found = bs.conf_int(statistic, reps=40_000, method="studentized", std_err_func=error)
        return {"low": float(found[0, 0]), "high": float(found[1, 0])}

    for n, spread in ((80, 0.3), (150, 0.6), (300, 0.8)):
        values = lognormal(n, spread)
        error = lambda estimate, x: np.std(x, ddof=1) / math.sqrt(len(x))
        row("bootstrap_mean", {"values": values}, studentized(np.mean, error, np.array(values)), 0.01)
        over, under = lognormal(n, spread), lognormal(n, 0.4, 2.0)
        over = plain(np.array(over) * np.array(under))

        def rate_error(estimate, y, x):
            z = y - y.sum() / x.sum() * x
            return math.sqrt(np.sum(z**2) / (len(x) * (len(x) - 1))) / np.mean(x)

        rate = lambda y, x: np.sum(y) / np.sum(x)
        row("bootstrap_ratio_of_sums", {"over": over, "under": under},
            studentized(rate, rate_error, np.array(over), np.array(under)), 0.01)


def clusters():
    for count in (6, 12):
        sizes = [20] * count
        luck = np.repeat(np.exp(0.05 * RNG.standard_normal(count)), 20)
        under = np.array(lognormal(20 * count, 0.3, 2.0))
        over = np.array(plain(luck * under * np.array(lognormal(20 * count, 0.2))))
        y, x = over.reshape(count, 20).sum(axis=1), under.reshape(count, 20).sum(axis=1)
        level = students([(1.0, count)])
        bs = IIDBootstrap(y, x, seed=np.random.default_rng(6))
        found = bs.conf_int(lambda y, x: y.sum() / x.sum(), reps=40_000, method="bc", size=level)
        row("cluster_ratio_of_sums", {"over": plain(over), "under": plain(under), "sizes": sizes},
            {"low": float(found[0, 0]), "high": float(found[1, 0])}, 0.01)


for part in (chance, series, runs, quantiles, sums, clusters):
    part()
sys.stdout.write("[\n" + ",\n".join(json.dumps(r) for r in ROWS) + "\n]\n")
