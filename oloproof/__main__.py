"""`python -m oloproof`: the same as the command."""

from __future__ import annotations

import sys

from oloproof.cli import main

if __name__ == "__main__":
    sys.exit(main())
