#!/usr/bin/env python3
"""Runs the probe, its system calls and a client of another making against one real llama.cpp server, and compares.

scripts/real-observers.sh calls it. Each check prints a line; the exit status is 1 if one of them fails. Shares no code with
the crates; Python 3's standard library alone.
"""
import argparse
import json
import re
import signal
import socket
import statistics
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

HERE = Path(__file__).resolve().parent
WITHIN_CALLS_S, WITHIN_CLIENTS_S = 0.001, 0.005
TURNS, EACH = 4, 6
CALL = re.compile(r"^(?:\d+ +)?(\d+\.\d+) (\w+)\((\d+)(?:<[^>]*>)?, (.*)\) += (-?\d+).*<(\d+\.\d+)>$")
# The first text that a chunk of the reply carries, as it stands in strace's escaped output.
TEXT = re.compile(r'\\"delta\\":\{[^}]*\\"content\\":\\"(?!\\")')


class Server:
    """A llama.cpp server; it ends with the block that it is used in."""

    def __init__(self, options, log, slots=4):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.address, self.url = f"127.0.0.1:{port}", f"http://127.0.0.1:{port}"
        command = [options.server, "-m", options.model.name, "--alias", "gemma-3-270m", "-c", str(4096 * slots), "-np",
                   str(slots), "-t", "1", "--swa-full", "--host", "127.0.0.1", "--port", str(port), "--metrics", "--seed", "1"]
        self.process = subprocess.Popen(command, cwd=options.model.parent, stdout=open(log, "w"), stderr=subprocess.STDOUT)
        for _ in range(600):
            try:
                if urllib.request.urlopen(f"{self.url}/health", timeout=5).status == 200:
                    return
            except OSError:
                time.sleep(0.1)
        raise SystemExit("the server does not come up")

    def metric(self, name):
        text = urllib.request.urlopen(f"{self.url}/metrics", timeout=30).read().decode()
        return float(re.search(rf"^llamacpp:{name} (\S+)$", text, re.M)[1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def probe(options, server, saved, *flags, around=(), **more):
    command = [*around, options.programs / "probe", server.url, "--save", saved, "--no-progress", *flags]
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, **more)


def rows(saved):
    """The requests of a file, warm-up left out."""
    lines = [json.loads(line) for line in saved.read_text().splitlines() if line]
    return [line for line in lines if "schema" not in line and not line.get("warmup")]


def calls(trace):
    """Of each connection, in order: when its request was sent, when the first text of the reply had been read and the last."""
    open_, done = {}, []
    for line in trace.read_text(errors="replace").splitlines():
        found = CALL.match(line)
        if not found:
            continue
        at, name, fd, what, result, took = found.groups()
        end = float(at) + float(took)
        if name in ("sendto", "write", "writev", "sendmsg") and "POST /v1/" in what:
            open_[fd] = [float(at)]
            done.append(open_[fd])
        elif name in ("recvfrom", "read", "readv", "recvmsg") and fd in open_ and int(result) > 0 and TEXT.search(what):
            open_[fd].append(end)
    return [(times[0], times[1], times[-1]) for times in done if len(times) > 1]


def prompt_times(log):
    """The server's prompt times in seconds, in the order in which it printed them."""
    return [float(ms) / 1e3 for ms in re.findall(r"prompt eval time = +([\d.]+) ms", log.read_text())]


def against_system_calls(options, out):
    with Server(options, out / "calls.log") as server:
        saved, trace = out / "calls.jsonl", out / "calls.strace"
        strace = ["strace", "-f", "-ttt", "-T", "-s", "65536", "-e", "trace=sendto,write,writev,sendmsg,recvfrom,read,readv,recvmsg",
                  "-o", str(trace)]
        ran = probe(options, server, saved, "--requests", "20", "--warmup", "0", "--prompt-tokens", "200", "--output-tokens", "16",
                    around=strace)
        seen, called = rows(saved), calls(trace)
        if len(seen) != 20 or len(called) != 20:
            return False, f"{len(seen)} requests saved and {len(called)} seen in system calls, of 20: {ran.stderr[-300:]}"
        gaps = [abs(row["ttft_s"] - (first - sent)) for row, (sent, first, _) in zip(seen, called)]
        gaps += [abs(row["e2e_latency_s"] - (last - sent)) for row, (sent, _, last) in zip(seen, called)]
        return max(gaps) <= WITHIN_CALLS_S, f"20 requests, TTFT and end-to-end within {1e3 * max(gaps):.3f} ms of the system calls"


def against_another_client(options, out):
    log = out / "turns.log"
    with Server(options, log) as server:
        extra, seen = {"probe": [], "socket": []}, 0
        for turn in range(TURNS):
            saved = out / f"turn-{turn}.jsonl"
            probe(options, server, saved, "--requests", str(EACH), "--warmup", "0", "--prompt-tokens", "200", "--output-tokens", "16")
            raw = subprocess.run([sys.executable, HERE / "raw_client.py", server.address, str(EACH), "180", "16", str(turn)],
                                 capture_output=True, text=True, check=True).stdout
            for name, lines in (("probe", rows(saved)), ("socket", map(json.loads, raw.splitlines()))):
                for row in lines:
                    extra[name].append((row["ttft_s"], seen))
                    seen += 1
        time.sleep(0.5)
    computed = prompt_times(log)
    if len(computed) != seen:
        return False, f"{seen} requests sent and {len(computed)} in the server's log"
    medians = {name: statistics.median(ttft - computed[at] for ttft, at in of) for name, of in extra.items()}
    gap = abs(medians["probe"] - medians["socket"])
    return gap <= WITHIN_CLIENTS_S, (f"{TURNS * EACH} requests each in turns: TTFT is {1e3 * medians['probe']:.2f} ms longer than the "
                                     f"server's prompt time for the probe, {1e3 * medians['socket']:.2f} for the bare socket")


def cached_tokens(options, out):
    with Server(options, out / "warm.log") as server:
        saved = out / "warm.jsonl"
        probe(options, server, saved, "--prefix", "warm", "--requests", "20", "--prompt-tokens", "300", "--output-tokens", "4")
        everything = [json.loads(line) for line in saved.read_text().splitlines()]
        said = sum(row.get("cached_tokens") or 0 for row in everything if "schema" not in row)
        counted = server.metric("prompt_tokens_cached_total")
        return said == counted and said > 0, f"{said} cached tokens in the file, {counted:.0f} in the server's metrics"


def nothing_lost(options, out):
    told, fine = [], True
    with Server(options, out / "lost.log") as server:
        for kept in ((), ("--reuse-connections",)):
            for level in (1, 2, 4):
                saved = out / f"lost-{level}{'-kept' if kept else ''}.jsonl"
                probe(options, server, saved, "--requests", "200", "--arrival", f"closed={level}", "--prompt-tokens", "20",
                      "--output-tokens", "4", *kept)
                answered = sum(row.get("outcome") == "ok" for row in rows(saved))
                fine &= answered == 200
                told.append(f"{answered} of 200 at {level}{' over kept connections' if kept else ''}")
    return fine, ", ".join(told)


def cut_short(options, out):
    told, fine = [], True
    for name, cut in (("killed server", lambda server, _: server.process.kill()),
                      ("Ctrl-C", lambda _, client: client.send_signal(signal.SIGINT))):
        saved = out / f"cut-{name.split()[0].lower()}.jsonl"
        with Server(options, out / "cut.log") as server:
            command = [options.programs / "probe", server.url, "--save", saved, "--no-progress", "--requests", "500",
                       "--prompt-tokens", "100", "--output-tokens", "16"]
            client = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            for _ in range(600):
                if saved.exists() and len(saved.read_text().splitlines()) > 8:
                    break
                time.sleep(0.1)
            cut(server, client)
            text, _ = client.communicate(timeout=120)
        read = subprocess.run([options.programs / "check_results", saved, "--format", "json"], capture_output=True, text=True)
        answered = sum(row.get("outcome") == "ok" for row in rows(saved))
        # What is said last stands.
        partial = re.findall(r'"partial":\{"is":\{"value":"(\w+)"', saved.read_text())[-1:] == ["yes"]
        fine &= read.returncode in (0, 1) and answered > 0 and partial
        told.append(f"{name}: probe ended with {client.returncode}, {answered} requests kept, "
                    f"{'marked as a part' if partial else 'NOT marked'}, check_results {read.returncode}")
    return fine, "; ".join(told)


def foreign_counted(options, out):
    with Server(options, out / "foreign.log") as server:
        saved, report = out / "foreign.jsonl", out / "foreign.json"
        command = [options.programs / "probe", server.url, "--save", saved, "--no-progress", "--requests", "20", "--prompt-tokens", "200",
                   "--output-tokens", "16", "--metrics-url", f"{server.url}/metrics", "--port", server.address.split(":")[1], "--redact",
                   "--format", "json", "--out", report]
        client = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not saved.exists() or len(saved.read_text().splitlines()) < 6:
            time.sleep(0.1)
        raw = subprocess.run([sys.executable, HERE / "raw_client.py", server.address, "5", "100", "8", "99"],
                             capture_output=True, text=True, check=True).stdout
        client.communicate(timeout=300)
    sent = [json.loads(line)["usage"] for line in raw.splitlines()]
    true = sum(use["completion_tokens"] for use in sent)
    found = [f for f in json.loads(report.read_text())["findings"] if f["code"] == "foreign-traffic"]
    said = json.dumps([f["evidence"] for f in found])
    return bool(found) and re.search(rf"\b{true}\b", said) is not None, f"5 foreign requests with {true} output tokens; found: {said[:300]}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--server", required=True)
    parser.add_argument("--model", type=Path, required=True)
    parser.add_argument("--programs", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--only", help="one check alone")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    failed = 0
    for check in (against_system_calls, against_another_client, cached_tokens, nothing_lost, cut_short, foreign_counted):
        if options.only not in (None, check.__name__):
            continue
        fine, told = check(options, options.out)
        print(f"{'ok ' if fine else 'NO '} {check.__name__.replace('_', ' ')}: {told}", flush=True)
        failed += not fine
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
