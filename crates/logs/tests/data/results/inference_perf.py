"""inference-perf reports of stages, of the whole run, of single requests and of the server's metrics."""
import json
from reading import corpus, run, write

LATENCIES = {"request_latency": "e2e_latency_s", "normalized_time_per_output_token": "e2e_per_token_s",
             "time_per_output_token": "tpot_s", "time_to_first_token": "ttft_s",
             "inter_token_latency": "itl_s"}
RATES = {"requests_per_sec": "request_per_s", "input_tokens_per_sec": "input_tok_per_s",
         "output_tokens_per_sec": "output_tok_per_s", "total_tokens_per_sec": "total_tok_per_s"}


def yaml(text):
    """Enough of YAML for a report: nested keys by two blanks, numbers, null."""
    top, stack = {}, []
    stack.append((-1, top))
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        depth = len(line) - len(line.lstrip())
        key, _, value = line.strip().partition(": ")
        while stack[-1][0] >= depth:
            stack.pop()
        into = stack[-1][1]
        if value:
            into[key] = None if value == "null" else float(value)
        else:
            into[key.rstrip(":")] = {}
            stack.append((depth, into[key.rstrip(":")]))
    return top


def lifecycle(d):
    load, ok = d["load_summary"], d["successes"]
    figures = {f"send_delay_s.{s}": v for s, v in load["schedule_delay"].items()}
    for theirs, ours in LATENCIES.items():
        # No request takes no time: such a zero says that nothing was counted.
        figures |= {f"{ours}.{s}": v for s, v in ok["latency"][theirs].items()
                    if v != 0 or ours == "itl_s"}
    figures |= {ours: ok["throughput"][theirs] for theirs, ours in RATES.items()}
    prompt, output = ok.get("prompt_tokens", {}), ok.get("output_tokens", {})
    prompts = prompt if "mean" in prompt else ok["prompt_len"]
    outputs = output if "mean" in output else ok["output_len"]
    for ours, of in (("prompt_tokens", prompts), ("output_tokens", outputs)):
        figures |= {f"{ours}.{s}": v for s, v in of.items() if s not in ("total", "cached", "uncached")}
    totals = {"completed_requests": ok["count"], "failed_requests": d["failures"]["count"],
              "prompt_tokens_total": prompt.get("total"),
              "cached_tokens_total": prompt.get("cached") or None,
              "output_tokens_total": output.get("total"),
              "own_output_tokens_total": round(ok["output_len"]["mean"] * ok["count"]) if output else None}
    asked = None
    if "concurrency" in load:
        asked = f"concurrency {load['concurrency']}"
    elif "requested_rate" in load:
        asked = f"rate {load['requested_rate']:g}"
    return [run("inference-perf", asked, d.get("benchmark_time_seconds"), figures, totals)]


def requests(rows):
    sums = dict.fromkeys(("n", "prompt_tokens", "cached_tokens", "output_tokens", "ttft_s", "e2e_s",
                          "gaps", "gap_s"), 0)
    own = 0
    for r in rows:
        assert r["error"] is None
        response = r["info"]["response_metrics"]
        usage, times = response["server_usage"], response["chunk_times"]
        own += response["output_tokens"]
        sums["n"] += 1
        sums["prompt_tokens"] += usage["prompt_tokens"]
        sums["output_tokens"] += usage["completion_tokens"]
        sums["cached_tokens"] += usage["prompt_tokens_details"]["cached_tokens"]
        sums["ttft_s"] += times[0] - r["start_time"]
        sums["e2e_s"] += times[-1] - r["start_time"]
        # Chunks that are read at one moment are one chunk.
        gaps = [b - a for a, b in zip(times, times[1:]) if b > a]
        sums["gaps"] += len(gaps)
        sums["gap_s"] += sum(gaps)
    return [run("inference-perf", None, None, {}, {"own_output_tokens_total": own}, sums)]


def prometheus(d):
    ok = d["successes"]
    figures = {"request_per_s": ok["rate"], "input_tok_per_s": ok["prompt_len"]["rate"],
               "output_tok_per_s": ok["output_len"]["rate"]}
    for theirs, ours in LATENCIES.items():
        figures |= {f"{ours}.{s}": v for s, v in ok.get(theirs, {}).items()}
    return [run("inference-perf", None, None, {k: v for k, v in figures.items() if v != 0},
                {"completed_requests": ok["count"]})]


files = {}
for f in ("bench-results/inference-perf__vllm_stage_0_lifecycle_metrics.json",
          "bench-results/inference-perf__vllm_summary_lifecycle_metrics.json",
          "measured/inference-perf/stage_0_lifecycle_metrics.json",
          "measured/inference-perf/summary_lifecycle_metrics.json"):
    files[f] = lifecycle(json.loads((corpus() / f).read_text()))
f = "bench-results/inference-perf__lifecycle_llm-d_fixture.yaml"
files[f] = lifecycle(yaml((corpus() / f).read_text()))
f = "measured/inference-perf/per_request_first2.json"
files[f] = requests(json.loads((corpus() / f).read_text()))
f = "bench-results/inference-perf__vllm_summary_prometheus_metrics.json"
files[f] = prometheus(json.loads((corpus() / f).read_text()))
write(files)
