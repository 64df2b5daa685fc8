#!/usr/bin/env python3
"""An OpenAI-compatible streaming server whose speed is known: what a benchmark tool should find is given, not measured.

    python3 scripts/real/paced_server.py --port 8100 --speed 1.05 --seed 7 [--truth truth.jsonl]

No model is run. A request of P prompt tokens gets its first token after

    slowness x (FIXED + P / PREFILL) seconds and each further one after slowness x ITL more,
    slowness = exp(RUN_SPREAD z_run + REQUEST_SPREAD z_request) / SPEED,

with z_run drawn once a server start and z_request once a request, both standard normal and seeded. The median slowness
of two servers therefore has the ratio of their speeds, and a benchmark of one of them has a spread from run to run
(RUN_SPREAD) that no number of its own requests shows. Requests do not slow each other down.

Tokens are due at moments counted from when the request was read, so that a late one does not delay those after it: on a
machine that is busy with something else the rate is kept as long as the processor is had for a moment in each gap.

Speaks /v1/completions and /v1/chat/completions (streamed or whole), /v1/models, /server_info, /health and /truth. A
streamed reply has one event a token, a last one with usage (no cached tokens) and [DONE]; connections are kept. Prompt
tokens are counted as whitespace-separated words, or as ids where a list of them is sent. --truth adds one line of JSON
when the server starts. Python 3's standard library alone.
"""
import argparse
import asyncio
import json
import math
import random
import signal
import sys
from pathlib import Path

MODEL = "paced-server"
VERSION = "1"
REASONS = {200: "OK", 400: "Bad Request", 404: "Not Found", 405: "Method Not Allowed"}


class Pace:
    """When tokens are due."""

    def __init__(self, options):
        self.options = options
        self.random = random.Random(options.seed)
        self.run_factor = math.exp(options.run_spread * self.random.gauss(0.0, 1.0))

    def of_request(self, prompt_tokens):
        """Seconds to the first token, and from each one to the next."""
        request_factor = math.exp(self.options.request_spread * self.random.gauss(0.0, 1.0))
        slowness = self.run_factor * request_factor / self.options.speed
        first = self.options.fixed + prompt_tokens / self.options.prefill
        return slowness * first, slowness * self.options.itl

    def truth(self):
        keys = ("speed", "seed", "fixed", "prefill", "itl", "run_spread", "request_spread")
        told = {key: getattr(self.options, key) for key in keys}
        return {"label": self.options.label, **told, "run_factor": self.run_factor}


def words_in(prompt):
    """The tokens of a prompt as this server counts them."""
    if isinstance(prompt, str):
        return len(prompt.split())
    if isinstance(prompt, list):
        if all(isinstance(part, int) for part in prompt):
            return len(prompt)
        return sum(words_in(part) for part in prompt)
    if isinstance(prompt, dict):
        return words_in(prompt.get("content", prompt.get("text", "")))
    return 0


class Reply:
    """What one request asks for, in the shape of its endpoint."""

    def __init__(self, body, chat, number):
        self.chat = chat
        self.streamed = bool(body.get("stream"))
        self.wants_usage = bool((body.get("stream_options") or {}).get("include_usage", True))
        self.prompt_tokens = words_in(body.get("messages" if chat else "prompt", ""))
        asked = body.get("max_completion_tokens") or body.get("max_tokens") or 16
        self.output_tokens = max(1, int(asked))
        self.id = f"paced-{number}"

    def text(self, at):
        """A word of the vocabulary that the tool's tokenizer has."""
        return f" w{at % 100}"

    def event(self, choices, usage=None):
        kind = "chat.completion.chunk" if self.chat else "text_completion"
        event = {"id": self.id, "object": kind, "model": MODEL, "choices": choices}
        if usage is not None:
            event["usage"] = usage
        return event

    def token(self, at):
        finish = "length" if at + 1 == self.output_tokens else None
        part = {"delta": {"content": self.text(at)}} if self.chat else {"text": self.text(at)}
        return self.event([{"index": 0, **part, "finish_reason": finish}])

    def usage(self):
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": self.output_tokens,
            "total_tokens": self.prompt_tokens + self.output_tokens,
            "prompt_tokens_details": {"cached_tokens": 0},
        }

    def whole(self):
        text = "".join(self.text(at) for at in range(self.output_tokens))
        part = {"message": {"role": "assistant", "content": text}} if self.chat else {"text": text}
        body = self.event([{"index": 0, **part, "finish_reason": "length"}], self.usage())
        return {**body, "object": "chat.completion" if self.chat else "text_completion"}


async def until(deadline):
    wait = deadline - asyncio.get_running_loop().time()
    if wait > 0:
        await asyncio.sleep(wait)


class Server:
    def __init__(self, pace):
        self.pace = pace
        self.requests = 0

    async def connection(self, reader, writer):
        try:
            while await self.exchange(reader, writer):
                pass
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()

    async def exchange(self, reader, writer):
        """One request and its reply; whether the connection stays open."""
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, protocol = head[0].split(" ", 2)
        fields = (line.split(":", 1) for line in head[1:] if ":" in line)
        headers = {name.strip().lower(): value.strip() for name, value in fields}
        if headers.get("expect", "").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        body = await reader.readexactly(int(headers.get("content-length", "0")))
        read_at = asyncio.get_running_loop().time()
        stays = protocol == "HTTP/1.1" and headers.get("connection", "").lower() != "close"
        path = path.split("?", 1)[0].rstrip("/")
        if method == "GET":
            self.whole(writer, *self.known(path))
        elif method != "POST":
            self.whole(writer, 405, {"error": {"message": "GET or POST"}})
        elif path in ("/v1/completions", "/v1/chat/completions"):
            await self.generate(writer, body, path.endswith("chat/completions"), read_at)
        else:
            self.whole(writer, 404, {"error": {"message": f"no {path} here"}})
        await writer.drain()
        return stays

    def known(self, path):
        if path == "/v1/models":
            return 200, {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "paced"}]}
        if path in ("/server_info", "/get_server_info"):
            return 200, {"model_path": MODEL, "version": VERSION}
        if path == "/health":
            return 200, {"status": "ok"}
        if path == "/truth":
            return 200, self.pace.truth()
        return 404, {"error": {"message": f"no {path} here"}}

    def whole(self, writer, status, body):
        text = json.dumps(body).encode()
        head = f"HTTP/1.1 {status} {REASONS[status]}\r\nContent-Type: application/json\r\n"
        writer.write(f"{head}Content-Length: {len(text)}\r\n\r\n".encode() + text)

    async def generate(self, writer, body, chat, read_at):
        try:
            reply = Reply(json.loads(body), chat, self.requests)
        except (ValueError, TypeError, AttributeError) as error:
            self.whole(writer, 400, {"error": {"message": f"not a request: {error}"}})
            return
        self.requests += 1
        first, gap = self.pace.of_request(reply.prompt_tokens)
        if not reply.streamed:
            await until(read_at + first + gap * (reply.output_tokens - 1))
            self.whole(writer, 200, reply.whole())
            return
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
        for at in range(reply.output_tokens):
            await until(read_at + first + gap * at)
            self.send(writer, json.dumps(reply.token(at)))
            await writer.drain()
        if reply.wants_usage:
            self.send(writer, json.dumps(reply.event([], reply.usage())))
        self.send(writer, "[DONE]")
        writer.write(b"0\r\n\r\n")

    def send(self, writer, data):
        event = f"data: {data}\n\n".encode()
        writer.write(f"{len(event):x}\r\n".encode() + event + b"\r\n")


async def serve(options):
    pace = Pace(options)
    server = await asyncio.start_server(Server(pace).connection, options.host, options.port, limit=1 << 22)
    if options.truth:
        with options.truth.open("a") as file:
            file.write(json.dumps(pace.truth()) + "\n")
    stop = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stop.set)
    await stop.wait()
    server.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--speed", type=float, default=1.0, help="2 answers in half the time")
    parser.add_argument("--fixed", type=float, default=0.15, metavar="S", help="before any prompt token is read")
    parser.add_argument("--prefill", type=float, default=1000.0, metavar="TOK_PER_S")
    parser.add_argument("--itl", type=float, default=0.04, metavar="S")
    parser.add_argument("--run-spread", type=float, default=0.01, help="standard deviation of the log, a server start")
    parser.add_argument("--request-spread", type=float, default=0.1, help="standard deviation of the log, a request")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--label", default="", help="goes into the truth")
    parser.add_argument("--truth", type=Path, metavar="FILE", help="what is true of this server start, a line of JSON")
    options = parser.parse_args()
    if not (options.speed > 0 and options.prefill > 0 and options.itl >= 0 and options.fixed >= 0):
        parser.error("speed and prefill rate are above 0, times are not below it")
    asyncio.run(serve(options))


if __name__ == "__main__":
    sys.exit(main())
