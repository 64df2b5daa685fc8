#!/usr/bin/env python3
"""Runs the probe and clients of other people's making side by side: processor time a token, TTFT against the truth.

    cargo build --release -p trueline-live-examples --examples
    python3 benches/compare/clients.py --venvs VENVS --out OUT [--repeat 3] [--only probe] [--load paced]

Every client gets core 1 for itself and the simulated server core 0, whatever threads or processes it has. Two loads:
*paced*, 256 streams of 100 tokens each 5 ms apart; and *flood*, 16 streams of 2,000 tokens as fast as they come, where the
server's own rate is beyond all clients. A client gets as many requests as it deals with in some ten seconds (REQUESTS): what
is compared is a token's cost. Clients take turns, `--repeat` times each; the run of median cost stands in the table. VENVS is
what scripts/real-clients.sh installs; a client that is not there is told and left out. Run it on a machine that is idle: the
simulator says where it was itself late, and a run in which one token in a hundred left 2 ms late or later has a star.

Processor and wall time are those of the client with all its processes (spent.py); what the smallest run, of one request and
one token, takes is taken off. Tokens are those of the server's ledger, and a run that has not all that was asked for is told.
Needs Linux, taskset, Python 3.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts/real"))
import clients  # noqa: E402
from pieces import pieces, words  # noqa: E402
from said import ends, said  # noqa: E402

HERE = Path(__file__).resolve().parent
PROGRAMS = Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")) / "release/examples"
# Name: streams, prompt tokens, output tokens, what the server is told.
LOADS = {
    "paced": (256, 16, 100, "--prefill 1000000 --prefill-fixed 0.05 --decode-step 5 --decode-step-per-stream 0 --streams 256"),
    "flood": (16, 16, 2000, "--flood"),
}
SMALLEST = (1, 16, 1, "--prefill 1000000 --prefill-fixed 0 --decode-step 1")


def probe(options, level, url, out):
    yield PROGRAMS / "probe", url, "--model", options.model, "--api", "openai-completions", "--arrival", f"closed={level}"
    yield "--requests", options.requests, "--warmup", 0, "--prompt-tokens", options.prompt, "--output-tokens", options.output
    yield "--seed", options.seed, "--save", "result.jsonl", "--no-progress"


def aiperf(options, level, url, out):
    """Completions, as the others have it: the events of chat are longer."""
    for parts in clients.aiperf(options, level, url, out):
        yield tuple("completions" if part == "chat" else part for part in parts)


def bare(options, level, url, out):
    yield options.venvs / "aiperf/bin/python", HERE / "bare_client.py", "--base-url", url, "--model", options.model
    yield "--requests", options.requests, "--concurrency", level, "--prompt", options.prompt
    yield "--output", options.output, "--seed", options.seed, "--out", "result.json"


# Name: how it is shown, its folder in VENVS, the package that says its version, its command.
CLIENTS = {
    "probe": ("probe", None, None, probe),
    "sglang": ("SGLang's benchmark {} (Rust)", "sglang", "sglang", clients.sglang),
    "bare": ("aiohttp {}, a bare loop of it", "aiperf", "aiohttp", bare),
    "inference-perf": ("inference-perf {}", "inference-perf", "inference-perf", clients.inference_perf),
    "aiperf": ("AIPerf {}", "aiperf", "aiperf", aiperf),
    "openai-sdk": ("OpenAI's SDK {}, a bare loop of it (chat)", "openai", "openai", clients.openai_sdk),
}
# Requests of a run, paced and flood. What cannot be told from the start of a client takes more of them.
REQUESTS = {
    "probe": (1024, 256), "sglang": (1024, 256), "bare": (1024, 128), "inference-perf": (512, 32), "aiperf": (512, 128),
    "openai-sdk": (512, 32),
}


def requests_of(name, load):
    return REQUESTS[name][list(LOADS).index(load)] if load in LOADS else 1


def there(options, name):
    """Whether a client is installed; told where it is not."""
    folder = CLIENTS[name][1]
    found = (PROGRAMS / "probe").exists() if folder is None else (options.venvs / folder / "bin/python").exists()
    if not found:
        how = "cargo build --release -p trueline-live-examples --examples" if folder is None else "scripts/real-clients.sh"
        print(f"{name} is left out: it is not installed ({how})", file=sys.stderr)
    return found


def shown(options, name):
    how, folder, package, _ = CLIENTS[name]
    return how.format(clients.version(options, folder, package)) if folder else how


def ran(options, name, load, requests, out):
    """One run: what the client took and says, the ledger's tokens and TTFT, whether the server was late."""
    level, options.prompt, options.output, server = load
    options.requests = requests
    out.mkdir(parents=True)
    options.server = f"taskset -c 0 {PROGRAMS / 'simulate_server'} --port {{port}} {server}"
    with (out / "server.txt").open("w") as log, (out / "console.txt").open("w") as console:
        with clients.Served(options, log) as served:
            parts = [str(part) for line in CLIENTS[name][3](options, level, served.url, out) for part in line]
            around = [sys.executable, HERE / "spent.py", "spent.json", str(options.limit), "taskset", "-c", "1"]
            subprocess.run([*around, *parts], cwd=out, stdout=console, stderr=subprocess.STDOUT)
            (out / "ledger.jsonl").write_bytes(served.read("/sim/ledger"))
            late = json.loads(served.read("/sim/load")).get("late_p99_s")
    spent = json.loads((out / "spent.json").read_text())
    # The probe's 1 is that of a number which may not be quoted.
    if spent["status"] not in ((0, 1) if name == "probe" else (0,)):
        raise SystemExit(f"{name} ended with {spent['status']} after {spent['wall_s']:.0f} s: {out}/console.txt")
    entries = [json.loads(line) for line in (out / "ledger.jsonl").read_text().splitlines() if line]
    tokens = sum(entry["output_tokens"] for entry in entries)
    if tokens < requests * options.output:
        print(f"{out.name}: asked for {requests * options.output} tokens, the server sent {tokens}", file=sys.stderr)
    true = ends([(entry["first_token_ns"] - entry["arrived_ns"]) / 1e6 for entry in entries if entry["output_tokens"] > 0])
    found = {"tokens": tokens, "true": true, "said": said(name, out), "late": late is not None and late >= 0.002}
    return spent | found


def row(options, name, load, runs, start):
    """A line of the table: the run of median cost, `start` being the processor seconds of the smallest run."""
    costs = {id(run): 1e6 * (run["processor_s"] - start) / run["tokens"] for run in runs}
    runs.sort(key=lambda run: costs[id(run)])
    run = runs[(len(runs) - 1) // 2]
    (ttft, rate), true = run["said"], run["true"]
    cells = [
        load + ("*" if any(each["late"] for each in runs) else ""),
        shown(options, name),
        f"{costs[id(run)]:.3g} ({costs[id(runs[0])]:.3g}–{costs[id(runs[-1])]:.3g})",
        f"{start:.2f}",
        "says nothing" if ttft is None else f"{ttft[0]:.1f} / {ttft[1]:.1f}",
        f"{true[0]:.1f} / {true[1]:.1f}" if load == "paced" else "no pace",
        "says nothing" if rate is None else f"{rate:,.0f}",
    ]
    return "| " + " | ".join(cells) + " |"


HEADS = (
    "load", "client", "processor µs a token (lowest–highest)", "processor s to start", "TTFT said, p50 / p99 ms",
    "TTFT true, p50 / p99 ms", "tok/s said",
)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venvs", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--only", action="append", choices=CLIENTS, help="a client of these alone")
    parser.add_argument("--load", action="append", choices=LOADS, help="a load of these alone")
    parser.add_argument("--limit", type=float, default=120.0, help="seconds after which a run is given up")
    parser.add_argument("--port", type=int, default=8112)
    options = parser.parse_args()
    options.model, options.seed, options.chat = "sim", 1, False
    options.out, options.venvs = options.out.resolve(), options.venvs.resolve()
    options.out.mkdir(parents=True)
    names = [name for name in CLIENTS if (not options.only or name in options.only) and there(options, name)]
    if "aiperf" in names:
        pieces(options.out / "pieces", options.venvs / "aiperf")
    words(options.out / "words")
    loads = {"smallest": SMALLEST} | {load: LOADS[load] for load in options.load or LOADS}
    seen, began = {}, time.monotonic()
    for turn in range(options.repeat):
        for load, settings in loads.items():
            for name in names:
                out = options.out / f"{name}-{load}-{turn}"
                run = ran(options, name, settings, requests_of(name, load), out)
                seen.setdefault((load, name), []).append(run)
                print(f"{time.monotonic() - began:4.0f} s: {out.name} took {run['wall_s']:.1f} s", file=sys.stderr)
    lines = ["| " + " | ".join(HEADS) + " |", "| --- " * len(HEADS) + "|"]
    for (load, name), runs in seen.items():
        if load in LOADS:
            start = statistics.median(run["processor_s"] for run in seen["smallest", name])
            lines.append(row(options, name, load, runs, start))
    print("\n".join(lines))


if __name__ == "__main__":
    main()
