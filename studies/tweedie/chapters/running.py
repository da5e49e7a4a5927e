"""Runs the sweeps of the chapters; what is finished is kept between calls."""

from __future__ import annotations

import sys

import tailback as tb
from studies.tweedie.chapters.runs import STORES, SWEEPS, Runs
from tailback.execution import LocalPool


def run_sweeps() -> Runs:
    """Run what is not yet in the stores and return everything; progress on standard error.

    Ctrl-C raises `KeyboardInterrupt`; the next call goes on from there. Raises
    `RuntimeError` if a point cannot be simulated.
    """
    paths = sorted(SWEEPS.glob("*.toml"))
    with LocalPool() as pool:
        for path in paths:
            print(f"Sweep {path.name}", file=sys.stderr)
            store = tb.sweep(path, STORES / path.stem, pool=pool, progress=True)
            for failure in store.failures():
                raise RuntimeError(f"{path.name}: {dict(failure.varied)}: {failure.text}")
    return Runs(STORES)
