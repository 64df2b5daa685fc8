#!/usr/bin/env python3
"""Makes a case's `before.tree` and `after.tree` of two captured trees: small, and of nobody's machine.

    python3 scripts/cases/scrub_tree.py BEFORE AFTER CASE CLIENT-PID[,…] [SERVER-PORT]

Kept are the clocks, the processors' counters, the processes of client and server with their ancestors,
and those that took processor time in between, by their one line. Control groups, folders, arguments and
the names of what runs the machine are left out.
"""
import json
import re
import sys
from pathlib import Path

from host_tree import written

LINES = {"status": r"Name|Pid|TracerPid|VmRSS|VmSwap|Threads|Cpus_allowed_list|nonvoluntary_ctxt_switches",
         "limits": r"Limit|Max open files"}
COMMON = {"python3", "bash", "sh", "zsh", "strace", "rustc", "cargo", "sshd", "systemd", "sleep", "node"}


def stat(text):
    head, rest = text.rsplit(")", 1)
    pid, name = head.split(" (", 1)
    fields = rest.split()
    return {"pid": int(pid), "name": name, "parent": int(fields[1]), "kernel": int(fields[6]) & 0x200000,
            "ticks": sum(map(int, fields[11:15])), "rest": rest}


def listing(root):
    lines = {}
    for folder in (root / "proc").iterdir():
        if folder.name.isdigit() and (folder / "stat").exists():
            lines[int(folder.name)] = stat((folder / "stat").read_text())
    return lines


def line(text):
    one = stat(text)
    name = one["name"] if one["name"] in COMMON else "kernel" if one["kernel"] else "init" if one["pid"] == 1 else "other"
    fields = one["rest"].split()
    # Addresses in memory say nothing here.
    for place in list(range(20, 35)) + list(range(42, len(fields))):
        fields[place] = "0"
    return f"{one['pid']} ({name}) " + " ".join(fields)


def scrubbed(root, wanted, kept, close):
    files = {"trueline/wanted.json": json.dumps(wanted),
             "trueline/clocks.json": (root / "trueline/clocks.json").read_text(),
             "proc/stat": "\n".join(l for l in (root / "proc/stat").read_text().splitlines()
                                    if l.startswith(("cpu", "procs_running")))}
    files |= {str(path.relative_to(root)): path.read_text().strip() for path in root.glob("proc/*/comm")}
    table = root / "proc/net/tcp"
    if table.exists():
        lines = [l.rstrip() for l in table.read_text().splitlines() if "inode" in l or " 0A " in l]
        files["proc/net/tcp"] = "\n".join(re.sub(r" 1 [0-9a-f]{16} ", " 1 0000000000000000 ", l) for l in lines)
    for pid in kept:
        at = root / f"proc/{pid}"
        if not (at / "stat").exists():
            continue
        files[f"proc/{pid}/stat"] = line((at / "stat").read_text())
        if pid not in close or not (at / "task").exists():
            continue
        for path in sorted(at.rglob("*")):
            name, to = path.name, str(path.relative_to(root))
            if not path.is_file() or to == f"proc/{pid}/stat":
                continue
            text = path.read_text().strip()
            if name in LINES:
                text = "\n".join(l for l in text.splitlines() if re.match(rf"({LINES[name]})\b", l))
            elif name == "stat":
                text = line(text)
            elif name in ("exe", "cmdline"):
                program = text.split()[0].rsplit("/", 1)[-1] if text else "program"
                text = "/usr/bin/" + re.sub(r"\d[\d.]*$", "3", program) if name == "exe" else program
            elif name == "cgroup":
                text = "0::/"
            elif "net/" in to:
                text = files.get("proc/net/tcp", "")
            files[to] = text
    return files


def main():
    before, after, case = Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    clients = [int(pid) for pid in sys.argv[4].split(",")]
    port = sys.argv[5] if len(sys.argv) > 5 else None
    wanted = {"client": clients, "server": {"port": int(port)} if port else None}
    ends = [listing(before), listing(after)]
    everybody = ends[0] | ends[1]
    # The program that captured is no part of what it saw.
    close = {pid for pid, one in everybody.items() if one["name"] in COMMON
             and any((end / f"proc/{pid}/task").exists() for end in (before, after))}
    kept = {pid for pid in everybody if ends[0].get(pid, {}).get("ticks") != ends[1].get(pid, {}).get("ticks")} | close
    for pid in list(kept):
        while pid in everybody and pid not in (0,):
            kept.add(pid)
            pid = everybody[pid]["parent"]
    trees = [scrubbed(end, wanted, sorted(kept), close) for end in (before, after)]
    case.mkdir(parents=True, exist_ok=True)
    (case / "before.tree").write_text(written(trees[0]))
    (case / "after.tree").write_text(written(trees[1], trees[0]))


if __name__ == "__main__":
    main()
