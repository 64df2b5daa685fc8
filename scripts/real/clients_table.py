#!/usr/bin/env python3
"""Holds what real clients reported against the ledger of the simulated server, as a table.

    python3 scripts/real/clients_table.py OUT [--into docs/simulator.md]

OUT is what clients.py wrote. With --into the table replaces what stands between the markers of that file. A figure
that is further from the ledger than its line in ALLOWED says is told at the end, and the exit status is 3. Shares no code
with the crates; Python 3's standard library alone.
"""
import argparse
import json
import sys
from pathlib import Path
from statistics import fmean, median

MARKS = "<!-- real clients: begin -->", "<!-- real clients: end -->"

# What is known to part a client's figure from the ledger's, whatever the server: by letter.
CAUSES = {
    "a": "the client's clock runs from its send to its read of the chunk; the ledger's from the request read to the "
         "moment at which the token was due. Both ways over the loopback, how late the token left, and the client's own "
         "event loop lie between",
    "b": "ends at the end of the stream (usage event and `[DONE]` included), not at the last token",
    "c": "chunks that the client takes in one read have a gap near zero and the next one a long gap; the mean keeps, "
         "the median may not",
    "d": "as planned: the client takes the server's count neither of the prompt nor of the reply",
    "e": "over the client's own run time, from its first send to its last end; the ledger's is from the first arrival "
         "to the last token",
    "f": "counted by the client's tokenizer, not by the server",
    "g": "over the phase, which starts before the first send and ends after the last reply",
    "h": "a token's gap, not a chunk's: the same here, where a chunk is a token",
    "i": "the server's chat template adds 7 tokens a request",
    "j": "what the SDK computes from the call to its first chunk, for requests at once as well: they wait for each other. "
         "It is measured beside the times (process time) and stands under the run",
    "k": "taken after the client has worked through the reply (`end_time` follows `process_response`), 4 to 6 ms at "
         "concurrency 1 in two passes; requests at once wait for each other in one event loop. Not taken apart further",
}
# Client, figure: letters. A count that the server gives has none: it is equal or wrong.
KNOWN = {
    "openai-sdk": {"ttft": "aj", "itl": "ac", "tpot": "a", "e2e": "aj", "output rate": "e"},
    "sglang": {"prompt tokens": "d", "output tokens": "d", "ttft": "a", "itl": "ac", "tpot": "a", "e2e": "a", "output rate": "e"},
    "aiperf": {
        "ttft": "a", "itl": "ac", "tpot": "a", "e2e": "a", "output rate": "fg", "prompt tokens": "fi", "output tokens": "f",
    },
    "inference-perf": {
        "ttft": "ak", "itl": "ach", "tpot": "af", "e2e": "abk", "output rate": "ef", "prompt tokens": "", "output tokens": "",
    },
}
# How far a figure may be off: milliseconds for times from the send and for gaps, a share for rates. On top of the first
# come how late one token in a hundred left, what the client computed where cause j is known, and for each request at once
# 7 ms where k is, which is what it was seen to take.
ALLOWED = {"ttft": 5.0, "e2e": 5.0, "itl": 1.0, "tpot": 1.0}
ALLOWED_RATE = 0.05


def ledger(folder, counted):
    """The requests of the run in order of arrival; those before the client's own `counted` are its trial requests."""
    lines = (folder / "ledger.jsonl").read_text().splitlines()
    entries = [json.loads(line) for line in lines if line]
    entries.sort(key=lambda entry: entry["arrived_ns"])
    trials = max(0, len(entries) - counted)
    return entries[trials:], trials


def true_figures(entries):
    """The truth, in ms and tokens, each metric a list of samples."""
    times = [[at / 1e9 for at in entry["token_times_ns"]] for entry in entries]
    first, last = [each[0] for each in times], [each[-1] for each in times]
    arrived = [entry["arrived_ns"] / 1e9 for entry in entries]
    output = [entry["output_tokens"] for entry in entries]
    ms = 1e3
    return {
        "requests": len(entries),
        "prompt tokens": total(entry["prompt_tokens"] for entry in entries),
        "output tokens": sum(output),
        "ttft": spread([ms * (at - start) for at, start in zip(first, arrived)]),
        "itl": spread([ms * (b - a) for each in times for a, b in zip(each, each[1:])]),
        "tpot": spread([ms * (b - a) / (n - 1) for a, b, n in zip(first, last, output) if n > 1]),
        "e2e": spread([ms * (at - start) for at, start in zip(last, arrived)]),
        "output rate": sum(output) / (max(last) - min(arrived)),
    }


def spread(samples):
    return (fmean(samples), median(samples)) if samples else None


def total(counts):
    """The sum; none where one of them is not known."""
    counts = list(counts)
    return None if None in counts else sum(counts)


def look(result, *keys):
    """What stands there; none where nothing does."""
    for key in keys:
        result = result.get(key) if isinstance(result, dict) else None
    return result


def both(result, mean, middle, scale=1.0):
    """A metric's mean and median; none where one is missing."""
    found = look(result, *mean), look(result, *middle)
    return None if None in found else tuple(scale * part for part in found)


def whole(value):
    return None if value is None else int(value)


def said_by_openai(result):
    replies = result["replies"]
    if not replies:
        return {"requests": 0}
    as_entries = [
        {
            "arrived_ns": 1e9 * reply["sent_s"], "token_times_ns": [1e9 * at for at in reply["arrivals_s"]],
            # Without usage there is nothing to go by but the chunks, and nothing at all for the prompt.
            "prompt_tokens": reply["prompt_tokens"], "output_tokens": reply["output_tokens"] or len(reply["arrivals_s"]),
        }
        for reply in replies
    ]
    took = max(reply["ended_s"] for reply in replies) - min(reply["sent_s"] for reply in replies)
    figures = true_figures(as_entries)
    return figures | {"output rate": figures["output tokens"] / took}


def said_by_sglang(result):
    of = lambda key: both(result, [f"mean_{key}_ms"], [f"median_{key}_ms"])
    return {
        "requests": look(result, "completed"),
        "prompt tokens": look(result, "total_input_tokens"),
        "output tokens": look(result, "total_output_tokens"),
        "ttft": of("ttft"), "itl": of("itl"), "tpot": of("tpot"), "e2e": of("e2e_latency"),
        "output rate": look(result, "output_throughput"),
    }


def said_by_aiperf(result):
    of = lambda key: both(result, [key, "avg"], [key, "p50"])
    return {
        "requests": whole(look(result, "request_count", "avg")),
        "prompt tokens": whole(look(result, "total_isl", "avg")),
        "output tokens": whole(look(result, "total_osl", "avg")),
        "ttft": of("time_to_first_token"),
        "itl": of("inter_chunk_latency"),
        # Its inter_token_latency is one value a request.
        "tpot": of("inter_token_latency"),
        "e2e": of("request_latency"),
        "output rate": look(result, "output_token_throughput", "avg"),
    }


def said_by_inference_perf(result):
    done = look(result, "successes")
    of = lambda key: both(done, ["latency", key, "mean"], ["latency", key, "median"], 1e3)
    return {
        "requests": look(done, "count"),
        "prompt tokens": whole(look(done, "prompt_tokens", "total")),
        "output tokens": whole(look(done, "output_tokens", "total")),
        "ttft": of("time_to_first_token"), "itl": of("inter_token_latency"),
        "tpot": of("time_per_output_token"), "e2e": of("request_latency"),
        "output rate": look(done, "throughput", "output_tokens_per_sec"),
    }


SAID = {
    "openai-sdk": said_by_openai, "sglang": said_by_sglang, "aiperf": said_by_aiperf,
    "inference-perf": said_by_inference_perf,
}
UNITS = {"ttft": "ms", "itl": "ms", "tpot": "ms", "e2e": "ms", "output rate": "tok/s"}


def pair(value, form=".2f"):
    if isinstance(value, int):
        form = form.replace(".2f", "d")
    if isinstance(value, tuple):
        return " / ".join(format(part, form) for part in value)
    return format(value, form)


def difference(said, true):
    """What the client says more than the ledger."""
    if isinstance(said, tuple):
        return tuple(a - b for a, b in zip(said, true))
    return said / true - 1.0 if isinstance(true, float) else said - true


def computed(folder):
    """What the client computed from its call to its first chunk, in ms, mean and median; none where it does not say."""
    [kept] = [path for path in folder.iterdir() if path.stem == "result"]
    result = json.loads(kept.read_text())
    replies = result.get("replies", []) if isinstance(result, dict) else []
    return spread([1e3 * reply["processor_s"] for reply in replies if reply["processor_s"] is not None])


def off(figure, gap, known, level, late, busy):
    """Whether a figure is further from the truth than is known of its client."""
    if isinstance(gap, tuple):
        more = (late if "a" in known else 0.0) + (busy if "j" in known else 0.0) + (7.0 * level if "k" in known else 0.0)
        return max(abs(part) for part in gap) > ALLOWED[figure] + more
    if isinstance(gap, float):
        return abs(gap) > ALLOWED_RATE
    return gap != 0 and "f" not in known


def runs(out):
    """The runs of a folder and what each is, in the order of the clients."""
    found = [(path.parent, json.loads(path.read_text())) for path in out.glob("*/run.json")]
    return sorted(found, key=lambda run: (list(SAID).index(run[1]["client"]), run[0].name))


def said_in(folder, run):
    """What the client says; none where it wrote nothing."""
    kept = [path for path in folder.iterdir() if path.stem == "result"]
    return SAID[run["client"]](json.loads(kept[0].read_text())) if kept else None


def lateness(folder):
    """How late tokens left, in ms: the median and what one in a hundred reaches."""
    load = json.loads((folder / "load.json").read_text())
    return 1e3 * load["late_p50_s"], 1e3 * load["late_p99_s"]


def rows(folder, run):
    """The rows of a run, each with whether it is further off than is known."""
    client, level = run["client"], run["concurrency"]
    start = [client, run["version"], str(level)]
    said = said_in(folder, run)
    entries, trials = ledger(folder, said["requests"])
    true, late, busy = true_figures(entries), lateness(folder), computed(folder)
    for figure, value in said.items():
        if value is None:
            raise SystemExit(f"{folder.name} says nothing of its {figure}")
        gap = difference(value, true[figure])
        known = KNOWN[client].get(figure, "")
        if figure == "requests" and trials:
            shown = f"0, and {trials} for trial"
        elif isinstance(gap, float):
            shown = f"{100 * gap:+.2f} %"
        else:
            shown = pair(gap, "+.2f") if gap != 0 else "0"
        unit = f", {UNITS[figure]}" if figure in UNITS else ""
        told = [pair(value), pair(true[figure]), shown, ", ".join(known)]
        yield start + [figure + unit, *told], off(figure, gap, known, level, late[1], max(busy or [0.0]))
    if busy:
        yield start + ["own processor to first chunk, ms", pair(busy), "", "", ""], False
    yield start + ["left late, ms, median / p99", "", pair(late), "", ""], False


def table(out):
    lines = ["| client | version | concurrency | figure | client says | ledger says | difference | known cause |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- | --- |")
    late = []
    for folder, run in runs(out):
        if run["fault"]:
            continue
        for cells, is_late in rows(folder, run):
            lines.append("| " + " | ".join(cells) + " |")
            if is_late:
                late.append(f"{cells[0]} at concurrency {cells[2]}: {cells[3]} is {cells[6]} off the ledger")
    if len(lines) == 2:
        raise SystemExit(f"no runs in {out}")
    lines.append("")
    lines += [f"- **{letter}**: {text}." for letter, text in CAUSES.items()]
    return "\n".join(lines), late


def put(path, marks, text):
    """Replaces what stands between two markers of a file."""
    head, rest = path.read_text().split(marks[0])
    path.write_text(f"{head}{marks[0]}\n\n{text}\n\n{marks[1]}{rest.split(marks[1])[1]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", type=Path)
    parser.add_argument("--into", type=Path, help="a file with the two markers")
    options = parser.parse_args()
    text, late = table(options.out)
    if options.into:
        put(options.into, MARKS, text)
    else:
        print(text)
    print("\n".join(late) or "every figure is within what is known of its client", file=sys.stderr)
    return 3 if late else 0


if __name__ == "__main__":
    sys.exit(main())
