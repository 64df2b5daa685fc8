#!/usr/bin/env bash
# Measures pairs of arms whose true ratio is known (1.00, 1.05 and 1.30, and one pair of two tools) with real benchmark
# tools, as the cases cases/compare-real-* hold them: SGLang's client (its Rust port, from the wheel of 0.5.23) and
# inference-perf 0.7.0, both unchanged, against scripts/real/paced_server.py, which answers by a clock. What is true of
# each server start stands beside the results.
#
#   scripts/real-arms.sh VENVS OUT                # install, measure, say what a right program must find
#   scripts/real-arms.sh VENVS OUT cases          # and replace the results of the casebook by these
#
# Opt-in: it installs 0.8 GB into VENVS (kept for the next time) and runs for about seven minutes. OUT is written anew and
# must not be there. It needs bash, Python 3 with venv, and the Pythons that the tools ask for: one that the
# wheel of sglang has an extension for (SGLANG_PYTHON, default python3) and one of 3.12 or later for inference-perf
# (INFERENCE_PERF_PYTHON, default python3.12). It listens on the loopback at ports 8100 to 8104 (ARMS_PORT moves them).
#
# Timing is the measurement: run it on a machine that is not starved. A run that was held up is told at the end, and the
# exit status is then 3. The numbers differ from one time to the next; the figures in the comments of the cases are those
# that scripts/expected/real_arms.py prints for the results beside them.
set -euo pipefail

venvs=$(realpath -m "${1:?where to install the tools}")
out=$(realpath -m "${2:?where to write what was measured}")
root=$(realpath "$(dirname "$0")/..")
cases=${3:+$(realpath "$3")}

if [[ ! -x $venvs/uv/bin/uv ]]; then
    python3 -m venv "$venvs/uv"
    "$venvs/uv/bin/pip" install --quiet uv
fi
install() { # folder, Python, what uv installs
    local folder="$venvs/$1" python="$2"
    shift 2
    if [[ ! -x $folder/bin/python ]]; then
        "$venvs/uv/bin/uv" venv --quiet --python "$python" "$folder"
        "$venvs/uv/bin/uv" pip install --quiet --python "$folder/bin/python" "$@"
    fi
}
# The client is one extension module of the wheel: nothing that the package depends on is loaded.
install sglang "${SGLANG_PYTHON:-python3}" --no-deps sglang==0.5.23
install inference-perf "${INFERENCE_PERF_PYTHON:-python3.12}" inference-perf==0.7.0

status=0
python3 "$root/scripts/real/arms.py" --sglang "$venvs/sglang" --inference-perf "$venvs/inference-perf" --out "$out" \
    --port "${ARMS_PORT:-8100}" || status=$?
[[ $status -eq 0 || $status -eq 3 ]] || exit "$status"
python3 "$root/scripts/expected/real_arms.py" "$out"

if [[ -n $cases && $status -eq 0 ]]; then
    for folder in "$out"/compare-real-*/; do
        name=$(basename "$folder")
        mkdir -p "$cases/$name"
        rm -f "$cases/$name"/*.json "$cases/$name"/*.jsonl
        # The tool's other files (its echo of the configuration, a log) are of this machine.
        find "$folder" -maxdepth 1 -type f \( -name '*.jsonl' -o -name '*.json' \) -exec cp -t "$cases/$name" {} +
    done
fi
exit "$status"
