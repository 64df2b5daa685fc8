#!/usr/bin/env python3
"""Sends a benchmark's requests, or foreign ones in their middle; records both, the metrics and what is true.

The two clients are two processes (`--role own`, `--role foreign`) that tell each other by files when to begin. `--check`
holds the server's counts against what was sent, `--judge` the report of `audit` against both.

Prompts are lists of random token ids: no text is sent, and none is kept.
"""

import argparse
import http.client
import json
import os
import random
import re
import statistics
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

PROMPT, OUTPUT, SHARED = 64, 32, 32
IN_MIDDLE, FOREIGN = "in-middle", "foreign.json"  # written in turn
KEPT = 6  # texts of metrics kept of those read during the run
BUSY = 3  # exit status where the machine was busy with something else: nothing wrong, and no clean capture
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


def await_file(path):
    for _ in range(3000):
        if path.exists():
            return
        time.sleep(0.1)
    raise SystemExit(f"{path.name} does not come")


def run_foreign(args):
    server, rows, out = Server(args.url), [], Path(args.out)
    await_file(out / IN_MIDDLE)
    for i, prompt in enumerate(prompts(2, args.foreign)):
        rows.append(server.complete(f"other-{i + 1}", prompt))
    said = {"process": {"pid": os.getpid(), "name": Path("/proc/self/comm").read_text().strip()}, "rows": rows}
    part = out / (FOREIGN + ".part")
    part.write_text(json.dumps(said))
    part.rename(out / FOREIGN)


def run_own(args):
    server, out = Server(args.url), Path(args.out)
    version = json.loads(server.get("/props")[1]).get("build_info", "unknown")
    warmup = server.complete("warmup-1", prompts(3, 1)[0], warmup=True)
    slots_before = server.slots()
    before_at, before = server.drained()
    scrapes, own, during = server.scrapes, [], []
    over, own_in_flight = threading.Event(), [0]

    def watch():
        while not over.wait(0.5):
            mine = own_in_flight[0]
            at, text = server.metrics()
            during.append((at, mine, text))

    thread = threading.Thread(target=watch)
    thread.start()
    for i, prompt in enumerate(prompts(1, args.own)):
        if i == args.own // 4:
            (out / IN_MIDDLE).touch()
        own_in_flight[0] = 1
        own.append(server.complete(f"bench-{i + 1}", prompt))
        own_in_flight[0] = 0
    if args.foreign:
        await_file(out / FOREIGN)
    over.set()
    thread.join()
    after_at, after = server.drained()
    scrapes, slots_after = server.scrapes - scrapes, server.slots()

    header = {
        "schema": "trueline.requests/1", "role": "run", "label": args.label, "side": "client",
        "conditions": {"model": args.model, "server": "llama.cpp", "server_version": version,
                       "hardware": "two cores of a virtual machine"},
        "plan": {"requests": args.own, "prompt_tokens": PROMPT, "output_tokens": OUTPUT, "load": "concurrency 1"},
    }
    lines = [header, warmup, *own]
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
        "foreign_requests": args.foreign, "own": sums(own), "warmup_before": sums([warmup]),
        "looks": looks, "metrics_scrapes_between": scrapes - 1,
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
    said = folder / FOREIGN
    foreign = json.loads(said.read_text()) if said.exists() else {"process": None, "rows": []}
    facts |= {"foreign": sums(foreign["rows"]), "foreign_process": foreign["process"], "foreign_rows": foreign["rows"]}
    if facts["foreign"]["requests"] != facts["foreign_requests"]:
        raise SystemExit(f"{folder.name}: not all foreign requests were sent")
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


def claims(folder):
    """What somebody would say of the run, worked out from its rows without the crates."""
    lines = (folder / "results.jsonl").read_text().splitlines()[1:]
    rows = [row for row in map(json.loads, lines) if not row.get("warmup")]
    ttft = statistics.median(row["ttft_s"] for row in rows)
    ends = [row["started_at_s"] + row["e2e_latency_s"] for row in rows]
    took = max(ends) - min(row["started_at_s"] for row in rows)
    return {"ttft_s.median": ttft, "output_tok_per_s": sum(row["output_tokens"] for row in rows) / took}


def judge(folder, report):
    """Holds the report of `audit` against what is true of the capture."""
    facts = json.loads((folder / "facts.json").read_text())
    found = [f for f in report["findings"] if f["code"] == "foreign-traffic"]
    statuses = {claim["text"]: claim["status"] for claim in report["claims"]}
    revoked_by = [claim["revoked_by"] for claim in report["claims"]]
    of_host = sorted({code for codes in revoked_by for code in codes} - {"foreign-traffic"})
    wrong = []

    def expect(what, is_so):
        if not is_so:
            wrong.append(what)
    for text, status in statuses.items():
        print(f"{folder.name}: {text}: {status}")
    expect("as many claims as were made", len(statuses) == len(claims(folder)))
    if not facts["foreign_requests"]:
        expect("no foreign traffic found", not found)
        expect("foreign traffic looked for", "foreign-traffic" in report["clear"])
        expect("the claims supported", of_host or set(statuses.values()) == {"supported"})
    else:
        expect("the claims revoked", set(statuses.values()) == {"revoked"})
        expect("by foreign traffic", all("foreign-traffic" in codes for codes in revoked_by))
        expect("foreign traffic found once", len(found) == 1)
        evidence = found[0]["evidence"] if found else {}
        print(f"{folder.name}: {found[0]['message'] if found else 'nothing found'}")
        expect("it is an error", found and found[0]["severity"] == "error")
        for key, of in (("foreign_prompt_tokens", "prompt_tokens"), ("foreign_output_tokens", "output_tokens")):
            expect(f"{key} = {facts['foreign'][of]}", evidence.get(key) == facts["foreign"][of])
        expect("no count of requests, of which llama.cpp has none", "foreign_requests" not in evidence)
        process = facts["foreign_process"]
        name = f"{process['name']} (process {process['pid']})"
        expect(f"{name} named", any(who.startswith(name) for who in evidence.get("connected", [])))
    if wrong:
        raise SystemExit("".join(f"{folder.name}: expected {what}\n" for what in wrong))
    print(f"{folder.name}: judged as it is")
    if of_host:
        print(f"{folder.name}: and the machine was not fit: {', '.join(of_host)}")
        raise SystemExit(BUSY)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--role", choices=("own", "foreign"))
    parser.add_argument("--url")
    parser.add_argument("--out")
    parser.add_argument("--label", default="run")
    parser.add_argument("--model", default="unknown")
    parser.add_argument("--own", type=int, default=8)
    parser.add_argument("--foreign", type=int, default=0)
    parser.add_argument("--wait", action="store_true", help="until the server answers")
    parser.add_argument("--check", type=Path, metavar="FOLDER")
    parser.add_argument("--claims", type=Path, metavar="FOLDER")
    parser.add_argument("--judge", type=Path, nargs=2, metavar=("FOLDER", "REPORT"))
    args = parser.parse_args()
    if args.wait:
        Server(args.url).wait()
    elif args.check:
        check(args.check)
    elif args.claims:
        for metric, number in claims(args.claims).items():
            print(f"{metric} = {number:.6g}")
    elif args.judge:
        judge(args.judge[0], json.loads(args.judge[1].read_text()))
    elif args.role == "foreign":
        run_foreign(args)
    else:
        run_own(args)


if __name__ == "__main__":
    main()
