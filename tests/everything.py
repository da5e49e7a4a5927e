"""Imports all that commands may need, and makes the models of all keys; see `commands`.

Pytest, too: every process imports the program that was started, `pytest` or `python -m pytest`.
"""

import contextlib
import gc
import importlib
import pkgutil
from pathlib import Path

import networkx  # noqa: F401
import pyarrow as pa
import pyarrow.dataset
import pytest  # noqa: F401
import typer.main

import tailback as tb
from tailback import cli

for _module in pkgutil.walk_packages(tb.__path__, "tailback."):
    if not _module.name.endswith("__main__"):
        importlib.import_module(_module.name)

#: All commands. Typer would make them anew in each process: that takes longer than most commands.
COMMANDS = typer.main.get_command(cli._program([]))

# Arrow imports pandas, where it is installed, for its first array.
pa.array([0])

# Pydantic makes the model of a table when it is first needed.
for _path in sorted((Path(__file__).parents[1] / "examples").glob("*.toml")):
    with contextlib.suppress(tb.UserError):
        tb.Experiment.load(_path)

# What is there is not garbage, and its pages stay shared.
gc.freeze()
