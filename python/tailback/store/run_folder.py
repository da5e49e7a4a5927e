"""Results in a folder: Parquet tables and a manifest.

    DIR/manifest.json          every parameter, version, seed, identity, estimates
    DIR/full/nodes.parquet     tables of one mode: nodes, channels, processes,
    DIR/full/...               histograms, moments, samples, packets on request

Files are written under another name and renamed when they are whole; the
manifest comes last. What belongs to another experiment is never overwritten.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tailback.errors import UserError

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.results import Result

MANIFEST = "manifest.json"

_TABLES = ("nodes", "channels", "processes", "histograms", "moments", "samples")


def prepare(folder: Path, identity: str) -> None:
    """Make `folder` ready to be written to; before a run, so that no run is in vain.

    Raises `UserError` if it is a file, cannot be written to, or holds anything
    but results of the same identity.
    """
    if folder.exists() and not folder.is_dir():
        raise UserError("--out", str(folder), "is a file; a folder is needed")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError("--out", str(folder), f"cannot be made: {error.strerror}") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UserError("--out", str(folder), "cannot be written to")
    if any(folder.iterdir()) and _identity(folder) != identity:
        found = "other results" if (folder / MANIFEST).exists() else "other files"
        raise UserError("--out", str(folder), f"holds {found}; nothing is overwritten")


def _identity(folder: Path) -> object:
    """Return the identity in the manifest of `folder`, or None."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest.get("identity") if isinstance(manifest, dict) else None


def save(
    folder: Path,
    tables: Mapping[str, Mapping[str, pa.Table]],
    description: Mapping[str, Any],
) -> None:
    """Write tables, by sub-folder and name, and `description` as the manifest.

    Raises `UserError` if the folder cannot be written to after all.
    """
    import pyarrow.parquet as pq

    files: dict[str, list[str]] = {}
    try:
        for part, named in tables.items():
            (folder / part).mkdir(exist_ok=True)
            files[part] = [f"{part}/{name}.parquet" for name in named]
            for path, table in zip(files[part], named.values(), strict=True):
                _write(folder / path, partial(pq.write_table, table))
        text = json.dumps({**description, "files": files}, indent=2, allow_nan=False) + "\n"
        _write(folder / MANIFEST, lambda to: to.write_text(text, encoding="utf-8"))
    except OSError as error:
        raise UserError("--out", str(folder), f"cannot be written to: {error.strerror}") from None


def tables_of(result: Result, *, packets: bool) -> dict[str, pa.Table]:
    """Return the tables of a result that are stored."""
    names = (*_TABLES, "packets") if packets else _TABLES
    return {name: getattr(result, name) for name in names}


def _write(path: Path, write: Callable[[Path], object]) -> None:
    """Write a file under another name, then give it its own; half a file is never seen."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        write(part)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
