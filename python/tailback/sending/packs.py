"""Packs: a folder of results as one file, an ordinary ZIP archive."""

from __future__ import annotations

import atexit
import os
import shutil
import stat
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path, PurePosixPath
from typing import IO

from tailback.errors import UserError
from tailback.files import check_named
from tailback.units import counted

#: Files of results that are compressed already.
_COMPRESSED = (".parquet", ".png", ".gz", ".bz2", ".zip")
_PIECE = 1 << 20
#: A pack may expand to so many bytes whatever its size, and else to so many times its size.
_SMALL, _MOST_TIMES = 1 << 28, 100
_MOST_FILES = 2_000_000
#: The time of all files: the same folder gives the same bytes.
_TIME = (1980, 1, 1, 0, 0, 0)


def is_pack(path: Path) -> bool:
    """Whether a path is that of a pack, by its first bytes."""
    try:
        if not path.is_file():  # To open a pipe would be to wait for its other end.
            return False
        with path.open("rb") as file:
            return file.read(4) in (b"PK\x03\x04", b"PK\x05\x06")
    except (OSError, ValueError):
        return False


def pack(folder: Path, out: Path, option: str = "--out") -> int:
    """Write a folder as a pack; return the number of its files.

    Unfinished files and links are left out; empty folders are kept. Raises `UserError` if it
    cannot be written.
    """
    check_named(option, out)
    part = out.with_name(f".{out.name}.{os.getpid()}.part")
    own = {out.resolve(), part.resolve()}
    paths = sorted(path for path in folder.rglob("*") if _is_packed(path) and path not in own)
    empty = sorted(p for p in folder.rglob("*") if p.is_dir() and not any(p.iterdir()))
    try:
        with part.open("wb") as file:
            with zipfile.ZipFile(file, "w", allowZip64=True) as archive:
                for path in empty:
                    archive.writestr(_entry(f"{path.relative_to(folder).as_posix()}/"), b"")
                for path in paths:
                    _add(archive, path, path.relative_to(folder).as_posix())
            file.flush()
            os.fsync(file.fileno())
        part.replace(out)
    except OSError as error:
        problem = f"cannot be written: {error.strerror}"
        raise UserError(option, str(out), problem) from None
    finally:
        part.unlink(missing_ok=True)
    return len(paths)


def _is_packed(path: Path) -> bool:
    is_own = path.is_file() and not path.is_symlink()
    return is_own and not path.name.endswith(".part")


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _TIME)
    kind = stat.S_IFDIR | 0o755 if name.endswith("/") else stat.S_IFREG | 0o644
    entry.external_attr = kind << 16
    return entry


def _add(archive: zipfile.ZipFile, path: Path, name: str) -> None:
    entry = _entry(name)
    is_compressed = path.suffix in _COMPRESSED
    entry.compress_type = zipfile.ZIP_STORED if is_compressed else zipfile.ZIP_DEFLATED
    with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
        shutil.copyfileobj(source, target, _PIECE)


def unpacked(path: Path) -> Path:
    """Return a folder as it is; that of a pack is made for as long as this program runs.

    Raises `UserError` for a file that is no pack, for names in it that lead out of the folder, and
    for more content than a pack of this size can have.
    """
    if not is_pack(path):
        return path
    status = path.stat()
    return _opened(os.path.abspath(path), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=64)
def _opened(path: str, changed: int, size: int) -> Path:
    above = Path(tempfile.mkdtemp(prefix="tailback-"))
    atexit.register(shutil.rmtree, above, ignore_errors=True)
    folder = above / Path(path).stem
    folder.mkdir()
    unpack(Path(path), folder)
    return folder


def unpack(path: Path, folder: Path) -> None:
    """Write the files of a pack into an empty folder; raises `UserError` as `unpacked`."""
    try:
        with zipfile.ZipFile(path) as archive:
            entries = archive.infolist()
            _check(path, entries)
            for entry in entries:
                target = folder / entry.filename
                if entry.is_dir():
                    target.mkdir(parents=True, exist_ok=True)
                    continue
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(entry) as source, target.open("xb") as file:
                    _copy(path, source, file, entry)
    except (zipfile.BadZipFile, zipfile.LargeZipFile, NotImplementedError, EOFError) as error:
        raise _refused(path, f"is damaged ({error})") from None
    except FileExistsError:
        raise _refused(path, "is damaged (it has a file twice)") from None
    except (OSError, ValueError, RuntimeError) as error:
        if isinstance(error, UserError):
            raise
        told = getattr(error, "strerror", None) or error
        raise _refused(path, f"cannot be opened: {told}") from None
    except Exception as error:  # what decompression says of rubbish
        raise _refused(path, f"is damaged ({error})") from None


def _check(path: Path, entries: list[zipfile.ZipInfo]) -> None:
    """Refuse names that lead elsewhere, links, and more content than can be."""
    if len(entries) > _MOST_FILES:
        raise _refused(path, f"has more than {counted(_MOST_FILES, 'file')}")
    for entry in entries:
        name = entry.filename
        parts = PurePosixPath(name).parts
        leads_out = not parts or name.startswith("/") or ".." in parts or "\\" in name
        if leads_out or ":" in parts[0] or "\0" in name:
            raise _refused(path, f"is no pack: {name!r} in it leads out of its folder")
        kind = stat.S_IFMT(entry.external_attr >> 16)
        if kind not in (0, stat.S_IFREG, stat.S_IFDIR) or entry.flag_bits & 1:
            raise _refused(path, f"is no pack: {name!r} in it is a link or encrypted")
    total = sum(entry.file_size for entry in entries)
    most = max(_SMALL, _MOST_TIMES * path.stat().st_size)
    if total > most:
        raise _refused(
            path, f"would expand to {total} bytes; a pack of its size has {most} at most"
        )


def _copy(path: Path, source: IO[bytes], target: IO[bytes], entry: zipfile.ZipInfo) -> None:
    left = entry.file_size
    while piece := source.read(_PIECE):
        left -= len(piece)
        if left < 0:
            raise _refused(path, f"is damaged ({entry.filename!r} is longer than it says)")
        target.write(piece)


def _refused(path: Path, why: str) -> UserError:
    return UserError(str(path), None, why)
