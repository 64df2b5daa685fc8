#!/usr/bin/env python3
"""Time DuckDB on the job that `time_read` does, and print GB/s.

    pip install duckdb
    python3 benches/compare/duckdb_rate.py /tmp/big.jsonl --threads 1 2 --repeat 5

The job: answered requests with a cached count, median of (prompt - cached) / TTFT for each
power-of-two bucket of prompt length. DuckDB is told the columns that it needs and nothing else.
Read the file once before, so that it stands in the page cache.
"""

import argparse
import os
import statistics
import time

import duckdb

QUERY = """
select cast(floor(log2(prompt_tokens)) as int) as bucket, count(*) as n,
       median((prompt_tokens - cached_tokens) / ttft_s) as rate
from read_json(?, format = 'newline_delimited', columns = {
    prompt_tokens: 'BIGINT', cached_tokens: 'BIGINT', ttft_s: 'DOUBLE', outcome: 'VARCHAR'})
where outcome = 'ok' and cached_tokens is not null and ttft_s > 0
group by bucket order by bucket
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("path")
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--repeat", type=int, default=5)
    options = parser.parse_args()
    size = os.path.getsize(options.path) / 1e9
    for threads in options.threads:
        connection = duckdb.connect(config={"threads": threads})
        times = []
        for _ in range(options.repeat):
            begin = time.perf_counter()
            result = connection.execute(QUERY, [options.path]).fetchall()
            times.append(time.perf_counter() - begin)
        middle = statistics.median(times)
        spread = f"{size / max(times):.2f} to {size / min(times):.2f}"
        print(f"duckdb {duckdb.__version__}, {threads} threads: {size:.3f} GB, {middle:.3f} s, "
              f"{size / middle:.2f} GB/s ({spread})")
    for bucket, n, rate in result:
        print(f"  2^{bucket}: n {n}, median {rate:.3f} tok/s")


if __name__ == "__main__":
    main()
