"""Runs the sweeps of a study; what is finished is kept between calls."""

from __future__ import annotations

import sys
from pathlib import Path

import tailback as tb
from studies.tweedie.chapters.runs import STORES, SWEEPS, Runs
from tailback.execution import LocalPool


def run_sweeps(asked: Path = SWEEPS, stores: Path = STORES) -> Runs:
    """Run what is not yet in the stores and return everything; progress on standard error.

    `asked` holds the sweeps, by default those of the chapters.
    Ctrl-C raises `KeyboardInterrupt`; the next call goes on from there. Raises
    `RuntimeError` if a point cannot be simulated.
    """
    paths = sorted(asked.glob("*.toml"))
    with LocalPool() as pool:
        for path in paths:
            print(f"Sweep {path.name}", file=sys.stderr)
            store = tb.sweep(path, stores / path.stem, pool=pool, progress=True)
            for failure in store.failures():
                raise RuntimeError(f"{path.name}: {dict(failure.varied)}: {failure.text}")
    return Runs(stores, asked)
