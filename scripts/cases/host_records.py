"""Cases of the host: records as a watch writes them, with ticks, the measured processor and GPU processes."""
from host_case import as_list, case
from host_record import known, process, record, snapshot, tick


def told(name, about, text, arguments=("{case}/host.json",), **said):
    for key in ("expect", "near", "forbid", "tolerates", "notes"):
        if key in said:
            said[key] = as_list(said[key])
    case(name, about, list(arguments), files={"host.json": text}, **said)


# --- Others, second by second.
def watched(foreign, who=(), **more):
    """A watch of a minute in stretches of two seconds: what others took."""
    ticks = [tick(s + 2, foreign(s), who, took=2, **more) for s in range(0, 60, 2)]
    return record(snapshot(0), snapshot(60), ticks, end=60)


# Sglang-omni 1815: a single spike of 30 s must not discard a round of an hour; here 2 of 60 s.
told("peak-of-2-s", "others kept all eight processors busy for 2 of 60 s: a peak, and no load (sglang-omni 1815)",
     watched(lambda s: 6.0 if s == 30 else 0.05), near="foreign-cpu-load", by_hand="2 / 60 = 0.033, below 0.05.")
told("peak-of-6-s", "others kept six of eight processors busy for 6 of 60 s",
     watched(lambda s: 6.0 if 30 <= s < 36 else 0.05, who=[("pytest", 0.6)]), expect="foreign-cpu-load",
     by_hand="6 / 60 = 0.1 of the time; 0.645 cores on average.", values={"/findings/0/severity": "warning"})
told("others-all-the-while", "a compiler kept 2.5 of eight processors busy for all of a minute",
     watched(lambda s: 2.5, who=[("rustc", 2.4)]), expect="foreign-cpu-load", revoked=True, by_hand="2.5 / 8 = 0.3125.",
     values={"/findings/0/evidence/foreign_cores": 2.5, "/findings/0/evidence/above_error_share": 1.0})
# Sglang-omni 1321: a run that is not pinned keeps 55 to 62 % of its throughput under load of the host.
told("others-and-the-server-waits", "others took 1.2 cores, and the server's threads waited for as long as they ran",
     watched(lambda s: 1.2, who=[("stress", 1.2)], server=(1.2, 0.8)), expect=["foreign-cpu-load"],
     tolerates=["cpu-run-delay"], revoked=True, by_hand="0.8 of 2.0 s are 0.4.")
told("client-came-and-went", "the client was there only within the watch, at nice 5",
     record(snapshot(0, [p for p in [process(4100, "server", "llama-server", 200)]]),
            snapshot(20, [process(4100, "server", "llama-server", 240)]),
            [tick(s + 1) for s in range(20)][:-1] + [
                (lambda t: t | {"cpu": t["cpu"] | {"processes": [process(4321, "client", "bench", 4, nice=5)]}})(tick(20))],
            end=20), expect="nice-not-zero")


# --- The processor, measured.
def cpu(mhz=4200.0, taken=0.003, worst=0.02, expected="4200", idle=0.0):
    probe = {"clock": {"mhz": known(mhz), "p50_mhz": known(mhz - 30), "multiplication_cycles": known(3.0)},
             "contention": {"taken_share": known(taken), "taken_share_worst": known(worst),
                            "not_running_share": known(idle)}}
    conditions = {"machine": "box-2"} | ({"cpu_clock_expected_mhz": expected} if expected else {})
    return record(snapshot(0), snapshot(20), conditions=conditions, end=20, cpu=probe)


told("cpu-well", "a core runs at 4,200 MHz as before, and has its time for itself", cpu(),
     near=["cpu-clock-low", "cpu-contended"])
told("cpu-a-turbo-step-less", "a core runs at 3,900 MHz where it ran at 4,200: a turbo step", cpu(3900.0),
     near="cpu-clock-low", by_hand="3,900 / 4,200 = 0.929.")
told("cpu-at-88-percent", "a core runs at 3,700 MHz where it ran at 4,200", cpu(3700.0), expect="cpu-clock-low",
     by_hand="3,700 / 4,200 = 0.881.", values={"/findings/0/severity": "warning"})
told("cpu-at-a-third", "a core runs at 1,400 MHz where it ran at 4,200", cpu(1400.0), expect="cpu-clock-low", revoked=True)
told("cpu-without-a-reference", "a core runs at 1,400 MHz, and nothing says what it reaches", cpu(1400.0, expected=None),
     forbid="cpu-clock-low", near="cpu-contended")
told("cpu-a-burst", "half of one stretch of eight was taken, and nothing of the others", cpu(worst=0.5),
     near="cpu-contended")
told("cpu-taken-a-quarter", "others took a quarter of the time of a thread that only computes",
     cpu(taken=0.252, worst=0.5, idle=0.24), expect="cpu-contended")


# --- Who uses the GPU.
BOARD = {"name": known("NVIDIA H100 80GB HBM3"), "mig": known(False), "ecc": known(True),
         "clocks": {"max_sm_mhz": known(1980), "max_memory_mhz": known(2619), "boost_sm_mhz": known(1980)},
         "power": {"enforced_mw": known(700_000), "default_mw": known(700_000)},
         "temperature": {"slowdown_c": known(92), "max_operating_c": known(87)},
         "faults": {"uncorrected": known(0), "remap_pending": known(False), "remap_failed": known(False)},
         "pcie": {"max_generation": known(5), "max_width": known(16)}}


def users(*listed):
    return {"processes": known([{"pid": pid, "kind": kind, "name": known(name), "memory_bytes": known(2 << 30)}
                                for pid, kind, name in listed])}


def at_work(sm=1980, gpus=1, utilization=0.98, **more):
    reading = {"sm_clock_mhz": known(sm), "memory_clock_mhz": known(2619), "power_mw": known(512_000),
               "temperature_c": known(62), "utilization": known(utilization), "performance_state": known(0),
               "active": known(0), "supported": known(511), "pcie_generation": known(5), "pcie_width": known(16)} | more
    return [{"gpu": i, "busy": reading} for i in range(gpus)]


def on_gpu(board, before=None, **reading):
    board = BOARD | board
    ticks = [tick(s + 1, gpus=at_work(**reading)) for s in range(12)]
    return record(snapshot(0, gpus=[BOARD | (before or board)]), snapshot(12, gpus=[board]), ticks, end=12)


SERVER = (4100, "compute", "llama-server")
told("gpu-of-the-server-alone", "the server alone uses the GPU", on_gpu(users(SERVER)),
     near=["gpu-foreign-process", "gpu-clock-low", "gpu-clock-locked", "gpu-shared-mig", "gpu-ecc"])
told("gpu-with-a-notebook", "a notebook computes on the same GPU", on_gpu(users(SERVER, (9000, "compute", "python3"))),
     expect="gpu-foreign-process", revoked=True, values={"/findings/0/evidence/pid": 9000})
told("gpu-with-a-desktop", "a desktop draws on the same GPU", on_gpu(users(SERVER, (1500, "graphics", "Xorg"))),
     expect="gpu-foreign-process", values={"/findings/0/severity": "warning"})
# Nvidia-docker 179 and 1483: the driver lists ids of the host, which mean nothing inside a container.
told("gpu-seen-from-a-container", "the driver lists the server by the host's number for it (nvidia-docker 179)",
     on_gpu(users((4_021_187, "compute", "unknown"))), forbid="gpu-foreign-process", near="gpu-clock-low")
told("gpu-through-mps", "the server reaches the GPU through MPS",
     on_gpu(users(SERVER, (3000, "compute", "nvidia-cuda-mps-server"))), expect="gpu-shared-mig")
told("gpu-fell-off-the-bus", "the driver reported Xid 79 during the run",
     on_gpu({"faults": BOARD["faults"] | {"xid": known(79)}}, before=BOARD), expect="gpu-ecc", revoked=True)
told("gpu-locked-a-little", "1,755 of the 1,980 MHz that it is sold for, at rest and under load, and no reason",
     record(snapshot(0, gpus=[BOARD]), snapshot(16, gpus=[BOARD]),
            [tick(s + 1, gpus=[{"gpu": 0, "idle" if s < 4 else "busy": at_work(
                1755, utilization=0.0 if s < 4 else 0.98)[0]["busy"]}]) for s in range(16)], end=16),
     expect="gpu-clock-locked", by_hand="1,755 / 1,980 = 0.886.", values={"/findings/0/severity": "warning"})

# --- AMD, as its reader gives it. ROCm 6289: 41 MHz at 100 % busy, about three times slower.
RADEON = {"name": known("AMD Radeon RX 9070 XT"), "clocks": {"max_sm_mhz": known(2970), "max_memory_mhz": known(1258)},
          "power": {"enforced_mw": known(304_000), "default_mw": known(304_000)}, "mig": {"not": "not_applicable"},
          "performance_level": known("auto")}
told("gpu-amd-at-41-mhz", "an RX 9070 XT reads 41 MHz at 100 % busy (ROCm 6289)",
     on_gpu(RADEON, before=RADEON, sm=41, power_mw=known(60_000), utilization=1.0), expect="gpu-clock-low",
     tolerates=["gpu-clock-locked"], revoked=True)
told("gpu-amd-set-to-low", "the performance level is set to low",
     on_gpu(RADEON | {"performance_level": known("low")}, sm=2900), expect="gpu-clock-locked")
# Libdrm-amdgpu-sys 7: Navi 31 sets the bit of its hottest spot nearly always; the reader leaves it out.
told("gpu-amd-navi31", "an RX 7900 whose bit of the hottest spot is set, as nearly always (libdrm-amdgpu-sys 7)",
     on_gpu(RADEON | {"name": known("AMD Radeon RX 7900 XTX")}, sm=2860), near=["gpu-throttled", "gpu-clock-low"])
