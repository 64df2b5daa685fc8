#!/usr/bin/env python3
"""Writes the cases of the casebook about the host, `host-…`.

    python3 scripts/cases/host.py cases

Trees of /proc and /sys, logs of nvidia-smi and host records are made up; comments name the public
case where one is behind them. `host-captured-…` and `host-traffic-…` are not written here.
"""
import host_audit
import host_gpu
import host_platform
import host_processes
import host_records
from host_case import FILES
from results import write

AREAS = [host_processes, host_platform, host_gpu, host_records, host_audit]

if __name__ == "__main__":
    write(FILES)
