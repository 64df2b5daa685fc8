"""Writes inputs of `trueline_baseline::stats` with what scipy and statsmodels make of them.

    python3 -m venv venv && venv/bin/pip install numpy==2.4.6 scipy==1.17.1 statsmodels==0.15.0
    venv/bin/python scripts/expected/stats.py > crates/baseline/tests/data/stats.json

Where neither has a function the figure is counted out here: permutations one by one, fractions,
roots. Shares no code with the workspace. Inputs are from seed 5.
"""

import itertools
import json
import math
import sys
from fractions import Fraction

import numpy as np
from scipy import integrate, optimize, stats
from statsmodels.regression.linear_model import WLS
from statsmodels.stats.multitest import multipletests
from statsmodels.stats.power import TTestIndPower
from statsmodels.stats.proportion import proportion_confint
from statsmodels.stats.weightstats import ttost_ind

RNG = np.random.default_rng(5)
ROWS = []


def row(function, given, expected, tolerance=1e-9):
    """One row; the tolerance is relative."""
    ROWS.append({"function": function, "given": given, "expected": expected, "tolerance": tolerance})


def plain(values, digits=4):
    return [round(float(v), digits) for v in values]


def lognormal(n, spread=0.3, scale=100.0):
    return plain(scale * np.exp(spread * RNG.standard_normal(n)))


def tied(n, of):
    return plain(RNG.integers(1, of + 1, n))


def distributions():
    for x in (-38.0, -12.5, -6.0, -2.6, -2.4, -0.3, 0.0, 1.0, 2.5, 7.0):
        row("normal_cdf", {"x": x}, {"p": stats.norm.cdf(x)}, 1e-12)
    for p in (1e-300, 1e-20, 1e-5, 0.025, 0.3, 0.5, 0.975, 0.9999):
        row("normal_quantile", {"p": p}, {"x": stats.norm.ppf(p)}, 1e-12)
    for df in (0.7, 1, 2.5, 4, 29, 300, 4e3, 5e4, 9.9e4, 2e5, 1e6, 1e7, 1e8):
        for p in (1e-6, 0.025, 0.4, 0.975):
            row("t_quantile", {"p": p, "df": df}, {"t": stats.t.ppf(p, df)}, 1e-8)
        for t in (-5.0, 0.5, 2.0):
            row("t_cdf", {"t": t, "df": df}, {"p": stats.t.cdf(t, df)}, 1e-8)
    for k, n, q in ((0, 1, 0.2), (3, 10, 0.5), (7, 10, 0.5), (985, 1000, 0.99), (2, 541, 0.01),
                    (400, 1000, 0.5), (499_000, 1_000_000, 0.5), (30, 1_000_000, 1e-5)):
        expected = {"at_most": stats.binom.cdf(k, n, q), "at_least": stats.binom.sf(k - 1, n, q),
                    "exactly": stats.binom.pmf(k, n, q)}
        row("binomial", {"k": k, "n": n, "q": q}, expected, 1e-9)
    for k, n, c in ((0, 100, 0.95), (3, 541, 0.95), (0, 541, 0.95), (7, 7, 0.9), (1, 2, 0.99),
                    (25, 40, 0.95), (12_345, 1_000_000, 0.95)):
        low, high = proportion_confint(k, n, 1 - c, method="beta")
        expected = {"low": 0.0 if k == 0 else low, "high": 1.0 if k == n else high}
        row("share_interval", {"events": k, "n": n, "confidence": c}, expected, 1e-8)


def permuted(a, b):
    """Exact tail probabilities of the rank sum by listing every choice of the first sample."""
    ranks = [Fraction(float(r)) for r in stats.rankdata(a + b)]
    seen, middle = sum(ranks[: len(a)]), Fraction(len(a) * (len(a) + len(b) + 1), 2)
    sums = [sum(c) for c in itertools.combinations(ranks, len(a))]
    share = lambda holds: sum(map(holds, sums)) / len(sums)
    return {
        "p": share(lambda s: abs(s - middle) >= abs(seen - middle)),
        "p_greater": share(lambda s: s >= seen),
        "p_less": share(lambda s: s <= seen),
    }


def rank_tests():
    fixtures = [([19, 22, 16, 29, 24], [20, 11, 17, 12]), ([1, 2, 3, 4, 5], [6, 7, 8, 9, 10]),
                ([1, 2, 3], [6, 7, 8, 9, 10]), ([1, 2, 2, 3, 4], [2, 3, 3, 5, 6, 7])]
    drawn = [(lognormal(m), lognormal(n, scale=120.0)) for m, n in
             ((1, 4), (2, 2), (3, 12), (12, 3), (6, 8), (20, 25), (60, 55), (80, 80), (3, 400))]
    with_ties = [(tied(m, of), tied(n, of)) for m, n, of in
                 ((1, 5, 2), (3, 10, 4), (9, 3, 3), (5, 6, 2), (7, 7, 5), (2, 30, 6))]
    for a, b in fixtures + drawn + with_ties:
        a, b = plain(a), plain(b)
        u = stats.mannwhitneyu(a, b).statistic
        ties = len(set(a + b)) < len(a + b)
        normal = {f"normal_{k}": stats.mannwhitneyu(a, b, alternative=v, method="asymptotic").pvalue
                  for k, v in (("p", "two-sided"), ("greater", "greater"), ("less", "less"))}
        if ties:
            exact = permuted(a, b)
        else:
            exact = {k: stats.mannwhitneyu(a, b, alternative=v, method="exact").pvalue
                     for k, v in (("p", "two-sided"), ("p_greater", "greater"), ("p_less", "less"))}
        row("mann_whitney", {"a": a, "b": b}, {"u": u, **exact, **normal})
    for m, n in ((5, 7), (12, 9), (30, 30)):
        for a, b in ((lognormal(m), lognormal(n)), (tied(m, 5), tied(n, 6))):
            got = stats.brunnermunzel(a, b)
            row("brunner_munzel", {"a": a, "b": b}, {"statistic": got.statistic, "p": got.pvalue})


def u_counts(m, n):
    """How many arrangements have U = 0, 1, ... by the recurrence, in whole numbers."""
    counts = {(i, j): None for i in range(m + 1) for j in range(n + 1)}
    for i, j in counts:
        if i == 0 or j == 0:
            counts[i, j] = [1]
            continue
        out = [0] * (i * j + 1)
        for u, c in enumerate(counts[i - 1, j]):
            out[u + j] += c
        for u, c in enumerate(counts[i, j - 1]):
            out[u] += c
        counts[i, j] = out
    return counts[m, n]


def shifts():
    for m, n, c in ((6, 5, 0.95), (4, 5, 0.95), (3, 3, 0.95), (3, 3, 0.89), (8, 2, 0.95), (15, 11, 0.99),
                    (25, 30, 0.95), (1, 60, 0.95)):
        a, b = lognormal(m, 0.1), lognormal(n, 0.1, 80.0)
        differences = sorted(x - y for x in a for y in b)
        counts, tail = u_counts(m, n), (1 - Fraction(str(c))) / 2
        at_most = list(itertools.accumulate(Fraction(k, sum(counts)) for k in counts))
        q = next(i for i, p in enumerate(at_most) if p >= tail)
        expected = {"estimate": float(np.median(differences))}
        if q > 0:
            expected |= {"low": differences[q - 1], "high": differences[m * n - q], "order": q,
                         "coverage": float(1 - 2 * at_most[q - 1])}
        row("hodges_lehmann", {"a": a, "b": b, "confidence": c}, expected)


def rounds():
    for n in (4, 6, 8, 13, 30, 60):
        a, b = lognormal(n, 0.1, 104.0), lognormal(n, 0.1)
        d = [math.log(x / y) for x, y in zip(a, b)]
        walsh = [(x + y) / 2 for i, x in enumerate(d) for y in d[i:]]
        mean = stats.ttest_1samp(d, 0.0)
        ends = mean.confidence_interval(0.95)
        signed = {k: stats.wilcoxon(d, alternative=v, method="exact").pvalue
                  for k, v in (("signed_p", "two-sided"), ("signed_greater", "greater"))}
        expected = {"ratio": math.exp(np.median(d)), "walsh_ratio": math.exp(np.median(walsh)),
                    "sign_p": stats.binomtest(sum(x > 0 for x in d), n).pvalue, **signed,
                    "student_p": mean.pvalue, "student_low": math.exp(ends.low),
                    "student_high": math.exp(ends.high)}
        row("paired_ratio", {"a": a, "b": b}, expected)
    for n in (5, 9, 12):
        d = [x for x in plain(RNG.integers(-4, 6, n)) if x]
        ranks = stats.rankdata(np.abs(d))
        v = sum(r for r, x in zip(ranks, d) if x > 0)
        sums = [sum(r for r, up in zip(ranks, signs) if up)
                for signs in itertools.product((0, 1), repeat=len(d))]
        greater, less = np.mean([s >= v for s in sums]), np.mean([s <= v for s in sums])
        row("signed_rank", {"d": d}, {"v": v, "p_greater": greater, "p_less": less,
                                      "p": min(1.0, 2 * min(greater, less))})


def distances():
    for m, n in ((1, 1), (4, 9), (10, 8), (30, 30), (57, 100), (400, 3)):
        a, b = lognormal(m), lognormal(n, 0.5, 115.0)
        ks = stats.ks_2samp(a, b, method="exact")
        row("kolmogorov_smirnov", {"a": a, "b": b}, {"d": ks.statistic, "p": ks.pvalue}, 1e-8)
        row("distance", {"a": a, "b": b}, {"wasserstein": stats.wasserstein_distance(a, b),
                                           "energy": stats.energy_distance(a, b)})
        wa, wb = plain(RNG.random(m) + 0.1), plain(RNG.random(n) + 0.1)
        row("weighted_wasserstein", {"a": a, "b": b, "wa": wa, "wb": wb},
            {"distance": stats.wasserstein_distance(a, b, wa, wb)})
    for x in (0.05, 0.3, 0.7, 0.999, 1.0, 1.5, 3.0):
        row("kolmogorov", {"x": x}, {"p": stats.kstwobign.sf(x)}, 1e-12)
    for usual, other in (([40, 30, 20, 10], [25, 30, 25, 20]), ([5, 80], [40, 45]), ([7, 7, 7], [7, 7, 7])):
        psi = stats.entropy(usual, other) + stats.entropy(other, usual)
        row("stability_index", {"usual": usual, "other": other}, {"index": psi})


def ratios():
    for m, n in ((3, 3), (6, 5), (10, 4), (30, 25)):
        a, b = lognormal(m, 0.05, 102.0), lognormal(n, 0.03)
        la, lb = np.log(a), np.log(b)
        test = stats.ttest_ind(la, lb, equal_var=False)
        ends = test.confidence_interval(0.95)
        row("ratio_of_means", {"a": a, "b": b},
            {"p": test.pvalue, "df": test.df, "low": math.exp(ends.low), "high": math.exp(ends.high)})
        for margin in (0.01, 0.05):
            reach = -math.log1p(-margin)
            p = ttost_ind(la, lb, -reach, reach, usevar="unequal")[0]
            row("equivalence", {"a": a, "b": b, "margin": margin}, {"p": p})
        mean_a, mean_b = np.mean(a), np.mean(b)
        va, vb = np.var(a, ddof=1) / m, np.var(b, ddof=1) / n
        t = stats.t.ppf(0.975, m + n - 2)
        off = lambda r: (mean_a - r * mean_b) ** 2 - t * t * (va + r * r * vb)
        r = mean_a / mean_b
        row("fieller", {"a": a, "b": b}, {"ratio": r, "low": optimize.brentq(off, r / 3, r, xtol=1e-14),
                                          "high": optimize.brentq(off, r, 3 * r, xtol=1e-14)})
    for n in (2, 9, 40):
        tokens, seconds = plain(RNG.integers(100, 30_000, n)), lognormal(n, 0.5, 4.0)
        # The slope through the origin with weights 1 / seconds is the ratio of sums.
        r = WLS(tokens, seconds, weights=1 / np.array(seconds)).fit().params[0]
        z = np.array(tokens) - r * np.array(seconds)
        error = np.std(z, ddof=1) / math.sqrt(n) / np.mean(seconds)
        row("ratio_of_sums", {"tokens": tokens, "seconds": seconds}, {"ratio": r, "standard_error": error})


def many_tests():
    published = [.001, .008, .039, .041, .042, .06, .074, .205, .212, .216, .222, .251, .269, .275,
                 .34, .341, .384, .569, .594, .696, .762, .94, .942, .975, .986]
    for ps in (published, plain(RNG.random(12) ** 3), [0.5], [0.01, 0.01, 0.2]):
        row("adjusted", {"ps": ps}, {name: list(multipletests(ps, method=method)[1]) for name, method in
                                     (("bonferroni", "bonferroni"), ("holm", "holm"),
                                      ("benjamini_hochberg", "fdr_bh"))})
    for (k, n1), (other, n2) in (((8, 10), (1, 6)), ((0, 100), (9, 100)), ((3, 541), (3, 541)),
                                 ((12, 500), (2, 500)), ((1, 1), (0, 1)), ((40, 900), (90, 1500)),
                                 ((0, 5), (7, 7)), ((6, 7), (30, 300)), ((250, 500), (230, 500))):
        p = stats.fisher_exact([[k, n1 - k], [other, n2 - other]])[1]
        row("fisher_exact", {"k": k, "n": n1, "k2": other, "n2": n2}, {"p": p})


def plans():
    for cv, width, c in ((.05, .05, .95), (.05, .02, .95), (.1, .05, .95), (.5, .05, .95), (.2, .1, .99)):
        n = next(n for n in itertools.count(2) if stats.t.ppf((1 + c) / 2, n - 1) * cv / math.sqrt(n) <= width)
        row("runs_for_precision", {"cv": cv, "half_width": width, "confidence": c}, {"n": n})
    power = TTestIndPower()
    for cv, d in ((.02, .01), (.05, .05), (.05, .02), (.05, .01), (.1, .05), (.2, .05), (.3, -.1)):
        effect = abs(math.log1p(d)) / math.sqrt(math.log1p(cv * cv))
        n = math.ceil(power.solve_power(effect_size=effect, power=0.8, alpha=0.05))
        row("runs_to_show", {"cv": cv, "difference": d}, {"n": n})
    for cv, d, n1, n2 in ((.05, .05, 3, 3), (.05, .05, 2, 2), (.05, .1, 4, 9), (.02, .01, 50, 50), (.1, .001, 5, 5)):
        effect = math.log1p(d) / math.sqrt(math.log1p(cv * cv))
        got = power.power(effect, n1, 0.05, ratio=n2 / n1)
        row("power_of_runs", {"cv": cv, "difference": d, "n": n1, "n2": n2}, {"power": got}, 1e-8)
    for spread, d, c in ((.05, .05, .95), (.02, .05, .95), (.05, .02, .95), (.1, .05, .9), (.03, -.03, .99)):
        wrong = stats.norm.cdf(-abs(math.log1p(d)) / spread)
        low = lambda n: stats.binom.ppf((1 - c) / 2, n, 0.5)
        fewer = lambda n: low(n) - (stats.binom.cdf(low(n), n, 0.5) > (1 - c) / 2)
        n = next(n for n in itertools.count(1) if stats.binom.cdf(fewer(n), n, wrong) >= 0.8)
        row("rounds_to_show", {"spread": spread, "difference": d, "confidence": c}, {"n": n})
    for bounds in ([1.96], [1.96] * 2, [1.96] * 3, [2.8, 1.98], [3.4, 2.5, 2.0]):
        k = np.arange(1, len(bounds) + 1)
        together = np.sqrt(np.minimum.outer(k, k) / np.maximum.outer(k, k))
        inside = stats.multivariate_normal(cov=together, seed=5, maxpts=10_000_000, abseps=1e-7).cdf(
            bounds, lower_limit=[-b for b in bounds])
        row("false_alarms", {"bounds": bounds}, {"share": 1 - inside}, 1e-5)
    for n in (2, 3, 5, 10, 100):
        largest = integrate.quad(lambda x: x * n * stats.norm.pdf(x) * stats.norm.cdf(x) ** (n - 1), -12, 12)[0]
        row("best_of_inflation", {"n": n, "cv": 0.05}, {"share": 0.05 * largest}, 1e-8)


def quantiles():
    for n in (1, 2, 10, 41):
        values = sorted(lognormal(n))
        for q in (0.0, 0.25, 0.5, 0.9, 0.99):
            expected = {"type7": float(np.quantile(values, q)),
                        "type8": float(np.quantile(values, q, method="median_unbiased"))}
            if 0 < q < 1 and n > 1:
                expected["harrell_davis"] = float(stats.mstats.hdquantiles(values, [q])[0])
            row("quantile", {"values": values, "q": q}, expected)
    for m, n in ((20, 25), (40, 33), (150, 90)):
        a, b = lognormal(m), lognormal(n, 0.4)
        found = {"ratios": [], "ps": [], "lows": []}
        for q in (0.1, 0.5, 0.9):
            at, error = [], []
            for logs in (np.sort(np.log(a)), np.sort(np.log(b))):
                size = len(logs)
                order = stats.beta(int(q * size + 0.5), size - int(q * size + 0.5) + 1)
                parts = np.diff(order.cdf(np.arange(size + 1) / size))
                at.append(float(stats.mstats.hdquantiles(logs, [q])[0]))
                error.append(math.sqrt(parts @ logs**2 - (parts @ logs) ** 2))
            difference, both = at[0] - at[1], math.hypot(*error)
            found["ratios"].append(math.exp(difference))
            found["ps"].append(2 * stats.norm.sf(abs(difference) / both))
            found["lows"].append(math.exp(difference - stats.norm.ppf(1 - 0.05 / 6) * both))
        found["ps"] = list(multipletests(found["ps"], method="holm")[1])
        row("quantile_ratios", {"a": a, "b": b}, found, 1e-8)
    for n, q, c in ((6, .5, .95), (10, .5, .95), (100, .9, .95), (541, .99, .95), (1000, .99, .95), (73, .75, .9)):
        tail = (1 - c) / 2
        cdf = lambda k: stats.binom.cdf(k, n, q)
        low = max(l for l in range(1, n + 1) if cdf(l - 1) <= tail)
        high = min(u for u in range(1, n + 1) if 1 - cdf(u - 1) <= tail + 1e-15)
        row("interval_orders", {"n": n, "q": q, "confidence": c},
            {"low": low, "high": high, "coverage": cdf(high - 1) - cdf(low - 1)})
    for n, q in ((662, .99), (10_000, .99), (2_000, .9), (500, .5)):
        t = max(t for t in range(1, n) if stats.binom.cdf(t, n, 1 - q) <= 0.01)
        row("tail_estimate", {"n": n, "q": q}, {"from_top": t})
    for n, k, w in ((10, 3, 3), (541, 3, 3), (41, 3, 5), (93, 10, 20), (55, 5, 15)):
        row("all_among_lowest", {"n": n, "k": k, "w": w}, {"p": stats.hypergeom.sf(k - 1, n + k, w, k)})
    for values in ([1, 2, 3, 2, 4, 5, 6, 5, 7, 8], tied(25, 6), lognormal(40), lognormal(90)):
        values = plain(values)
        exact = len(values) <= 60 and len(set(values)) == len(values)
        tau = stats.kendalltau(range(len(values)), values, method="exact" if exact else "asymptotic")
        slope = stats.theilslopes(values, range(len(values))).slope
        row("trend", {"values": values}, {"tau": tau.statistic, "p": tau.pvalue, "slope": slope})


def main():
    for part in (distributions, rank_tests, shifts, rounds, distances, ratios, many_tests, plans, quantiles):
        part()
    # One row a line; numpy's numbers as plain ones.
    as_plain = lambda x: x.item() if isinstance(x, np.generic) else str(x)
    lines = ",\n".join(json.dumps(r, default=as_plain) for r in ROWS)
    sys.stdout.write(f"[\n{lines}\n]\n")


main()
