"""Identities of the examples: `python -m tests.identities > tests/golden/identities.txt`.

A point of a store is found again by its identity. A key that is added must leave those of all
experiments as they were that do not use it.
"""

from __future__ import annotations

from pathlib import Path

from tailback import engine
from tailback.experiment import Experiment

ROOT = Path(__file__).resolve().parents[1]


def identities() -> list[str]:
    """Return a line for every example: its identity in all modes of a sweep, and its name."""
    modes = ("full", "endpoints")
    examples = sorted((ROOT / "examples").glob("*.toml"))
    found = ((Experiment.load(path), path.name) for path in examples)
    return [f"{one.identity(engine.RESULTS_VERSION, modes)} {name}" for one, name in found]


if __name__ == "__main__":
    print(*identities(), sep="\n")
