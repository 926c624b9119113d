"""The same games however they are played: `python bench/signature.py [NAME…]`.

The first games of every rule set on each instruction set, on two threads, in calls of many sizes,
to a directory by processes that are killed and gone on with, by a Dask cluster of two workers; and
some in the reference.  Every column of every game is compared, and its hash is printed; the first
difference ends it with status 1.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib.util import find_spec
from itertools import cycle
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
from bench import BEST, COLUMNS, SEED, Columns, Mismatch, compare, digest, native

import relaysow as rs
from relaysow._support.threads import cores
from relaysow.simulation.summary import ENDS

LEVELS = ("avx512", "avx2", "baseline", "scalar")
SETS = rs.build_info()["instruction_sets"]
CALLS = (1, 7, 64, 1_000, 65_537)  # games of a call, in turns
KILLS = 5
WORKER = """
import sys
import relaysow as rs
from relaysow.simulation import shards

games, seed, shards.GAMES = map(int, sys.argv[3:])
rs.simulate(rs.RULE_SETS[sys.argv[1]](), games, seed, threads=2, keep="summary", out=sys.argv[2])
"""


def in_calls(name: str, games: int) -> Columns:
    """By calls of different sizes, each on another instruction set than the one before."""
    parts: list[Columns] = []
    done = 0
    for size, level in zip(cycle(CALLS), cycle(SETS), strict=False):
        few = min(size, games - done)
        parts.append(native(rs.RULE_SETS[name](), instruction_set=level)(done, few))
        done += few
        if done == games:
            break
    return {column: np.concatenate([part[column] for part in parts]) for column in COLUMNS}


def in_shards(name: str, games: int, kills: int = KILLS) -> Columns:
    """To a directory, by a process that is killed at a random moment, then another, each on another
    instruction set than the one before."""
    from pyarrow import parquet

    chance, size = random.Random(SEED), -(-games // 16)
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        command = [sys.executable, "-c", WORKER, name, str(out), *map(str, (games, SEED, size))]
        for level in cycle(SETS):
            process = subprocess.Popen(command, env=os.environ | {"RELAYSOW_ISA": level})
            if kills:
                kills -= 1
                shards = [len(list(out.glob("*.parquet")))]
                seen = [time.perf_counter()]
                while len(seen) < 3 and process.poll() is None:
                    time.sleep(0.001)
                    if (there := len(list(out.glob("*.parquet")))) > shards[-1]:
                        shards.append(there)
                        seen.append(time.perf_counter())
                time.sleep(chance.uniform(0, seen[-1] - seen[-2:][0]))  # up to the time of a shard
                process.kill()
                if process.wait() == 0:
                    raise Mismatch("a process was done before it was killed: play more games")
            elif process.wait() == 0:
                break
            else:
                raise Mismatch(f"a process that wrote {name} to a directory failed")
        table = parquet.read_table(out).combine_chunks()
    words = table["end"].cast("string").to_pylist()
    return {
        "scores": np.column_stack([table["south"], table["north"]]),
        "end": np.array([ENDS.index(word) for word in words]),
        **{column: table[column].to_numpy() for column in COLUMNS.keys() - {"scores", "end"}},
    }


def by(executor: Any, name: str, games: int, engine: str = "native") -> Columns:
    """By the workers of a cluster, or other processes."""
    result = rs.simulate(rs.RULE_SETS[name](), games, SEED, executor=executor, engine=engine)
    return {column: getattr(result, column) for column in COLUMNS}


def play(name: str, games: int, few: int, client: Any) -> None:
    """The first games of a rule set in every way, compared."""
    print(f"{name}, {games:,} games", flush=True)
    rules = rs.RULE_SETS[name]()
    sizes = ", ".join(f"{size:,}" for size in CALLS)
    ways: dict[str, Callable[[], Columns] | None] = {
        **{
            level: partial(native(rules, instruction_set=level), 0, games)
            if level in SETS
            else None
            for level in LEVELS
        },
        f"{BEST}, two threads": partial(native(rules, threads=2), 0, games),
        f"calls of {sizes} games": partial(in_calls, name, games),
        f"shards, {KILLS} processes killed": partial(in_shards, name, games),
        "Dask, two workers": None if client is None else partial(by, client, name, games),
    }
    played: dict[str, Columns] = {}  # by the first way only
    for way, player in ways.items():
        if player is None:
            print(f"  {way:<42}not run: it is not on this machine", flush=True)
            continue
        begin = time.perf_counter()
        columns = player()
        for first, others in played.items():
            compare(first, others, way, columns, COLUMNS)
        played = played or {way: columns}
        tell(way, columns, begin)
    if few:
        begin = time.perf_counter()
        with ProcessPoolExecutor(cores(), mp_context=get_context("spawn")) as pool:
            columns = by(pool, name, few, "reference")
        for first, others in played.items():
            same = {column: others[column][:few] for column in COLUMNS}
            compare(first, same, "the reference", columns, COLUMNS)
        tell(f"the first {few:,}, in the reference too", columns, begin)


def tell(way: str, columns: Columns, begin: float) -> None:
    """A line of what was found, and the time it took."""
    print(f"  {way:<42}{digest([columns])}{time.perf_counter() - begin:9.1f} s", flush=True)


@contextmanager
def cluster() -> Iterator[Any]:
    """A client of a Dask cluster of two worker processes; None if Dask is not installed."""
    if find_spec("distributed") is None:
        yield None
        return
    import distributed

    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
        ) as local,
        distributed.Client(local) as client,
    ):
        yield client


def main(arguments: Sequence[str] | None = None) -> int:
    """Command line."""
    parser = argparse.ArgumentParser(description="Play the same games in every way.")
    parser.add_argument("names", nargs="*", metavar="NAME", help="rule sets; all by default")
    parser.add_argument("--games", type=int, default=1_000_000, help="games of each rule set")
    parser.add_argument("--reference", type=int, default=10_000, help="of them in the reference")
    options = parser.parse_args(arguments)
    with cluster() as client:
        try:
            for name in options.names or rs.RULE_SETS:
                play(name, options.games, min(options.reference, options.games), client)
        except Mismatch as mismatch:
            print(f"\nFAILED: {mismatch}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
