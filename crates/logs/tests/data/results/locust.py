"""locust files, read by the description of their fields and nothing else.

Events of the locustfile are figures; the row of a streamed request is time to headers, so only its
counts are used.
"""
import csv
import json
from reading import corpus, run, write

EVENTS = {"TTFT": "ttft_s", "ITL": "itl_s"}
PERCENTS = ["50", "66", "75", "80", "90", "95", "98", "99", "99.9", "99.99"]


def from_json(rows):
    figures, totals = {}, {"completed_requests": 0, "failed_requests": 0}
    for r in rows:
        if r["name"] in EVENTS:
            ours = EVENTS[r["name"]]
            figures |= {f"{ours}.mean": r["total_response_time"] / r["num_requests"] / 1e3,
                        f"{ours}.min": r["min_response_time"] / 1e3,
                        f"{ours}.max": r["max_response_time"] / 1e3}
        else:
            totals["completed_requests"] += r["num_requests"] - r["num_failures"]
            totals["failed_requests"] += r["num_failures"]
    return [run("locust", None, None, figures, totals)]


def from_csv(rows):
    figures, totals = {}, {}
    for r in rows:
        if r["Name"] in EVENTS:
            ours = EVENTS[r["Name"]]
            for column, stat in [("Average", "mean"), ("Min", "min"), ("Max", "max")]:
                figures[f"{ours}.{stat}"] = float(r[f"{column} Response Time"]) / 1e3
            figures |= {f"{ours}.p{p}": int(r[f"{p}%"]) / 1e3 for p in PERCENTS}
        elif r["Type"]:
            figures["request_per_s"] = float(r["Requests/s"])
            failed = int(r["Failure Count"])
            totals = {"completed_requests": int(r["Request Count"]) - failed,
                      "failed_requests": failed}
    return [run("locust", None, None, figures, totals)]


J, C = "measured/locust/run.json", "measured/locust/run_stats.csv"
write({J: from_json(json.loads((corpus() / J).read_text())),
       C: from_csv(csv.DictReader((corpus() / C).read_text().splitlines()))})
