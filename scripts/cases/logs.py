#!/usr/bin/env python3
"""Writes the logs of the casebook that are damaged, rotated, doubled, compressed or kept by gateways.

    python3 scripts/cases/logs.py cases

Rows are in the shapes that servers, gateways and traces write; every word and number in them is made up. It
writes `case.toml` too: what is expected is worked out beside the rows.
"""
import gzip
import json
import random
import sys
from pathlib import Path

START = 1_795_958_298  # 2026-11-29T13:18:18Z


def line(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False) + "\n"


def row(n, at=None, took=2.0, **more):
    """A request of our own format; they start 5 s apart."""
    at = START + 5 * n if at is None else at
    return {"id": f"r{n}", "started_at_s": round(at, 6), "prompt_tokens": 3000 + n, "cached_tokens": 1000,
            "output_tokens": 20, "ttft_s": took / 2, "e2e_latency_s": took, "outcome": "ok"} | more


def rows(numbers, **more):
    return "".join(line(row(n, **more)) for n in numbers)


def case(name, about, files, healthy=True, arguments=("{case}/log.jsonl",), values=(), comment="", **lists):
    text = "".join(f"# {words}\n" for words in comment.splitlines())
    text += f"about = {json.dumps(about)}\nhealthy = {str(healthy).lower()}\nprogram = \"read_log\"\n"
    text += f"arguments = {json.dumps(list(arguments))}\nexit = 0\n"
    for key, codes in lists.items():
        text += f"{key} = {json.dumps(list(codes))}\n"
    if values:
        text += "\n[values]\n"
        for pointer, value in values:
            pointer = pointer if pointer.startswith("/") else f"/results/requests/{pointer}"
            text += f"\"{pointer}\" = {json.dumps(value)}\n"
    folder = OUT / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "case.toml").write_text(text)
    for file, content in files.items():
        content = content.encode() if isinstance(content, str) else content
        (folder / file).write_bytes(content)


def rotation():
    parts = {"x.log.1": range(60, 90), "x.log.2": range(30, 60), "x.log.10": range(30), "x.log": range(90, 120)}
    case("log-rotated", "a log in four files whose names tell another order than their times",
         {name: rows(numbers) for name, numbers in parts.items()}, arguments=["{case}/x.log*"],
         near_miss=["duplicate-rows", "wall-time-jump"], values=[("read", 120), ("used", 120), ("doubled", 0)])
    case("log-row-in-two-files", "the file before a rotation and the one after it hold ten requests both",
         {"x.log.1": rows(range(40)), "x.log": rows(range(30, 60))}, healthy=False, arguments=["{case}/x.log*"],
         expect=["duplicate-rows"], values=[("read", 60), ("used", 60), ("doubled", 10)])
    first = gzip.compress(rows(range(30)).encode(), mtime=0)
    case("log-rotated-by-the-hour", "a log in four files named by number, by hour before and behind the ending, and by none",
         {"x.000001.jsonl.gz": first, "x.20261129_11.log": rows(range(30, 60)),
          "x.log.2026-11-29_12": rows(range(60, 90)), "x.log": rows(range(90, 120))}, arguments=["{case}/x.*"],
         near_miss=["duplicate-rows", "wall-time-jump", "truncated-file"],
         values=[("read", 120), ("used", 120), ("doubled", 0)])
    packed = gzip.compress(rows(range(40)).encode(), mtime=0)
    case("log-beside-its-copy", "a log and its compressed copy in one folder",
         {"x.jsonl": rows(range(40)), "x.jsonl.gz": packed}, healthy=False, arguments=["{case}/x.jsonl*"],
         expect=["duplicate-rows"], values=[("read", 40), ("used", 40), ("doubled", 40)])
    case("log-alike-in-two-files", "two logs with requests of like lengths and times, under ids of their own",
         {"a.jsonl": rows(range(40)),
          "b.jsonl": "".join(line(row(n, START + 5 * n + n % 7 / 2, id=f"s{n}")) for n in range(40))},
         arguments=["{case}/a.jsonl", "{case}/b.jsonl"], near_miss=["duplicate-rows"],
         values=[("read", 80), ("used", 80), ("doubled", 0)])


def clocks():
    back = [row(n, START + 5 * n - (3600 if n >= 30 else 0)) for n in range(60)]
    case("log-clock-an-hour-back", "stamps in local time over the end of summer time",
         {"log.jsonl": "".join(map(line, back))}, healthy=False, expect=["wall-time-jump"],
         values=[("read", 60), ("used", 60)])
    back = [row(n, START + n - (7.5 if n >= 30 else 0)) for n in range(60)]
    case("log-clock-seconds-back", "the clock is set back by 7.5 s in the middle of a log",
         {"log.jsonl": "".join(map(line, back))}, healthy=False, expect=["wall-time-jump"],
         values=[("read", 60), ("used", 60)])
    # Written when they end: starts go back by up to a minute, ends by a few ms.
    random.seed(29)
    ended = [row(n, START + 3 * n, took=random.choice([1, 2, 4, 60])) for n in range(80)]
    ended.sort(key=lambda r: r["started_at_s"] + r["e2e_latency_s"] + random.random() * 0.02)
    case("log-in-the-order-of-ends", "requests of 1 to 60 s, written as they end: starts go back, the clock does not",
         {"log.jsonl": "".join(map(line, ended))}, near_miss=["wall-time-jump"],
         values=[("read", 80), ("used", 80)])


def grids():
    random.seed(30)
    tick = [3000 * k + random.randint(-3, 3) for k in range(40)]
    on_grid = [{"timestamp": max(0, at), "input_length": 700 + 13 * k, "output_length": 30, "hash_ids": [k, k + 100]}
               for k, at in enumerate(sorted(t for t in tick for _ in range(10))) for k in [k % 20]]
    case("log-arrivals-every-3-s", "a trace whose arrivals are stamped every 3 s, ten at a time",
         {"log.jsonl": "".join(map(line, on_grid))}, healthy=False, expect=["timestamps-coarse"],
         tolerates=["cached-tokens-unknown"], values=[("read", 400), ("used", 400)])
    at, poisson = 0.0, []
    for n in range(400):
        at += random.expovariate(20)
        poisson.append(row(n, round(START + at, 3), took=0.5))
    case("log-arrivals-in-ms", "arrivals at 20 a second at random, in whole milliseconds",
         {"log.jsonl": "".join(map(line, poisson))}, near_miss=["timestamps-coarse"],
         values=[("read", 400), ("used", 400)])
    bursts = [row(5 * n + k, START + at, took=0.5)
              for n, at in enumerate(sorted(random.uniform(0, 900) for _ in range(40))) for k in range(5)]
    case("log-arrivals-in-bursts", "five requests at a time, at times that have no step in common",
         {"log.jsonl": "".join(map(line, bursts))}, near_miss=["timestamps-coarse"],
         values=[("read", 200), ("used", 200)])


def envelope():
    three = rows(range(20)), rows(range(20, 40)), rows(range(40, 60))
    members = b"".join(gzip.compress(part.encode(), mtime=0) for part in three)
    case("log-gzip-of-three-members", "three compressed logs put behind each other",
         {"log.jsonl.gz": members}, arguments=["{case}/log.jsonl.gz"], near_miss=["truncated-file"],
         values=[("read", 60), ("used", 60)])
    time = "2026-11-29T13:18:18.123456789Z"
    entry = lambda text, stream="stdout": line({"log": text, "stream": stream, "time": time})
    docker = entry("server 1.0 is up\n", "stderr")
    for n in range(40):
        text = line(row(n))
        # The driver cuts lines of 16 KiB; here one is cut, with another stream's line between.
        docker += entry(text) if n != 7 else entry(text[:60]) + entry("a warning\n", "stderr") + entry(text[60:])
    case("log-in-docker-entries", "a log as Docker's json-file driver keeps it, one line of it in two entries",
         {"log.jsonl": docker}, near_miss=["torn-line", "rejected-lines", "truncated-file"],
         values=[("read", 40), ("used", 40), ("other", 2)])
    kept = "".join(f"{time} stdout F {line(row(n))}" for n in range(40))
    case("log-in-kubernetes-entries", "a log as Kubernetes keeps it", {"log.jsonl": kept},
         near_miss=["torn-line", "rejected-lines", "truncated-file"], values=[("read", 40), ("used", 40)])
    case("log-byte-order-mark", "a byte order mark at the start, lines that end as on Windows",
         {"log.jsonl": "\ufeff" + rows(range(40)).replace("\n", "\r\n")},
         near_miss=["rejected-lines", "torn-line"], values=[("read", 40), ("used", 40), ("bad_text", 0)])
    case("log-newline-missing", "the last record is whole and only its line end is missing",
         {"log.jsonl": rows(range(40)).rstrip("\n")}, near_miss=["truncated-file", "rejected-lines", "torn-line"],
         values=[("read", 40), ("used", 40), ("incomplete_tail", 0)])
    odd = rows(range(37)).encode() + rows([37]).encode().replace(b'"r37"', b'"r\x0137"')
    odd += rows([38]).encode().replace(b'"r38"', b'"r\xff38"')
    odd += rows([39]).replace('"r39"', '"\\ud83d39"').encode()
    case("log-bad-characters", "a control character, bytes that are no UTF-8, half a surrogate pair",
         {"log.jsonl": odd}, near_miss=["rejected-lines", "torn-line"],
         values=[("read", 40), ("used", 40), ("bad_text", 3)])
    deep = rows(range(40)) + '{"id":"deep","prompt_tokens":5,"x":' + "[" * 200 + "]" * 200 + "}\n"
    case("log-nested-200-deep", "a record with 200 lists in each other", {"log.jsonl": deep}, healthy=False,
         expect=["rejected-lines"], values=[("read", 41), ("used", 40), ("rejected", 1)])
    cut = rows(range(20)) + line(row(20))[:55] + rows(range(21, 40))
    case("log-whole-behind-a-cut", "a record breaks off and a whole one follows on the same line",
         {"log.jsonl": cut}, healthy=False, expect=["rejected-lines"], notes=["torn-line"],
         values=[("read", 40), ("used", 39), ("rejected", 1), ("torn", 1)])
    middle = rows(range(20)) + line(row(20))[30:] + rows(range(21, 40))
    case("log-line-from-the-middle", "a line that begins in the middle of a record",
         {"log.jsonl": middle}, healthy=False, expect=["rejected-lines"], notes=["torn-line"],
         values=[("read", 40), ("used", 39), ("rejected", 1), ("torn", 1)])
    bare = rows(range(40))
    for word in ("NaN", "-Infinity", "Infinity", "-nan", "inf"):
        bare = bare.replace('"ttft_s":1.0', f'"ttft_s":{word}', 1)
    case("log-bare-nan", "NaN and infinities without quotes, as writers in Python, C and Rust put them", {"log.jsonl": bare},
         healthy=False, expect=["impossible-value"], near_miss=[],
         values=[("read", 40), ("used", 40), ("non_finite", 5), ("unknown_ttft", 5)])
    late = rows(range(40)).replace('"ttft_s":1.0', '"ttft_s":3.0', 4)
    case("log-first-token-after-the-last", "four of 40 requests have their first token after their last",
         {"log.jsonl": late}, healthy=False, expect=["timestamp-disorder"],
         values=[("read", 40), ("used", 40), ("disorders/first_after_last", 4), ("unknown_ttft", 4)])
    instant = rows(range(40)).replace('"ttft_s":1.0', '"ttft_s":0.000001', 2)
    case("log-prefill-in-a-microsecond", "2,000 new tokens in 1 µs, as a server writes where it has no time",
         {"log.jsonl": instant}, healthy=False, expect=["impossible-value"],
         values=[("read", 40), ("used", 40), ("impossible", 2), ("unknown_ttft", 2)])


def gateways():
    def payload(n, **more):
        at, first, end = START + 5 * n, START + 5 * n + 1.25, START + 5 * n + 4.5
        usage = {"prompt_tokens": 3000 + n, "prompt_tokens_details": {"cached_tokens": 1000}}
        return {"id": f"g{n}", "litellm_call_id": f"c{n}", "stream": True, "status": "success", "model": "small-8b",
                "startTime": at, "endTime": end, "completionStartTime": first, "response_time": 1.25,
                "cache_hit": None, "prompt_tokens": 3000 + n, "completion_tokens": 20, "response_cost": 0.01,
                "hidden_params": {}, "metadata": {"usage_object": usage}} | more
    whole = {"stream": False, "completionStartTime": None, "response_time": 4.5}
    mixed = [payload(n) if n % 4 else payload(n, **whole | {"completionStartTime": START + 5 * n + 4.5})
             for n in range(80)]
    case("log-litellm", "a gateway's rows, a quarter of them not streamed: their first token's time is their end",
         {"log.jsonl": "".join(map(line, mixed))},
         near_miss=["timestamp-disorder", "zone-unknown", "cached-tokens-unknown", "impossible-value"],
         values=[("read", 80), ("used", 80), ("unknown_ttft", 20)])
    broken = [payload(n, completionStartTime=START + 5 * n + 4.5) for n in range(40)]
    case("log-litellm-first-token-is-last", "a gateway stamps the first token of streamed replies with their end",
         {"log.jsonl": "".join(map(line, broken))}, healthy=False, expect=["timestamp-disorder"],
         values=[("read", 40), ("used", 40)])
    stored = [payload(n, cache_hit=n % 2 == 0) for n in range(40)]
    case("log-litellm-store-of-replies", "half of a gateway's replies come from its own store: no prefix cache",
         {"log.jsonl": "".join(map(line, stored))}, healthy=False, expect=["cached-tokens-unknown"],
         values=[("read", 40), ("used", 40), ("unknown_ttft", 20), ("unknown_cached", 20)])

    def words(seconds, zone):
        minutes, rest = divmod(18 + seconds, 60)
        hours, minutes = divmod(18 + int(minutes), 60)
        return f"2026-11-29T{13 + hours:02}:{minutes:02}:{rest:06.3f}{zone}"

    def spend(n, zone):
        row = payload(n)
        meta = json.dumps({"usage_object": row["metadata"]["usage_object"], "note": 'a "word"'})
        times = {"startTime": words(5 * n, zone), "completionStartTime": words(5 * n + 1.25, zone),
                 "endTime": words(5 * n + 4.5, zone)}
        return {"request_id": row["id"], "call_type": "acompletion", "model": "small-8b", **times,
                "request_duration_ms": 4500, "cache_hit": "False", "prompt_tokens": 3000 + n,
                "completion_tokens": 20, "metadata": meta}
    case("log-litellm-spend", "a gateway's table of spendings: times in words, counts in an object written as a text",
         {"log.jsonl": "".join(line(spend(n, "Z")) for n in range(40))},
         near_miss=["zone-unknown", "cached-tokens-unknown"],
         values=[("read", 40), ("used", 40), ("unknown_cached", 0), ("zoneless", 0)])
    case("log-stamps-without-a-zone", "the same table with stamps that name no zone",
         {"log.jsonl": "".join(line(spend(n, "")) for n in range(40))}, healthy=False, notes=["zone-unknown"],
         values=[("read", 40), ("used", 40), ("zoneless", 40)])


def usage():
    def chat(n, **counts):
        named = {"object": counts.pop("object", "chat.completion")}
        return {"id": f"chat-{n}", **named, "created": START + 60 * n, "model": "small-8b",
                "choices": [], "usage": {"prompt_tokens": 3000 + n, "completion_tokens": 20} | counts}
    details = lambda cached: {"prompt_tokens_details": {"cached_tokens": cached}}
    both = [chat(n, input_tokens=0, output_tokens=0, **details(1000)) for n in range(40)]
    case("log-two-names-for-one-count", "usage with prompt_tokens, and with input_tokens: 0 beside it",
         {"log.jsonl": "".join(map(line, both))}, near_miss=["duplicate-keys", "cached-tokens-unknown"],
         values=[("read", 40), ("used", 40), ("unknown_prompt", 0), ("unknown_cached", 0)])
    three = [chat(n, **(details(0), details(None), {})[n % 3]) for n in range(60)]
    case("log-cached-zero-null-absent", "cached tokens of 0, null, and none at all: one is a count",
         {"log.jsonl": "".join(map(line, three))}, healthy=False, expect=["cached-tokens-unknown"],
         values=[("read", 60), ("used", 60), ("unknown_cached", 40)])
    message = [{"id": f"msg-{n}", "type": "message", "role": "assistant", "model": "large", "content": [],
                "stop_reason": "end_turn",
                "usage": {"input_tokens": 2, "cache_creation_input_tokens": 500 + n,
                          "cache_read_input_tokens": 30000, "output_tokens": 60}} for n in range(40)]
    total = sum(2 + 500 + n + 30000 for n in range(40))
    case("log-anthropic-usage", "input_tokens that hold neither what was read from the cache nor what was written",
         {"log.jsonl": "".join(map(line, message))}, near_miss=["impossible-value", "cached-tokens-unknown"],
         values=[("read", 40), ("used", 40), ("unknown_prompt", 0)],
         comment=f"Prompts of 2 + (500 + n) + 30,000 tokens: {total} in all.")

    def chunk(n, **more):
        return "data: " + line({"id": f"chat-{n}", "object": "chat.completion.chunk", "created": START + 60 * n,
                                "model": "small-8b", "choices": []} | more) + "\n"
    count = lambda prompt, out, cached: {"prompt_tokens": prompt, "completion_tokens": out} | details(cached)
    text = ""
    for n in range(20):
        text += chunk(n, usage=count(3000 + n, 1, 1000)) + chunk(n, usage=count(3000 + n, 2, 1000))
        text += chunk(n, choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}])
        text += chunk(n, usage=count(0, 2, 0)) + "data: [DONE]\n\n"
    case("log-usage-in-every-chunk", "streamed replies with usage in each chunk, and zeros in the last",
         {"log.jsonl": text}, near_miss=["cached-tokens-unknown", "rejected-lines"],
         values=[("read", 20), ("used", 20), ("unknown_prompt", 0),
                 ("/results/tokens/prompt", sum(3000 + n for n in range(20))), ("/results/tokens/cached", 20 * 1000),
                 ("/results/tokens/output", 20 * 2)],
         comment="The largest count of each reply; the last chunk's zeros would leave nothing.")
    text = ""
    for n in range(20):
        piece = {"object": "text_completion"}
        text += "".join(chunk(n, choices=[{"index": 0, "text": "a", "finish_reason": None}], **piece) for _ in range(3))
        text += chunk(n, choices=[{"index": 0, "text": "", "finish_reason": "stop"}], usage=count(3000 + n, 3, 1000), **piece)
        text += "data: [DONE]\n\n"
    case("log-completions-in-chunks", "streamed replies of the older interface, whose pieces are called as whole replies are",
         {"log.jsonl": text}, near_miss=["cached-tokens-unknown", "rejected-lines", "mixed-schema"],
         values=[("/results/format", "openai-chunks"), ("read", 20), ("used", 20), ("unknown_prompt", 0),
                 ("/results/tokens/prompt", sum(3000 + n for n in range(20))), ("/results/tokens/output", 20 * 3)])
    text = ""
    for n in range(20):
        text += chunk(n, choices=[{"index": 0, "delta": {"content": "a"}, "finish_reason": None}])
        text += chunk(n, choices=[{"index": 0, "delta": {}, "finish_reason": "stop"}])
        text += chunk(n, object="chat.completion", usage=count(3000 + n, 2, 1000)) + "data: [DONE]\n\n"
    case("log-mlx-lm-streams", "streamed replies of mlx-lm's server, whose usage stands in an object with the name of a whole reply",
         {"log.jsonl": text}, near_miss=["cached-tokens-unknown", "rejected-lines", "mixed-schema"],
         values=[("/results/format", "openai-chunks"), ("read", 20), ("used", 20), ("unknown_cached", 0),
                 ("/results/tokens/prompt", sum(3000 + n for n in range(20))), ("/results/tokens/cached", 20 * 1000)])
    whole = [chat(n, object="text_completion") | {"choices": [{"index": 0, "text": "a", "finish_reason": "stop"}]}
             for n in range(20)]
    for n, reply in enumerate(whole):
        reply["usage"] |= details(1000)
    case("log-completions", "whole replies of the older interface", {"log.jsonl": "".join(map(line, whole))},
         near_miss=["cached-tokens-unknown", "rejected-lines", "mixed-schema"],
         values=[("/results/format", "openai-usage"), ("read", 20), ("used", 20)])


def two_in_one():
    """Two logs of one traffic, and two servers in one file."""
    def reply(n, prompt, output):
        return {"id": f"chatcmpl-{n:06}", "object": "chat.completion", "created": START + 60 * n, "model": "small-8b",
                "choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": output,
                                         "prompt_tokens_details": {"cached_tokens": 1000}}}

    def passed_on(n, prompt, output):
        at = START + 60 * n - 0.25
        usage = {"prompt_tokens": prompt, "prompt_tokens_details": {"cached_tokens": 1000}}
        return {"id": f"chatcmpl-{n:06}", "litellm_call_id": f"call-{n}", "stream": True, "status": "success",
                "model": "small-8b", "startTime": at, "completionStartTime": at + 1.25, "endTime": at + 4.5,
                "prompt_tokens": prompt, "completion_tokens": output, "metadata": {"usage_object": usage}}
    server = "".join(line(reply(n, 3000 + n, 20)) for n in range(40))
    # A gateway that counts streamed replies by itself: 400 to 1,000 prompt tokens more in 30 of 40, 5 more of output.
    gateway = "".join(line(passed_on(n, 3000 + n + (400 + 600 * (n % 4 - 1) // 2 if n % 4 else 0), 25 if n % 4 else 20))
                      for n in range(40))
    case("log-counts-of-a-gateway", "a gateway's log and its server's of the same requests: it counts streamed ones by itself",
         {"server.jsonl": server, "gateway.jsonl": gateway}, healthy=False,
         arguments=("{case}/server.jsonl", "{case}/gateway.jsonl"), expect=["requests-in-two-logs"],
         notes=["mixed-schema"],
         values=[("read", 80), ("used", 80), ("doubled", 0), ("/findings/0/evidence/requests", 40),
                 ("/findings/0/evidence/other_prompt_tokens", 30), ("/findings/0/evidence/most_prompt_tokens_apart", 1000),
                 ("/findings/0/evidence/other_output_tokens", 30), ("/findings/0/evidence/most_output_tokens_apart", 5)])
    next_day = "".join(line(row(n, START + 86_400 + 5 * n, id=f"request-{n:04}", prompt_tokens=3500)) for n in range(40))
    case("log-ids-of-the-day-before", "a server numbers its requests anew every day: one id, two requests",
         {"a.jsonl": "".join(line(row(n, id=f"request-{n:04}")) for n in range(40)), "b.jsonl": next_day},
         arguments=("{case}/a.jsonl", "{case}/b.jsonl"), near_miss=["requests-in-two-logs", "duplicate-rows"],
         values=[("read", 80), ("used", 80), ("doubled", 0)])
    llama = [{"id": f"c{n}", "model": "small-8b", "usage": {"prompt_tokens": 3000, "completion_tokens": 20},
              "timings": {"cache_n": 1000, "prompt_n": 2000, "prompt_ms": 1000.0}} for n in range(10)]
    ollama = [{"model": "small-8b", "created_at": f"2026-11-29T13:{n:02}:00Z", "done": True, "prompt_eval_count": 3000,
               "prompt_eval_cached_count": 1000, "prompt_eval_duration": 1_000_000_000, "eval_count": 20,
               "eval_duration": 500_000_000, "total_duration": 2_000_000_000} for n in range(30)]
    mixed = "".join(map(line, ollama[:15] + llama + ollama[15:]))
    case("log-replies-of-two-servers", "replies of Ollama with ten of llama.cpp's server among them",
         {"log.jsonl": mixed}, healthy=False, expect=["rejected-lines"], notes=["mixed-schema", "cached-tokens-in-rate"],
         values=[("/results/format", "ollama"), ("read", 40), ("used", 30), ("rejected", 10),
                 ("rejected_by_reason/other_format", 10)],
         comment="They are set apart: llama.cpp's times mean something else. The option that reads them is named.")
    case("log-replies-of-the-other-server", "the ten of llama.cpp's server in the same file, asked for by their format",
         {"log.jsonl": mixed}, healthy=False, arguments=("{case}/log.jsonl", "--request-format", "llama-cpp"),
         expect=["rejected-lines"], notes=["mixed-schema"],
         values=[("/results/format", "llama-cpp"), ("read", 40), ("used", 10), ("rejected", 30),
                 ("rejected_by_reason/other_format", 30)])
    halogen = "".join(f"serve_api: mtp 200 tok in 8.00s = 25.00 t/s | 16 rounds, commit 1.94/round | prompt {5000 + n} "
                      "(3000 cached), prefill 2.00s | detok 13us/tok\n" for n in range(8))
    vllm = "".join(f"INFO 11-29 13:1{n}:00 [loggers.py:127] Engine 000: Avg prompt throughput: 100.0 tokens/s, Avg generation "
                   "throughput: 10.0 tokens/s, Running: 1 reqs, Waiting: 0 reqs, GPU KV cache usage: 1.0%, Prefix cache "
                   "hit rate: 50.0%\n" for n in range(5))
    case("log-text-of-two-servers", "lines of a second server in a text log are named, and are no requests of the first",
         {"log.txt": halogen + vllm}, arguments=("{case}/log.txt",), notes=["mixed-schema"],
         values=[("/results/format", "halogen-log"), ("read", 8), ("used", 8), ("other", 5)])


def traces():
    def record(n):
        hashes = [2**53 + 1, 2**64 - 1 - n, -1 - n]
        return {"schema": "dynamo.request.trace.v1", "event_type": "request_end",
                "event_time_unix_ms": (START + 5 * n) * 1000 + 4500,
                "request": {"request_id": f"d{n}", "request_received_ms": (START + 5 * n) * 1000,
                            "total_time_ms": 4500.0, "output_tokens": 20,
                            "replay": {"trace_block_size": 64, "input_length": 140 + n % 50,
                                       "input_sequence_hashes": hashes}}}
    wrap = lambda event: {"timestamp": "2026-11-29T13:18:23Z", "event": event}
    text = "".join(line((record(n), wrap(record(n)), wrap(json.dumps(record(n))))[n % 3]) for n in range(39))
    text += line({"schema": "dynamo.request.trace.v1", "event_type": "tool_end", "event_time_unix_ms": START * 1000})
    case("log-dynamo", "records bare, wrapped, and wrapped as a text, with hashes of 64 bits",
         {"log.jsonl": text}, near_miss=["impossible-value", "rejected-lines", "mixed-schema"],
         tolerates=["cached-tokens-unknown"],
         values=[("read", 39), ("used", 39), ("other", 1), ("impossible", 0), ("unknown_prompt", 0)])
    table = "TIMESTAMP,ContextTokens,GeneratedTokens\r\n"
    table += "\r\n".join(f"2023-11-16 18:17:{n:02}.{9799600 + n},{400 + 7 * n},{10 + n}" for n in range(40))
    case("log-azure-table", "a table of arrivals with Windows line ends, none at the end, and no zone",
         {"log.csv": table}, arguments=["{case}/log.csv"], notes=["zone-unknown"],
         near_miss=["truncated-file", "rejected-lines", "timestamps-coarse", "wall-time-jump"],
         tolerates=["cached-tokens-unknown"], values=[("read", 40), ("used", 40), ("other", 1), ("zoneless", 40)])
    rounds = [{"provider": "claude", "session_id": f"s{n % 3}", "round_index": n // 3, "round_id": f"m{n % 18}",
               "model": "large", "input_tokens_total": 30000 + n, "prefix_tokens": 29000,
               "newly_append_tokens": 1000 + n, "output_tokens": 50, "timing_events": [], "tools": [],
               "trace_key": f"k{n % 18}"} for n in range(20)]
    case("log-ids-that-are-not-unique", "rounds of agent sessions, two of them under the ids of others",
         {"log.jsonl": "".join(map(line, rounds))}, near_miss=["duplicate-rows", "cached-tokens-unknown"],
         values=[("read", 20), ("used", 20), ("doubled", 0)])


def caches():
    def asked(n, cached):
        # 20 beginnings of two blocks come again and again; the two blocks behind them are of one prompt alone.
        hashes = [n % 20, 100 + n % 20, 1000 + n, 5000 + n]
        return row(n, prompt_tokens=2048, cached_tokens=cached, block_tokens=512, block_hashes=hashes,
                   session=f"s{n % 20}")
    text = lambda cached: "".join(line(asked(n, cached(n))) for n in range(200))
    # 180 of 200 prompts find their two blocks: 360 of 800 blocks.
    bound = [("/results/cache/infinite_bound", 0.45), ("/results/cache/block_weighted", 0.45),
             ("/results/cache/from_blocks/infinite/request_mean", 0.45),
             ("/results/cache/from_blocks/infinite/any_hit", 0.9),
             ("/results/cache/from_blocks/distinct_blocks", 440)]
    case("log-cached-beyond-any-cache", "cached tokens that are counted too high through the whole log",
         {"log.jsonl": text(lambda n: 2000)}, healthy=False, expect=["cached-tokens-above-bound"],
         values=[("read", 200), ("used", 200), *bound],
         comment="Two blocks of 512 tokens were there and a third may be found in part: 1,536 of 2,048 at most.")
    case("log-cache-warm-at-its-start", "a cache that was warm when the log begins, and later finds what it can",
         {"log.jsonl": text(lambda n: 2000 if n < 80 else 1024)}, near_miss=["cached-tokens-above-bound"],
         values=[("read", 200), ("used", 200), *bound,
                 ("/results/cache/sessions/n", 20), ("/results/cache/sessions/later/requests", 180),
                 # 60 of the later ones found 2,000 tokens, 120 found 1,024.
                 ("/results/cache/sessions/later/token_weighted", (60 * 2000 + 120 * 1024) / (180 * 2048)),
                 ("/results/cache/sessions/later_from_blocks/of_the_session", 0.5)])


def units():
    mapping = "name = \"four-units\"\n" + "".join(
        f"\n[[field]]\npath = \"{path}\"\nmeaning = \"{meaning}\"\n{more}" for path, meaning, more in [
            ("id", "id", ""), ("at_ns", "started", "unit = \"epoch_ns\"\n"), ("prompt", "prompt_tokens", ""),
            ("cached", "cached_tokens", ""), ("out", "output_tokens", ""),
            ("queue_ns", "queue", "unit = \"ns\"\nclock = \"server\"\n"),
            ("ttft_us", "ttft", "unit = \"us\"\nclock = \"server\"\n"),
            ("total_ms", "e2e_latency", "unit = \"ms\"\nclock = \"server\"\n"),
            ("decode_s", "decode", "unit = \"s\"\nclock = \"server\"\n")])
    text = "".join(line({"id": f"u{n}", "at_ns": (START + 5 * n) * 10**9, "prompt": 3000 + n, "cached": 1000,
                         "out": 20, "queue_ns": 250_000_000, "ttft_us": 1_000_000, "total_ms": 2000, "decode_s": 1.0})
                   for n in range(40))
    case("log-times-in-four-units", "nanoseconds, microseconds, milliseconds and seconds in one row",
         {"log.jsonl": text, "mapping.toml": mapping},
         arguments=["{case}/log.jsonl", "--mapping", "{case}/mapping.toml"],
         near_miss=["timestamp-disorder", "impossible-value", "wall-time-jump"],
         values=[("read", 40), ("used", 40), ("unknown_ttft", 0), ("impossible", 0)])


OUT = Path(sys.argv[1] if len(sys.argv) > 1 else "cases")
for part in (
    rotation, clocks, grids, envelope, gateways, usage, two_in_one, traces, caches, units,
):
    part()
