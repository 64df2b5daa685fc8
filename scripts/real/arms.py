#!/usr/bin/env python3
"""Measures pairs of arms of a known true ratio with real benchmark tools; scripts/real-arms.sh calls it.

    python3 scripts/real/arms.py --sglang VENV/sglang --inference-perf VENV/inference-perf --out OUT

Every run has a paced_server.py of its own, started for it with a seed of its own: what varies between server starts
varies between runs. The runs of a pair alternate as ABBA ABBA ..., the pairs side by side at ports of their own. OUT
gets one folder a pair with what the tools wrote and truth.jsonl, one line a server start in the order of the runs.

Where a server would be held up for longer than its spread allows (a machine busy with something else), the medians of
its run are off the truth: such a pair is told at the end, and the exit status is 3.
"""
import argparse
import json
import subprocess
import sys
import threading
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
REQUESTS, CONCURRENCY, PROMPT, OUTPUT = 40, 4, 100, 16
WARM = 4
# Of the median gap against the truth of its server start: the spread of a median of 40 requests at 10 % is 2 %.
OFF = 0.08

# Loads the client of an SGLang wheel, which needs nothing else of the package, and runs it as its own command does.
SGLANG = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location("_bench", sys.argv[1])
client = importlib.util.module_from_spec(spec)
spec.loader.exec_module(client)
client.run_argv(["sglang-bench", *sys.argv[2:]])
"""

# Folder, speed of the candidate, runs an arm, whether the runs of an arm are appended to one file, first seed.
PAIRS = [
    ("compare-real-equal", 1.0, 12, True, 5000),
    ("compare-real-5-percent", 1.05, 16, False, 2000),
    ("compare-real-30-percent", 1.3, 6, False, 3000),
    # The first equal pair that was drawn: what one in twenty looks like.
    ("compare-real-equal-by-chance", 1.0, 12, False, 1000),
]
TWO_TOOLS = ("compare-real-two-tools", 4000)


def tokenizer(folder):
    """A vocabulary of a thousand words, one token each, as the server counts."""
    folder.mkdir(parents=True, exist_ok=True)
    unknown = {"id": 1000, "content": "[UNK]", "special": True}
    flags = {key: False for key in ("single_word", "lstrip", "rstrip", "normalized")}
    model = {"type": "WordLevel", "vocab": {f"w{i}": i for i in range(1000)} | {"[UNK]": 1000}, "unk_token": "[UNK]"}
    whole = {
        "version": "1.0", "truncation": None, "padding": None, "added_tokens": [unknown | flags], "normalizer": None,
        "pre_tokenizer": {"type": "WhitespaceSplit"}, "post_processor": None, "decoder": None, "model": model,
    }
    (folder / "tokenizer.json").write_text(json.dumps(whole))
    config = {"tokenizer_class": "PreTrainedTokenizerFast", "unk_token": "[UNK]", "model_max_length": 100000}
    (folder / "tokenizer_config.json").write_text(json.dumps(config))


class Served:
    """A server for one run."""

    def __init__(self, port, speed, seed, label, truth):
        self.port = port
        self.process = subprocess.Popen(
            [sys.executable, str(HERE / "paced_server.py"), "--port", str(port), "--speed", str(speed)]
            + ["--seed", str(seed), "--label", label, "--truth", str(truth)]
        )

    def __enter__(self):
        for _ in range(200):
            try:
                urllib.request.urlopen(f"http://localhost:{self.port}/health", timeout=1).read()
                return self
            except OSError:
                if self.process.poll() is not None:
                    break
                time.sleep(0.05)
        raise SystemExit(f"no server at port {self.port}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()


def run_sglang(options, port, seed, out, log):
    client = next(Path(options.sglang).glob("lib/python*/site-packages/sglang/srt/rust_extensions/_bench*.so"))
    arguments = [
        "--backend", "sglang-oai", "--base-url", f"http://localhost:{port}", "--dataset-name", "random-ids",
        "--tokenizer", "tokenizer", "--num-prompts", REQUESTS, "--random-input-len", PROMPT,
        "--random-output-len", OUTPUT, "--random-range-ratio", "1.0", "--max-concurrency", CONCURRENCY,
        "--warmup-requests", WARM, "--worker-threads", 1, "--seed", seed, "--disable-tqdm",
        "--output-file", out, "--output-details",
    ]
    command = [Path(options.sglang) / "bin/python", "-c", SGLANG, client, *arguments]
    subprocess.run([str(part) for part in command], cwd=options.out, check=True, stdout=log, stderr=log)


def run_inference_perf(options, port, seed, out, log):
    length = lambda n: {"min": n, "max": n, "mean": n, "std_dev": 0, "total_count": REQUESTS + 1}
    config = {
        "api": {"type": "completion", "streaming": True},
        "data": {"type": "random", "input_distribution": length(PROMPT), "output_distribution": length(OUTPUT)},
        "load": {
            "type": "concurrent", "num_workers": 1, "base_seed": seed,
            "stages": [{"num_requests": REQUESTS, "concurrency_level": CONCURRENCY}],
        },
        "server": {
            "type": "vllm", "model_name": "paced-server", "base_url": f"http://localhost:{port}", "ignore_eos": True,
        },
        "tokenizer": {"pretrained_model_name_or_path": "tokenizer"},
        "report": {"request_lifecycle": {"summary": True, "per_stage": True, "per_request": False}},
        "storage": {"local_storage": {"path": f"{out}.all"}},
    }
    # JSON is YAML.
    (options.out / f"{out}.yaml").write_text(json.dumps(config))
    command = [str(Path(options.inference_perf) / "bin/inference-perf"), "-c", f"{out}.yaml"]
    subprocess.run(command, cwd=options.out, check=True, stdout=log, stderr=log)
    written = options.out / f"{out}.all" / "stage_0_lifecycle_metrics.json"
    (options.out / out).write_bytes(written.read_bytes())


def alternating(runs):
    """ABBA ABBA ...: the arm and the number of each run in order."""
    for number in range(1, runs + 1):
        for arm in (0, 1) if number % 2 else (1, 0):
            yield arm, number


def measure(options, at, folder, first_seed, plan, faults):
    """The runs of a pair, one after another: what each is called, its speed, its tool and its file."""
    try:
        (options.out / folder).mkdir(parents=True, exist_ok=True)
        with (options.out / f"{folder}.log").open("w") as log:
            for number, (label, speed, tool, out) in enumerate(plan):
                seed = first_seed + number
                truth = options.out / folder / "truth.jsonl"
                with Served(options.port + at, speed, seed, label, truth) as served:
                    tool(options, served.port, seed, f"{folder}/{out}", log)
    except (Exception, SystemExit) as error:
        faults.append(f"{folder}: {error}")


def plans():
    for folder, speed, runs, joined, first_seed in PAIRS:
        plan = []
        for arm, number in alternating(runs):
            name, of_arm = (("baseline", 1.0), ("candidate", speed))[arm]
            out = f"{name}.jsonl" if joined else f"{name}-{number:02}.jsonl"
            plan.append((f"{name}-{number:02}", of_arm, run_sglang, out))
        yield folder, first_seed, plan
    plan = []
    for arm, number in alternating(3):
        name, tool, ending = (("baseline", run_sglang, "jsonl"), ("candidate", run_inference_perf, "json"))[arm]
        plan.append((f"{name}-{number:02}", 1.0, tool, f"{name}-{number:02}.{ending}"))
    yield *TWO_TOOLS, plan


def held_up(folder):
    """The runs of SGLang's client whose median gap is off what their server start has as the truth."""
    truth = [json.loads(line) for line in (folder / "truth.jsonl").read_text().splitlines()]
    runs = {}
    for path in sorted(folder.glob("*.jsonl")):
        if path.name != "truth.jsonl":
            for line in path.read_text().splitlines():
                runs.setdefault(path.stem.split("-")[0], []).append(json.loads(line)["median_itl_ms"] / 1e3)
    for arm, medians in runs.items():
        for start, median in zip((t for t in truth if t["label"].startswith(arm)), medians):
            off = median / (start["itl"] * start["run_factor"] / start["speed"]) - 1.0
            if abs(off) > OFF:
                yield f"{folder.name}: {start['label']} is {100 * off:+.1f} % off its truth"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sglang", required=True, help="a virtual environment with sglang's wheel")
    parser.add_argument("--inference-perf", required=True, help="a virtual environment with inference-perf")
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--port", type=int, default=8100, help="the first of five")
    options = parser.parse_args()
    options.out.mkdir(parents=True)
    options.out = options.out.resolve()
    for name in ("sglang", "inference_perf"):
        setattr(options, name, Path(getattr(options, name)).resolve())
    tokenizer(options.out / "tokenizer")
    faults = []
    lanes = [
        threading.Thread(target=measure, args=(options, at, *of_pair, faults))
        for at, of_pair in enumerate(plans())
    ]
    for lane in lanes:
        lane.start()
    for lane in lanes:
        lane.join()
    if faults:
        raise SystemExit("\n".join(faults))
    late = [line for folder, *_ in PAIRS for line in held_up(options.out / folder)]
    print("\n".join(late))
    return 3 if late else 0


if __name__ == "__main__":
    sys.exit(main())
