#!/usr/bin/env bash
# Runs clients of other people's making against the simulated server and holds what they report against its ledger:
# the OpenAI Python SDK, SGLang's benchmark (its Rust client, from the wheel of 0.5.23), AIPerf 0.13.0 and
# inference-perf 0.7.0, all unchanged, each at concurrency 1 and 4, and then against some of the server's faults.
#
#   scripts/real-clients.sh VENVS OUT             # install, run, print the tables
#   scripts/real-clients.sh VENVS OUT docs        # and write them into docs/simulator.md
#
# Opt-in: it installs 2 GB into VENVS (kept for the next time) and runs for about fifteen minutes. OUT is written anew and must
# not be there. It needs bash, Rust, Python 3 with venv, and the Pythons that the tools ask for: one that the wheel of
# sglang has an extension for (SGLANG_PYTHON, default python3), one for AIPerf (AIPERF_PYTHON, default python3) and one of
# 3.12 or later for inference-perf (INFERENCE_PERF_PYTHON, default python3.12). It listens on the loopback at port 8110
# (CLIENTS_PORT moves it).
#
# Timing is the measurement: run it on a machine that is not starved. A figure that is further from the ledger than is known
# of its client is told at the end, and the exit status is then 3; the table is written all the same.
set -euo pipefail

venvs=$(realpath -m "${1:?where to install the clients}")
out=$(realpath -m "${2:?where to write what was measured}")
docs=${3:-}
root=$(realpath "$(dirname "$0")/..")
[[ -z $docs || $docs == docs ]] || { echo "expected nothing or docs after OUT, found $docs" >&2; exit 2; }

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
install openai "${OPENAI_PYTHON:-python3}" openai==3.57.0
# The client is one extension module of the wheel: nothing that the package depends on is loaded.
install sglang "${SGLANG_PYTHON:-python3}" --no-deps sglang==0.5.23
install aiperf "${AIPERF_PYTHON:-python3}" aiperf==0.13.0
install inference-perf "${INFERENCE_PERF_PYTHON:-python3.12}" inference-perf==0.7.0

cargo build --quiet --release --manifest-path "$root/Cargo.toml" -p trueline-live-examples --example simulate_server
server=${SIMULATE_SERVER:-"$root/target/release/examples/simulate_server"}
python3 "$root/scripts/real/clients.py" --venvs "$venvs" --out "$out" --port "${CLIENTS_PORT:-8110}" \
    --server "$server --port {port} --prefill 1000 --prefill-fixed 50 --decode-step 20 --decode-step-per-stream 1 --spread 0.05"
into=()
[[ -z $docs ]] || into=(--into "$root/docs/simulator.md")
python3 "$root/scripts/real/clients_faults.py" "$out" "${into[@]}"
python3 "$root/scripts/real/clients_table.py" "$out" "${into[@]}"
