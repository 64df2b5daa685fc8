"""Cases of the host: processes of client and server, and who else is busy."""
from host_case import BASE, WATCHED, case, tree
from host_tree import SECOND, Process, Thread, written

# --- The machine itself, quiet. Everything that trees can show is looked at and clear.
ALL = ["nice-not-zero", "cpu-run-delay", "foreign-cpu-load", "client-shares-cores", "process-traced", "debug-build",
       "fd-limit-low", "slowing-environment", "server-replaced", "quota-throttled", "threads-over-quota", "cpu-steal",
       "cpu-pressure", "swapping", "cpu-governor", "turbo-off", "cpu-thermal-throttled", "on-battery",
       "clock-source-slow", "wall-time-jump", "rebooted", "numa-remote", "macos-background-qos", "state-changed"]
case("quiet-machine", "a server at two of eight cores and a client at a fifth of one for 20 s, and nobody else",
     WATCHED, near=ALL, trees={"before": ["before.tree"], "after": ["before.tree", "after.tree"]},
     files={"before.tree": written(BASE["before"]), "after.tree": written(BASE["after"], BASE["before"])})


def of(pid, **changes):
    def apply(machine):
        for key, value in changes.items():
            setattr(machine.process(pid), key, value)
    return apply


def threads(pid, **changes):
    def apply(machine):
        for thread in machine.process(pid).threads:
            for key, value in changes.items():
                setattr(thread, key, value)
    return apply


def both(*applies):
    def apply(machine):
        for one in applies:
            one(machine)
    return apply


def zsh(machine):
    shell = Process(4180, "zsh", 900, 639_000, ticks=9)
    machine.processes.append(shell)
    machine.bench.parent, machine.bench.nice = 4180, 5
    for thread in machine.bench.threads:
        thread.nice = 5


# --- Nice.
tree("nice-5-by-zsh", "zsh started the client in the background at nice 5; it never waited for a processor", zsh,
     expect="nice-not-zero", near=(), values={"/findings/0/severity": "warning", "/findings/0/evidence/nice": 5.0})


def waits(pid, ran_s, waited_s):
    """Thread times after the watch: so much more than at its start, over all threads of a process."""
    def apply(machine):
        found = machine.process(pid).threads
        for thread in found:
            start = 50 * SECOND if pid == 4100 else SECOND
            thread.ran_ns = start + round(ran_s * SECOND / len(found))
            thread.waited_ns = round(waited_s * SECOND / len(found))
        if pid == 4200:
            found[1].ran_ns -= SECOND
    return apply


tree("nice-5-and-waits", "the same client, and its threads waited half of the time they wanted a processor", zsh,
     after=waits(4200, 4, 4), expect=["nice-not-zero"], tolerates=["cpu-run-delay"], revoked=True,
     by_hand="4 of 8 s are 0.5.",
     values={"/findings/0/code": "nice-not-zero", "/findings/0/evidence/run_delay_share": 0.5})
tree("nice-minus-5", "the server was raised to nice -5, as audio people do: nobody goes before it",
     both(of(4100, nice=-5), threads(4100, nice=-5)), near="nice-not-zero")


def idle_thread(machine):
    machine.serving.threads.append(Thread(4199, 10_000_000 + 500_000 * machine.at, 0, nice=19))


tree("nice-19-of-a-thread-that-sleeps", "one thread of the server is at nice 19 and runs for 20 of 240,000 ms",
     idle_thread, near="nice-not-zero")
tree("nice-by-batch", "the server runs in SCHED_BATCH", both(of(4100, policy=3), threads(4100, policy=3)),
     expect="nice-not-zero")

# --- Waiting for processors.
tree("run-delay-0.9-percent", "the server's threads waited 0.36 s beside 39.64 s of running", by_hand="0.36 / 40 = 0.009.",
     after=waits(4100, 39.64, 0.36), near="cpu-run-delay")
tree("run-delay-3-percent", "the server's threads waited 1.2 s beside 38.8 s of running", by_hand="1.2 / 40 = 0.03.",
     after=waits(4100, 38.8, 1.2), expect="cpu-run-delay", values={"/findings/0/severity": "warning"})
tree("run-delay-30-percent", "the server's threads waited 12 s beside 28 s of running, on processors of their own group",
     by_hand="12 / 40 = 0.3.", after=waits(4100, 28, 12), expect="cpu-run-delay", revoked=True,
     values={"/findings/0/evidence/run_delay_share": 0.3})
tree("run-delay-of-little", "a client that ran for 0.1 s waited 0.1 s: half of the time, and half a percent of the run",
     after=waits(4200, 0.1, 0.1), near="cpu-run-delay")

# --- Others.
def hog(name, cores, pid=7000, allowed=True):
    def apply(machine):
        process = Process(pid, name, 900, 650_000, ticks=900)
        machine.processes.append(process)
        machine.busy(cores, process)
    return apply


# Samyama-graph 715: a query took 16.9 instead of 8.0 ms beside a compiler, and the load average lagged.
tree("others-compile", "a compiler keeps three of eight processors busy beside the run (samyama-graph 715)",
     hog("rustc", 3), expect="foreign-cpu-load", revoked=True, by_hand="3 + the exporter's 0.05 cores.",
     values={"/findings/0/evidence/foreign_cores": 3.05, "/findings/0/evidence/who/0": "rustc"})
tree("others-take-a-tenth", "a backup takes 1.1 of eight processors: more than a core", hog("restic", 1.1),
     expect="foreign-cpu-load", values={"/findings/0/severity": "warning"})
tree("others-take-less-than-a-tenth", "a desktop takes 0.7 of eight processors", hog("gnome-shell", 0.7),
     near="foreign-cpu-load", by_hand="0.75 of 8 are 9.4 %.")
# Sglang-omni 1513: servers of an editor held 2.5 to 3 cores for hours, and nobody knew who.
def editor(machine):
    machine.processes.append(Process(950, "sshd", 900, 200_000))
    for i, cores in enumerate([1.4, 1.3]):
        server = Process(7100 + i, "node", 950, 210_000, ticks=900_000)
        machine.processes.append(server)
        machine.busy(cores, server)


tree("others-edit-over-ssh", "two servers of an editor hold 2.7 cores for hours (sglang-omni 1513): they are named",
     editor, expect="foreign-cpu-load", revoked=True, values={"/findings/0/evidence/who/0": "node"})


# Sglang-omni 1815: the harness starts the server twice over, and init gets the child: it is no stranger.
def forked_twice(machine):
    worker = Process(4300, "worker", 1, 310_000, group=4300, session=4300, cgroup=machine.serving.cgroup,
                     ticks=7_000 + 300 * machine.at, threads=[Thread(4300, 70 * SECOND + 3 * SECOND * machine.at)])
    machine.processes.append(worker)
    machine.busy(3)


tree("others-are-the-servers-own-workers", "a worker of the server belongs to init since it forked twice; its "
     "control group is the server's (sglang-omni 1815, pitfall 7)", forked_twice, near="foreign-cpu-load")
tree("others-are-a-kernel-thread", "the kernel itself writes back pages for a quarter of a core",
     lambda m: m.busy(0.25, m.process(2)), near="foreign-cpu-load")


def earlier(machine):
    """A shell that had waited since yesterday for a build gets the time of its children."""
    shell = Process(6900, "make", 900, 1_200)
    machine.processes.append(shell)
    shell.reaped = 90_000 if machine.at else 0
    machine.busy(3)


tree("others-waited-for-their-children", "a build's children ended, and handed over the time of an hour: no program "
     "was busier than the machine", earlier, expect="foreign-cpu-load", revoked=True,
     values={"/findings/0/evidence/foreign_cores": 3.05, "/findings/0/evidence/who/0": "node_exporter",
             "/findings/0/message": "other programs kept 3 of 8 processors busy on average, of which none was seen long "
                                    "enough to be named"})

# --- Client and server on the same processors.
def pinned(client, server):
    return both(of(4200, allowed=client), of(4100, allowed=server))


tree("cores-kept-apart", "client and server are pinned to processors of their own",
     both(pinned("6-7", "0-5"), lambda m: [m.set(f"sys/devices/system/cpu/cpu{i}/topology/thread_siblings_list", str(i))
                                           for i in range(8)]), near="client-shares-cores")
tree("cores-of-the-client-slipped", "the server is pinned to 0 to 5, the client to 5 to 7: processor 5 is of both",
     pinned("5-7", "0-5"), expect="client-shares-cores", values={"/findings/0/severity": "warning"})
tree("cores-are-halves", "client and server are pinned to two halves of the same cores",
     both(pinned("4-7", "0-3"), lambda m: [m.set(f"sys/devices/system/cpu/cpu{i}/topology/thread_siblings_list",
                                                 f"{i % 4},{i % 4 + 4}") for i in range(8)]),
     expect="client-shares-cores")
tree("cores-crowded", "client and server are pinned to the same two processors, and the client waits",
     both(pinned("0-1", "0-1")), after=both(waits(4200, 2, 1), waits(4100, 35, 0.1)), expect="client-shares-cores",
     tolerates=["cpu-run-delay"], revoked=True, by_hand="The client waited 1 of 3 s; 37 of 40 s are 0.925.",
     values={"/findings/1/evidence/full_share": 0.925})

# --- What hangs on.
tree("traced-by-gdb", "a debugger is attached to the server",
     both(of(4100, tracer=5000), lambda m: m.set("proc/5000/comm", "gdb")),
     expect="process-traced", revoked=True, values={"/findings/0/evidence/tracer": "gdb"})
tree("traced-by-nsight", "Nsight Systems is loaded into the server",
     of(4100, maps="/libToolsInjection64.so"), expect="process-traced", revoked=True)
tree("traced-by-nobody-with-cupti", "PyTorch maps CUPTI into every process that imports it",
     of(4100, maps="/libcupti.so.12"), near="process-traced")
tree("build-for-debugging", "the client is a debug build", of(4200, exe="/opt/bench/target/debug/bench"),
     expect="debug-build", revoked=True)
tree("build-with-a-sanitizer", "the server was built with AddressSanitizer", of(4100, maps="/libasan.so.8"),
     expect="debug-build", revoked=True)
tree("build-in-a-folder-called-debug", "the client lies in /opt/debug, which says nothing of how it was built",
     of(4200, exe="/opt/debug/bench"), near="debug-build")
tree("files-256", "the client may open 256 files", of(4200, limit="256"), expect="fd-limit-low")
tree("files-1024-of-600", "the server has 600 of 1,024 files open", of(4100, open=600), expect="fd-limit-low")
tree("files-1024-of-512", "the server has 512 of 1,024 files open: twice as many may be", of(4100, open=512),
     near="fd-limit-low")
tree("environment-slows", "the server runs with CUDA_LAUNCH_BLOCKING=1", of(4100, environ="CUDA_LAUNCH_BLOCKING=1"),
     expect="slowing-environment", values={"/findings/0/evidence/variables/0": "CUDA_LAUNCH_BLOCKING"})
tree("environment-is-off", "the server runs with CUDA_LAUNCH_BLOCKING=0",
     of(4100, environ="CUDA_LAUNCH_BLOCKING=0"), near="slowing-environment")

# --- Who serves.
def restarted(machine):
    machine.processes.remove(machine.serving)
    machine.listeners = [(8000, 52_000)]
    thread = [Thread(4500 + i, SECOND) for i in range(4)]
    machine.processes.append(Process(4500, "llama-server", 1, 721_000, ticks=400, threads=thread, sockets=[52_000],
                                     cgroup="/system.slice/serve.service", exe="/opt/serve/llama-server"))


tree("server-restarted", "another process serves at the end", after=restarted, expect="server-replaced", revoked=True,
     values={"/findings/0/evidence/pid_before": 4100, "/findings/0/evidence/pid_after": 4500})


def listens_anew(machine):
    machine.serving.sockets, machine.listeners = [53_000], [(8000, 53_000)]


tree("server-listens-anew", "the process is the same, and its socket is another one", after=listens_anew,
     expect="server-replaced", revoked=True)
tree("server-stopped", "the server is gone at the end",
     after=lambda m: (m.processes.remove(m.serving), m.listeners.clear()),
     expect="server-replaced")


# Minefield trap 53: a restart reported success, and the old process kept the port; the new one ends.
def failed_restart(machine):
    machine.server = {"pid": 4500}
    if machine.at == 0:
        thread = [Thread(4500, SECOND)]
        machine.processes.append(Process(4500, "llama-server", 1, 719_990, ticks=100, threads=thread, command="x",
                                         exe="/opt/serve/llama-server"))


tree("server-restart-that-failed", "the new server was watched, and ended: the old one kept the port (minefield trap 53)",
     failed_restart, expect="server-replaced", tolerates=["foreign-cpu-load"],
     values={"/findings/0/evidence/pid_before": 4500})


def worker_replaced(machine):
    pid = 4400 + machine.at
    machine.processes.append(Process(pid, "worker", 4100, 600_000 + machine.at, ticks=50,
                                     threads=[Thread(pid, SECOND // 2)]))


tree("server-with-a-new-worker", "a worker of the server was replaced; who serves is the same", worker_replaced,
     near="server-replaced", tolerates=["foreign-cpu-load"])
