#!/usr/bin/env python3
"""Writes the runs of the casebook whose client watched itself, in our own lines.

    python3 scripts/cases/probe.py cases

A server that serves four requests at a time: at eight it gives no more tokens a second than at four. The
two cases hold the same requests; they differ in what the client says of itself at eight.
"""
import json

from results import simulate, write

FILES = {}

CONDITIONS = {"model": "small-8b", "quantization": "bf16", "hardware": "made-up-gpu", "machine": "box-2",
              "server": "made-up", "server_version": "1.0", "client": "trueline-probe 0.1.0"}
START = 1794300000


def measured(value):
    return {"is": {"value": value, "by": "measured"}}


def level(slots, account):
    """96 requests in a closed loop: 221 tokens in 220 steps, of 20 ms where the server is not full."""
    step = 0.02 * max(1, slots / 4)
    requests = simulate(96, slots, seed=slots, ttft=0.1 * max(1, slots / 4), gap=step, out=221)
    said = {key: measured(value) for key, value in account.items()}
    head = {"schema": "trueline.requests/1", "role": "run", "label": f"sweep, {slots}", "arm": "sweep",
            "side": "client", "conditions": CONDITIONS | said,
            "plan": {"requests": 96, "output_tokens": 221, "load": f"concurrency {slots}"}}
    rows = [{"id": f"{slots}-{n}", "started_at_s": round(START + 200 * slots + r["start"], 6),
             "prompt_tokens": 512, "cached_tokens": 0, "output_tokens": 221,
             "ttft_s": round(r["ttft"], 6), "e2e_latency_s": round(r["e2e"], 6), "outcome": "ok"}
            for n, r in enumerate(requests)]
    return "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [head, *rows])


HEALTHY = {"client_bottleneck": "no", "client_cpu_share": "0.400", "client_loop_lag_p99_s": "0.0006"}
NEARLY = {"client_bottleneck": "no", "client_cpu_share": "0.840", "client_loop_lag_p99_s": "0.0019"}
BOUND = {"client_bottleneck": "yes: the client's thread used 97 % of its core, of at most 85 %",
         "client_cpu_share": "0.970", "client_loop_lag_p99_s": "0.0019"}

for name, last in [("probe-client-out-of-cpu", BOUND), ("probe-client-nearly-out-of-cpu", NEARLY)]:
    for slots, account in [(2, HEALTHY), (4, HEALTHY), (8, last)]:
        FILES[f"{name}/{slots}.jsonl"] = level(slots, account)

if __name__ == "__main__":
    write(FILES)
