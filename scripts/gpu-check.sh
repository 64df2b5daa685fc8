#!/bin/sh
# Records what the host crate reads of a machine's GPUs, at rest and under load, into a folder.
#
#   scripts/gpu-check.sh [FOLDER] [-- COMMAND …]
#
# COMMAND keeps the GPU busy (default: matrix products by PyTorch, else by nvbandwidth, gpu_burn or
# llama-bench, whichever is there). It only reads, needs no root and takes about two minutes after
# the build. SECONDS_BUSY (30) and SECONDS_IDLE (10) set the lengths.
#
# What it leaves in FOLDER (default gpu-check):
#   tests.txt                 the crate's tests with the driver's own library at hand
#   idle.json   busy.json     host records of a watch over each
#   idle.txt    busy.txt      the reports
#   smi.csv                   the same time as nvidia-smi saw it
#   smi.txt                   the report of smi.csv alone
#   smi-q.txt                 everything nvidia-smi -q says, ids left out
#   summary.txt               what to look at first
set -u

folder=gpu-check
if [ $# -gt 0 ] && [ "$1" != "--" ]; then
    folder=$1
    shift
fi
[ "${1:-}" = "--" ] && shift
busy_s=${SECONDS_BUSY:-30}
idle_s=${SECONDS_IDLE:-10}
root=$(cd "$(dirname "$0")/.." && pwd)
mkdir -p "$folder" || exit 2
folder=$(cd "$folder" && pwd)
summary=$folder/summary.txt
: >"$summary"
say() { printf '%s\n' "$*" | tee -a "$summary"; }

cd "$root" || exit 2
say "== build with the feature nvml"
if ! cargo build --release -p trueline-examples --features nvml --example check_host \
    --example watch_host \
    >"$folder/build.txt" 2>&1; then
    say "the programs do not build: see build.txt"
    exit 1
fi
target=${CARGO_TARGET_DIR:-$root/target}/release/examples
say "== tests of the host crate"
if cargo test -q -p trueline-host --features nvml >"$folder/tests.txt" 2>&1; then
    say "tests pass"
else
    say "tests FAIL: see tests.txt"
fi

# A loop of nvidia-smi beside it all: the same judged from the table must agree.
smi=
if command -v nvidia-smi >/dev/null 2>&1; then
    nvidia-smi -q 2>&1 | grep -viE 'uuid|serial|part number' >"$folder/smi-q.txt"
    query=timestamp,index,name,driver_version,pstate,utilization.gpu,temperature.gpu
    query=$query,power.draw,power.limit,enforced.power.limit,power.default_limit
    query=$query,clocks.sm,clocks.mem,clocks.max.sm,clocks.max.mem
    query=$query,pcie.link.gen.current,pcie.link.gen.max,pcie.link.width.current
    query=$query,pcie.link.width.max,persistence_mode,mig.mode.current,ecc.mode.current
    query=$query,ecc.errors.uncorrected.volatile.total
    # Columns that some drivers lack make the whole query fail: each is tried by itself.
    for more in clocks_event_reasons.active clocks_throttle_reasons.active \
        temperature.gpu.tlimit clocks_event_reasons_counters.sw_power_cap \
        clocks_event_reasons_counters.hw_thermal_slowdown \
        clocks_event_reasons_counters.sw_thermal_slowdown \
        clocks_event_reasons_counters.hw_power_brake_slowdown; do
        if [ "$more" = clocks_throttle_reasons.active ]; then
            case $query in *clocks_event_reasons.active*) continue ;; esac
        fi
        if nvidia-smi --query-gpu="$more" --format=csv >/dev/null 2>&1; then
            query=$query,$more
        else
            say "nvidia-smi has no column $more"
        fi
    done
    nvidia-smi --query-gpu="$query" --format=csv -lms 500 >"$folder/smi.csv" 2>&1 &
    smi=$!
    trap 'kill "$smi" 2>/dev/null' EXIT INT TERM
else
    say "no nvidia-smi here"
fi

say "== at rest for $idle_s s"
"$target/watch_host" --interval 500ms --out "$folder/idle.json" --report "$folder/idle.txt" \
    -- sleep "$idle_s" >>"$folder/idle-output.txt" 2>&1
say "watch_host ended with $?"

torch='
import sys, time, torch
n = 8192
a = torch.randn(n, n, device="cuda", dtype=torch.bfloat16)
b = torch.randn(n, n, device="cuda", dtype=torch.bfloat16)
end, done, start = time.time() + float(sys.argv[1]), 0, time.time()
while time.time() < end:
    for _ in range(20):
        c = a @ b
    torch.cuda.synchronize()
    done += 20
print("%.1f TFLOP/s" % (done * 2 * n**3 / (time.time() - start) / 1e12))
'
if [ $# -eq 0 ]; then
    if python3 -c 'import torch; assert torch.cuda.is_available()' >/dev/null 2>&1; then
        set -- python3 -c "$torch" "$busy_s"
    elif command -v gpu_burn >/dev/null 2>&1; then
        set -- gpu_burn "$busy_s"
    elif command -v nvbandwidth >/dev/null 2>&1; then
        set -- timeout "$busy_s" sh -c 'while :; do nvbandwidth -t device_local_copy; done'
    elif command -v llama-bench >/dev/null 2>&1 && [ -n "${MODEL:-}" ]; then
        set -- timeout "$busy_s" llama-bench -m "$MODEL" -r 100
    fi
fi
if [ $# -eq 0 ]; then
    say "nothing here keeps the GPU busy: give a command after --"
else
    say "== under load: $1"
    "$target/watch_host" --interval 500ms --out "$folder/busy.json" --report "$folder/busy.txt" \
        -- "$@" >"$folder/busy-output.txt" 2>&1
    say "watch_host ended with $?; the load said: $(tail -n 1 "$folder/busy-output.txt")"
fi

if [ -n "$smi" ]; then
    kill "$smi" 2>/dev/null
    wait "$smi" 2>/dev/null
    "$target/check_host" --gpu-log "$folder/smi.csv" --all >"$folder/smi.txt" 2>&1
    say "check_host --gpu-log ended with $?"
fi

say "== findings of GPUs"
for report in idle busy smi; do
    [ -f "$folder/$report.txt" ] || continue
    say "-- $report"
    grep -nE 'gpu-[a-z-]+' "$folder/$report.txt" | head -n 12 | tee -a "$summary"
done
say "== files in $folder"
ls -l "$folder" | tee -a "$summary"
