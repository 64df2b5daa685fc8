#!/usr/bin/env python3
"""Streams chat completions with the OpenAI Python SDK, unchanged, and says what a user of it would measure.

    VENV/bin/python scripts/real/openai_sdk.py --base-url http://127.0.0.1:8110 --model NAME --requests 60 \\
        --concurrency 4 --prompt 100 --output 32 --out FILE

The SDK measures nothing itself. This program takes what is nearest at hand: a clock before the call, the moment at
which the SDK hands over each chunk whose delta has content, and the usage of the last chunk. One request a prompt, so
that no cache is met; one client object, so that its pool of connections is used as the SDK sets it up; one request for
trial, since the first call of a process sets the SDK up for about 0.15 s. FILE gets one object: per-request lists in
seconds, tokens as the server counted them.
"""
import argparse
import asyncio
import json
import random
import time

import openai


async def one(client, options, prompt):
    """One streamed reply: when it was sent, when each chunk with content came, when the stream ended."""
    sent, worked = time.perf_counter(), time.process_time()
    stream = await client.chat.completions.create(
        model=options.model,
        messages=[{"role": "user", "content": prompt}],
        max_tokens=options.output,
        stream=True,
        stream_options={"include_usage": True},
        extra_body={"ignore_eos": True},
    )
    arrivals, usage, busy = [], None, None
    async for chunk in stream:
        if any(choice.delta.content for choice in chunk.choices):
            arrivals.append(time.perf_counter())
            busy = busy or time.process_time() - worked
        usage = chunk.usage or usage
    return {
        "sent_s": sent,
        "arrivals_s": arrivals,
        "ended_s": time.perf_counter(),
        # What this program computed from the call to its first chunk, for requests beside it as well.
        "processor_s": busy,
        "prompt_tokens": usage and usage.prompt_tokens,
        "output_tokens": usage and usage.completion_tokens,
    }


async def run(options):
    draw = random.Random(options.seed)
    prompts = [" ".join(f"w{draw.randrange(1000)}" for _ in range(options.prompt)) for _ in range(options.requests + 1)]
    client = openai.AsyncOpenAI(base_url=f"{options.base_url}/v1", api_key="none", max_retries=0)
    waiting, replies, failures = iter(prompts), [], []

    async def ask(prompt):
        try:
            replies.append(await one(client, options, prompt))
        except openai.OpenAIError as error:
            failures.append(repr(error))

    async def user():
        for prompt in waiting:
            await ask(prompt)

    await ask(next(waiting))
    for trial in (replies, failures):
        trial.clear()
    await asyncio.gather(*(user() for _ in range(options.concurrency)))
    models = [model.id async for model in client.models.list()]
    return {"version": openai.__version__, "models": models, "replies": replies, "failures": failures}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--base-url", required=True)
    parser.add_argument("--model", required=True)
    parser.add_argument("--requests", type=int, default=60)
    parser.add_argument("--concurrency", type=int, default=1)
    parser.add_argument("--prompt", type=int, default=100)
    parser.add_argument("--output", type=int, default=32)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", required=True)
    options = parser.parse_args()
    with open(options.out, "w") as file:
        json.dump(asyncio.run(run(options)), file)


if __name__ == "__main__":
    main()
