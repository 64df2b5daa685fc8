"""Logs of SGLang, TGI and TensorRT-LLM in the shapes that these servers write, with case.toml beside each.

    python3 scripts/cases/server_logs.py cases

Numbers follow from the request's number, so that what a reader must find can be worked out by hand.
"""

import json
import math
import pathlib
import sys

AT = 1795953600.0  # 2026-11-29T12:00:00Z


class Request:
    """Request i of a service: 1,000 new tokens a second, 50 steps a second after the first token."""

    def __init__(self, i, apart=7.0):
        self.i, self.id = i, f"r{i:04d}"
        self.cached = 1024 * (i % 3)
        self.new = 600 + 37 * (i % 40)
        self.prompt = self.cached + self.new
        self.output = 20 + 11 * (i % 30)
        self.queue = 0.05 + 0.01 * (i % 7)
        self.prefill = self.new / 1000
        self.ttft = self.queue + self.prefill
        self.decode = (self.output - 1) / 50
        self.e2e = self.ttft + self.decode
        self.arrived = AT + apart * i

    def meta(self, generation=3, streamed=True, metrics=True):
        """Its meta_info: 1 before 0.5.10, 2 in it, 3 in 0.5.23."""
        retractions = {1: "total_retractions", 2: "total_retractions", 3: "num_retractions"}[generation]
        meta = {"id": self.id, "finish_reason": {"type": "stop", "matched": 2}, "prompt_tokens": self.prompt,
                "weight_version": "default", retractions: 0}
        at = lambda after: round(self.arrived + after, 6)
        if metrics:
            meta["queue_time"] = round(self.queue, 6)
            if generation == 1:
                meta["prefill_launch_delay"] = 0.001
                meta["prefill_finished_ts"] = at(self.ttft)
            else:
                meta["forward_entry_time"] = at(self.queue)
                meta["prefill_finished_time"] = at(self.ttft)
            if generation == 2:
                meta["prefill_waiting_latency"] = None
        meta["completion_tokens"], meta["cached_tokens"] = self.output, self.cached
        meta["e2e_latency"] = round(self.e2e, 6)
        if metrics:
            meta["request_received_ts"] = at(0)
            if generation == 3:
                meta["first_token_latency"] = round(self.ttft, 6)
            meta["response_sent_to_client_ts"] = at(self.ttft if streamed else self.e2e + 0.0004)
            meta["request_finished_ts"] = at(self.e2e)
            steps = self.output - 1 if generation == 3 else self.output
            meta["decode_throughput"] = steps / self.decode
            if generation < 3:
                meta["inference_time"] = round(self.e2e - self.queue, 6)
        return meta

    def text(self):
        return ["short", "it's {", 'say "}{"', "你好 }} out={", "'meta_info': {'id': 'no'}}"][self.i % 5]

    def export(self, **how):
        asked = {"rid": self.id, "text": self.text(), "stream": True}
        return json.dumps({"request_parameters": json.dumps(asked), **self.meta(**how)})


def stamp(at):
    seconds = int(at - AT) + 12 * 3600
    return f"2026-11-29 {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"


def local(at):
    return stamp(at).replace(" ", "T") + f".{int(at % 1 * 1e6):06d}"


def received(r):
    row = {"timestamp": local(r.arrived), "event": "request.received", "rid": r.id, "obj": {"text": r.text()}}
    return f"[{stamp(r.arrived)}] " + json.dumps(row, ensure_ascii=False)


def finished(r, **how):
    end = r.arrived + r.e2e
    row = {"timestamp": local(end), "event": "request.finished", "rid": r.id,
           "obj": {"text": r.text(), "stream": True}, "out": {"text": r.text(), "meta_info": r.meta(**how)}}
    return f"[{stamp(end)}] " + json.dumps(row, ensure_ascii=False)


def python(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"'{k}': {python(v)}" for k, v in value.items()) + "}"
    return repr(value)


def text_lines(r, **how):
    asked = f"GenerateReqInput(rid='{r.id}', text={r.text()!r}, sampling_params={{'stop': None}}, stream=True)"
    out = f"{{'text': {(r.text() + chr(10) + 'end')!r}, 'output_ids': [1, 2], 'meta_info': {python(r.meta(**how))}}}"
    return [f"[{stamp(r.arrived)}] Receive: obj={asked}",
            f"[{stamp(r.arrived + r.e2e)}] Finish: obj={asked}, out={out}",
            f"[{stamp(r.arrived + r.e2e)}] INFO:     127.0.0.1:33064 - \"POST /generate HTTP/1.1\" 200 OK"]


def prefill_line(at, new, cached, rate, full=""):
    return (f"[{stamp(at)} TP0] Prefill batch, #new-seq: 1, #new-token: {new}, #cached-token: {cached}, {full}token "
            f"usage: 0.05, #running-req: 1, #queue-req: 0, cuda graph: False, input throughput (token/s): {rate:.2f}")


def decode_line(at):
    return (f"[{stamp(at)} TP0] Decode batch, #running-req: 1, #full token: 4050, full token usage: 0.05, #swa token: "
            "512, swa token usage: 0.05, cuda graph: True, gen throughput (token/s): 49.50, #queue-req: 0")


def span(r, parameters="stop: []"):
    nanos = lambda s: int(round(s * 1e9))
    ms = lambda n: f"{n // 1_000_000}.{n % 1_000_000:06d}ms"
    inference = nanos(r.prefill + r.decode)
    each = inference // r.output
    end = r.arrived + r.e2e
    at = stamp(end).replace(" ", "T") + f".{int(end % 1 * 1e6):06d}Z"
    return (f"{at}  INFO generate{{parameters=GenerateParameters {{ max_new_tokens: Some(400), {parameters} }} "
            f"total_time=\"{r.e2e:.9f}s\" validation_time=\"440.5µs\" queue_time=\"{ms(nanos(r.queue))}\" inference_time="
            f"\"{ms(inference)}\" time_per_token=\"{ms(each)}\" seed=\"None\"}}: text_generation_router::server: "
            "router/src/server.rs:402: Success")


def case(folder, name, about, lines, body, healthy=True, note="", file="log.txt", end="\n",
         claims=None, asked=None):
    where = folder / name
    where.mkdir(parents=True, exist_ok=True)
    (where / file).write_text("\n".join(lines) + end, encoding="utf-8")
    more = ""
    if claims:
        (where / "claims.toml").write_text(claims, encoding="utf-8")
        more = ', "--claims", "{case}/claims.toml"'
    if asked:
        more = f', "--request-format", "{asked}"'
    comment = "".join(f"# {line}\n" for line in note.splitlines())
    head = (f'{comment}about = "{about}"\nhealthy = {str(healthy).lower()}\nprogram = "read_log"\n'
            f'arguments = ["{{case}}/{file}"{more}]\nexit = {int(bool(claims))}\n')
    (where / "case.toml").write_text(head + body.strip() + "\n", encoding="utf-8")


def sums(requests):
    return (f'"/results/tokens/prompt" = {sum(r.prompt for r in requests)}\n'
            f'"/results/tokens/cached" = {sum(r.cached for r in requests)}\n'
            f'"/results/tokens/output" = {sum(r.output for r in requests)}\n')


def counts(**of):
    return "\n[values]\n" + "".join(f'"/results/requests/{key}" = {n}\n' for key, n in of.items())


def quiet(*codes):
    return f"near_miss = [{', '.join(json.dumps(code) for code in codes)}]\n"


def main(folder):
    some = [Request(i) for i in range(60)]

    rows = [r.export() for r in some]
    middle = rows[30][rows[30].index(', "completion_tokens"'):]
    torn = rows[:30] + [middle] + rows[31:40] + [rows[40][:150] + rows[41]] + [rows[42] + rows[43]] + rows[44:]
    case(folder, "log-sglang-export-torn", "two writers tore lines of SGLang's exporter", torn + [rows[5][:90]],
         'expect = ["rejected-lines", "truncated-file"]\nnotes = ["torn-line"]\n'
         + counts(read=60, used=58, rejected=2, torn=2, joined=1, incomplete_tail=1),
         healthy=False, file="sglang-request-metrics-20261129_12.log", end="",
         note="Of 60 rows one has lost its start, one is cut before a whole one; two share a line, and the file ends\n"
              "in half a row more: 58 are whole, 2 pieces are rejected, the last one is no row yet.")

    case(folder, "log-sglang-export", "SGLang's exporter with the request as JSON in a text", rows,
         quiet("torn-line", "rejected-lines", "truncated-file", "mixed-schema", "impossible-value",
               "cached-tokens-unknown", "timestamp-disorder", "zone-unknown")
         + counts(read=60, used=60, rejected=0, other=0, unknown_ttft=0) + sums(some),
         file="sglang-request-metrics-20261129_12.log")

    both = sorted([(r.arrived, received(r)) for r in some] + [(r.arrived + r.e2e, finished(r)) for r in some])
    case(folder, "log-sglang-json", "SGLang's JSON log of requests behind its stamp in brackets",
         [line for _, line in both],
         quiet("censored-log", "zone-unknown", "rejected-lines", "mixed-schema")
         + counts(read=60, used=60, rejected=0, other=60, zoneless=0) + sums(some), file="host_0.log",
         note="A request.received is no record: 60 of them are counted as other lines.")

    bare = [finished(r, metrics=False) for r in some]
    case(folder, "log-sglang-json-local-time", "SGLang without --enable-metrics: its only stamps are local ones", bare,
         'notes = ["zone-unknown"]\n' + counts(used=60, zoneless=60, unknown_ttft=60), healthy=False,
         file="host_0.log")

    text = ["[2026-11-29 11:59:58] The server is fired up and ready to roll!"]
    for r in some:
        asked, ended, access = text_lines(r, generation=2)
        text += [asked, prefill_line(r.arrived, r.new, r.cached, 51.2), decode_line(r.arrived + r.ttft), ended, access]
    case(folder, "log-sglang-text", "SGLang's text log: prompts with quotes, braces, CJK and out= in them", text,
         quiet("censored-log", "zone-unknown", "rejected-lines", "torn-line")
         + counts(read=60, used=60, rejected=0, other=241, zoneless=0) + sums(some),
         note="Each request has a line as it comes in, two of batches and one of access, and there is a banner.")

    beyond = [Request(i) for i in range(60)]
    for r in beyond[:3]:
        r.cached = r.prompt + 1
    case(folder, "log-sglang-cached-beyond-prompt", "SGLang counts one cached token more than the prompt has",
         [r.export() for r in beyond],
         quiet("impossible-value", "cached-tokens-unknown")
         + counts(used=60, clamped_cached=3, impossible=0, unknown_cached=0)
         + f'"/results/tokens/new" = {sum(r.new for r in beyond[3:])}\n', file="export.jsonl",
         note="Three prompts are cached whole: none of their tokens is new, and none of them less than none.")

    queues = [Request(i) for i in range(60)]
    broken = [json.loads(r.export()) for r in queues]
    for row in broken[:4]:
        row["queue_time"] = -26520974.38
    broken[4]["queue_time"] = 99.0
    case(folder, "log-sglang-queue-negative", "a queue below zero, and one longer than the whole request",
         [json.dumps(row) for row in broken],
         'expect = ["timestamp-disorder"]\ntolerates = ["impossible-value"]\n' + counts(used=60, impossible=4),
         healthy=False, file="export.jsonl")

    def beyond_limit(n, start, mean):
        slow = [Request(i) for i in range(n)]
        for k, r in enumerate(slow):
            # Even ranks of an exponential distribution, in an order that mixes them.
            rank = (k * 71 % n + 0.5) / n
            r.e2e = start - mean * math.log(1 - rank)
            r.decode = r.e2e - r.ttft
            if r.decode < 0.5:
                r.queue, r.new, r.cached = 0.01, 600, 1024
                r.prompt, r.prefill, r.ttft = 1624, 0.6, 0.61
                r.decode = r.e2e - r.ttft
            r.output = int(r.decode * 50) + 1
        return slow

    slow = beyond_limit(120, 2.0, 2.0)
    case(folder, "log-sglang-slow-only", "SGLang was told to log requests above 2 s only", [finished(r, metrics=False) for r in slow],
         'expect = ["censored-log"]\n' + counts(used=120), healthy=False, file="host_0.log",
         note="Even ranks of an exponential distribution beyond 2 s: the fastest took 2.008 s, no beginnings are logged.")
    fewer = beyond_limit(40, 0.7, 2.0)
    began = [received(Request(i)) for i in range(120)]
    case(folder, "log-sglang-ends-missing", "of 120 requests that came in 40 have an end",
         began + [finished(r, metrics=False) for r in fewer], 'expect = ["censored-log"]\n' + counts(used=40, other=120),
         healthy=False, file="host_0.log")
    case(folder, "log-sglang-slow-service", "a service whose fastest request took 2.3 s",
         [finished(r, metrics=False) for r in beyond_limit(120, 2.3, 2.0)], quiet("censored-log") + counts(used=120),
         file="host_0.log")

    upgrade = [r.export(generation=2) for r in some[:30]] + [r.export() for r in some[30:]]
    case(folder, "log-sglang-upgraded", "SGLang was upgraded: the file holds rows of two schemas", upgrade,
         'notes = ["mixed-schema"]\n' + counts(read=60, used=60, rejected=0) + sums(some), healthy=False,
         file="export.jsonl",
         note="Up to 0.5.10 total_retractions and a decode rate of all tokens, then num_retractions and all but the first.")
    case(folder, "log-sglang-early", "SGLang's exporter before 0.5.10", [r.export(generation=1) for r in some],
         quiet("mixed-schema", "rejected-lines", "timestamp-disorder") + counts(used=60, unknown_ttft=0) + sums(some),
         file="export.jsonl")

    off = ["[2026-11-29 11:59:58] The server is fired up and ready to roll!"]
    before, apart = None, 0
    mixed = [Request(k * 17 % 40) for k in range(40)]
    for k, r in enumerate(mixed):
        r.arrived = AT + 7.0 * k
        rate = before / 7.0 if before else 3.0
        # Told apart where its own tokens at that rate take over a second more or less than the 7 s of the gap.
        took = r.new / round(rate, 2)
        apart += before is not None and abs(took - 7.0) > 1.0 + 0.01 * took
        off += [text_lines(r, generation=2)[0], prefill_line(r.arrived, r.new, r.cached, rate)]
        off += [decode_line(r.arrived + r.ttft)] + text_lines(r, generation=2)[1:]
        before = r.new
    told = (f'"/results/intervals/2/field" = "#new-token"\n"/results/intervals/2/total" = {sum(r.new for r in mixed)}\n'
            '"/results/generations/1/says" = "tokens of the batch before (up to 0.5.10)"\n'
            f'"/results/generations/1/rows" = {apart}\n')
    case(folder, "log-sglang-batches", "SGLang's batch lines divide the tokens of the batch before by the gap after it",
         off, 'notes = ["rate-over-log-interval"]\n' + quiet("rejected-lines", "mixed-schema")
         + counts(read=40, used=40, rejected=0) + told,
         note="Batch lines are no requests: their rates enter no rate of the requests; their tokens are summed.\n"
              "Gaps of 7 s, stamped to the second: where both batches have tokens that fit one, it says nothing.")
    case(folder, "log-sglang-batch-quoted", "the input throughput of SGLang's batch lines is quoted as a prefill rate", off,
         'expect = ["rate-over-log-interval"]\n\n[statuses]\nfield = "revoked"\n', healthy=False,
         claims="""[[claim]]
id = "field"
kind = "absolute"
metric = "prefill_tok_per_s"
field = "input throughput (token/s)"
value = 291.0
text = "291 tok/s prefill, as the batch lines say"
""")

    spans = [span(r, ["stop: []", 'stop: ["}: "]', 'stop: ["a\nb"], seed: Some(1)', 'stop: ["你好 {"]'][r.i % 4])
             for r in some]
    case(folder, "log-tgi-spans", "TGI's router log, with braces and line ends in the parameters",
         ["2026-11-29T11:59:59.000001Z  INFO text_generation_router::server: router/src/server.rs:2311: Connected"]
         + spans,
         'tolerates = ["cached-tokens-unknown"]\n'
         + quiet("torn-line", "rejected-lines", "truncated-file", "zone-unknown")
         + counts(read=60, used=60, rejected=0, other=1, unknown_prompt=60, unknown_ttft=60)
         + f'"/results/tokens/output" = {sum(r.output for r in some)}\n',
         note="No prompt and nothing of the cache is counted, and no TTFT is stated, which is one warning; the output follows from inference_time over time_per_token.")
    heads = [json.dumps({"path": "/generate", "response_headers": {
        "x-compute-type": "gpu+optimized", "x-prompt-tokens": str(r.prompt), "x-generated-tokens": str(r.output),
        "x-total-time": str(int(r.e2e * 1e3)), "x-validation-time": "0", "x-queue-time": str(int(r.queue * 1e3)),
        "x-inference-time": str(int((r.prefill + r.decode) * 1e3)), "x-time-per-token": "20"}}) for r in some]
    case(folder, "log-tgi-headers", "TGI's response headers count prompts and say nothing of the cache", heads,
         'expect = ["cached-tokens-unknown"]\n' + counts(used=60, unknown_cached=60, unknown_ttft=60), healthy=False,
         file="gateway.jsonl", asked="tgi-headers",
         note="Headers in an object of a gateway's row are read where they are asked for: nothing else tells that row.")

    def record(r, phase="server", never=False):
        at = 86000.0 + r.arrived - AT
        times = {"server_arrival_time": at - 0.001, "arrival_time": at, "first_scheduled_time": at + r.queue,
                 "first_token_time": at + r.ttft, "server_first_token_time": at + r.ttft + 0.001,
                 "last_token_time": 0.0 if never else at + r.e2e}
        blocks = {"num_total_allocated_blocks": r.prompt // 32, "num_new_allocated_blocks": r.new // 32,
                  "num_reused_blocks": r.cached // 32, "num_missed_blocks": r.new // 32}
        return json.dumps({"schema_version": 1, "request_id": r.id, "status": "ok", "phases": {
            phase: {"first_iter": r.i, "last_iter": r.i + 9, "timing_metrics": times, "kv_cache_metrics": blocks}}})

    case(folder, "log-trtllm-records", "TensorRT-LLM's records: moments of a steady clock, the cache in blocks",
         [record(r, never=r.i % 10 == 9) for r in some],
         'tolerates = ["cached-tokens-unknown"]\n'
         + quiet("timestamp-disorder", "impossible-value", "rejected-lines")
         + counts(read=60, used=60, unknown_prompt=60, unknown_ttft=0, impossible=0), file="perf.jsonl",
         note="No record counts a token, so blocks make no hit share, which is one warning; every tenth never got its last token.")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
