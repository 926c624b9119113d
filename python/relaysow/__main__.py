"""`python -m relaysow` is the command `relaysow`."""

import sys

from relaysow.cli import main

sys.exit(main())
