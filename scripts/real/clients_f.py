#!/usr/bin/env python3
"""Runs real clients, unchanged, against a simulated server and keeps its ledger; scripts/real-clients.sh calls it.

    python3 scripts/real/clients.py --venvs VENVS --out OUT --server 'COMMAND … --port {port}'

Every run has a server of its own, started for it, so that its ledger holds this run alone and its prefix cache starts
empty. One run at a time: the clients share the machine with the server. OUT gets a folder a run, CLIENT-cN or
CLIENT+FAULT, with what the client wrote (result.json or result.jsonl, console.txt) and what was true (ledger.jsonl,
load.json). A fault is asked for behind the model's name; where a client comes to no result, its exit status is kept.
"""
import argparse
import json
import shlex
import subprocess
import sys
import time
import urllib.request
from importlib.metadata import distributions
from pathlib import Path

from arms import SGLANG
from pieces import pieces, words

HERE = Path(__file__).resolve().parent
LEVELS = ()
# What clients are known to differ in, and what they are known to fall for.
FAULTS = (
    "role-first", "usage-late=0.5", "usage-missing", "usage-invented", "tokens-per-chunk=4", "reasoning=4", "after-done",
    "error-event=4", "close-kept", "http10", "comments",
)
FAULT_LEVEL, FAULT_REQUESTS = 4, 12


class Served:
    """A server for one run."""

    def __init__(self, options, log):
        self.url = f"http://127.0.0.1:{options.port}"
        command = [part.replace("{port}", str(options.port)) for part in shlex.split(options.server)]
        self.process = subprocess.Popen(command, stdout=log, stderr=log)

    def read(self, path):
        return urllib.request.urlopen(self.url + path, timeout=5).read()

    def __enter__(self):
        for _ in range(200):
            try:
                self.read("/health")
                return self
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        raise SystemExit(f"no server at {self.url}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def openai_sdk(options, level, url, out):
    yield options.venvs / "openai/bin/python", HERE / "openai_sdk.py", "--base-url", url, "--model", options.model
    yield "--requests", options.requests, "--concurrency", level, "--prompt", options.prompt
    yield "--output", options.output, "--seed", options.seed, "--out", "result.json"


def sglang(options, level, url, out):
    client = next(options.venvs.glob("sglang/lib/python*/site-packages/sglang/srt/rust_extensions/_bench*.so"))
    yield options.venvs / "sglang/bin/python", "-c", SGLANG, client
    yield "--backend", f"vllm{'-chat' if options.chat else ''}", "--base-url", url, "--dataset-name", "random-ids", "--model", options.model
    yield "--tokenizer", "../words", "--num-prompts", options.requests
    yield "--random-input-len", options.prompt, "--random-output-len", options.output, "--random-range-ratio", "1.0"
    yield "--max-concurrency", level, "--warmup-requests", 1, "--worker-threads", 1, "--seed", options.seed
    yield "--disable-tqdm", "--output-file", "result.jsonl", "--output-details"


def aiperf(options, level, url, out):
    yield options.venvs / "aiperf/bin/aiperf", "profile", "-m", options.model, "--url", url
    yield "--endpoint-type", "chat", "--streaming", "--concurrency", level, "--request-count", options.requests
    yield "--synthetic-input-tokens-mean", options.prompt, "--synthetic-input-tokens-stddev", 0
    yield "--output-tokens-mean", options.output, "--output-tokens-stddev", 0, "--tokenizer", "../pieces"
    yield "--extra-inputs", "ignore_eos:true", "--use-legacy-max-tokens", "--ui", "simple", "--artifact-dir", "."
    yield "--random-seed", options.seed, "--no-server-metrics", "--no-gpu-telemetry"


def inference_perf(options, level, url, out):
    length = lambda n: {"min": n, "max": n, "mean": n, "std_dev": 0, "total_count": options.requests + 1}
    config = {
        "api": {"type": "completion", "streaming": True},
        "data": {
            "type": "random", "input_distribution": length(options.prompt), "output_distribution": length(options.output),
        },
        "load": {
            "type": "concurrent", "num_workers": 1, "base_seed": options.seed,
            "stages": [{"num_requests": options.requests, "concurrency_level": level}],
        },
        "server": {"type": "vllm", "model_name": options.model, "base_url": url, "ignore_eos": True},
        "tokenizer": {"pretrained_model_name_or_path": "../words"},
        "report": {"request_lifecycle": {"summary": True, "per_stage": True, "per_request": False}},
        "storage": {"local_storage": {"path": "."}},
    }
    # JSON is YAML.
    (out / "config.yaml").write_text(json.dumps(config))
    yield options.venvs / "inference-perf/bin/inference-perf", "-c", "config.yaml"


# Name, its command, the package that says its version, what it writes, what it is kept as.
CLIENTS = [
    ("openai-sdk", openai_sdk, "openai", "result.json", "result.json"),
    ("sglang", sglang, "sglang", "result.jsonl", "result.jsonl"),
    ("aiperf", aiperf, "aiperf", "profile_export_aiperf.json", "result.json"),
    ("inference-perf", inference_perf, "inference-perf", "stage_0_lifecycle_metrics.json", "result.json"),
]


def version(options, name, package):
    """The version of a package in a client's virtual environment."""
    folders = [str(path) for path in (options.venvs / name.removesuffix("-sdk")).glob("lib/python*/site-packages")]
    return next(found.version for found in distributions(name=package, path=folders))


def measure(options, name, command, package, written, kept, level, fault=None):
    out = options.out / (f"{name}+{fault}" if fault else f"{name}-c{level}")
    out.mkdir()
    with (out / "console.txt").open("w") as console, (out / "server.txt").open("w") as said:
        with Served(options, said) as served:
            parts = [str(part) for line in command(options, level, served.url, out) for part in line]
            status = subprocess.run(parts, cwd=out, stdout=console, stderr=subprocess.STDOUT).returncode
            (out / "ledger.jsonl").write_bytes(served.read("/sim/ledger"))
            (out / "load.json").write_bytes(served.read("/sim/load"))
    if written != kept and (out / written).exists():
        (out / kept).write_bytes((out / written).read_bytes())
    if status and not fault:
        raise SystemExit(f"{name} ended with status {status}: {out}/console.txt")
    run = {"client": name, "version": version(options, name, package), "concurrency": level, "fault": fault}
    (out / "run.json").write_text(json.dumps(run | {"requests": options.requests, "status": status}))


def with_fault(options, fault):
    """The options of a run that asks for a fault.

    Chat where the client can, since roles and reasoning are of chat alone: inference-perf's random prompts are for
    completions alone.
    """
    asked = argparse.Namespace(**vars(options))
    asked.model, asked.requests, asked.chat = f"{options.model}+{fault}", FAULT_REQUESTS, True
    return asked


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--venvs", required=True, type=Path)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--server", required=True, help="its command; {port} stands for the port")
    parser.add_argument("--model", default="sim", help="what the server calls its model")
    parser.add_argument("--port", type=int, default=8110)
    parser.add_argument("--requests", type=int, default=50)
    parser.add_argument("--prompt", type=int, default=100, help="tokens")
    parser.add_argument("--output", type=int, default=32, help="tokens")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", help="a client of these alone")
    parser.add_argument("--fault", action="append", help="these faults alone; an empty one for none")
    options = parser.parse_args()
    options.chat = False
    options.fault = options.fault and [fault for fault in options.fault if fault]
    options.out.mkdir(parents=True)
    options.out, options.venvs = options.out.resolve(), options.venvs.resolve()
    words(options.out / "words")
    pieces(options.out / "pieces", options.venvs / "aiperf")
    clients = [client for client in CLIENTS if not options.only or client[0] in options.only]
    for level in LEVELS:
        for client in clients:
            measure(options, *client, level)
    for fault in options.fault if options.fault is not None else FAULTS:
        for client in clients:
            measure(with_fault(options, fault), *client, FAULT_LEVEL, fault)


if __name__ == "__main__":
    sys.exit(main())
