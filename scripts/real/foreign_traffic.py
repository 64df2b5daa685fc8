#!/usr/bin/env python3
"""Sends a benchmark's requests and, in their middle, foreign ones; records both and the metrics.

Prompts are lists of random token ids: no text is sent, and none is kept.
"""

import argparse
import http.client
import json
import random
import re
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

PROMPT, OUTPUT, SHARED = 64, 32, 32
KEPT = 6  # texts of metrics kept of those read during the run
COUNTERS = {
    "new_tokens": "llamacpp:prompt_tokens_total",
    "cached_tokens": "llamacpp:prompt_tokens_cached_total",
    "output_tokens": "llamacpp:tokens_predicted_total",
    "decode_calls": "llamacpp:n_decode_total",
}
RUNNING, WAITING = "llamacpp:requests_processing", "llamacpp:requests_deferred"


class Server:
    """A server under test; every request has a connection of its own."""

    def __init__(self, url):
        self.host = urlsplit(url).netloc
        self.scrapes = 0  # each takes a task id

    def get(self, path):
        connection = http.client.HTTPConnection(self.host, timeout=120)
        connection.request("GET", path)
        reply = connection.getresponse()
        body = reply.read().decode()
        connection.close()
        return reply.status, body

    def wait(self):
        for _ in range(300):
            try:
                if self.get("/health")[0] == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise SystemExit("the server does not come up")

    def metrics(self):
        at = time.time()
        status, text = self.get("/metrics")
        if status != 200:
            raise SystemExit(f"/metrics answers {status}: start the server with --metrics")
        self.scrapes += 1
        return at, text

    def slots(self):
        status, text = self.get("/slots")
        self.scrapes += 1
        keep = ("id", "id_task", "is_processing")
        return [{k: slot.get(k) for k in keep} for slot in json.loads(text)] if status == 200 else None

    def drained(self):
        """Metrics when two looks at them in a row show nobody running or waiting."""
        idle = 0
        while True:
            at, text = self.metrics()
            busy = value(text, RUNNING) + value(text, WAITING)
            idle = 0 if busy else idle + 1
            if idle == 2:
                return at, text
            time.sleep(0.2)

    def complete(self, name, prompt, **more):
        """One streamed request as a row of our own format."""
        body = {"prompt": prompt, "max_tokens": OUTPUT, "ignore_eos": True, "temperature": 0, "stream": True,
                "stream_options": {"include_usage": True}}
        connection = http.client.HTTPConnection(self.host, timeout=120)
        wall, start = time.time(), time.perf_counter()
        connection.request("POST", "/v1/completions", json.dumps(body), {"Content-Type": "application/json"})
        reply = connection.getresponse()
        first = last = usage = None
        for line in reply:
            if not line.startswith(b"data: {"):
                continue
            now = time.perf_counter()
            event = json.loads(line[6:])
            usage = event.get("usage") or usage
            if any(choice["finish_reason"] is None for choice in event["choices"]):
                first, last = first or now, now
        connection.close()
        return {
            "id": name,
            "started_at_s": round(wall, 6),
            "prompt_tokens": usage["prompt_tokens"],
            "cached_tokens": usage["prompt_tokens_details"]["cached_tokens"],
            "output_tokens": usage["completion_tokens"],
            "ttft_s": round(first - start, 6),
            "e2e_latency_s": round(last - start, 6),
            "outcome": "ok",
            **more,
        }


def value(text, name):
    """The value of a metric without labels."""
    return float(re.search(rf"^{re.escape(name)} (\S+)$", text, re.MULTILINE)[1])


def counters(text):
    return {key: int(value(text, name)) for key, name in COUNTERS.items()}


def look(at, mine, text, file):
    seen = {"at_s": round(at, 3), "own_in_flight": mine, "running": int(value(text, RUNNING)),
            "waiting": int(value(text, WAITING))}
    return {**seen, "file": file} if file else seen


def sums(rows):
    new = sum(row["prompt_tokens"] - row["cached_tokens"] for row in rows)
    total = {key: sum(row[key] for row in rows) for key in ("prompt_tokens", "cached_tokens", "output_tokens")}
    return {"requests": len(rows), **total, "new_tokens": new}


def prompts(seed, n):
    """Prompts of which every second one begins as the one before: part of it is then cached."""
    chosen = random.Random(seed)
    ids = lambda count: [chosen.randrange(1_000, 200_000) for _ in range(count)]
    made = []
    for i in range(n):
        head = made[-1][:SHARED] if i % 2 else ids(SHARED)
        made.append(head + ids(PROMPT - SHARED))
    return made


def run(args):
    server = Server(args.url)
    server.wait()
    version = json.loads(server.get("/props")[1]).get("build_info", "unknown")
    warmup = server.complete("warmup-1", prompts(3, 1)[0], warmup=True)
    slots_before = server.slots()
    before_at, before = server.drained()
    scrapes, own, foreign, during = server.scrapes, [], [], []
    in_middle, over, own_in_flight = threading.Event(), threading.Event(), [0]

    def send_foreign():
        in_middle.wait()
        for i, prompt in enumerate(prompts(2, args.foreign)):
            foreign.append(server.complete(f"other-{i + 1}", prompt))

    def watch():
        while not over.wait(0.5):
            mine = own_in_flight[0]
            at, text = server.metrics()
            during.append((at, mine, text))

    threads = [threading.Thread(target=send_foreign), threading.Thread(target=watch)]
    for thread in threads:
        thread.start()
    for i, prompt in enumerate(prompts(1, args.own)):
        if i == args.own // 4:
            in_middle.set()
        own_in_flight[0] = 1
        own.append(server.complete(f"bench-{i + 1}", prompt))
        own_in_flight[0] = 0
    in_middle.set()
    threads[0].join()
    over.set()
    threads[1].join()
    after_at, after = server.drained()
    scrapes, slots_after = server.scrapes - scrapes, server.slots()

    header = {
        "schema": "trueline.requests/1", "role": "run", "label": args.label, "side": "client",
        "conditions": {"model": args.model, "server": "llama.cpp", "server_version": version,
                       "machine": "a virtual machine of two cores"},
        "plan": {"requests": args.own, "prompt_tokens": PROMPT, "output_tokens": OUTPUT, "load": "concurrency 1"},
    }
    lines = [header, warmup, *own]
    out = Path(args.out)
    (out / "results.jsonl").write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    (out / "metrics-before.txt").write_text(before)
    (out / "metrics-after.txt").write_text(after)
    kept = {round(i * (len(during) - 1) / (KEPT - 1)) for i in range(KEPT)} if during else set()
    looks = [look(before_at, 0, before, "metrics-before.txt")]
    for i, (at, mine, text) in enumerate(during):
        name = f"metrics-during-{i + 1}.txt" if i in kept else None
        if name:
            (out / name).write_text(text)
        looks.append(look(at, mine, text, name))
    looks.append(look(after_at, 0, after, "metrics-after.txt"))
    facts = {
        "foreign_requests": args.foreign, "own": sums(own), "foreign": sums(foreign), "warmup_before": sums([warmup]),
        "foreign_rows": foreign, "looks": looks, "metrics_scrapes_between": scrapes - 1,
        "slots_before": slots_before, "slots_after": slots_after,
    }
    write_facts(out, facts)


def write_facts(folder, facts):
    """One line a fact; the looks and rows one line each."""
    def text(fact):
        if not isinstance(fact, list):
            return json.dumps(fact)
        return "[" + ",".join("\n  " + json.dumps(part) for part in fact) + "\n ]"
    lines = ",\n".join(f" {json.dumps(key)}: {text(fact)}" for key, fact in facts.items())
    (folder / "facts.json").write_text("{\n" + lines + "\n}\n")


def check(folder):
    """Holds the counters against what was sent: they balance exactly or this fails."""
    facts = json.loads((folder / "facts.json").read_text())
    before, after = (counters((folder / f"metrics-{when}.txt").read_text()) for when in ("before", "after"))
    delta = {key: after[key] - before[key] for key in before}
    for key in ("new_tokens", "cached_tokens", "output_tokens"):
        own, foreign = facts["own"][key], facts["foreign"][key]
        print(f"{folder.name}: {key}: {after[key]} - {before[key]} = {delta[key]}, own {own} + foreign {foreign}")
        if delta[key] != own + foreign:
            raise SystemExit(f"{folder.name}: {key} does not balance")
    log = (folder / "server.log").read_text()
    tasks = len(re.findall(r"\| processing task", log))
    sent = facts["own"]["requests"] + facts["foreign"]["requests"] + 1
    top = [max((s["id_task"] or 0) for s in facts[f"slots_{when}"]) for when in ("before", "after")]
    facts |= {"counted": delta, "tasks_in_log": tasks, "id_task": {"before": top[0], "after": top[1]}}
    write_facts(folder, facts)
    print(f"{folder.name}: decode calls {delta['decode_calls']}, tasks in the log {tasks} of {sent} sent, "
          f"highest task id {top[0]} -> {top[1]} with {facts['metrics_scrapes_between']} scrapes")
    if tasks != sent:
        raise SystemExit(f"{folder.name}: the log has {tasks} tasks, {sent} were sent")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--url")
    parser.add_argument("--out")
    parser.add_argument("--label", default="run")
    parser.add_argument("--model", default="unknown")
    parser.add_argument("--own", type=int, default=8)
    parser.add_argument("--foreign", type=int, default=0)
    parser.add_argument("--check", type=Path, metavar="FOLDER")
    args = parser.parse_args()
    check(args.check) if args.check else run(args)


if __name__ == "__main__":
    main()
