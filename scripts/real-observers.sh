#!/usr/bin/env bash
# Three observers of one real llama.cpp server: the probe, the system calls of that same probe run (strace), and a client
# of another making over a bare socket, in turns with it; and beside them the server's own timings.
#
#   PROBE_LLAMA_SERVER=.../llama-server PROBE_MODEL=.../model.gguf scripts/real-observers.sh OUT
#
# Fails unless all of this holds:
#   - TTFT and end-to-end latency of each request of the probe are those of its system calls within 1 ms;
#   - what TTFT is longer than the server's prompt time is for both clients the same within 5 ms in the median;
#   - cached tokens of a warm run are those that the server's metrics count, to the token;
#   - of 200 requests at 1, 2 and 4 in flight not one is lost, over fresh connections and over kept ones;
#   - a server killed and a probe interrupted in the middle of a run leave a file that reads, marked as a part;
#   - requests of somebody else during a run are counted exactly.
#
# Opt-in: it does nothing without both variables. Timing is the measurement: run it on a machine that is idle. Needs bash,
# cargo, Python 3 and strace; listens on the loopback at free ports; about ten minutes.
set -euo pipefail

if [[ -z "${PROBE_LLAMA_SERVER:-}" || -z "${PROBE_MODEL:-}" ]]; then
    echo "set PROBE_LLAMA_SERVER to a llama-server and PROBE_MODEL to a GGUF file; nothing was run" >&2
    exit 0
fi
out=$(realpath -m "${1:?where to write what was measured}")
root=$(realpath "$(dirname "$0")/..")
(cd "$root" && cargo build --release --quiet -p trueline-live-examples -p trueline-examples --examples)
programs=$(cd "$root" && cargo metadata --format-version 1 --no-deps |
    python3 -c 'import json, sys; print(json.load(sys.stdin)["target_directory"])')/release/examples
exec python3 "$root/scripts/real/observers.py" --server "$(realpath "$PROBE_LLAMA_SERVER")" \
    --model "$(realpath "$PROBE_MODEL")" --programs "$programs" --out "$out"
