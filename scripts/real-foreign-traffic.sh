#!/usr/bin/env bash
# Records a benchmark run against a real llama.cpp server, with and without foreign requests in it, and has the
# programs judge it: the benchmark's client runs under watch_host, the foreign client beside it, and audit takes the
# results and the host record. Fails unless the foreign requests are counted exactly, their sender named and the
# claims revoked, and unless the clean run's claims are supported. A capture on a machine that is busy with something
# else is taken again, up to PROBE_TRIES times (default 5): its claims are revoked for that, as they should be.
#
#   PROBE_LLAMA_SERVER=.../llama-server PROBE_MODEL=.../model.gguf scripts/real-foreign-traffic.sh OUT
#
# Opt-in: it does nothing without both variables. OUT/foreign and OUT/clean are written anew: results, host record
# (and the same one without names, host-redacted.json), the metrics before, during and after, the server's log, what
# is true (facts.json), the reports. The server listens on the loopback at a free port and is stopped in the end.
# Needs bash, cargo and Python 3.
set -euo pipefail

if [[ -z "${PROBE_LLAMA_SERVER:-}" || -z "${PROBE_MODEL:-}" ]]; then
    echo "set PROBE_LLAMA_SERVER to a llama-server and PROBE_MODEL to a GGUF file; nothing was run" >&2
    exit 0
fi
out=$(realpath -m "${1:?where to write the captures}")
server=$(realpath "$PROBE_LLAMA_SERVER")
model=$(realpath "$PROBE_MODEL")
root=$(realpath "$(dirname "$0")/..")
client=$root/scripts/real/foreign_traffic.py
(cd "$root" && cargo build --release --quiet -p trueline-examples --example watch_host --example check_host --example audit)
programs=$(cd "$root" && cargo metadata --format-version 1 --no-deps |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')/release/examples

pids=()
stop() {
    for pid in "${pids[@]}"; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    pids=()
}
trap stop EXIT

capture() { # name, foreign requests
    local folder="$out/$1" port
    rm -rf "$folder"
    mkdir -p "$folder"
    port=$(python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
    # From the model's folder, so that the log holds no path of this machine.
    cd "$(dirname "$model")"
    # One thread: two that wait for each other crawl as soon as a third wants a core. The whole
    # window of a model that slides one, so that a part of a prompt can be cached.
    "$server" -m "$(basename "$model")" -c 4096 -np 2 -t 1 --swa-full --host 127.0.0.1 --port "$port" \
        --metrics --slots --seed 1 >"$folder/server.log" 2>&1 &
    pids+=($!)
    local url="http://127.0.0.1:$port"
    python3 "$client" --url "$url" --wait
    if [[ "$2" -gt 0 ]]; then
        python3 "$client" --role foreign --url "$url" --out "$folder" --foreign "$2" &
        pids+=($!)
    fi
    "$programs/watch_host" --metrics-url "$url/metrics" --port "$port" --out "$folder/host.json" \
        --report "$folder/host.txt" -- \
        python3 "$client" --role own --url "$url" --out "$folder" --label "$1" --own 8 --foreign "$2" \
        --model "$(basename "$model" .gguf)"
    stop
    python3 "$client" --check "$folder"
    rm -f "$folder/in-middle" "$folder/foreign.json"
    "$programs/check_host" "$folder/host.json" --redact --out "$folder/host-redacted.json" >/dev/null || true

    local claims=() claim record status=0
    while read -r claim; do claims+=(--claim "$claim"); done < <(python3 "$client" --claims "$folder")
    for record in host host-redacted; do
        # A claim that is revoked ends with 1.
        "$programs/audit" --results "$folder/results.jsonl" --host "$folder/$record.json" "${claims[@]}" \
            --format json --out "$folder/$record-report.json" || [[ $? -eq 1 ]]
        python3 "$client" --judge "$folder" "$folder/$record-report.json" || status=$?
        [[ $status -eq 0 || $status -eq 3 ]] || return "$status"
    done
    "$programs/audit" --results "$folder/results.jsonl" --host "$folder/host.json" "${claims[@]}" --all \
        --out "$folder/report.txt" || [[ $? -eq 1 ]]
    return "$status"
}

until_fit() {
    local try status
    for ((try = 1; try <= ${PROBE_TRIES:-5}; try++)); do
        # A shell of its own that stops at the first fault; behind || it would not.
        set +e
        (set -e; trap stop EXIT; capture "$@")
        status=$?
        set -e
        [[ $status -eq 3 ]] || return "$status"
    done
    echo "$1: the machine was busy at every try" >&2
    return 3
}

until_fit foreign 5
until_fit clean 0
