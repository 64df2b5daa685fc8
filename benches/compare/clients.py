#!/usr/bin/env python3
"""Runs the probe and clients of other people's making side by side: processor time a token, TTFT and ITL against the truth.

    cargo build --release -p trueline-live-examples --examples
    python3 benches/compare/clients.py --venvs VENVS --out OUT [--repeat 3] [--only probe]

Every client gets core 1 for itself and the simulated server core 0, whatever threads or processes it has. Two loads:
*paced*, 256 streams of 100 tokens each 5 ms apart, 1,024 requests; and *flood*, 16 streams of 2,000 tokens as fast as they come,
64 requests, where the server's own rate is beyond all clients. Clients take turns, `--repeat` times each; the median stands in
the table. VENVS is what scripts/real-clients.sh installs. Run it on a machine that is idle: the simulator says where it was
itself late, and a run in which one token in a hundred left 2 ms late or later is marked with a star.

Processor and wall time are those of the client with all its processes; what the smallest run, of one request and one token,
takes is taken off, and its processor time stands beside them. Needs Linux, taskset, Python 3.
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/real"))
import clients  # noqa: E402
import clients_table  # noqa: E402
from pieces import pieces, words  # noqa: E402

PROGRAMS = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples"
# Name: streams, requests, prompt tokens, output tokens, what the server is told.
LOADS = {
    "paced": (256, 1024, 16, 100, "--prefill 1000000 --prefill-fixed 0.05 --decode-step 5 --decode-step-per-stream 0 --streams 256"),
    "flood": (16, 64, 16, 2000, "--flood"),
}
SMALLEST = (1, 1, 16, 1, "--prefill 1000000 --prefill-fixed 0 --decode-step 1")


def probe(options, level, url, out):
    yield PROGRAMS / "probe", url, "--model", options.model, "--api", "openai-completions", "--arrival", f"closed={level}"
    yield "--requests", options.requests, "--warmup", 0, "--prompt-tokens", options.prompt, "--output-tokens", options.output
    yield "--seed", options.seed, "--save", "result.jsonl", "--no-progress"


CLIENTS = {"probe": probe, "sglang": clients.sglang, "aiperf": clients.aiperf, "inference-perf": clients.inference_perf}


def ran(options, name, load, out):
    """One run: processor and wall seconds of the client, the ledger's requests, how late the server was."""
    level, options.requests, options.prompt, options.output, said = load
    out.mkdir(parents=True)
    options.server = f"taskset -c 0 {PROGRAMS / 'simulate_server'} --port {{port}} {said}"
    with (out / "server.txt").open("w") as log, (out / "console.txt").open("w") as console:
        with clients.Served(options, log) as served:
            parts = [str(part) for line in CLIENTS[name](options, level, served.url, out) for part in line]
            before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
            status = subprocess.run(["taskset", "-c", "1", *parts], cwd=out, stdout=console, stderr=subprocess.STDOUT).returncode
            took, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
            (out / "ledger.jsonl").write_bytes(served.read("/sim/ledger"))
            late = json.loads(served.read("/sim/load")).get("late_p99_s")
    if status not in (0, 1):
        raise SystemExit(f"{name} ended with {status}: {out}/console.txt")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    entries = [json.loads(line) for line in (out / "ledger.jsonl").read_text().splitlines() if line]
    return spent, took, [entry for entry in entries if entry["output_tokens"] > 0], late


def ends(values):
    """Median and 99th percentile (linear between ranks)."""
    values = sorted(values)
    at = 0.99 * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return statistics.median(values), values[low] + (at - low) * (values[high] - values[low])


def ttft_said(name, out):
    """The client's TTFT in ms, median and 99th percentile; none where it does not say."""
    if name == "probe":
        rows = [json.loads(line) for line in (out / "result.jsonl").read_text().splitlines()]
        return ends([1e3 * row["ttft_s"] for row in rows if row.get("ttft_s") is not None])
    kept = next((path for path in out.iterdir() if path.name in ("result.jsonl", "profile_export_aiperf.json",
                                                                "stage_0_lifecycle_metrics.json")), None)
    result = json.loads(kept.read_text())
    for median, p99, scale in ((["median_ttft_ms"], ["p99_ttft_ms"], 1.0),
                               (["time_to_first_token", "p50"], ["time_to_first_token", "p99"], 1.0),
                               (["successes", "latency", "time_to_first_token", "median"],
                                ["successes", "latency", "time_to_first_token", "p99"], 1e3)):
        found = clients_table.both(result, median, p99, scale)
        if found:
            return found
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venvs", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", action="append", help="a client of these alone")
    parser.add_argument("--load", action="append", choices=LOADS, help="a load of these alone")
    parser.add_argument("--port", type=int, default=8112)
    options = parser.parse_args()
    options.model, options.seed, options.chat = "sim", 1, False
    options.out, options.venvs = options.out.resolve(), options.venvs.resolve()
    options.out.mkdir(parents=True)
    names = [name for name in CLIENTS if not options.only or name in options.only]
    if "aiperf" in names:
        pieces(options.out / "pieces", options.venvs / "aiperf")
    words(options.out / "words")
    start = {name: ran(options, name, SMALLEST, options.out / f"{name}-smallest")[:2] for name in names}
    print("| load | client | processor us a token, start taken off | start, s | TTFT said, p50 / p99 ms | TTFT true | tok/s |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for load in options.load or LOADS:
        seen = {name: [] for name in names}
        for turn in range(options.repeat):
            for name in names:
                out = options.out / f"{name}-{load}-{turn}"
                spent, took, entries, late = ran(options, name, LOADS[load], out)
                tokens = sum(entry["output_tokens"] for entry in entries)
                true = ends([(entry["first_token_ns"] - entry["arrived_ns"]) / 1e6 for entry in entries])
                cost = 1e6 * max(spent - start[name][0], 0.0) / tokens
                rate = tokens / max(took - start[name][1], 1e-3)
                seen[name].append((cost, ttft_said(name, out), true, rate, late is not None and late >= 0.002))
        for name, runs in seen.items():
            runs.sort(key=lambda run: run[0])
            cost, said, true, rate, _ = runs[len(runs) // 2]
            star = "*" if any(run[4] for run in runs) else ""
            told = "says nothing" if said is None else f"{said[0]:.1f} / {said[1]:.1f}"
            truth = f"{true[0]:.1f} / {true[1]:.1f}" if load == "paced" else "no pace"
            print(f"| {load}{star} | {name} | {cost:.2f} | {start[name][0]:.1f} | {told} | {truth} | {rate:,.0f} |", flush=True)


if __name__ == "__main__":
    main()
