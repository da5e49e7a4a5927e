"""Files of one kind in a folder, each with a digest of its bytes in its name.

    <identity>.<digest>.parquet

The name says what a file is about and what is in it. Whatever a disk, a copy or an editor does to
its content is therefore noticed when it is read, without a further file that could get lost.
Files from before there were digests are called `<identity>.parquet`: in a folder of that time they
are read unchecked, and `mend` gives them digests. In others such a file has lost its digest. What a
sweep asked for is called by its digest alone.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from tailback import files
from tailback.errors import UserError

from . import mark
from .digests import Verified, digest_of
from .documents import DamagedError, check_is_file

_DIGITS = 32
_NAME = re.compile(rf"(?P<identity>[0-9a-f]{{64}})(\.(?P<digest>[0-9a-f]{{{_DIGITS}}}))?")


class Kept:
    """The files of one kind; see the head of this module."""

    def __init__(
        self,
        folder: Path,
        suffix: str,
        check: Callable[[Path], object],
        *,
        by_digest: bool = False,
        optional: bool = False,
    ) -> None:
        """`folder` need not be there before files are saved or listed.

        `check` raises `DamagedError` for a file that is not of this kind. `by_digest`: the
        identity of a file is its digest. `optional`: there is a folder only if there are files.
        """
        self.folder, self._suffix, self._check = folder, suffix, check
        self._by_digest, self._optional = by_digest, optional
        self._verified = Verified()
        self._written: dict[str, str] | None = None

    def names(self) -> dict[str, str]:
        """Return the names of the files by identity, in its order.

        Raises `UserError` if the folder cannot be read or holds a file that is not ours.
        """
        # Names, not paths: of ten thousand paths these take a fifth of a second.
        try:
            names = sorted(n for n in os.listdir(self.folder) if not n.startswith("."))
        except OSError as error:
            if self._optional and isinstance(error, FileNotFoundError):
                return {}
            problem = f"cannot be read ({error.strerror}); tailback sweep makes it anew"
            raise UserError(str(self.folder), None, problem) from None
        return {self._parts(name)[0]: name for name in names}

    def _parts(self, name: str) -> tuple[str, str | None]:
        """Return the identity and the digest in a name; raise `UserError` for one not ours."""
        found = _NAME.fullmatch(name.removesuffix(self._suffix))
        if found is None or not name.endswith(self._suffix):
            path = self.folder / name
            raise UserError(str(path), None, "does not belong here; move it elsewhere")
        identity = found["identity"]
        return identity, identity if self._by_digest else found["digest"]

    def path(self, identity: str) -> Path:
        """Return the file of an identity; raise `UserError` unless it has its digest."""
        name = self.known().get(identity)
        if name is None or not (self.folder / name).exists():
            self._written = None
            name = self.known().get(identity)
        if name is None:
            raise UserError(str(self.folder), None, f"has no file of {identity}")
        return self._whole(name)

    def paths(self) -> list[Path]:
        """Return all files, by identity; raise `UserError` unless each has its digest."""
        return [self._whole(name) for name in self.names().values()]

    def _whole(self, name: str) -> Path:
        path, (_, digest) = self.folder / name, self._parts(name)
        check_is_file(path)
        try:
            is_whole = digest is None or self._verified.has(path, digest)
        except OSError as error:
            raise DamagedError(path, str(error.strerror)) from None
        if not is_whole:
            raise DamagedError(path, "its content has changed since it was written")
        if digest is None and not mark.may_lack_digests(self.folder.parent):
            raise DamagedError(path, "the digest in its name is gone")
        return path

    def save(self, identity: str, content: bytes) -> None:
        """Write the file of an identity, in place of an earlier one; raise `OSError`."""
        digest = hashlib.sha256(content).hexdigest()[:_DIGITS]
        name = f"{identity}{self._suffix if self._by_digest else f'.{digest}{self._suffix}'}"
        if self._optional:
            self.folder.mkdir(exist_ok=True)
        files.write_durably(self.folder / name, content)
        before = self.known().get(identity, name)
        if before != name:
            (self.folder / before).unlink(missing_ok=True)
        self.known()[identity] = name

    def forget(self, identity: str) -> None:
        """Remove the file of an identity, if there is one."""
        name = self.known().pop(identity, None)
        if name is not None:
            (self.folder / name).unlink(missing_ok=True)

    def mend(self) -> list[DamagedError]:
        """Set damaged files aside, and give digests to files that have none.

        Returns what is wrong with each. A file that is set aside has a name that begins with a
        dot: it counts as not there, so that it is made again.
        """
        found = []
        for name in self.names().values():
            try:
                self._check(self._whole(name))
                self._adopt(name)
            except DamagedError as error:
                found.append(error)
                # Another sweep may have done so in the meantime, here and there.
                with suppress(FileNotFoundError):
                    (self.folder / name).replace(self.folder / f".{name}.damaged")
        self._written = None
        return found

    def _adopt(self, name: str) -> None:
        """Give a file without a digest the name that it would be given today."""
        path, (identity, digest) = self.folder / name, self._parts(name)
        if digest is None:
            with suppress(FileNotFoundError):
                digest = digest_of(path)[:_DIGITS]
                path.replace(self.folder / f"{identity}.{digest}{self._suffix}")

    def known(self) -> dict[str, str]:
        """Return the names as this program knows them, listed once: each point asks for them."""
        if self._written is None:
            self._written = self.names()
        return self._written
