"""The files that games are written to."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, TYPE_CHECKING

from relaysow._support import checks
from relaysow._support.checks import shown
from relaysow._support.extras import optional_import
from relaysow.simulation.columns import COLUMNS
from relaysow.simulation.summary import ENDS

if TYPE_CHECKING:
    from relaysow.simulation.result import Simulation


def write_csv(result: Simulation, file: IO[bytes]) -> None:
    columns = result._flat()
    file.write(f"game,{','.join(columns)}\n".encode())
    for i in range(0, result.games, 1 << 14):
        lists = {name: column[i : i + (1 << 14)].tolist() for name, column in columns.items()}
        lists["end"] = [ENDS[code] for code in lists["end"]]
        rows = enumerate(zip(*lists.values(), strict=True), result.first_game + i)
        lines = [f"{game},{','.join(map(str, row))}\n" for game, row in rows]
        file.write("".join(lines).encode())


def write_npz(result: Simulation, file: IO[bytes]) -> None:
    import numpy as np

    columns = {name: getattr(result, name) for name in COLUMNS}
    np.savez(file, metadata=np.array(json.dumps(result.metadata)), **columns)


def write_parquet(result: Simulation, file: IO[bytes]) -> None:
    table = result.to_arrow()
    words = [name for name in table.column_names if name != "game"]
    optional_import(
        "pyarrow.parquet", "arrow"
    ).write_table(  # the numbers in a row take next to nothing
        table, file, use_dictionary=words, column_encoding={"game": "DELTA_BINARY_PACKED"}
    )


WRITERS = {".csv": write_csv, ".npz": write_npz, ".parquet": write_parquet}


def writer_for(path: str | os.PathLike[str]) -> Callable[[Simulation, IO[bytes]], None]:
    """What writes a result to a file of that suffix; raises as `save` does."""
    suffix = Path(name := checks.path("path", path)).suffix.lower()
    if suffix not in WRITERS:
        raise ValueError(f"path={shown(name)}: must end in '.csv', '.npz' or '.parquet'")
    if suffix == ".parquet":
        optional_import("pyarrow.parquet", "arrow")
    return WRITERS[suffix]
