"""Tells what building again takes after a change of the header that most files include.

Usage: rebuild.py BUILD, a folder in which Ninja has built the core.  More than a minute fails.
"""

import os
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

MOST = 60  # seconds


def ninja(*arguments: str) -> str:
    command = ["ninja", "-C", sys.argv[1], *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def main() -> None:
    os.environ["CCACHE_DISABLE"] = "1"
    ninja()
    core = Path("cpp").resolve()
    read = (Path(line.strip()) for line in ninja("-t", "deps").splitlines() if line[:1] == " ")
    included = Counter(
        file for file in read if file.suffix in (".hpp", ".def") and file.is_relative_to(core)
    )
    (worst, times), *_ = included.most_common(1)
    worst.touch()
    start = time.perf_counter()
    ninja()
    took = time.perf_counter() - start
    name = worst.relative_to(core.parent)
    print(f"the worst of {len(included)} headers: {name}, compiled {times} times, {took:.1f} s")
    sys.exit(took > MOST)


main()
