#!/usr/bin/env bash
# Records a benchmark run against a real llama.cpp server, with and without foreign requests in it:
# the results, what the server had counted before, during and after, its log, and what is true.
#
#   PROBE_LLAMA_SERVER=.../llama-server PROBE_MODEL=.../model.gguf scripts/real-foreign-traffic.sh OUT
#
# Opt-in: it does nothing without both variables. OUT/foreign and OUT/clean are written anew. The
# server listens on the loopback at a free port and is stopped in the end. Needs bash and Python 3.
set -euo pipefail

if [[ -z "${PROBE_LLAMA_SERVER:-}" || -z "${PROBE_MODEL:-}" ]]; then
    echo "set PROBE_LLAMA_SERVER to a llama-server and PROBE_MODEL to a GGUF file; nothing was run" >&2
    exit 0
fi
out=$(realpath -m "${1:?where to write the captures}")
server=$(realpath "$PROBE_LLAMA_SERVER")
model=$(realpath "$PROBE_MODEL")
client=$(realpath "$(dirname "$0")")/real/foreign_traffic.py

pid=
stop() {
    if [[ -n "$pid" ]]; then
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
        pid=
    fi
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
    pid=$!
    local status=0
    python3 "$client" --url "http://127.0.0.1:$port" --out "$folder" --label "$1" --own 8 --foreign "$2" \
        --model "$(basename "$model" .gguf)" || status=$?
    stop
    python3 "$client" --check "$folder"
    return "$status"
}

capture foreign 5
capture clean 0
