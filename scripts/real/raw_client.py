#!/usr/bin/env python3
"""Asks a chat server over a bare socket and says when what came: an observer that shares no code with the probe.

    raw_client.py HOST:PORT REQUESTS WORDS TOKENS SEED

A JSON line a request: seconds from the first byte sent to the first event with text and to the last one, the moments in
between, and what the server says of itself. One request at a time, each on a connection of its own, each prompt its own.
"""
import json
import random
import socket
import sys
import time


def ask(address, body):
    """The moments at which bytes came, and these."""
    head = f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\nConnection: close\r\n\r\n"
    with socket.create_connection(address) as connection:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sent, reads = time.time(), []
        connection.sendall(head.encode() + body)
        while piece := connection.recv(1 << 16):
            reads.append((time.time(), piece))
        return sent, reads


def events(reads):
    """Each event of the stream with the moment of the read that completed it."""
    pending = b""
    for moment, piece in reads:
        *whole, pending = (pending + piece).split(b"\n\n")
        for text in whole:
            line = text[text.find(b"data: ") + 6 :]
            if b"data: " in text and line.strip() != b"[DONE]":
                yield moment, json.loads(line)


def main():
    host, port = sys.argv[1].rsplit(":", 1)
    requests, words, tokens, seed = map(int, sys.argv[2:6])
    draw = random.Random(seed)
    for _ in range(requests):
        prompt = " ".join(draw.choice(WORDS) for _ in range(words))
        body = {"messages": [{"role": "user", "content": prompt}], "max_tokens": tokens, "stream": True,
                "stream_options": {"include_usage": True}, "ignore_eos": True}
        sent, reads = ask((host, int(port)), json.dumps(body).encode())
        came, told = [], {}
        for moment, event in events(reads):
            if any((choice.get("delta") or {}).get("content") for choice in event.get("choices", [])):
                came.append(moment - sent)
            told |= {key: event[key] for key in ("id", "usage", "timings") if event.get(key)}
        print(json.dumps({"started_at_s": sent, "ttft_s": came[0], "e2e_latency_s": came[-1], "came_s": came} | told))


WORDS = "time year people way day man thing woman life child world school state family student group country problem".split()

if __name__ == "__main__":
    main()
