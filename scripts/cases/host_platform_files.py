"""What the quiet machine of `host_tree.py` shows of its hardware, limits and memory."""

CPU, GROUPS = "sys/devices/system/cpu", "sys/fs/cgroup"
USER = f"{GROUPS}/user.slice/user-1000.slice/session-3.scope"
SERVE = f"{GROUPS}/system.slice/serve.service"


def platform(machine):
    at = machine.at
    files = {
        "proc/1/cgroup": "0::/init.scope",
        "proc/cpuinfo": "processor\t: 0\nvendor_id\t: GenuineIntel\nmodel name\t: Intel(R) Xeon(R) Gold 6430\n"
                        "microcode\t: 0x2b0005c0\nflags\t\t: fpu vme msr sse2 avx2 avx512f amx_tile",
        "proc/loadavg": "2.40 2.30 2.20 3/900 4321",
        "proc/meminfo": "MemTotal:       263000000 kB\nMemAvailable:   200000000 kB\n"
                        "SwapTotal:        8388604 kB\nSwapFree:         8388604 kB",
        "proc/pressure/cpu": pressure(9_000 + 2_000 * at, 0),
        "proc/pressure/memory": pressure(0, 0),
        "proc/self/mountinfo": "31 1 259:2 / / rw,relatime - ext4 /dev/nvme0n1p2 rw\n"
                               "36 25 0:31 / /sys/fs/cgroup rw,nosuid - cgroup2 cgroup2 rw,nsdelegate",
        "proc/sys/kernel/hostname": "box-2",
        "proc/sys/kernel/osrelease": "6.8.0-45-generic",
        "proc/sys/kernel/random/boot_id": "33333333-2222-4333-8444-555555555555",
        "proc/sys/kernel/sched_autogroup_enabled": "1",
        "proc/vmstat": "pgmajfault 40\nallocstall_normal 0\npswpin 12\npswpout 80\noom_kill 0",
        "sys/class/dmi/id/sys_vendor": "Supermicro",
        "sys/class/power_supply/": "",
        "sys/devices/system/clocksource/clocksource0/available_clocksource": "tsc hpet acpi_pm",
        "sys/devices/system/clocksource/clocksource0/current_clocksource": "tsc",
        "sys/devices/system/node/node0/cpulist": f"0-{machine.cpus - 1}",
        "sys/kernel/mm/transparent_hugepage/enabled": "always [madvise] never",
        f"{CPU}/online": f"0-{machine.cpus - 1}", f"{CPU}/smt/active": "0",
        f"{CPU}/intel_pstate/max_perf_pct": "100", f"{CPU}/intel_pstate/no_turbo": "0",
        f"{GROUPS}/cpu.stat": "usage_usec 900\nuser_usec 500\nsystem_usec 400",
    }
    policy = {"base_frequency": "2100000", "cpuinfo_max_freq": "3400000", "scaling_driver": "intel_pstate",
              "scaling_governor": "performance", "energy_performance_preference": "performance",
              "scaling_max_freq": "3400000"}
    for cpu in range(2):
        files |= {f"{CPU}/cpufreq/policy{cpu}/{name}": text for name, text in policy.items()}
        heat = {"core_throttle_count": "0", "core_throttle_total_time_ms": "0",
                "package_throttle_count": "12", "package_throttle_total_time_ms": "31"}
        files |= {f"{CPU}/cpu{cpu}/thermal_throttle/{name}": text for name, text in heat.items()}
    for group in [f"{GROUPS}/system.slice", SERVE, USER, USER.rsplit("/", 1)[0], f"{GROUPS}/user.slice"]:
        files |= {f"{group}/cgroup.type": "domain", f"{group}/cpu.max": "max 100000",
                  f"{group}/cpu.weight": "100",
                  f"{group}/cpu.stat": f"usage_usec {40_000_000 + 2_000_000 * at}\nnr_periods 0\n"
                                       "nr_throttled 0\nthrottled_usec 0"}
    for group in [SERVE, USER]:
        files |= {f"{group}/cpu.pressure": pressure(3_000 + 2_000 * at, 1_000),
                  f"{group}/memory.pressure": pressure(0, 0), f"{group}/memory.max": "max",
                  f"{group}/memory.events": "low 0\nhigh 0\nmax 0\noom 0\noom_kill 0",
                  f"{group}/memory.swap.current": "0"}
    return files


def pressure(some, full):
    return (f"some avg10=0.00 avg60=0.00 avg300=0.00 total={some}\n"
            f"full avg10=0.00 avg60=0.00 avg300=0.00 total={full}")
