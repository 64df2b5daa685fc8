#!/usr/bin/env python3
"""The least that a Python client can do: aiohttp, one event loop, a clock reading for each event that has text.

    VENV/bin/python benches/compare/bare_client.py --base-url http://127.0.0.1:8112 --model NAME --requests 16 \\
        --concurrency 16 --prompt 16 --output 2000 --out FILE

It parses each event, as a client must that tells text from usage, and works nothing out: what a benchmark in Python costs
beyond it is the benchmark's own. FILE gets the seconds to the first text of each request, events with
text, and the seconds of all.
"""
import argparse
import asyncio
import json
import random
import time

import aiohttp


async def one(session, options, prompt):
    """One streamed reply: seconds to each event with text."""
    body = {"model": options.model, "prompt": prompt, "max_tokens": options.output, "stream": True, "ignore_eos": True,
            "stream_options": {"include_usage": True}}
    sent, came, pending = time.perf_counter(), [], b""
    async with session.post(f"{options.base_url}/v1/completions", json=body) as reply:
        reply.raise_for_status()
        async for piece in reply.content.iter_any():
            *events, pending = (pending + piece).split(b"\n\n")
            for event in events:
                data = event.removeprefix(b"data: ")
                if data == b"[DONE]":
                    continue
                if any(choice["text"] for choice in json.loads(data)["choices"]):
                    came.append(time.perf_counter() - sent)
    return came


async def run(options):
    draw = random.Random(options.seed)
    prompts = iter([" ".join(f"w{draw.randrange(1000)}" for _ in range(options.prompt)) for _ in range(options.requests)])
    replies, began = [], time.perf_counter()
    # A connection a request, as the probe has it.
    connector = aiohttp.TCPConnector(limit=0, force_close=True)
    async with aiohttp.ClientSession(connector=connector, read_bufsize=1 << 18) as session:

        async def user():
            for prompt in prompts:
                replies.append(await one(session, options, prompt))

        await asyncio.gather(*(user() for _ in range(options.concurrency)))
    took = time.perf_counter() - began
    return {"ttft_s": [came[0] for came in replies], "tokens": sum(map(len, replies)), "took_s": took}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    for name in ("requests", "concurrency", "prompt", "output", "seed"):
        parser.add_argument(f"--{name}", type=int, default=1)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    with open(options.out, "w") as file:
        json.dump(asyncio.run(run(options)), file)


if __name__ == "__main__":
    main()
