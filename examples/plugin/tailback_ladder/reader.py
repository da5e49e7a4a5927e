"""A reader: `tailback import rungs FILE` makes an experiment of a file of words and numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tailback.plugins import UserError


def read(path: Path) -> dict[str, Any]:
    """Return the tables of an experiment from lines such as ``rungs 12``."""
    found = {"rungs": 8, "distance": 1}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        word, _, value = line.partition(" ")
        if word not in found or not value.strip().isdigit():
            raise UserError(f"{path}:{number}", line, "must be `rungs N` or `distance N`")
        found[word] = int(value)
    return {
        "machine": {"topology": {"kind": "ladder", "rungs": found["rungs"]}},
        "workload": {"kind": "shift", "distance": found["distance"]},
    }
