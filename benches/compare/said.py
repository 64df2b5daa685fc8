"""What a client says it measured: TTFT in ms, median and 99th percentile, and output tokens a second, each from its own file."""
import json
import statistics
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "scripts/real"))
import clients_table  # noqa: E402

# Where the TTFT of tools that summarise stands, with what makes ms of it.
TTFT = {
    "sglang": (["median_ttft_ms"], ["p99_ttft_ms"], 1.0),
    "aiperf": (["time_to_first_token", "p50"], ["time_to_first_token", "p99"], 1.0),
    "inference-perf": (["successes", "latency", "time_to_first_token", "median"],
                       ["successes", "latency", "time_to_first_token", "p99"], 1e3),
}
KEPT = {
    "probe": "result.jsonl", "sglang": "result.jsonl", "aiperf": "profile_export_aiperf.json",
    "inference-perf": "stage_0_lifecycle_metrics.json", "openai-sdk": "result.json", "bare": "result.json",
}


def ends(values):
    """Median and 99th percentile (linear between ranks)."""
    values = sorted(values)
    at = 0.99 * (len(values) - 1)
    low = int(at)
    high = min(low + 1, len(values) - 1)
    return statistics.median(values), values[low] + (at - low) * (values[high] - values[low])


def said(name, out):
    """TTFT in ms, median and 99th percentile, and output tokens a second; each none where the client does not say."""
    text = (out / KEPT[name]).read_text()
    if name == "probe":
        return by_probe([row for row in map(json.loads, text.splitlines()) if row.get("ttft_s") is not None])
    result = json.loads(text)
    if name == "bare":
        return ends([1e3 * ttft for ttft in result["ttft_s"]]), result["tokens"] / result["took_s"]
    rate = clients_table.SAID[name](result).get("output rate")
    if name == "openai-sdk":
        return ends([1e3 * (reply["arrivals_s"][0] - reply["sent_s"]) for reply in result["replies"]]), rate
    return clients_table.both(result, *TTFT[name]), rate


def by_probe(rows):
    """From the first send to the last token; nothing but the rows that it saved."""
    took = max(row["started_at_s"] + row["e2e_latency_s"] for row in rows) - min(row["started_at_s"] for row in rows)
    return ends([1e3 * row["ttft_s"] for row in rows]), sum(row["output_tokens"] for row in rows) / took
