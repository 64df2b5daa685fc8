#!/usr/bin/env python3
"""Writes the files of the two casebook cases of a real llama.cpp server from what real-foreign-traffic.sh captured.

    python3 scripts/real/foreign_cases.py OUT cases

The redacted host record still holds what is of one machine and says nothing here: the start of the system, the kernel's
build, the names of programs that had no part in it. Those are replaced; no reading is.
"""
import json
import sys
from pathlib import Path

KEPT = {"bash", "sh", "python3", "llama-server", "watch_host"}
BOOT = "00000000-0000-4000-8000-000000000000"


def scrub(value):
    if isinstance(value, list):
        return [scrub(part) for part in value]
    if not isinstance(value, dict):
        return value
    made = {key: scrub(part) for key, part in value.items()}
    if "pid" in made and made.get("name", "bash") not in KEPT:
        made["name"] = "init" if made["pid"] == 1 else "other"
    for key, text in (("boot_id", BOOT), ("kernel", "6.18")):
        if isinstance(made.get(key), dict):
            made[key]["is"]["value"] = text
    return made


def text(record):
    """One line for each end and each tick."""
    compact = lambda value: json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    parts = []
    for key, value in record.items():
        if key == "ticks":
            value = "[\n" + ",\n".join(compact(tick) for tick in value) + "\n]"
        else:
            value = compact(value)
        parts.append(f"{compact(key)}:{value}")
    return "{" + ",\n".join(parts) + "}\n"


def main():
    captures, cases = map(Path, sys.argv[1:3])
    for name in ("foreign", "clean"):
        folder = cases / f"host-traffic-llama-cpp-{name}"
        folder.mkdir(exist_ok=True)
        record = scrub(json.loads((captures / name / "host-redacted.json").read_text()))
        (folder / "host.json").write_text(text(record))
        (folder / "results.jsonl").write_bytes((captures / name / "results.jsonl").read_bytes())
        facts = json.loads((captures / name / "facts.json").read_text())
        print(name, {key: facts[key] for key in ("own", "warmup_before", "foreign", "foreign_process", "counted")})


if __name__ == "__main__":
    main()
