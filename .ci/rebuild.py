"""Tells what building again takes after a change of the header that most files include.

Usage: rebuild.py BUILD, a folder in which Ninja has built the core.  More than a minute on two
cores fails, by the processor's time, since others may use the machine.
"""

import os
import resource
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

MOST = 2 * 60  # seconds of a processor


def ninja(*arguments: str) -> str:
    command = ["ninja", "-C", sys.argv[1], *arguments]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def processor_time() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


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
    start, busy = time.perf_counter(), processor_time()
    ninja()
    took, busy = time.perf_counter() - start, processor_time() - busy
    print(
        f"{worst.relative_to(core.parent)}, the worst of {len(included)} headers: compiles {times} "
        f"files in {took:.1f} s, {busy:.1f} s of a processor"
    )
    sys.exit(busy > MOST)


main()
