"""MLPerf summaries, read by the description of LoadGen's labels and nothing else."""
import re
from reading import corpus, run, write

TIMES = {"latency": "e2e_latency_s", "first token latency": "ttft_s",
         "time to output token": "tpot_s", "time per output token": "tpot_s"}
STATS = {"Min": "min", "Max": "max", "Mean": "mean"}


def read(text):
    fields = {}
    for line in text.splitlines():
        label, colon, value = line.partition(":")
        if colon:
            fields.setdefault(label.strip(), value.strip())
    figures = {}
    for label, value in fields.items():
        found = re.fullmatch(r"(Min|Max|Mean|[\d.]+ percentile) (.*) \(ns\)", label)
        if found and found[2].lower() in TIMES:
            stat = STATS.get(found[1]) or f"p{float(found[1].split()[0]):g}"
            figures[f"{TIMES[found[2].lower()]}.{stat}"] = int(value) / 1e9
    figures |= {"request_per_s": float(fields["Completed samples per second"]),
                "output_tok_per_s": float(fields["Completed tokens per second"])}
    load = f"rate {float(fields['target_qps']):g}" if fields["Scenario"] == "Server" else None
    return [run("MLPerf LoadGen", load, None, figures, {})]


FILES = ["bench-results/mlperf__llama2-70b_interactive__mlperf_log_summary.txt"]
write({f: read((corpus() / f).read_text()) for f in FILES})
