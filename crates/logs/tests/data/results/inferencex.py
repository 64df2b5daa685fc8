"""InferenceX result files, read by their description: those of vLLM with times in seconds."""
import json
from reading import corpus, run, write

TIMES = {"ttft": "ttft_s", "tpot": "tpot_s", "itl": "itl_s", "e2el": "e2e_latency_s"}


def read(d):
    figures = {f"{ours}.{s}": d.get(f"{s}_{theirs}")
               for theirs, ours in TIMES.items() for s in ("mean", "median", "p99")}
    figures |= {"request_per_s": d["request_throughput"], "input_tok_per_s": d["input_throughput"],
                "output_tok_per_s": d["output_throughput"],
                "goodput_request_per_s": d["request_goodput"]}
    totals = {"planned_requests": d["num_prompts"], "completed_requests": d["completed"],
              "prompt_tokens_total": d["total_input_tokens"],
              "output_tokens_total": d["total_output_tokens"]}
    return [run("InferenceX", f"concurrency {d['max_concurrency']}", d["duration"], figures, totals)]


FILES = ["bench-results/inferencex__glm5_fp8_vllm_tp8_isl12288_osl128_conc4.json"]
write({f: read(json.loads((corpus() / f).read_text())) for f in FILES})
