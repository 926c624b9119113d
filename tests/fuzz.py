"""Feeds `attempt` of test_fuzz.py to a coverage-guided fuzzer; see CONTRIBUTING.

Takes libFuzzer's options, for instance `-max_total_time=60`.  Edges of the core count too where it
was built with RELAYSOW_SANITIZE by Clang.
"""

import random
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["relaysow"]):
    from test_fuzz import Given, Interrupted, attempt, watched


def one_input(data: bytes) -> None:
    with suppress(Interrupted), watched() as start:
        start()
        attempt(Given(data))


def main() -> None:
    options = sys.argv[1:]
    with tempfile.TemporaryDirectory() as corpus:
        if all(option.startswith("-") for option in options):  # inputs to begin with
            chance = random.Random(0)
            for number in range(400):
                Path(corpus, str(number)).write_bytes(chance.randbytes(400))
            options.append(corpus)
        atheris.Setup([sys.argv[0], "-len_control=0", "-max_len=400", *options], one_input)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
