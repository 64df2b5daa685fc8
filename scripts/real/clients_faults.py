#!/usr/bin/env python3
"""Holds what real clients reported of a faulty server against its ledger, as a table.

    python3 scripts/real/clients_faults.py OUT [--into docs/simulator.md]

OUT is what clients.py wrote. Nothing here is right or wrong of itself: a client that calls a broken reply successful, or
counts late usage as time, does so by its definition. Python 3's standard library alone.
"""
import argparse
import sys
from pathlib import Path

from clients import FAULT_REQUESTS, FAULTS
from clients_table import ledger, put, runs, said_in, true_figures

MARKS = "<!-- real clients and faults: begin -->", "<!-- real clients and faults: end -->"


def trials(client):
    """How many requests a client sends for trial."""
    return {"openai-sdk": 1, "sglang": 1}.get(client, 0)


def more(said, true, part):
    """What the client says more than the ledger."""
    if said is None or true is None:
        return "says nothing"
    return f"{said - true:+d}" if part is None else f"{said[part] - true[part]:+.1f}"


def cells(folder, run):
    entries, _ = ledger(folder, 10**9)
    entries = entries[trials(run["client"]):]
    whole = [entry for entry in entries if entry["finish"] in ("length", "stop")]
    held = f"{FAULT_REQUESTS}"
    if len(entries) != FAULT_REQUESTS:
        held += f", {len(entries)} arrived"
    if len(whole) < len(entries):
        held += f", {len(entries) - len(whole)} cut off"
    said = said_in(folder, run)
    if not said or not said["requests"]:
        return [f"0 of {held}", f"no figures, exit status {run['status']}", "", "", "", "", ""]
    true = true_figures([entry for entry in entries if entry.get("token_times_ns")])
    gaps = [more(said[key], true[key], 1) for key in ("ttft", "itl", "tpot", "e2e")]
    counts = [more(said[key], true[key], None) for key in ("prompt tokens", "output tokens")]
    return [f"{said['requests']} of {held}", *counts, *gaps]


def table(out):
    found = [(folder, run) for folder, run in runs(out) if run["fault"]]
    if not found:
        raise SystemExit(f"no runs with faults in {out}")
    lines = ["| fault | client | counted | prompt tokens | output tokens | TTFT | ITL | TPOT | e2e |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
    known = lambda fault: FAULTS.index(fault) if fault in FAULTS else len(FAULTS)
    for folder, run in sorted(found, key=lambda each: known(each[1]["fault"])):
        parts = [f"`{run['fault']}`", run["client"], *cells(folder, run)]
        lines.append("| " + " | ".join(parts) + " |")
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--into", type=Path, help="a file with the two markers")
    options = parser.parse_args()
    text = table(options.out)
    if options.into:
        put(options.into, MARKS, text)
    else:
        print(text)


if __name__ == "__main__":
    sys.exit(main())
