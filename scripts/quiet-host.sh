#!/usr/bin/env bash
# Is a quiet machine called quiet? Runs check_host and a watch_host of five seconds again and again
# on this machine, with nothing to do but to wait, and counts what stands against it.
#
#   cargo build --release -p trueline-examples --examples && scripts/quiet-host.sh [TIMES]
#
# A line for each run: how busy others kept the processors by the kernel's own count, then errors and
# warnings. Each run begins when the machine has been quiet for two seconds, or after a minute of
# waiting for that. Runs beside others (above 5 %) are told apart: what is found there may be true.
# Exit status 1 where a quiet run had an error. Three minutes for the 20 times that are usual, where
# nothing else runs. Needs Python 3.
set -euo pipefail

programs=$(realpath "$(dirname "$0")/../target/release/examples")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

python3 - "$programs" "$work" "${1:-20}" <<'PYTHON'
import json, resource, subprocess, sys, time

programs, work, times = sys.argv[1], sys.argv[2], int(sys.argv[3])
QUIET = 0.05


def ticks():
    """Busy and all processor time, in hundredths of a second."""
    fields = [int(field) for field in open("/proc/stat").readline().split()[1:9]]
    return sum(fields[:3]), sum(fields)


def own():
    """Processor time of this script and of what it ran, in hundredths of a second."""
    both = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return 100 * sum(use.ru_utime + use.ru_stime for use in both)


def others(act):
    """The share of the processors that others kept busy meanwhile."""
    (busy, all_), mine = ticks(), own()
    act()
    (busy_after, all_after), mine_after = ticks(), own()
    return max(0.0, busy_after - busy - (mine_after - mine)) / max(1, all_after - all_)


def wait():
    for _ in range(30):
        if others(lambda: time.sleep(2)) < QUIET / 2:
            return


def run(name, command):
    report = f"{work}/report.json"
    line = [f"{programs}/{name}", "--format", "json", "--out", f"{work}/record.json", "--report", report]
    share = others(lambda: subprocess.run(line + command, check=False))
    found = json.load(open(report))["findings"]
    codes = {s: [f["code"] for f in found if f["severity"] == s] for s in ("error", "warning")}
    words = [f"{severity} {' '.join(all_)}" for severity, all_ in codes.items() if all_]
    print(f"{name}  others {share:4.0%}  {'; '.join(words) or 'nothing'}", flush=True)
    return name, share < QUIET, bool(codes["error"]), bool(codes["warning"])


runs = []
for _ in range(times):
    for name, command in (("check_host", []), ("watch_host", ["--", "sleep", "5"])):
        wait()
        runs.append(run(name, command))
print()
for name in ("check_host", "watch_host"):
    for quiet, words in ((True, "quiet"), (False, "beside others")):
        of = [r for r in runs if r[:2] == (name, quiet)]
        errors, warnings = sum(r[2] for r in of), sum(r[3] for r in of)
        print(f"{name}, {words}: {len(of)} runs, an error in {errors}, a warning in {warnings}")
sys.exit(any(quiet and error for _, quiet, error, _ in runs))
PYTHON
