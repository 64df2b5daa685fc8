#!/usr/bin/env python3
"""Writes the files of the casebook's cases of the probe before a real llama.cpp server from what real-observers.sh captured.

    python3 scripts/real/observer_cases.py OUT cases

Requests are kept byte for byte; of the host's record what is of one machine and says nothing here is replaced, as for the
cases of foreign_cases.py. Prints what is true of each.
"""
import json
import shutil
import sys
from pathlib import Path

import foreign_cases

CASES = {"probe-real-warm": "warm", "probe-real-server-killed": "cut-killed",
         "probe-real-interrupted": "cut-ctrl-c", "probe-real-foreign": "foreign"}


def main():
    captures, cases = map(Path, sys.argv[1:3])
    foreign_cases.KEPT |= {"probe"}
    for name, capture in CASES.items():
        folder = cases / name
        folder.mkdir(exist_ok=True)
        saved = captures / f"{capture}.jsonl"
        shutil.copyfile(saved, folder / "run.jsonl")
        lines = [json.loads(line) for line in saved.read_text().splitlines() if line]
        rows = [line for line in lines if "schema" not in line]
        measured = [row for row in rows if not row.get("warmup")]
        outcomes = [row.get("outcome") for row in measured]
        print(name, {outcome: outcomes.count(outcome) for outcome in sorted(set(outcomes))},
              "cached", sum(row.get("cached_tokens") or 0 for row in measured),
              "of", sum(row.get("prompt_tokens") or 0 for row in measured), "prompt tokens")
        record = captures / f"{capture}.host.json"
        if capture == "foreign":
            made = foreign_cases.scrub(json.loads(record.read_text()))
            (folder / "run.host.json").write_text(foreign_cases.text(made))


if __name__ == "__main__":
    main()
