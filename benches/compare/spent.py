#!/usr/bin/env python3
"""Runs a command and writes what it and every process that it started took: processor seconds, wall seconds, memory.

    python3 benches/compare/spent.py FILE LIMIT_S COMMAND...

Clients start workers, and workers may outlive whoever started them: this program takes such orphans over (Linux's
PR_SET_CHILD_SUBREAPER) and waits for them, so that their processor time is in the sum; the wall time ends with the command
itself. What still runs GRACE_S seconds later, or after LIMIT_S seconds, is killed by its number and counted all the same.
FILE gets one object; its `status` is null where the limit was reached. Memory is that of the largest process.
"""
import ctypes
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path

PR_SET_CHILD_SUBREAPER = 36  # include/uapi/linux/prctl.h
GRACE_S = 10


def children():
    """Processes that this one would have to wait for."""
    return [int(number) for number in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()]


def end_the_rest():
    """Waits for what the command left behind; how many had to be killed."""
    killed, patience = 0, time.monotonic() + GRACE_S
    while True:
        try:
            ended, _ = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return killed
        if ended:
            continue
        if time.monotonic() > patience:
            for number in children():
                os.kill(number, 9)
                killed += 1
            patience = time.monotonic() + GRACE_S
        time.sleep(0.01)


def main():
    file, limit, command = Path(sys.argv[1]), float(sys.argv[2]), sys.argv[3:]
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise SystemExit("expected a kernel that hands orphans over (prctl PR_SET_CHILD_SUBREAPER), found one that does not")
    began = time.perf_counter()
    client = subprocess.Popen(command)
    try:
        status = client.wait(limit)
    except subprocess.TimeoutExpired:
        client.kill()
        client.wait()
        status = None
    took = time.perf_counter() - began
    killed = end_the_rest()
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    file.write_text(json.dumps({
        "status": status, "processor_s": used.ru_utime + used.ru_stime, "wall_s": took, "killed": killed,
        "memory_mb": used.ru_maxrss / 1024,
    }))


if __name__ == "__main__":
    main()
