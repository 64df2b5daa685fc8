#!/usr/bin/env python3
"""Write a large request log in our own JSON lines, the same for the same seed.

    python3 benches/compare/big_log.py /tmp/big.jsonl --gb 1 --seed 7

Rows are about 620 bytes and mixed: 23 fields, some unknown to the reader, an escaped user agent,
2 % failed requests, 1 % without a cached count. Nothing in it was measured; it is for timing
readers (`cargo run --release -p trueline-logs --example time_read`, `duckdb_rate.py`).
"""

import argparse
import random

AGENTS = [
    r"agent/1.4 (\"linux\"; x86_64) python-httpx/0.28 \"streaming\" retries=2 pool=keepalive",
    r"editor/0.9 (\"macos\"; arm64) undici/6.2 \"inline completion\" retries=0 pool=single",
    r"batch/3.2 (\"linux\"; aarch64) reqwest/0.12 \"nightly summaries\" retries=5 pool=keepalive",
]
MODELS = ["qwen3-8b-q4", "qwen3-8b-q4", "qwen3-8b-q4", "gemma-3-27b-q4"]


def rows(seed):
    """Yield rows without end."""
    rng = random.Random(seed)
    uniform, bits = rng.random, rng.getrandbits
    start, number = 1_795_000_000.0, 0
    while True:
        number += 1
        start += 0.25 * uniform()
        prompt = int(300 * 2 ** (9 * uniform())) + 20
        kind = uniform()
        cached = 0 if kind < 0.2 else int(prompt * (1 - 0.3 * uniform() ** 3))
        new = prompt - cached
        queue, lock, restore = 0.05 * uniform(), 0.004 * uniform(), 2e-7 * cached
        compute = new / (250 + 150 * uniform()) + 0.01
        ttft = queue + lock + restore + compute
        output = 1 + int(400 * uniform())
        decode = (output - 1) / (25 + 10 * uniform())
        failed = uniform() < 0.02
        cached_text = f'"cached_tokens":{cached},' if uniform() > 0.01 else ""
        yield (
            f'{{"id":"req-{bits(64):016x}-{number}","session":"sess-{bits(32):08x}",'
            f'"model":"{MODELS[bits(2)]}","started_at_s":{start:.6f},"side":"server",'
            f'"prompt_tokens":{prompt},{cached_text}"output_tokens":{0 if failed else output},'
            f'"ttft_s":{"null" if failed else f"{ttft:.6f}"},"e2e_latency_s":{ttft + decode:.6f},'
            f'"queue_s":{queue:.6f},"lock_wait_s":{lock:.6f},"cache_restore_s":{restore:.6f},'
            f'"prefill_compute_s":{compute:.6f},"decode_s":{decode:.6f},'
            f'"outcome":"{"failed" if failed else "ok"}","warmup":false,'
            f'"reported":{{"prefill_tok_s":{new / compute:.3f}}},'
            f'"finish_reason":"stop","route":"/v1/chat/completions","client":"{bits(32):08x}",'
            f'"user_agent":"{AGENTS[number % 3]}","trace":"{bits(64):016x}{bits(64):016x}"}}\n'
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--gb", type=float, default=1.0, help="size in units of 10^9 bytes")
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    left, count = int(options.gb * 1e9), 0
    with open(options.path, "w", encoding="ascii", buffering=1 << 22) as out:
        for row in rows(options.seed):
            out.write(row)
            left, count = left - len(row), count + 1
            if left <= 0:
                break
    print(f"{count} rows of {(options.gb * 1e9 - left) / count:.0f} bytes")


if __name__ == "__main__":
    main()
