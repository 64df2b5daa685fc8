"""genai-bench files, read by the description of their fields and nothing else."""
import json
from reading import corpus, run, write

NAMES = {"ttft": "ttft_s", "tpot": "tpot_s", "e2e_latency": "e2e_latency_s",
         "output_inference_speed": "decode_tok_per_s", "input_throughput": "prefill_tok_per_s",
         "num_input_tokens": "prompt_tokens", "num_output_tokens": "output_tokens"}


def read(d):
    assert d["_time_unit"] == "s"
    a, rows = d["aggregated_metrics"], d["individual_request_metrics"]
    figures = {f"{ours}.{'std' if stat == 'stddev' else stat}": value
               for theirs, ours in NAMES.items()
               for stat, value in a["stats"][theirs].items() if stat != "sum"}
    figures |= {"output_tok_per_s": a["mean_output_throughput_tokens_per_s"],
                "input_tok_per_s": a["mean_input_throughput_tokens_per_s"],
                "total_tok_per_s": a["mean_total_tokens_throughput_tokens_per_s"],
                "request_per_s": a["requests_per_second"]}
    totals = {"planned_requests": a["num_requests"], "failed_requests": a["num_error_requests"],
              "completed_requests": a["num_completed_requests"],
              "prompt_tokens_total": sum(r["num_input_tokens"] for r in rows),
              "output_tokens_total": sum(r["num_output_tokens"] for r in rows)}
    requests = {"n": len(rows), "prompt_tokens": totals["prompt_tokens_total"],
                "output_tokens": totals["output_tokens_total"],
                "ttft_s": sum(r["ttft"] for r in rows),
                "e2e_s": sum(r["e2e_latency"] for r in rows)}
    return [run("genai-bench", f"concurrency {a['num_concurrency']}", a["run_duration"], figures,
                totals, requests)]


FILES = ["measured/genai-bench/D64_32_text-to-text_num_concurrency_2_time_5s.json"]
write({f: read(json.loads((corpus() / f).read_text())) for f in FILES})
