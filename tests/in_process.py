"""The command line in the process of the tests.

Its commands are made once: Typer would make them anew each time, which takes longer than most.
"""

from __future__ import annotations

from functools import cache

import typer.testing
from typer.testing import CliRunner, Result

from tailback.cli.commands import app

typer.testing._get_command = cache(typer.testing._get_command)


def invoked(*words: object) -> Result:
    """Carry out a command; any exception but `SystemExit` comes out."""
    return CliRunner().invoke(app, [str(word) for word in words], catch_exceptions=False)
