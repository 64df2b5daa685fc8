"""Cases of the host: GPUs, by logs of nvidia-smi.

Numbers that were published are in the comments; others are made up. The logs in
`crates/host/tests/data/gpu` are of the same machines.
"""
from host_case import as_list, case
from host_gpu_log import A100, B200, GEFORCE, H100, H200, IDLE, RTX3090, clocks, log


def gpu(name, about, rows, board=H100, every=1, arguments=(), **said):
    for key in ("expect", "near", "forbid", "tolerates", "notes"):
        if key in said:
            said[key] = as_list(said[key])
    case(f"gpu-{name}", about, ["--gpu-log", "{case}/gpu.csv", *arguments],
         files={"gpu.csv": log(board, *rows, every=every)}, **said)


ALL = ["gpu-clock-low", "gpu-clock-locked", "gpu-throttled", "gpu-power-capped", "gpu-too-hot", "gpu-clock-drifts",
       "gpu-ecc", "gpu-pcie-degraded", "gpu-shared-mig"]
REST = [IDLE] * 3
gpu("well", "three seconds at rest and twelve at work, at the boost clock", REST + clocks(*[1980] * 12), near=ALL)

# --- What must not be found.
# CollectiveX probe.py: a B200 reads 120 MHz at rest, and so does a broken one under load.
gpu("idle-b200", "a B200 at rest reads 120 MHz (InferenceX)", [IDLE | {"sm": 120, "power": 141}] * 8, B200,
    near=["gpu-power-capped", "gpu-ecc", "gpu-shared-mig"], forbid=ALL)
# SGLang 27567: a resident context holds the boost clock at rest.
gpu("resident-context", "a resident context holds the boost clock at rest: no lock, and no load (SGLang 27567)",
    [IDLE | {"sm": 1980, "power": 118, "reasons": 0}] * 4 + clocks(*[1980] * 8), near=["gpu-clock-locked", "gpu-clock-low"])
# TileOPs 1587: an exact-clock gate failed healthy H200s at 1,500 to 1,700 of 1,980 MHz at their own 700 W.
gpu("h200-at-its-own-limit", "an H200 at 1,500 to 1,700 of 1,980 MHz, held by its own 700 W (TileOPs 1587)",
    clocks(1590, 1545, 1620, 1500, 1695, 1560, power=697, reasons=4) * 2, H200,
    near=["gpu-clock-low", "gpu-power-capped", "gpu-clock-locked"])
# Nvbench 231: 54 to 60 % of the default clock in one kernel; nvbench dropped every sample, and printed NaN.
NVBENCH = (827, 795, 847, 800, 838, 761, 846, 820)
gpu("a100-one-kernel-at-its-limit", "an A100 at 54 to 60 % of its clock in one kernel, held by its own 400 W: nvbench "
    "dropped it all (nvbench 231)", clocks(*NVBENCH, power=396, reasons=4), A100, near="gpu-clock-low")
gpu("a100-one-kernel-unexplained", "the same clocks at 96 of 400 W, without a reason: named with every sample, none dropped",
    clocks(*NVBENCH, power=96, util=63), A100, expect="gpu-clock-low", revoked=True,
    by_hand="The median of eight is 823.5; 823.5 / 1,410 = 0.584.",
    values={"/findings/0/evidence/busy_samples": 8.0, "/findings/0/evidence/busy_clock_mhz": 823.5})
# Nvbench 207: 2,655 MHz, 105 % of the default clock, is 86 % of the highest.
gpu("rtx4090-above-its-default", "an RTX 4090 at 2,655 of 3,105 MHz, 105 % of its default clock (nvbench 207)",
    clocks(2655, 2670, 2640, 2655, 2655, 2670, power=268),
    RTX3090 | {"name": "NVIDIA GeForce RTX 4090", "limit": 450, "default": 450, "max": 3105, "max_mem": 10501, "mem": 10251},
    near=["gpu-clock-low", "gpu-clock-locked"])
# Gpud 431: an alarm because persistence was off shortly after boot.
gpu("persistence-off", "persistence mode is off, and the GPU is well (gpud 431)", clocks(*[1980] * 6),
    H100 | {"persistence": "Disabled"}, near=["gpu-clock-low", "gpu-ecc"])
# Jan 183, nvtop 6: generation 1 at rest is by design.
gpu("pcie-slow-at-rest", "the link falls to generation 1 at rest, and is at 4 under load (jan 183)",
    [IDLE | {"gen": 1}] * 3 + clocks(*[1875] * 6), RTX3090, near="gpu-pcie-degraded")

# --- Clocks.
gpu("clock-at-a-third", "the clock wanders about a third of the board's, and no reason is given",
    REST + clocks(660, 690, 630, 675, 645, 660, 660, power=180), expect="gpu-clock-low", revoked=True,
    by_hand="660 / 1,980 = 0.333.", values={"/findings/0/evidence/busy_clock_mhz": 660.0})
gpu("clock-at-76-percent", "1,505 of 1,980 MHz: few boards hold their highest clock",
    REST + clocks(1500, 1515, 1505, 1530, 1480, 1505, power=600), near="gpu-clock-low", by_hand="1,505 / 1,980 = 0.760.")
# Minefield trap 124: P0 at 96 %, 44 to 49 tok/s; DeepSeek on a DGX Spark: 63 or 94 ms a step.
gpu("gb10-without-a-reason", "a GB10 in P0 at 96 % draws 14 W at 858 of 3,003 MHz, and says no reason (minefield 124)",
    clocks(858, 865, 851, 858, 872, 844, 858, util=96, power=14, temp=48),
    H100 | {k: "[N/A]" for k in ("margin", "limit", "default", "max_mem", "mem", "mig", "ecc", "errors")}
    | {"name": "NVIDIA GB10", "driver": "580.95.05", "max": 3003, "gen_max": 1, "gen": 1}, expect="gpu-clock-low",
    revoked=True)
# Llama.cpp 26024: stuck at 1,890 MHz and 16 W after an update; releases were blamed.
gpu("laptop-at-16-w", "a laptop's RTX 4060 is stuck in P2 at 1,890 MHz and 16 W (llama.cpp 26024)",
    clocks(*[1890] * 7, power=16, util=97), H100 | GEFORCE | {"name": "NVIDIA GeForce RTX 4060 Laptop GPU", "limit": "[N/A]",
    "default": "[N/A]", "max": 3105, "max_mem": 8001, "mem": 8001, "width": 8, "width_max": 8}, expect="gpu-clock-low",
    revoked=True)
gpu("laptop-capped-by-an-unknown-limit", "a laptop's board is held by a power limit that it does not state",
    clocks(1890, 1905, 1875, 1890, 1890, power=60, reasons=4), H100 | GEFORCE | {"name": "NVIDIA GeForce RTX 4060 Laptop GPU",
    "limit": "[N/A]", "default": "[N/A]", "max": 3105, "max_mem": 8001, "mem": 8001, "width": 8, "width_max": 8},
    expect="gpu-clock-low", values={"/findings/0/severity": "warning"})
gpu("half-the-flops", "an A100 gives half of its FLOP/s at 705 of 1,410 MHz (mixbench 18)",
    clocks(705, 720, 690, 705, 705, 735, power=150), A100, expect="gpu-clock-low", revoked=True)
gpu("one-slow-sibling", "one of four GPUs runs at 1,755 MHz, the others at 1,980",
    [[{}, {}, {"sm": 1755}, {}]] * 6, expect="gpu-clock-low", by_hand="1,755 / 1,980 = 0.886.",
    values={"/findings/0/severity": "warning"})
gpu("siblings-differ-by-5-percent", "one of four GPUs runs at 1,890 MHz, the others at 1,980",
    [[{}, {}, {"sm": 1890}, {}]] * 6, near="gpu-clock-low", by_hand="1,890 / 1,980 = 0.955.")

# --- Locks.
TITAN = RTX3090 | {"name": "TITAN RTX", "driver": "535.104.05", "state": "P0", "limit": 280, "default": 280, "max_mem": 7001,
                   "mem": 7000, "gen_max": 3, "gen": 3}
# CUDA.jl 2194: locked at 915 MHz, all reasons false.
gpu("locked-at-915", "915 MHz at rest and under load, and no reason (CUDA.jl 2194)",
    [IDLE | {"sm": 915, "power": 59, "reasons": 0}] * 4 + clocks(*[915] * 8, power=121), TITAN,
    expect=["gpu-clock-locked"], tolerates=["gpu-clock-low"], revoked=True, by_hand="915 / 2,100 = 0.436.",
    values={"/findings/0/evidence/busy_clock_mhz": 915.0})
gpu("locked-by-application-clocks", "application clocks hold 1,005 of 1,410 MHz",
    clocks(*[1005] * 8, power=170, reasons=2), A100, expect=["gpu-clock-locked"], tolerates=["gpu-clock-low"], revoked=True)
gpu("steady-below-its-highest", "a board stands at 1,605 of 1,980 MHz at work and goes down at rest",
    REST + clocks(*[1605] * 8, power=430), near="gpu-clock-locked", by_hand="1,605 / 1,980 = 0.811.")
RTX5090 = RTX3090 | {"name": "NVIDIA GeForce RTX 5090", "driver": "580.95.05", "limit": 575, "default": 575, "max": 3120,
                     "max_mem": 14001, "gen_max": 5, "gen": 5, "power": 331, "sm": 2805}
# LACT 1128: a lock of the memory clock cost 16 %, and gave no reason.
gpu("memory-locked", "the memory stands at 10,001 of 14,001 MHz (LACT 1128)", [{"mem": 10001}] * 7, RTX5090,
    expect="gpu-clock-locked", revoked=True, by_hand="10,001 / 14,001 = 0.714.")
gpu("memory-at-86-percent", "the memory stands at 12,001 of 14,001 MHz", [{"mem": 12001}] * 7, RTX5090,
    expect="gpu-clock-locked", values={"/findings/0/severity": "warning"})
gpu("memory-in-a-compute-state", "a GeForce board computes at 9,501 of 9,751 MHz of memory",
    REST + clocks(*[1875] * 6), RTX3090, near="gpu-clock-locked")

# --- Throttled, hot, drifting.
gpu("b200-at-120-too-hot", "a B200 works at 120 MHz: hardware thermal slowdown; case 17 times slower (InferenceX)",
    [[{}, {}, {"sm": 120, "temp": 89, "margin": 1, "power": 190, "reasons": 0x48}, {}]] * 8, B200,
    expect=["gpu-throttled"], tolerates=["gpu-clock-low", "gpu-too-hot"], revoked=True)
# Llm-rig 97: slowdown 105 s into a prefill of 8k, 1,155 instead of 1,875 MHz.
HOT = [{"temp": min(92, 70 + n), "sm": 1875 if n < 21 else 1155, "reasons": 0 if n < 21 else 0x48,
        "power": 338 if n < 21 else 201} for n in range(32)]
gpu("hot-after-105-s", "hardware thermal slowdown after 105 s, 1,155 instead of 1,875 MHz (llm-rig 97)", HOT, RTX3090,
    every=5, expect=["gpu-throttled"], tolerates=["gpu-too-hot", "gpu-clock-drifts", "gpu-clock-low"], revoked=True)
gpu("one-blip", "one moment of hardware slowdown, at a change of state", clocks(*[1980] * 5) + [{"reasons": 8}]
    + clocks(*[1980] * 6), near=["gpu-throttled", "gpu-clock-low"])
gpu("throttled-between-samples", "the power brake was counted for 2.4 of 60 s, and is in no sample",
    [{"brake_us": 40_000 * n} for n in range(61)], expect="gpu-throttled", revoked=True, by_hand="2.4 / 60 = 0.04.",
    values={"/findings/0/evidence/share_of_run": 0.04})
gpu("brake-of-30-ms", "the power brake was counted for 30 ms of 60 s", [{"brake_us": 500 * n} for n in range(61)],
    near="gpu-throttled")
gpu("sync-boost", "the GPU was held to the slowest of its group for 3 of 60 s", [{"sync_us": 50_000 * n} for n in range(61)],
    expect="gpu-throttled", values={"/findings/0/severity": "warning"})
gpu("hot-and-not-throttled", "the GPU works 4 °C below its limit", [{"margin": 4, "temp": 82}] * 8, expect="gpu-too-hot",
    values={"/findings/0/severity": "warning"})
gpu("warm", "the GPU works 6 °C below its limit", [{"margin": 6, "temp": 80}] * 8, near="gpu-too-hot")
gpu("hotter-than-its-siblings", "one of four GPUs is 25 °C hotter than the others: CollectiveX's stood at 55 beside 30 °C",
    [[{}, {}, {"temp": 80, "margin": 8}, {"temp": 55}]] * 6, expect="gpu-too-hot", by_hand="80 - 60 = 20.",
    values={"/findings/0/evidence/above_siblings_c": 20.0})
# FlashInfer 2899: 1,965 to 1,580 MHz in a loop back to back.
gpu("drifts", "the clock falls from 1,965 to 1,580 MHz in a loop back to back (flashinfer 2899)",
    clocks(*[1965] * 5, *[1800] * 5, *[1580] * 5, power=985), B200, expect="gpu-clock-drifts", revoked=True,
    by_hand="1,580 / 1,965 = 0.804.")
# Convnet-benchmarks 71: a Titan X slows down when it is hot; the clocks are made up.
gpu("titan-slows-when-hot", "the clock falls while the card warms up (convnet-benchmarks 71)",
    [{"sm": 1920 - 9 * n, "temp": 60 + n, "power": 240} for n in range(24)], TITAN, expect=["gpu-clock-drifts"],
    tolerates=["gpu-too-hot"], revoked=True)
# Helion 3572: the order of finalists was decided by the clock's ramp.
gpu("ramps-up", "the clock rises from 1,500 to 1,980 MHz while candidates are compared (helion 3572)",
    clocks(*[1500] * 4, *[1750] * 4, *[1980] * 4), expect="gpu-clock-drifts", values={"/findings/0/severity": "warning"})
gpu("varies-by-4-percent", "the clock falls from 1,980 to 1,905 MHz", clocks(*[1980] * 4, *[1950] * 4, *[1905] * 4),
    near="gpu-clock-drifts", by_hand="1,905 / 1,980 = 0.962.")

# --- Power limits.
# Triton 2023: a script against noise set 500 W; 617 instead of 1,600 to 2,174 TFLOP/s. The default is made up.
GB300 = B200 | {"name": "NVIDIA GB300", "limit": 500, "default": 1400, "max": 2032, "gen_max": 6, "gen": 6}
gpu("gb300-at-500-w", "a script against noise capped a GB300 at 500 W (triton 2023)",
    clocks(1095, 1110, 1080, 1095, 1125, 1095, power=498, reasons=4), GB300, expect=["gpu-power-capped"],
    tolerates=["gpu-clock-low"], revoked=True)
# Club-3090 58 and ninfer-3090 72: 230 W cost 34 %, 330 W 5 %; the memory clock stayed.
CAPPED = clocks(1155, 1170, 1140, 1155, 1185, 1155, power=229, reasons=4)
gpu("rtx3090-at-230-w", "a 3090 is capped at 230 of 350 W (club-3090 58)", CAPPED, RTX3090 | {"limit": 230},
    expect=["gpu-power-capped"], tolerates=["gpu-clock-low"], revoked=True, by_hand="230 / 350 = 0.657.")
gpu("rtx3090-at-330-w", "a 3090 is capped at 330 of 350 W, and held by it: 5 % less",
    clocks(*[1785] * 6, power=329, reasons=4), RTX3090 | {"limit": 330}, expect="gpu-power-capped", revoked=True)
gpu("cap-and-decode", "under a cap the memory clock stays up: prefill is revoked, decode survives (ninfer-3090 72)",
    clocks(*[1590] * 6, power=329, reasons=4), RTX3090 | {"limit": 330},
    arguments=["--claim", "prefill_tok_per_s = 900", "--claim", "decode_tok_per_s = 40"], expect="gpu-power-capped",
    revoked=True, values={"/claims/0/status": "revoked", "/claims/1/status": "not_shown"})
gpu("cap-without-effect", "650 of 700 W, and the GPU draws 401", [{"power": 401}] * 6, H100 | {"limit": 650},
    expect="gpu-power-capped", values={"/findings/0/severity": "warning"})
gpu("limit-rounded", "694 of 700 W: rounded", [{"power": 401}] * 6, H100 | {"limit": 694}, near="gpu-power-capped")

# --- Memory, link, slices.
gpu("memory-fails", "two errors of the memory could not be corrected during the run",
    [{"errors": 0}] * 4 + [{"errors": 2}] * 4, expect="gpu-ecc", revoked=True)
gpu("memory-failed-before", "three errors could not be corrected before the run, and none during it",
    [{"errors": 3}] * 6, expect="gpu-ecc", values={"/findings/0/severity": "warning"})
gpu("rows-pending", "bad rows wait for a reset", [{"pending": "Yes"}] * 6, expect="gpu-ecc",
    values={"/findings/0/severity": "warning"})
gpu("no-rows-pending", "no row waits for a reset", [{"pending": "No"}] * 6, near="gpu-ecc")
gpu("pcie-slow-under-load", "generation 3 of 5 and 8 of 16 lanes under load", [{"gen": 3, "width": 8}] * 6,
    expect="gpu-pcie-degraded")
gpu("mig", "MIG is on: the number is that of a slice", [{}] * 6, H100 | {"mig": "Enabled", "util": "[N/A]"},
    expect="gpu-shared-mig")
