"""`python -m relaysow` is the command `relaysow`."""

import sys

from relaysow.cli import main

if __name__ == "__main__":
    sys.exit(main())
