"""Files that are whole or not there.

A file is written under another name, flushed to the disk, and then given its
own name: whoever looks finds the old file, the new one, or none, even if the
machine stops half-way.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path

from tailback.errors import UserError

_PART = re.compile(r"\..+\.(\d+)\.part")
_ATTEMPTS = 3


def write_durably(path: Path, content: bytes) -> None:
    """Write a file so that it is on the disk, whole, when this returns.

    Raises `OSError`; nothing is left behind then. A device or a pipe is not replaced by a file,
    and a symbolic link stays one: what it leads to is written.
    """
    if not path.name or path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if path.exists() and not path.is_file():
        raise OSError(errno.EINVAL, "is a device or a pipe", str(path))
    if path.is_symlink():
        path = path.resolve()
    for attempt in range(1, _ATTEMPTS + 1):
        part = path.with_name(f".{path.name}.{os.getpid()}.part")
        try:
            _flushed(part, content)
            part.replace(path)
            break
        except FileNotFoundError:
            # Another program took our unfinished file for an abandoned one.
            if attempt == _ATTEMPTS:
                raise
        finally:
            part.unlink(missing_ok=True)
    _flush_names(path.parent)


def _flushed(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _flush_names(folder: Path) -> None:
    """Make the names of files in a folder durable, where the system can."""
    if not hasattr(os, "O_DIRECTORY"):
        return
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def remove_abandoned(folders: Iterable[Path]) -> None:
    """Remove what programs that were killed left unfinished in `folders`."""
    for folder in folders:
        for path in folder.glob(".*.part"):
            writer = _PART.fullmatch(path.name)
            if writer is not None and not _runs(int(writer[1])):
                if path.is_dir():
                    shutil.rmtree(path, ignore_errors=True)
                else:
                    path.unlink(missing_ok=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


#: Endings of what other options, or commands, write into one file.
_OF_FILES = (".csv", ".html", ".json", ".parquet", ".pdf", ".png", ".svg", ".zip")


def ready(option: str, folder: Path) -> None:
    """Make `folder` if it is not there; raise `UserError` about `option` if it cannot be used.

    A new one must not be called like a file: who writes `--out page.html` means a page.
    """
    if folder.suffix in _OF_FILES and not folder.exists():
        allowed = f"is a folder of results, whose name must not end in {folder.suffix}"
        raise UserError(option, str(folder), allowed)
    try:
        is_file = folder.exists() and not folder.is_dir()
        if not is_file:
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(option, str(folder), f"cannot be made: {error.strerror}") from None
    except ValueError:  # a null character in the name
        raise UserError(option, str(folder), "is not the name of a folder") from None
    if is_file:
        raise UserError(option, str(folder), "is a file; a folder is needed")
    if not os.access(folder, os.W_OK | os.X_OK):
        raise UserError(option, str(folder), "cannot be written to")


def check_named(option: str, path: Path) -> None:
    """Raise `UserError` about `option` if `path` cannot be the name of a file to be written.

    To be asked before the work whose result the file is to hold.
    """
    try:
        if not path.name or path.is_dir():
            raise UserError(option, str(path), "is a folder; the name of a file is needed")
        path.lstat()
        # A file is put in the place of what has its name, and a device is no file.
        if path.exists() and not path.is_file():
            raise UserError(
                option, str(path), "is a device or a pipe; the name of a file is needed"
            )
    except FileNotFoundError:
        if not path.parent.is_dir():
            raise UserError(option, str(path), "is in a folder that is not there") from None
    except OSError as error:
        raise UserError(option, str(path), f"cannot be written: {error.strerror}") from None
    except ValueError as error:
        if isinstance(error, UserError):
            raise
        raise UserError(option, str(path), "is not the name of a file") from None


def write_named(option: str, path: Path, content: bytes) -> None:
    """Write a file that the user named with `option`; raise `UserError` if that fails."""
    check_named(option, path)
    try:
        write_durably(path, content)
    except OSError as error:
        reason = f"cannot be written: {error.strerror}"
        raise UserError(option, str(path), reason) from None


def check_new_folder(option: str, path: Path) -> None:
    """Raise `UserError` about `option` if `path` cannot be the name of a folder to be made."""
    if path.is_dir() or path.is_symlink():
        raise UserError(option, str(path), "is there already; the name of a new folder is needed")
    check_named(option, path)
    if path.exists():
        raise UserError(option, str(path), "is a file; the name of a new folder is needed")


def write_folder(option: str, path: Path, fill: Callable[[Path], None]) -> None:
    """Make a new folder that the user named with `option`, whole or not at all.

    ``fill`` writes its files into an empty one. Raises `UserError` if that fails.
    """
    check_new_folder(option, path)
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        part.mkdir()
        fill(part)
        for file in part.rglob("*"):
            if file.is_file():
                with file.open("rb") as opened:
                    os.fsync(opened.fileno())
        for folder in [part, *(inner for inner in part.rglob("*") if inner.is_dir())]:
            _flush_names(folder)
        part.rename(path)
        _flush_names(path.parent)
    except OSError as error:
        reason = f"cannot be written: {error.strerror}"
        raise UserError(option, str(path), reason) from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
