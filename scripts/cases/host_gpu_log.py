"""Logs as `nvidia-smi --query-gpu=… --format=csv -l 1` writes them."""

# What the board is, and what it does at work; a case changes what differs.
H100 = {"name": "NVIDIA H100 80GB HBM3", "driver": "570.86.15", "limit": 700, "default": 700, "max": 1980,
        "max_mem": 2619, "gen_max": 5, "width_max": 16, "mig": "Disabled", "ecc": "Enabled", "errors": 0,
        "state": "P0", "util": 98, "temp": 60, "margin": 25, "power": 512, "sm": 1980, "mem": 2619, "reasons": 0,
        "gen": 5, "width": 16}
H200 = H100 | {"name": "NVIDIA H200", "driver": "560.35.03", "max_mem": 3201, "mem": 3201, "temp": 66, "margin": 21}
B200 = H100 | {"name": "NVIDIA B200", "driver": "575.57.08", "limit": 1000, "default": 1000, "max": 1965,
               "max_mem": 3996, "mem": 3996, "sm": 1965, "power": 785}
A100 = H100 | {"name": "NVIDIA A100-SXM4-80GB", "driver": "550.54.15", "limit": 400, "default": 400, "max": 1410,
               "max_mem": 1593, "mem": 1593, "sm": 1410, "power": 290, "gen_max": 4, "gen": 4}
GEFORCE = {"margin": "[N/A]", "mig": "[N/A]", "ecc": "[N/A]", "errors": "[N/A]", "state": "P2", "gen_max": 4, "gen": 4}
RTX3090 = H100 | GEFORCE | {"name": "NVIDIA GeForce RTX 3090", "driver": "550.54.15", "limit": 350, "default": 350,
                            "max": 2100, "max_mem": 9751, "mem": 9501, "sm": 1875, "power": 310}
IDLE = {"util": 0, "temp": 38, "margin": 49, "power": 68, "sm": 345, "reasons": 1}

COLUMNS = [
    ("name", "name", ""), ("driver_version", "driver", ""), ("pstate", "state", ""),
    ("utilization.gpu [%]", "util", " %"), ("temperature.gpu", "temp", ""), ("temperature.gpu.tlimit", "margin", ""),
    ("power.draw [W]", "power", " W"), ("enforced.power.limit [W]", "limit", " W"),
    ("power.default_limit [W]", "default", " W"), ("clocks.current.sm [MHz]", "sm", " MHz"),
    ("clocks.current.memory [MHz]", "mem", " MHz"), ("clocks.max.sm [MHz]", "max", " MHz"),
    ("clocks.max.memory [MHz]", "max_mem", " MHz"), ("clocks_event_reasons.active", "reasons", ""),
    ("pcie.link.gen.current", "gen", ""), ("pcie.link.gen.max", "gen_max", ""),
    ("pcie.link.width.current", "width", ""), ("pcie.link.width.max", "width_max", ""),
    ("mig.mode.current", "mig", ""), ("ecc.mode.current", "ecc", ""),
    ("ecc.errors.uncorrected.volatile.total", "errors", ""),
]
# Only where a case has them.
MORE = [("persistence_mode", "persistence", ""), ("remapped_rows.pending", "pending", ""),
        ("clocks_event_reasons_counters.hw_power_brake_slowdown [us]", "brake_us", " us"),
        ("clocks_event_reasons_counters.sync_boost [us]", "sync_us", " us")]


def cell(value, key, unit):
    if value == "[N/A]":
        return value
    if key == "reasons":
        return f"0x{value:016x}"
    if key in ("power", "limit", "default"):
        value = f"{value:.2f}"
    return f"{value}{unit}"


def log(board, *rows, every=1):
    """A log: what each moment changes of the board, one for each second; lists are several GPUs."""
    moments = [row if isinstance(row, list) else [row] for row in rows]
    more = [column for column in MORE if any(column[1] in board | gpu for moment in moments for gpu in moment)]
    columns = COLUMNS + more
    lines = [", ".join(["timestamp", "index"] + [title for title, _, _ in columns])]
    for n, moment in enumerate(moments):
        s = n * every
        for index, gpu in enumerate(moment):
            one = board | gpu
            cells = [f"2026/11/20 10:{s // 60:02}:{s % 60:02}.120", str(index)]
            lines.append(", ".join(cells + [cell(one[key], key, unit) for _, key, unit in columns]))
    return "\n".join(lines) + "\n"


def clocks(*mhz, **more):
    """Busy moments, one for each clock."""
    return [{"sm": sm} | more for sm in mhz]
