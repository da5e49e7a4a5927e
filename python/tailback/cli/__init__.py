"""The command line.

Standard output carries the answer, as a table or one JSON object; everything
else goes to standard error. Exit codes: 0, 2 for a mistake of the user, 3 for
a run that cannot go on, 130 after Ctrl-C.
"""

from __future__ import annotations

import os
import sys

from . import blaming, plotting, single, sweeping
from .options import app

__all__ = ["app", "blaming", "main", "plotting", "single", "sweeping"]


def main() -> None:
    """Run the command line."""
    try:
        app()
    except BrokenPipeError:
        # Whoever read our output has seen enough; do not complain when flushing the rest.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
