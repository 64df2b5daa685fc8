"""Writes down the cases of the host: what a case is about, its trees or files, and what must be said."""
import json

from host_tree import Machine, TOOK, written

FILES = {}
QUIET = "../host-quiet-machine"
BASE = {"before": Machine(0).tree(), "after": Machine(TOOK).tree()}


def toml(value):
    """A value as TOML: texts, numbers, lists of texts, and tables of such lists."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(toml(v) for v in value) + "]"
    return json.dumps(value, ensure_ascii=False)


def case(name, about, arguments, *, expect=(), notes=(), near=(), forbid=(), tolerates=(), revoked=False,
         by_hand=None, statuses=None, values=None, trees=None, record=None, program="check_host", files=None):
    """Declares a case; it is healthy where nothing is expected above a note."""
    lines = [f"# {line}" for line in (by_hand or "").splitlines()]
    keys = {"about": about, "healthy": not expect, "program": program, "arguments": arguments,
            "record": record, "exit": 1 if revoked else 0, "expect": expect, "notes": notes,
            "forbid": forbid, "near_miss": near, "tolerates": tolerates}
    lines += [f"{key} = {toml(value)}" for key, value in keys.items()
              if value is not None and (value != () or key in ("arguments",))]
    for title, table in [("trees", trees), ("statuses", statuses), ("values", values)]:
        if table:
            lines += ["", f"[{title}]"] + [f"{key if key.replace('-', '_').isidentifier() else toml(key)} = {toml(v)}"
                                           for key, v in table.items()]
    FILES[f"host-{name}/case.toml"] = "\n".join(lines) + "\n"
    for file, content in (files or {}).items():
        FILES[f"host-{name}/{file}"] = content


def as_list(codes):
    return [codes] if isinstance(codes, str) else list(codes)


def spoiled(both=None, before=None, after=None):
    """The trees of the quiet machine with a change, as what differs: by file, and how they are laid."""
    ends = {}
    for end, change, at in [("before", before, 0), ("after", after, TOOK)]:
        machine = Machine(at)
        for apply in [both, change]:
            if apply:
                apply(machine)
        ends[end] = written(machine.tree(), BASE[end])
    files = {f"{end}.tree": text for end, text in ends.items() if text}
    names = {end: [f"{end}.tree"] if text else [] for end, text in ends.items()}
    if ends["before"] == ends["after"] and ends["before"]:
        files, names = {"both.tree": ends["before"]}, {"before": ["both.tree"], "after": ["both.tree"]}
    quiet = {"before": [f"{QUIET}/before.tree"], "after": [f"{QUIET}/before.tree", f"{QUIET}/after.tree"]}
    return files, {end: quiet[end] + names[end] for end in quiet}


WATCHED = ["--before", "{made}/before", "--after", "{made}/after"]
LOOKED = ["--before", "{made}/before"]


def tree(name, about, both=None, before=None, after=None, arguments=None, **said):
    """A case of the quiet machine with one change, at both ends or at one."""
    files, trees = spoiled(both, before, after)
    for key in ("expect", "notes", "near", "forbid", "tolerates"):
        if key in said:
            said[key] = as_list(said[key])
    case(name, about, arguments or WATCHED, trees=trees, files=files | said.pop("files", {}), **said)


def at_once(name, about, both, **said):
    """The same at one moment."""
    machine = Machine(0)
    both(machine)
    text = written(machine.tree(), BASE["before"])
    said = {k: as_list(v) if k in ("expect", "near", "forbid", "tolerates", "notes") else v for k, v in said.items()}
    case(name, about, LOOKED, trees={"before": [f"{QUIET}/before.tree", "before.tree"]},
         files={"before.tree": text}, **said)
