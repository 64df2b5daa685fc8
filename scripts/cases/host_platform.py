"""Cases of the host: quotas, pressure, memory, clocks, power, nodes."""
import json

from host_case import LOOKED, case, tree
from host_processes import both
from host_tree import CPU, SECOND, SERVE, Thread, written

USER = "sys/fs/cgroup/user.slice/user-1000.slice/session-3.scope"


# --- Quotas.

def quota(periods, throttled, cpus="765000 100000", threads=4, held_us=0):
    """The server's group with a quota, and what it counted over the watch."""
    def apply(machine):
        done = machine.at > 0
        machine.group(SERVE, cpus, 1200 + (periods if done else 0), 310 + (throttled if done else 0),
                      40_000_000 + (held_us if done else 0))
        for i in range(4, threads):
            machine.serving.threads.append(Thread(4100 + i, SECOND))
    return apply


# Ollama 17916: 96 processors to be seen, a quota of 7.65: 3,115 of 4,567 periods throttled, 0.27 instead of
# 12.07 tok/s. lilbee 660 and llmman 322 are alike.
tree("quota-7.65-of-96", "96 threads in a group of 7.65 processors (ollama 17916)", quota(4567, 3115, threads=96),
     expect=["quota-throttled"], tolerates=["threads-over-quota"], revoked=True, by_hand="3,115 / 4,567 = 0.682067.",
     values={"/findings/0/evidence/throttled_periods": 3115.0, "/findings/0/evidence/quota_cpus": 7.65})
tree("quota-threads-over", "nine threads worked in a group of 7.65 processors and were held in 1 of 100 periods",
     quota(200, 2, threads=9), expect=["quota-throttled", "threads-over-quota"], revoked=True,
     values={"/findings/1/evidence/threads_that_fit": 7.0})
tree("quota-threads-asleep", "40 threads in a group of 7.65 processors, and it was never held: most of them sleep",
     quota(200, 0, threads=40), near=["threads-over-quota", "quota-throttled"])
tree("quota-held-once", "a group was held in one of 200 periods", quota(200, 1), expect="quota-throttled",
     by_hand="1 / 200 = 0.005.", values={"/findings/0/severity": "warning"})
# Kubernetes 67577 and 97445: 0.4 of 1 processor used on average, and throttled in every fifth period.
tree("quota-held-in-bursts", "two of 20 processors used on average, and held in every fifth period (kubernetes 67577)",
     quota(200, 40, "2000000 100000"), expect="quota-throttled", revoked=True,
     values={"/findings/0/evidence/throttled_share": 0.2})


def unseen(ms):
    """A container whose own group has no limit, held by one above that it does not see."""
    def apply(machine):
        machine.set("proc/4100/cgroup", "0::/")
        machine.set("sys/fs/cgroup/cgroup.type", "domain")
        for group in ["sys/fs/cgroup", USER]:
            machine.set(f"{group}/cpu.stat.local", f"throttled_usec {1000 * ms if machine.at else 0}")
    return apply


tree("quota-of-a-pod-above", "a group above those that can be seen held the server for 4 of 20 s", unseen(4_000),
     expect="quota-throttled", revoked=True, values={"/findings/0/evidence/held_s": 4.0})
tree("quota-of-a-pod-above-not-met", "nothing above held the server", unseen(0), near="quota-throttled")


# --- Steal, pressure, memory.
def stolen(ticks):
    def apply(machine):
        machine.steal = ticks
    return apply


tree("steal-0.4-percent", "18 of 4,538 wanted hundredths went to other guests", after=stolen(18), near="cpu-steal",
     by_hand="226 * 20 = 4,520 busy; 18 / 4,538 = 0.004.")
tree("steal-2-percent", "92 of 4,612 wanted hundredths went to other guests", after=stolen(92), expect="cpu-steal",
     by_hand="92 / 4,612 = 0.01995.", values={"/findings/0/severity": "warning"})
tree("steal-20-percent", "other guests took a fifth of the time that this one wanted", after=stolen(1_130),
     expect="cpu-steal", revoked=True, by_hand="1,130 / 5,650 = 0.2.",
     values={"/findings/0/evidence/stolen_share_of_wanted": 0.2})


def stood_still(path, ms):
    return lambda m: m.pressure(path, 3_000 + 40_000 * m.at, 1_000 + (1000 * ms if m.at else 0))


tree("pressure-0.5-percent", "no thread of the server ran for 100 ms of 20 s although one could have",
     stood_still(f"{SERVE}/cpu.pressure", 100), near="cpu-pressure")
tree("pressure-2-percent", "no thread of the server ran for 400 ms of 20 s although one could have",
     stood_still(f"{SERVE}/cpu.pressure", 400), expect="cpu-pressure", values={"/findings/0/severity": "warning"})
tree("pressure-20-percent", "no thread of the server ran for 4 of 20 s although one could have",
     stood_still(f"{SERVE}/cpu.pressure", 4_000), expect="cpu-pressure", revoked=True,
     values={"/findings/0/evidence/waited_share": 0.2})
tree("pressure-of-memory", "the server stood still for 1 of 20 s for want of memory",
     stood_still(f"{SERVE}/memory.pressure", 1_000), expect="cpu-pressure", revoked=True,
     values={"/findings/0/evidence/resource": "memory"})


def vmstat(read, wrote):
    def apply(machine):
        done = machine.at / 20
        machine.set("proc/vmstat", f"pgmajfault 40\nallocstall_normal 0\npswpin {12 + round(read * done)}\n"
                                   f"pswpout {80 + round(wrote * done)}\noom_kill 0")
    return apply


tree("swap-of-an-idle-desktop", "150 pages were written to swap in 20 s, and 30 read back", vmstat(30, 150),
     near="swapping", by_hand="7.5 a second, below 10.")
tree("swap-written", "1,000 pages were written to swap in 20 s, and 30 read back", vmstat(30, 1_000), expect="swapping",
     values={"/findings/0/severity": "warning"})
tree("swap-read-back", "4,000 pages were read back from swap in 20 s: threads waited for them", vmstat(4_000, 0),
     expect="swapping", revoked=True, values={"/findings/0/evidence/swapped_in_pages": 4000.0})
tree("memory-limit-kills", "a process of the server's group was ended for want of memory",
     after=lambda m: m.set(f"{SERVE}/memory.events", "low 0\nhigh 0\nmax 41\noom 1\noom_kill 1"), expect="swapping",
     revoked=True)


# --- Clocks of processors.
def policies(**files):
    def apply(machine):
        for cpu in range(2):
            for name, text in files.items():
                machine.set(f"{CPU}/cpufreq/policy{cpu}/{name}", text)
    return apply


def acpi(governor, most="2600000"):
    def apply(machine):
        policies(scaling_driver="acpi-cpufreq", scaling_governor=governor, scaling_max_freq=most,
                 cpuinfo_max_freq="2600000", scaling_available_frequencies="2600000 2000000 1500000")(machine)
        machine.drop(f"{CPU}/cpufreq/policy0/energy", f"{CPU}/cpufreq/policy1/energy", f"{CPU}/intel_pstate")
        machine.set(f"{CPU}/cpufreq/boost", "1")
    return apply


tree("governor-powersave-of-acpi", "governor powersave of acpi-cpufreq holds the lowest clock", acpi("powersave"),
     expect="cpu-governor")
tree("governor-powersave-of-intel", "governor powersave of intel_pstate follows the load: the hardware chooses",
     policies(scaling_governor="powersave", energy_performance_preference="balance_performance"), near="cpu-governor")
tree("governor-prefers-power", "the hardware chooses, and prefers to save power",
     policies(scaling_governor="powersave", energy_performance_preference="power"), expect="cpu-governor")
tree("governor-held-at-2-ghz", "processors are held to 2 of 3.4 GHz", policies(scaling_max_freq="2000000"),
     expect="cpu-governor", values={"/findings/0/evidence/allowed_mhz": 2000.0})
tree("governor-rounded", "the limit is 3.38 of 3.4 GHz: a driver rounds", policies(scaling_max_freq="3380000"),
     near="cpu-governor")
tree("governor-boost-beyond-the-table", "the limit is at the top of the table, and boost goes beyond",
     both(acpi("performance"), policies(cpuinfo_max_freq="3400000")), near=["cpu-governor", "turbo-off"])
tree("turbo-is-off", "turbo is switched off", lambda m: m.set(f"{CPU}/intel_pstate/no_turbo", "1"), expect="turbo-off")
tree("turbo-and-battery-gone", "governor and turbo changed during the run: a power daemon",
     after=lambda m: (policies(scaling_governor="powersave")(m), m.set(f"{CPU}/intel_pstate/no_turbo", "1")),
     expect=["state-changed", "turbo-off"], revoked=True)
tree("huge-pages-changed", "huge pages were switched off during the run: memory that is given keeps its pages",
     after=lambda m: m.set("sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]"),
     expect="state-changed", values={"/findings/0/severity": "warning"})
tree("settings-stay", "the machine has another microcode and load average in the second reading: no setting changed",
     after=lambda m: (m.set("proc/loadavg", "7.00 2.30 2.20 3/900 4321"), m.set("proc/meminfo",
                      "MemTotal:       263000000 kB\nMemAvailable:   100000000 kB\nSwapTotal:        8388604 kB\n"
                      "SwapFree:         8388604 kB")), near="state-changed")


def heat(ms):
    def apply(machine):
        for name, text in [("count", 12 + ms // 10), ("total_time_ms", 31 + ms)]:
            machine.set(f"{CPU}/cpu1/thermal_throttle/package_throttle_{name}", str(text))
    return apply


tree("heat-long-ago", "processors were too hot twelve times since boot, and not once during the run", heat(500),
     near="cpu-thermal-throttled")
tree("heat-of-80-ms", "a processor was slowed down for 80 ms of 20 s", after=heat(80), expect="cpu-thermal-throttled",
     values={"/findings/0/severity": "warning"})
tree("heat-of-2-s", "a processor was slowed down for 2 of 20 s", after=heat(2_000), expect="cpu-thermal-throttled",
     revoked=True, values={"/findings/0/evidence/slowed_down_s": 2.0})


# --- Power.
def supply(name, **files):
    return lambda m: [m.set(f"sys/class/power_supply/{name}/{file}", text) for file, text in files.items()]


EMPTYING = supply("BAT0", type="Battery", status="Discharging")
tree("power-battery", "a laptop runs on its battery", both(EMPTYING, supply("AC", type="Mains", online="0")),
     expect="on-battery", values={"/findings/0/severity": "warning"})
tree("power-battery-holds-the-clock", "a laptop runs on its battery, and its processors are held to 2 of 3.4 GHz",
     both(EMPTYING, supply("AC", type="Mains", online="0"), policies(scaling_max_freq="2000000")),
     expect=["on-battery"], tolerates=["cpu-governor"], revoked=True)
tree("power-line", "a laptop is plugged in, and its battery is full",
     both(supply("BAT0", type="Battery", status="Full"), supply("AC", type="Mains", online="1")), near="on-battery")
tree("power-battery-of-a-mouse", "the battery that empties is that of a mouse",
     supply("hid-1", type="Battery", status="Discharging", scope="Device"), near="on-battery")
tree("power-profile-low", "the firmware is set to the profile low-power",
     lambda m: m.set("sys/firmware/acpi/platform_profile", "low-power"), expect="on-battery")

# --- Time.
SOURCE = "sys/devices/system/clocksource/clocksource0/current_clocksource"
# Sozu 500: the kernel found the counter unstable and went over to HPET while the program ran.
tree("clock-source-given-up", "the clock source went from tsc to hpet during the run (sozu 500)",
     after=lambda m: m.set(SOURCE, "hpet"), expect="clock-source-slow", tolerates=["state-changed"], revoked=True,
     values={"/findings/0/evidence/clock_source_at_start": "tsc"})
tree("clock-source-of-kvm", "a guest reads kvm-clock, which costs no more than tsc", lambda m: m.set(SOURCE, "kvm-clock"),
     near="clock-source-slow")


def wall(on, slept=0.0):
    def apply(machine):
        machine.wall, machine.up = machine.wall + on, machine.up + slept
    return apply


tree("wall-slewed", "NTP slewed the clock by 8 ms in 20 s: 400 parts in a million", after=wall(0.008),
     near="wall-time-jump")
tree("wall-set-by-50-ms", "the clock was set back by 50 ms", after=wall(-0.05), expect="wall-time-jump",
     values={"/findings/0/severity": "warning"})
tree("wall-set-by-30-s", "the clock was set forward by 30 s", after=wall(30), expect="wall-time-jump", revoked=True)
tree("slept-for-a-minute", "the machine slept for a minute within the watch", after=wall(60, 60),
     expect="wall-time-jump", revoked=True, values={"/findings/0/evidence/asleep_s": 60.0})


def another_boot(machine):
    machine.set("proc/sys/kernel/random/boot_id", "44444444-2222-4333-8444-555555555555")
    machine.monotonic = machine.up = -7000.0
    machine.wall = 300.0


tree("rebooted", "the machine started anew 200 s before the end", after=another_boot, expect=["rebooted"],
     tolerates=["server-replaced", "wall-time-jump"], revoked=True)


def nodes(near, far):
    """Two nodes, the server bound to the first one, with so many pages of 4 KiB on each."""
    def apply(machine):
        machine.set("sys/devices/system/node/node0/cpulist", "0-3")
        machine.set("sys/devices/system/node/node1/cpulist", "4-7")
        machine.serving.allowed = "0-3"
        machine.set("proc/4100/numa_maps", f"7f0000000000 default anon={near + far} N0={near} N1={far} "
                                           "kernelpagesize_kB=4")
        machine.set("sys/bus/pci/devices/", "")
    return apply


# Llama.cpp 1437: mmapped weights stay on the node of whoever read them first.
tree("numa-weights-on-the-other-node", "a third of the server's memory lies on the other node (llama.cpp 1437)",
     nodes(2_000, 1_000), expect="numa-remote", tolerates=["client-shares-cores"])
tree("numa-nine-tenths-near", "a twentieth of the server's memory lies on the other node", nodes(1_900, 100),
     near="numa-remote", tolerates=["client-shares-cores"])


def gpu_far(machine):
    nodes(1_900, 100)(machine)
    machine.set("sys/bus/pci/devices/0000:81:00.0/class", "0x030200")
    machine.set("sys/bus/pci/devices/0000:81:00.0/numa_node", "1")


tree("numa-gpu-on-the-other-node", "the server is bound to node 0, and the GPU hangs on node 1", gpu_far,
     expect="numa-remote", tolerates=["client-shares-cores"])


# --- macOS: what ps, sysctl and pmset print, by their manuals.
def macos(name, about, priority, nice=0, **said):
    files = {
        "macos/sysctl": "kern.bootsessionuuid: 1F2E\nkern.hostname: mac-1\nkern.osrelease: 24.5.0\n"
                        "hw.logicalcpu: 12\nhw.memsize: 68719476736",
        "macos/ps": f" 4100 {nice:3} {priority:3} /opt/serve/llama-server", "macos/pmset": " lowpowermode         0",
        "macos/pmset_batt": "Now drawing from 'AC Power'", "macos/vm_stat": "Swapins:   12.\nSwapouts:  80.",
        "trueline/wanted.json": json.dumps({"client": [], "server": {"pid": 4100}}),
    }
    case(name, about, LOOKED, trees={"before": ["before.tree"]}, files={"before.tree": written(files)}, **said)


QOS = ["macos-background-qos"]
macos("macos-launchd-background", "launchd runs the server as Background: 11 instead of 87 tok/s (nix-ai 916)", 4,
      expect=QOS, revoked=True, values={"/findings/0/evidence/priority": 4.0})
macos("macos-utility", "the server runs as utility work", 20, expect=QOS,
      values={"/findings/0/severity": "warning"})
macos("macos-default", "the server was started from a terminal", 31, near=QOS + ["on-battery"])
macos("macos-nice-15", "the server is at nice 15, which alone takes 15 off its priority", 16, nice=15, near=QOS)
