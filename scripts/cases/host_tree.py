"""Builds trees of /proc and /sys for the casebook: one quiet machine, to be spoiled one thing at a time.

Lines have the form that Linux 6.8 and 6.18 gave where they were captured; names and numbers are made
up. The machine has eight processors; for 20 seconds a server keeps two of them busy and a client a
fifth of one.
"""
import json
from dataclasses import dataclass, field

START = 1_794_301_200  # 2026-11-10 09:00:00 UTC.
UP = 7200  # Seconds since boot at the start.
TOOK = 20
SECOND = 1_000_000_000
CPU, GROUPS = "sys/devices/system/cpu", "sys/fs/cgroup"
SERVE = f"{GROUPS}/system.slice/serve.service"
TLB = "0000000000000000"


@dataclass
class Thread:
    tid: int
    ran_ns: int = 0
    waited_ns: int = 0
    nice: int = 0
    policy: int = 0


@dataclass
class Process:
    """One process; `threads` only of those that are looked at closely."""
    pid: int
    name: str
    parent: int
    start: int
    group: int = 0
    session: int = 0
    nice: int = 0
    policy: int = 0
    ticks: int = 0
    reaped: int = 0
    kernel: bool = False
    threads: list = field(default_factory=list)
    sockets: list = field(default_factory=list)
    open: int = 20
    limit: str = "1024"
    allowed: str = "0-7"
    tracer: int = 0
    swapped_kb: int = 0
    exe: str = "/usr/bin/program"
    command: str = ""
    environ: str = ""
    maps: str = ""
    cgroup: str = "/"

    def line(self, pid, ticks, nice, policy, name=None):
        flags = 0x200000 if self.kernel else 0x400000
        ids = f"{self.parent} {self.group or self.pid} {self.session or self.pid}"
        count = max(1, len(self.threads))
        return (f"{pid} ({name or self.name}) S {ids} 0 -1 {flags} 0 0 0 0 {ticks} 0 {self.reaped} 0 "
                f"{20 + nice} {nice} {count} 0 {self.start} 0 0 18446744073709551615 0 0 0 0 0 0 0 0 0 "
                f"0 0 0 17 0 0 {policy} 0 0 0 0 0 0 0 0 0 0 0")

    def files(self):
        at = f"proc/{self.pid}"
        files = {f"{at}/stat": self.line(self.pid, self.ticks, self.nice, self.policy)}
        if not self.threads:
            return files
        for t in self.threads:
            task = f"{at}/task/{t.tid}"
            files[f"{task}/stat"] = self.line(t.tid, t.ran_ns // 10_000_000, t.nice, t.policy)
            files[f"{task}/schedstat"] = f"{t.ran_ns} {t.waited_ns} {t.ran_ns // 1_000_000}"
        files |= {
            f"{at}/status": f"Name:\t{self.name}\nPid:\t{self.pid}\nTracerPid:\t{self.tracer}\n"
                            f"VmRSS:\t  4194304 kB\nVmSwap:\t       {self.swapped_kb} kB\n"
                            f"Threads:\t{len(self.threads)}\nCpus_allowed_list:\t{self.allowed}\n"
                            "nonvoluntary_ctxt_switches:\t24",
            f"{at}/limits": "Limit                     Soft Limit           Hard Limit           Units     \n"
                            f"Max open files            {self.limit:<20} 1048576              files     ",
            f"{at}/cmdline": self.command or self.name, f"{at}/exe": self.exe,
            f"{at}/environ": self.environ, f"{at}/maps": self.maps, f"{at}/cgroup": f"0::{self.cgroup}",
        }
        opened = [f"socket:[{inode}]" for inode in self.sockets]
        opened += ["-"] * (self.open - len(opened))
        return files | {f"{at}/fd/{i}": target for i, target in enumerate(opened)}


class Machine:
    """The quiet machine, so many seconds into the watch; `files` are laid over what follows of it."""

    def __init__(self, at):
        self.at, self.cpus, self.client, self.server = at, 8, [4200], {"port": 8000}
        # Hundredths of a second that all processors were busy; the exporter and the kernel take 6.
        self.user, self.idle, self.steal = 500_000 + 226 * at, 5_000_000 + 574 * at, 0
        self.wall = self.up = self.monotonic = float(at)
        self.listeners = [(8000, 51_000)]
        self.changed = {}
        ran = at * SECOND
        server = [Thread(4100 + i, 50 * SECOND + ran // 2, ran // 1000) for i in range(4)]
        client = [Thread(4200, SECOND + ran // 5, ran // 5000), Thread(4201)]
        self.processes = [
            Process(1, "systemd", 0, 5, ticks=300),
            Process(2, "kthreadd", 0, 5, kernel=True, ticks=2 + at),
            Process(800, "node_exporter", 1, 900, ticks=3_600 + 5 * at),
            Process(900, "sshd", 1, 1_000, ticks=40),
            Process(4190, "bash", 900, 640_000, ticks=4),
            Process(4100, "llama-server", 1, 300_000, ticks=20_000 + 200 * at, threads=server,
                    sockets=[51_000], cgroup="/system.slice/serve.service",
                    command="llama-server -m small.gguf --port 8000", exe="/opt/serve/llama-server"),
            Process(4200, "bench", 4190, 715_000, ticks=100 + 20 * at, threads=client, session=4190,
                    open=12, command="bench --url http://127.0.0.1:8000", exe="/opt/bench/bench",
                    cgroup="/user.slice/user-1000.slice/session-3.scope"),
        ]

    def process(self, pid):
        return next(p for p in self.processes if p.pid == pid)

    @property
    def serving(self):
        return self.process(4100)

    @property
    def bench(self):
        return self.process(4200)

    def busy(self, cores, whom=None):
        """Keeps so many processors busy for somebody else, or for a process of the machine."""
        ticks = round(100 * cores * self.at)
        self.user, self.idle = self.user + ticks, self.idle - ticks
        if whom:
            whom.ticks += ticks

    def set(self, path, text):
        self.changed[path] = text

    def drop(self, *prefixes):
        """Takes out what begins so."""
        self.changed |= {prefix: None for prefix in prefixes}

    def clocks(self):
        def since(s):
            return {"is": {"value": {"secs": int(UP + s), "nanos": round((UP + s) % 1 * SECOND)},
                           "by": "measured"}}
        wall = {"is": {"value": START * SECOND + round(self.wall * SECOND), "by": "measured"}}
        return {"wall": wall, "monotonic": since(self.monotonic), "since_boot": since(self.up)}

    def stat(self):
        each = [f"cpu{i} {self.user // self.cpus} 0 0 {self.idle // self.cpus} 0 0 0 {self.steal // self.cpus} 0 0"
                for i in range(self.cpus)]
        return "\n".join([f"cpu  {self.user} 0 0 {self.idle} 0 0 0 {self.steal} 0 0", *each, "procs_running 3"])

    def sockets(self):
        lines = ["  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode"]
        lines += [f"   {i}: 00000000:{port:04X} 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0"
                  f"        0 {inode} 1 {TLB} 100 0 0 10 0" for i, (port, inode) in enumerate(self.listeners)]
        return "\n".join(lines)

    def group(self, folder, quota="max 100000", periods=0, throttled=0, held_us=0, weight=100):
        """A control group with its counters."""
        self.set(f"{folder}/cpu.max", quota)
        self.set(f"{folder}/cpu.weight", str(weight))
        self.set(f"{folder}/cgroup.type", "domain")
        self.set(f"{folder}/cpu.stat", f"usage_usec {40_000_000 + 2_000_000 * self.at}\nnr_periods {periods}\n"
                                       f"nr_throttled {throttled}\nthrottled_usec {held_us}")

    def pressure(self, path, some_us=0, full_us=0):
        self.set(path, "".join(f"{kind} avg10=0.00 avg60=0.00 avg300=0.00 total={us}\n"
                               for kind, us in [("some", some_us), ("full", full_us)]).strip())

    def tree(self):
        from host_platform_files import platform
        files = platform(self) | {
            "trueline/clocks.json": json.dumps(self.clocks()),
            "trueline/wanted.json": json.dumps({"client": self.client, "server": self.server}),
            "proc/stat": self.stat(), "proc/net/tcp": self.sockets(),
        }
        for process in self.processes:
            files |= process.files()
        if any(p.pid == 4100 for p in self.processes):
            files["proc/4100/net/tcp"] = self.sockets()
        for path, text in self.changed.items():
            if text is None:
                files = {p: t for p, t in files.items() if not p.startswith(path)}
            else:
                files[path] = text
        return files


def written(files, base=None):
    """A tree as one file: what differs from the tree below it."""
    base = base or {}
    parts = [f"## - {path}" for path in sorted(base) if path not in files]
    parts += [f"## {path}\n{files[path]}" if files[path] else f"## {path}"
              for path in sorted(files) if files[path] != base.get(path)]
    return "\n".join(parts) + "\n" if parts else ""
