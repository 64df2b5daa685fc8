#!/usr/bin/env python3
"""Writes the cases of claims that are held against a ceiling: runs, the server's log, host records, models.

    python3 scripts/cases/ceiling.py cases

Requests come one after the other, or so many at once, each with the same times. What a device can do at
most is worked out by hand beside each case; the models' sizes are those of their public configurations.
"""
import json

from results import write

FILES = {}

# 2026-11-10 09:00:00 UTC.
START = 1_794_301_200

LLAMA_8B = {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
            "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8, "head_dim": 128,
            "intermediate_size": 14336, "vocab_size": 128256, "tie_word_embeddings": False,
            "torch_dtype": "bfloat16"}
QWEN3_30B = {"architectures": ["Qwen3MoeForCausalLM"], "model_type": "qwen3_moe", "hidden_size": 2048,
             "num_hidden_layers": 48, "num_attention_heads": 32, "num_key_value_heads": 4, "head_dim": 128,
             "intermediate_size": 6144, "moe_intermediate_size": 768, "num_experts": 128,
             "num_experts_per_tok": 8, "norm_topk_prob": True, "decoder_sparse_step": 1,
             "mlp_only_layers": [], "vocab_size": 151936, "tie_word_embeddings": False,
             "torch_dtype": "bfloat16"}


def conditions(device, model):
    return {"model": model, "hardware": device, "machine": "box-2", "server": "made-up",
            "server_version": "1.0"}


def rows(n, at_once, prompt, cached, output, ttft, decode):
    """Requests in rounds of so many at once; `decode` seconds from first to last token."""
    took = ttft + decode
    return [{"id": f"bench-{i}", "started_at_s": round(START + i // at_once * (took + 0.01), 6),
             "prompt_tokens": prompt, "cached_tokens": cached, "output_tokens": output,
             "ttft_s": round(ttft, 6), "e2e_latency_s": round(took, 6), "outcome": "ok"}
            for i in range(n)]


def served(name, requests, at_once, device, model="small-8b", gpu=None, quantization=None, clock=None):
    """A run, the log of its server, which served nobody else meanwhile, and a record of a host that is well."""
    same = conditions(device, model)
    said = same | ({"quantization": quantization} if quantization else {})
    head = {"schema": "trueline.requests/1", "role": "run", "label": "bench", "side": "client",
            "conditions": said, "plan": {"load": f"concurrency {at_once}"}}
    lines = [head, *requests]
    FILES[f"{name}/bench.jsonl"] = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    earlier = [dict(requests[0], id=f"p-{i}", started_at_s=START - 3600 + 60 * i) for i in range(3)]
    later = [dict(requests[0], id=f"q-{i}", started_at_s=START + 7200 + 60 * i) for i in range(3)]
    head = {"schema": "trueline.requests/1", "role": "log", "conditions": same}
    lines = [head, *earlier, *requests, *later]
    FILES[f"{name}/log.jsonl"] = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines)
    host = {"machine": "box-2", "nice": 0}
    if gpu:
        host |= {"gpu": gpu, "gpu_clock_busy_mhz": clock or 1830, "gpu_clock_expected_mhz": 1830}
    FILES[f"{name}/host.json"] = json.dumps({"schema": "trueline.host/1", "started_at_s": START - 7200,
                                             "ended_at_s": START + 14400, "conditions": host}) + "\n"


def alone(tok_per_s, output=129):
    """Ten requests, one after the other: `output - 1` tokens after the first at this rate."""
    return rows(10, 1, 512, 0, output, 0.03, (output - 1) / tok_per_s)


def model(name, config):
    FILES[f"{name}/config.json"] = json.dumps(config, indent=1) + "\n"


# Llama-3.1-8B in bf16 streams 7,504,658,432 weights a token (the total of 8,030,261,248 less the table),
# 15.01 GB: 224 tok/s at 3.35 TB/s (H100 SXM), 321 at 4.8 (H200), 535 at 8 (B200), 67 at 1.008 (RTX 4090).
for name, device, rate in [("ceiling-h100-at-75-percent", "H100 SXM", 168.0),
                           ("ceiling-h200-at-90-percent", "H200", 288.0),
                           ("ceiling-b200-at-60-percent", "B200", 320.0),
                           ("ceiling-rtx-4090-at-85-percent", "RTX 4090", 57.0)]:
    served(name, alone(rate), 1, device)
    model(name, LLAMA_8B)

# An M2 Ultra: 800 GB/s, 53 tok/s.
served("ceiling-m2-ultra-at-75-percent", alone(40.0), 1, "M2 Ultra")
model("ceiling-m2-ultra-at-75-percent", LLAMA_8B)

# Qwen3-30B-A3B streams 8 of 128 experts: 3,041,656,832 weights a token, 6.08 GB, 551 tok/s on an H100.
served("ceiling-experts-at-60-percent", alone(330.0), 1, "H100 SXM", model="Qwen3-30B-A3B")
model("ceiling-experts-at-60-percent", QWEN3_30B)
# All 30.5 billion would be 55 tok/s: whoever reckons with them calls 330 impossible. 700 is.
served("ceiling-experts-above", alone(700.0), 1, "H100 SXM", model="Qwen3-30B-A3B")
model("ceiling-experts-above", QWEN3_30B)

# 400 tok/s: the weights really were fp8, and nobody said so; then the same with it said.
served("ceiling-fp8-called-bf16", alone(400.0), 1, "H100 SXM")
model("ceiling-fp8-called-bf16", LLAMA_8B)
served("ceiling-fp8-said", alone(400.0), 1, "H100 SXM", quantization="fp8")
model("ceiling-fp8-said", LLAMA_8B)

# A quarter of a second for 24,750 tokens is 99,000 tok/s; 13.96 GFLOP a token and 1,071 TFLOP/s allow 76,700
# of the shortest prompt. The server reports no cached tokens: 12,000 of them were.
served("ceiling-cached-counted", rows(10, 1, 24_750, 0, 20, 0.25, 0.15), 1, "H100 SXM")
model("ceiling-cached-counted", LLAMA_8B)
served("ceiling-cached-said", rows(10, 1, 24_750, 14_750, 20, 0.25, 0.15), 1, "H100 SXM")
model("ceiling-cached-said", LLAMA_8B)

# 64 at once at 60 tok/s each: 128 x 257 tokens in two rounds of 4.78 s.
MANY = rows(128, 64, 512, 0, 257, 0.5, 256 / 60)
served("ceiling-sum-called-one", MANY, 64, "H100 SXM")
model("ceiling-sum-called-one", LLAMA_8B)

# Under a tenth: 15 of 224 tok/s; not under it: 30.
served("ceiling-far-below", alone(15.0), 1, "H100 SXM")
model("ceiling-far-below", LLAMA_8B)
served("ceiling-not-far-below", alone(30.0), 1, "H100 SXM")
model("ceiling-not-far-below", LLAMA_8B)

# A third of the clock, and decoding at 15 tok/s: 15 / 220 = 7 %, half of 36 % are 18 %; memory limits it.
served("ceiling-clock-is-not-it", alone(15.0), 1, "H100 SXM", gpu="NVIDIA H100 80GB HBM3", clock=660)
model("ceiling-clock-is-not-it", LLAMA_8B)

# The device is known by the host record alone.
served("ceiling-device-by-the-host", alone(400.0), 1, None, gpu="NVIDIA H100 80GB HBM3")
model("ceiling-device-by-the-host", LLAMA_8B)

# A log's own field divides all tokens by TTFT: 24,750 / 0.25 s are 99,000 tok/s, of which 12,000 were cached. The
# same field where it divides the new ones alone says 51,000.
for name, counted in [("ceiling-field-counts-the-cache", 24_750), ("ceiling-field-of-new-tokens", 12_750)]:
    head = {"schema": "trueline.requests/1", "role": "log", "conditions": conditions("H100 SXM", "small-8b")}
    logged = [row | {"reported": {"prefill_speed": round(counted / 0.25, 3)}}
              for row in rows(20, 1, 24_750, 12_000, 20, 0.25, 0.15)]
    FILES[f"{name}/log.jsonl"] = "".join(json.dumps(line, separators=(",", ":")) + "\n" for line in [head, *logged])
    FILES[f"{name}/claims.toml"] = f"""[[claim]]
id = "field"
kind = "absolute"
metric = "prefill_tok_per_s"
field = "prefill_speed"
value = {counted / 0.25}
"""
    model(name, LLAMA_8B)

# A configuration that is not known, among the files.
served("ceiling-model-not-known", alone(400.0), 1, "H100 SXM")
model("ceiling-model-not-known", LLAMA_8B | {"model_type": "llama_of_tomorrow"})

# A part of one's own that nobody verified.
served("ceiling-part-without-source", alone(400.0), 1, "Own One")
model("ceiling-part-without-source", LLAMA_8B)
FILES["ceiling-part-without-source/own.toml"] = """# What somebody remembers of it.
[source.memory]
title = "from memory"
read = "2026-11-30"

[[part]]
name = "Own One"
[[part.says]]
source = "memory"
tag = "unverified"
units = 132
clock_mhz = 1830
max_clock_mhz = 1980
dense_flop_per_clk = { bf16_f32 = 4096, f16_f32 = 4096 }
gb_per_s = 3350
llc_mib = 50
"""

if __name__ == "__main__":
    write(FILES)
