"""The example of a plugin, installed where a test wants it: without a package index."""

from __future__ import annotations

import shutil
from pathlib import Path

from tailback.since311 import tomllib

EXAMPLE = Path(__file__).resolve().parents[1] / "examples/plugin"


def install(
    target: Path,
    *,
    name: str = "tailback-ladder",
    version: str = "1.0",
    points: dict[str, dict[str, str]] | None = None,
) -> Path:
    """Put the example into ``target`` as an installer does; return the folder of its package.

    ``points``: its entry points by group, if not those of its pyproject.toml.
    """
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package = target / "tailback_ladder"
    shutil.copytree(EXAMPLE / "tailback_ladder", package, dirs_exist_ok=True)
    info = target / f"{name.replace('-', '_')}-{version}.dist-info"
    info.mkdir(exist_ok=True)
    head = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
    (info / "METADATA").write_text(head, encoding="utf-8")
    groups = project["entry-points"] if points is None else points
    lines = [
        line
        for group, words in groups.items()
        for line in (f"[{group}]", *(f"{word} = {value}" for word, value in words.items()))
    ]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return package
