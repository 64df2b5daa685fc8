"""The consoles of `vllm bench serve` and SGLang's `bench_serving`, by their labels."""
import re
from reading import corpus, run, write

TOTALS = {"Successful requests": "completed_requests", "Failed requests": "failed_requests",
          "Total input tokens": "prompt_tokens_total", "Total generated tokens": "output_tokens_total",
          "Total generated tokens (retokenized)": "own_output_tokens_total"}
RATES = {"Request throughput (req/s)": "request_per_s", "Input token throughput (tok/s)": "input_tok_per_s",
         "Output token throughput (tok/s)": "output_tok_per_s",
         "Peak output token throughput (tok/s)": "peak_output_tok_per_s",
         "Peak concurrent requests": "peak_concurrency", "Concurrency": "concurrency",
         "Total token throughput (tok/s)": "total_tok_per_s",
         "Total Token throughput (tok/s)": "total_tok_per_s",
         "Request goodput (req/s)": "goodput_request_per_s"}
TIMES = {"TTFT": "ttft_s", "TPOT": "tpot_s", "ITL": "itl_s", "E2E Latency": "e2e_latency_s",
         "E2EL": "e2e_latency_s"}
WORDS = {"Mean": "mean", "Median": "median", "Max": "max", "P50": "p50", "P90": "p90", "P95": "p95",
         "P99": "p99"}


def pairs(text):
    for line in text.splitlines():
        found = re.match(r"^#?([A-Z][^:]*):\s+(\S.*?)\s*$", line)
        if found:
            yield line.startswith("#"), found[1], found[2]


def one(tool, text):
    figures, totals, duration, cap = {}, {}, None, None
    for planned, label, value in pairs(text):
        if planned:
            totals["planned_" + ("prompt" if label.startswith("Input") else "output") + "_tokens_total"] = value
        elif label in TOTALS:
            totals[TOTALS[label]] = value
        elif label in RATES:
            figures[RATES[label]] = float(value)
        elif label == "Benchmark duration (s)":
            duration = float(value)
        elif label in ("Max reqeuest concurrency", "Max request concurrency", "Maximum request concurrency"):
            cap = value
        elif label.endswith(" (ms)") and label.split()[0] in WORDS:
            word, what = label[:-5].split(" ", 1)
            figures[f"{TIMES[what]}.{WORDS[word]}"] = float(value) / 1e3
    failed = re.search(r"^(\d+) of (\d+) requests failed", text, re.M)
    if failed:
        totals |= {"failed_requests": failed[1], "planned_requests": failed[2]}
    cap = cap or (re.findall(r"max_concurrency=(\d+)", text) or [None])[-1]
    return run(tool, cap and f"concurrency {cap}", duration, figures, totals)


def runs(tool, path):
    text = "\n".join(l for l in path.read_text().splitlines() if not l.startswith("{"))
    # A run of a sweep begins where its arguments are echoed first.
    parts = re.split(r"(?m)^(?=benchmark_args=)", text)
    parts = [p for p in parts if "#Output tokens" in p or "Benchmark Result" in p]
    if "#Output" in text and "Benchmark Result" not in text and "Namespace" not in text:
        parts = [line for line in text.splitlines() if line]
    return [one(tool, p) for p in parts]


SGLANG = ([f"bench-results/generated/sglang-{v}.console.txt"
           for v in ["0.4.2", "0.5.3", "0.5.23", "0.5.23-chunk4", "0.4.2-negative-rate.crashed",
                     "0.5.3-negative-rate.crashed"]]
          + [f"measured/{d}/console.txt" for d in ["sglang-python", "sglang-sweep-same-seed"]]
          + ["measured/sglang-sweep-same-seed/wrong-grep.txt"])
VLLM = [f"bench-results/generated/vllm-{v}.console.txt" for v in ["0.9.2", "0.33.0"]]
files = {f: runs("sglang bench_serving", corpus() / f) for f in SGLANG}
files |= {f: runs("vllm bench serve", corpus() / f) for f in VLLM}
write(files)
