"""Results in a folder: Parquet tables and a manifest.

    DIR/manifest.json          every parameter, version, seed, identity, estimates
    DIR/SHA256SUMS             the digests of all others, as `sha256sum` writes them
    DIR/asked/                 what was asked for, to run it again (`sending/asked.py`)
    DIR/look.html              the page of `tailback look`
    DIR/full/nodes.parquet     tables of one mode: nodes, channels, processes,
    DIR/full/...               histograms, moments, samples, packets on request,
                               messages and flows where run.keep_messages asks for them,
                               blame_pairs, blame_channels, blame_victims, blame_waits
                               where run.blame asks for them,
                               slices, slice_channels and class_channels where run.slices asks
                               frames where switches forward frames

Files are written under another name and renamed when they are whole; the
manifest comes last. What belongs to another experiment is never overwritten.
A file is compared with its digest when it is read. Folders from before results version 20 may have
no digests.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from tailback import files
from tailback.contents import sha256_of
from tailback.errors import UserError
from tailback.experiment.tables import FILES, section_and_key
from tailback.sending.asked import FOLDER as ASKED
from tailback.sending.layout import public_name
from tailback.tables import from_parquet, parquet

if TYPE_CHECKING:
    import pyarrow as pa

    from tailback.results import Result

MANIFEST = "manifest.json"
DIGESTS = "SHA256SUMS"
PAGE = "look.html"

_WITHOUT_DIGESTS = 19
"""The last results version of which there are folders without digests."""
_TABLES = ("nodes", "channels", "processes", "histograms", "moments", "samples")
#: Keys that name a file.
_FILE_KEYS = frozenset(section_and_key(name)[1] for name in FILES)
#: Sub-folders: one for each mode, and what `describe` says.
_PARTS = ("full", "endpoints", "throttled", "free", "ideal", "prediction")
#: Of a run with `run.slices`.
_SLICES = ("slices", "slice_channels", "class_channels")
#: By its form, not from a list, so that there is no table that a folder could not be finished with.
_TABLE = re.compile(r"[a-z_]+\.parquet|\..+\.parquet\.\d+\.part")


def prepare(folder: Path, identity: str) -> None:
    """Make `folder` ready to be written to; before a run, so that no run is in vain.

    Raises `UserError` if it is a file, cannot be written to, or holds anything
    but results of the same identity.
    """
    files.ready("--out", folder)
    try:
        has_manifest = (folder / MANIFEST).exists()
        # What stopped when it made all of it again has left no digests.
        digest = _digest(folder, MANIFEST) if (folder / DIGESTS).exists() else None
        if has_manifest and digest not in (None, sha256_of(folder / MANIFEST)):
            allowed = f"has a damaged {MANIFEST}: remove that file, and this makes all of it again"
            raise UserError("--out", str(folder), allowed)
        is_free = _identity(folder) == identity or all(map(_is_unfinished, folder.iterdir()))
    except OSError as error:
        raise UserError("--out", str(folder), f"cannot be read: {error.strerror}") from None
    if not is_free:
        found = "other results" if has_manifest else "other files"
        raise UserError("--out", str(folder), f"holds {found}; nothing is overwritten")


def _is_unfinished(path: Path) -> bool:
    """Whether `path` is what a run leaves that could not write its manifest: a full disk.

    Or a deadlock, of which there is a page.
    """
    if path.name == PAGE:
        return path.is_file()
    if path.name.startswith((f".{MANIFEST}.", f".{DIGESTS}.")):
        return path.suffix == ".part"
    if path.name == DIGESTS:
        return path.is_file()
    if path.name == ASKED:
        return path.is_dir()
    return path.name in _PARTS and path.is_dir() and all(map(_is_table, path.iterdir()))


def _is_table(path: Path) -> bool:
    return bool(_TABLE.fullmatch(path.name)) and path.is_file()


def _identity(folder: Path) -> object:
    """Return the identity in the manifest of `folder`, or None."""
    return _manifest(folder).get("identity")


def _manifest(folder: Path) -> dict[str, Any]:
    """Return the manifest of `folder`; empty if there is none that can be read."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return manifest if isinstance(manifest, dict) else {}


def save(
    folder: Path,
    tables: Mapping[str, Mapping[str, pa.Table]],
    description: Mapping[str, Any],
) -> None:
    """Write tables, by sub-folder and name, and `description` as the manifest.

    Raises `UserError` if the folder cannot be written to after all.
    """
    names: dict[str, list[str]] = {}
    digests: dict[str, str] = {}
    try:
        # Before others are written, those that there are say nothing any more.
        (folder / DIGESTS).unlink(missing_ok=True)
        for part, named in tables.items():
            (folder / part).mkdir(exist_ok=True)
            files.remove_abandoned([folder, folder / part])
            names[part] = [f"{part}/{name}.parquet" for name in named]
            for path, table in zip(names[part], named.values(), strict=True):
                content = parquet(table)
                digests[path] = hashlib.sha256(content).hexdigest()
                files.write_durably(folder / path, content)
        text = json.dumps({**description, "files": names}, indent=2, allow_nan=False) + "\n"
        digests[MANIFEST] = hashlib.sha256(text.encode()).hexdigest()
        sums = "".join(f"{digest}  {name}\n" for name, digest in digests.items())
        files.write_durably(folder / DIGESTS, sums.encode())
        files.write_durably(folder / MANIFEST, text.encode())
    except OSError as error:
        raise UserError("--out", str(folder), f"cannot be written to: {error.strerror}") from None


def portable(description: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Return what a manifest says with names of files as an experiment file in `folder` has them.

    So it is the same wherever that folder is.
    """

    def named(value: Any, key: str = "") -> Any:
        if isinstance(value, Mapping):
            return {name: named(one, name) for name, one in value.items()}
        if isinstance(value, list):
            return [named(one, key) for one in value]
        is_file = key in _FILE_KEYS and isinstance(value, str)
        return public_name(value, folder) if is_file else value

    found = dict(description)
    if "parameters" in found:
        found["parameters"] = named(found["parameters"])
    return found


def tables_of(result: Result, *, packets: bool) -> dict[str, pa.Table]:
    """Return the tables of a result that are stored."""
    names = (*_TABLES, "packets") if packets else _TABLES
    messages = {}
    if result.messages is not None:
        messages = {"messages": result.messages, "flows": result.flows()}
    blame = {} if result.blame is None else result.blame.tables()
    path = result.critical_path
    paths = {} if path is None else {"critical_path": path.pieces, "process_times": path.processes}
    slices = {} if result.slices is None else {name: getattr(result, name) for name in _SLICES}
    frames = {} if result.frames is None else {"frames": result.frames}
    found = {name: getattr(result, name) for name in names}
    return found | messages | blame | slices | frames | paths


def read_tables(folder: Path, mode: str) -> dict[str, pa.Table]:
    """Return the tables of a mode in a folder of results.

    Raises `UserError` if there are none, or one cannot be read.
    """
    names = [path.name for path in sorted((folder / mode).glob("*.parquet"))]
    if not {"nodes.parquet", "channels.parquet"} <= {*names}:
        raise UserError(str(folder), None, f"has no tables of a run in mode {mode}")
    paths = [verified(folder, f"{mode}/{name}") for name in names]
    return {path.stem: from_parquet(path) for path in paths}


def verified(folder: Path, name: str) -> Path:
    """Return a file of a folder of results; raise `UserError` if it is not as it was written."""
    if not (folder / DIGESTS).exists():
        if not _may_lack_digests(folder):
            _raise_damaged(folder / DIGESTS, "is gone, so that no file can be checked")
        return folder / name
    digest = _digest(folder, name)
    if digest is None and _has_digest(folder, name):
        _raise_damaged(folder / DIGESTS, f"is damaged (it has no digest of {name})")
    if digest not in (None, sha256_of(folder / name)):
        _raise_damaged(folder / name, "is damaged (its content has changed since it was written)")
    return folder / name


def _raise_damaged(path: Path, problem: str) -> NoReturn:
    raise UserError(str(path), None, f"{problem}; tailback rerun makes it again")


def _digest(folder: Path, name: str) -> str | None:
    """Return the digest that is kept of a file, if there is one."""
    text = (folder / DIGESTS).read_text(encoding="utf-8", errors="replace")
    lines = [line.partition("  ") for line in text.splitlines()]
    return {named: digest for digest, _, named in lines}.get(name)


def _has_digest(folder: Path, name: str) -> bool:
    """Whether a digest was kept of a file: not of a table that only an earlier run wrote."""
    listed = _manifest(folder).get("files")
    named = listed.values() if isinstance(listed, dict) else []
    return name == MANIFEST or any(name in own for own in named if isinstance(own, list))


def _may_lack_digests(folder: Path) -> bool:
    version = _manifest(folder).get("results_version")
    return not isinstance(version, int) or version <= _WITHOUT_DIGESTS
