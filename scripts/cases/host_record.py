"""Parts of host records as JSON, schema `trueline.host/1`: what a watch writes down."""
import json

START = 1_794_301_200  # 2026-11-10 09:00:00 UTC.


def known(value, by="measured"):
    return {"is": {"value": value, "by": by}}


def span(s):
    return {"secs": int(s), "nanos": round(s % 1 * 1e9)}


def clocks(at):
    since = known(span(7200 + at))
    return {"wall": known(round((START + at) * 1e9)), "monotonic": since, "since_boot": since}


def process(pid, role, name, ran_s=0.0, waited_s=0.0, start=None, nice=0, **more):
    time = known({"ran_ns": round(ran_s * 1e9), "waited_ns": round(waited_s * 1e9)})
    thread = {"tid": pid, "name": name, "nice": nice, "policy": "other", "time": time}
    absent = {"not": "absent"}
    return {"pid": pid, "start_ticks": start or 100 * pid, "role": role, "name": name, "command": name, "ancestors": [],
            "nice": nice, "policy": "other", "own_ticks": round(100 * ran_s), "reaped_ticks": 0,
            "threads": {"count": 1, "time": time, "listed": [thread]}, "autogroup": absent,
            "allowed_cpus": known("0-7"), "tracer": known(None), "open_files": known(20),
            "open_files_limit": known(1024), "cgroup": known(["0::/"]), "swapped_bytes": known(0),
            "nonvoluntary_switches": known(0), "debug_signs": known([]), "profilers": known([]),
            "slowing_environment": known([])} | more


def processes(at, ours):
    """Client and server, and eight processors of which they kept two busy."""
    busy = 500_000 + 220 * at
    each = {"busy_ticks": busy // 8, "idle_ticks": 600_000 + 72 * at, "interrupt_ticks": 0, "steal_ticks": 0}
    every = {"busy_ticks": busy, "idle_ticks": 4_800_000 + 580 * at, "interrupt_ticks": 0, "steal_ticks": 0}
    server = next((p for p in ours if p["role"] == "server"), None)
    return {"ours": ours, "client_wanted": True, "autogroup": known(True),
            "server": known({"pid": server["pid"], "start_ticks": server["start_ticks"], "name": server["name"],
                             "listeners": [[8000, 51_000]]}) if server else {"not": "not_applicable"},
            "cpu": known({"all": every, "each": [[i, each] for i in range(8)], "runnable": 2}),
            "others": known({"count": 9, "kernel_ticks": 0, "busiest": []})}


def family(at):
    """A server that keeps two processors busy, and a client."""
    return [process(4100, "server", "llama-server", 200 + 2 * at, 0.002 * at),
            process(4200, "client", "bench", 1 + 0.2 * at, 0.0002 * at)]


def snapshot(at, ours=None, gpus=None, **more):
    state = {"clocks": clocks(at), "processes": processes(at, family(at) if ours is None else ours)}
    return state | ({"gpus": known(gpus)} if gpus is not None else {"gpus": {"not": "not_applicable"}}) | more


def tick(at, foreign=0.0, who=(), client=(0.2, 0.0), server=(2.0, 0.0), took=1, **more):
    """A stretch of a watch: cores that others took, and on which both families ran and waited."""
    def delay(pair):
        return known({"ran_ns": round(pair[0] * took * 1e9), "waited_ns": round(pair[1] * took * 1e9)})
    busy = [{"name": name, "pid": 7000 + i, "command": name, "cores": cores, "over": span(took)}
            for i, (name, cores) in enumerate(who)]
    return {"at": span(at), "cpu": {
        "took": span(took), "cpus": 8, "busy_cores": known(client[0] + server[0] + foreign),
        "client_cores": known(client[0]), "server_cores": known(server[0]), "watcher_cores": known(0.01),
        "foreign_cores": known(foreign, "derived"), "steal_cores": known(0.0), "runnable": known(3), "who": busy,
        "client_delay": delay(client), "server_delay": delay(server)}} | more


def record(before=None, after=None, ticks=(), end=None, conditions=None, **more):
    parts = {"schema": "trueline.host/1"}
    if end is not None:
        parts |= {"started_at_s": START, "ended_at_s": START + end}
    parts["conditions"] = conditions or {"machine": "box-2"}
    parts |= {name: part for name, part in [("before", before), ("after", after), ("ticks", list(ticks))] if part}
    return json.dumps(parts | more) + "\n"
