"""Cases of the host: a clean run with a record of its host, and the same with one fault of the host.

The watch and the server's counters are two records: the first is made of trees, the second one is that
of `host_traffic.py` without readings of the host.
"""
import json

from host_case import case, spoiled
from host_gpu_log import H100, clocks, log
from host_platform import quota, stolen
from host_processes import hog, of, zsh
from host_traffic import EARLIER, engine, loop, results, snapshot
from host_tree import TOOK

RUN = loop(33, 4, seed=3, begin=1.0)
CLAIM = "bench-prefill_tok_per_s-absolute"
assert max(r["at"] + r["e2e"] for r in RUN) < TOOK


def counters():
    """What the server counted, and nothing of its host."""
    ends = [snapshot(at, [engine("engine=0,model_name=small-8b", served, EARLIER)])
            for at, served in [(0, []), (TOOK, RUN)]]
    for end in ends:
        del end["processes"]
    start = ends[0]["clocks"]["wall"]["is"]["value"] // 10**9
    return json.dumps({"schema": "trueline.host/1", "started_at_s": start, "ended_at_s": start + TOOK,
                       "conditions": {"machine": "box-2"}, "before": ends[0], "after": ends[1]}) + "\n"


def audit(name, about, both=None, after=None, gpu=None, status="revoked", **said):
    files, trees = spoiled(both, after=after)
    files |= {"bench.jsonl": results("bench", RUN), "counters.json": counters()}
    record = ["--before", "{made}/before", "--after", "{made}/after"]
    if gpu:
        files["gpu.csv"] = gpu
        record += ["--gpu-log", "{case}/gpu.csv"]
    arguments = ["--results", "{case}/bench.jsonl", "--host", "{made}/host.json", "--host", "{case}/counters.json"]
    said.setdefault("values", {})
    if status == "revoked":
        said |= {"revoked": True, "values": {"/claims/0/revoked_by/0": said["expect"][0]} | said["values"]}
    case(f"audit-{name}", about, arguments, program="audit", trees=trees, files=files, record=record,
         statuses={CLAIM: status}, **said)


WELL = log(H100, *clocks(*[1980] * 20))
audit("well", "a clean run, its server's counters balanced, watched on a machine and a GPU that are well", gpu=WELL,
      status="supported", near=["foreign-traffic", "gpu-clock-low", "foreign-cpu-load", "cpu-run-delay", "process-traced"])
# Counters say nothing of the host: the same run without the watch.
case("audit-counters-alone", "the server's counters balance, and nobody watched the host",
     ["--results", "{case}/bench.jsonl", "--host", "{case}/counters.json"], program="audit", near=["foreign-traffic"],
     files={"bench.jsonl": results("bench", RUN), "counters.json": counters()}, statuses={CLAIM: "not_shown"},
     values={"/claims/0/missing/0": "host-record"})
audit("nice-5", "the client was started in the background by zsh, and waited for nothing: a cause without an effect",
      zsh, status="supported", expect=["nice-not-zero"], values={"/claims/0/weakened_by/0": "nice-not-zero"})
audit("others-compile", "a compiler kept three of eight processors busy beside the run", hog("rustc", 3),
      expect=["foreign-cpu-load"])
audit("quota", "the server's group was held in every second period", quota(200, 100), expect=["quota-throttled"])
audit("steal", "other guests took a fifth of the time", after=stolen(1_130), expect=["cpu-steal"])
audit("traced", "a debugger was attached to the server", of(4100, tracer=5000), expect=["process-traced"])
audit("debug-build", "the client is a debug build", of(4200, exe="/opt/bench/target/debug/bench"), expect=["debug-build"])
audit("gpu-at-a-third", "the GPU ran at a third of its clock", gpu=log(H100, *clocks(660, 690, 630, 675, 645, 660, 660,
      power=180)), expect=["gpu-clock-low"])
