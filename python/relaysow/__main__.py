"""The command `relaysow`, which `python -m relaysow` is too."""

import sys
from contextlib import suppress

from relaysow._support import loading


def main() -> int:
    """Run the command of `relaysow.cli`; Ctrl-C while that is being loaded ends it as later."""
    try:
        from relaysow.cli import main as command
    except KeyboardInterrupt:
        if sys.stderr is not None:
            with suppress(OSError, ValueError):
                print("relaysow: interrupted", file=sys.stderr)
        return 130
    loading.end()
    return command()


if __name__ == "__main__":
    sys.exit(main())
