"""What the independent readings share: it writes what tests/it/results.rs compares.

    python3 TOOL.py CORPUS > TOOL.json

Nothing here looks at the Rust code; each script reads its tool's files with the standard library and
the field descriptions of the tool's own documentation.
"""
import json
import sys
from pathlib import Path


def corpus():
    return Path(sys.argv[1])


def run(tool, load, duration_s, figures, totals, requests=None, **more):
    """One run. Figures and totals that are None or not finite are left out: they are not known."""
    known = {k: v for k, v in figures.items() if v is not None and v == v and abs(v) != float("inf")}
    totals = {k: int(v) for k, v in totals.items() if v is not None}
    return {"tool": tool, "load": load, "duration_s": duration_s, "figures": known,
            "totals": totals, "requests": requests or {}, **more}


def write(files):
    json.dump(files, sys.stdout, indent=1, sort_keys=True)
    print()
