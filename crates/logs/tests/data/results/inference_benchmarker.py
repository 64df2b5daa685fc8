"""inference-benchmarker results and its console table. The entry `warmup` is no run."""
import json
from reading import corpus, run, write

TIMES = {"time_to_first_token_ms": "ttft_s", "inter_token_latency_ms": "tpot_s",
         "e2e_latency_ms": "e2e_latency_s"}


def result(r):
    figures = {f"{ours}.{'mean' if s == 'avg' else s}": v / 1e3
               for theirs, ours in TIMES.items() for s, v in r[theirs].items()}
    figures |= {"request_per_s": r["request_rate"], "output_tok_per_s": r["token_throughput_secs"]}
    totals = {"completed_requests": r["successful_requests"], "failed_requests": r["failed_requests"],
              "prompt_tokens_total": r["total_tokens_sent"], "output_tokens_total": r["total_tokens"]}
    return run("inference-benchmarker", f"concurrency {r['config']['max_vus']}", r["duration_ms"] / 1e3,
               figures, totals)


def console(text):
    lines = text.splitlines()
    users = next(line for line in lines if line.startswith("│ Max VUs")).split("│")[2].strip()
    cells = [c.strip() for c in next(x for x in lines if x.startswith("│ throughput")).split("│")[1:-1]]
    number = [float(c.split()[0]) for c in cells[1:6]] + [float(c) for c in cells[8:]]
    names = [("request_per_s", 1), ("e2e_latency_s.mean", 1), ("ttft_s.mean", 1e-3), ("tpot_s.mean", 1e-3),
             ("output_tok_per_s", 1), ("prompt_tokens.mean", 1), ("output_tokens.mean", 1)]
    figures = {name: value * unit for (name, unit), value in zip(names, number, strict=True)}
    ok, everything = map(int, cells[7].split("/"))
    totals = {"completed_requests": ok, "failed_requests": everything - ok}
    return run("inference-benchmarker", f"concurrency {users}", None, figures, totals)


folder = "measured/inference-benchmarker"
results = json.loads((corpus() / folder / "results.json").read_text())["results"]
write({f"{folder}/results.json": [result(r) for r in results if r["id"] != "warmup"],
       f"{folder}/console.txt": [console((corpus() / folder / "console.txt").read_text())]})
