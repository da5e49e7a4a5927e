"""What can go wrong, as values: the user's mistakes and runs that cannot go on.

A mistake is found before anything runs, is one line of text, and names the
place as the user writes it: ``machine.dims[0] = 0: must be at least 1``.
"""

from __future__ import annotations

import difflib
import json
import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

from .helping import Helped

_LONGEST_SHOWN = 60
_LONGEST_WORD = 400
"""Of a line that is shown: keys and names may be of any length, paths are not short."""


MOST_PIPED = 64 << 20
"""Bytes that are read from a pipe: more is a mistake, or has no end."""

#: With what files begin that hold text in another form: what is to be done.
_SIGNS = {
    b"\x1f\x8b": "is compressed: unpack it with gunzip first",
    b"BZh": "is compressed: unpack it with bunzip2 first",
    b"\xfd7zXZ": "is compressed: unpack it with unxz first",
    b"\x28\xb5\x2f\xfd": "is compressed: unpack it with unzstd first",
    b"PK\x03\x04": "is an archive: unpack it with unzip first",
    b"\xff\xfe": "is UTF-16: save it as UTF-8",
    b"\xfe\xff": "is UTF-16: save it as UTF-8",
}
_LONGEST_SIGN = max(map(len, _SIGNS))

#: Control characters except the end of a line, and those that change the direction of text.
_OBEYED = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class UserError(ValueError, metaclass=Helped):
    """The description of an experiment, or a file, cannot be used as it is.

    ``str(error)`` is one line: ``field = given: allowed; did you mean nearest?``
    """

    exit_code: ClassVar[int] = 2

    def __init__(
        self, field: str, given: str | None, allowed: str, nearest: str | None = None
    ) -> None:
        """``field``: dotted path or file name; ``given``: the value as text, if there is one."""
        super().__init__(field, given, allowed, nearest)
        self.field = field
        self.given = given
        self.allowed = allowed
        self.nearest = nearest

    def inside(self, path: str) -> UserError:
        """Return the same mistake, found in a part of the description at ``path``."""
        names_a_key = self.given is None and self.nearest is not None
        hint = joined(path, str(self.nearest)) if names_a_key else self.nearest
        return UserError(joined(path, self.field), self.given, self.allowed, hint)

    def __str__(self) -> str:
        place = self.field if self.given is None else f"{self.field} = {self.given}"
        hint = "" if self.nearest is None else f"; did you mean {self.nearest}?"
        return one_line(f"{place}: {self.allowed}{hint}")


class CutOffError(UserError):
    """A run has not come to that which was asked for: a limit ended it, or messages were lost."""

    exit_code: ClassVar[int] = 4


class NoEffectError(UserError):
    """A key was given that has no effect beside the others."""


class CircleError(UserError):
    """A routing that is refused because packets could wait for each other in a cycle.

    ``circle`` holds its channels in order, as mappings: the switches a channel leads
    ``from`` and ``to``, its ``class`` of virtual channels, and the nodes (``source``,
    ``destination``) of a packet that holds it and asks for the next. ``channel`` and
    ``packet`` are the same in words, with coordinates where there are any.
    """

    def __init__(
        self, field: str, given: str | None, allowed: str, circle: Sequence[dict[str, Any]]
    ) -> None:
        """``circle``: as above."""
        super().__init__(field, given, allowed)
        self.args = (field, given, allowed, tuple(circle))
        self.circle = tuple(circle)


class RunFailure(RuntimeError, metaclass=Helped):  # noqa: N818  # a deadlock is a result about the workload
    """A run that cannot go on.

    ``kind`` is a deadlock, a livelock, a buffer too full, a clock that stands still, messages
    left that nobody received, or a loss that somebody waits for;
    ``waiting`` holds pairs of who waits and what for, ``circle`` the packets of a deadlocked
    network, each of which waits for the next: where it comes from and goes to, the channels
    it holds and the one it waits for, by number and, as ``name``, in words.
    ``at_ps`` is the instant of simulated time. What was measured before stays valid.
    """

    exit_code: ClassVar[int] = 3

    def __init__(
        self,
        text: str,
        kind: str = "deadlock",
        at_ps: int | None = None,
        waiting: Sequence[tuple[str, str]] = (),
        circle: Sequence[dict[str, Any]] = (),
    ) -> None:
        """``text``: one line for the user."""
        super().__init__(one_line(text))
        self.kind = kind
        self.circle = tuple(circle)
        self.at_ps = at_ps
        self.waiting = tuple(waiting)


def one_line(text: str) -> str:
    """Return text in one line that any terminal can show: what is not printable is escaped.

    Names come from files and from the command line, where they need not even be UTF-8.
    """
    words = text.split()
    line = " ".join(w if len(w) <= _LONGEST_WORD else f"{w[:_LONGEST_WORD]}..." for w in words)
    if line.isprintable():
        return line
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in line)


def printable(text: str) -> str:
    """Return text of any number of lines, what a terminal would obey instead of show escaped.

    Titles and names come from files of somebody else, and may hold escape sequences.
    """
    return _OBEYED.sub(lambda found: ascii(found[0])[1:-1], text)


def shown(value: object) -> str:
    """Return ``value`` as the user wrote it (TOML, near enough), shortened to one line."""
    try:
        text = json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError):
        try:
            text = repr(value)
        except ValueError:  # Python writes no number of thousands of digits
            text = f"a very long {type(value).__name__}"
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 3] + "..."


def listed(words: Iterable[object]) -> str:
    """Return ``a, b or c``; of no words ``none of those here``."""
    *first, last = [str(word) for word in words] or ["none of those here"]
    return f"{', '.join(first)} or {last}" if first else last


def nearest(word: object, known: Iterable[str]) -> str | None:
    """Return the known word that ``word`` was probably meant to be, if there is one."""
    by_lower = {name.lower(): name for name in known}
    close = difflib.get_close_matches(str(word).lower(), by_lower, n=1)
    return by_lower[close[0]] if close else None


def unknown_key(path: str, key: str, known: Iterable[str]) -> UserError:
    """Return the mistake of writing ``key`` in table ``path``, which has the keys ``known``."""
    known = list(known)
    key = key or '""'
    found = nearest(key, known)
    if found is not None:
        return UserError(joined(path, key), None, "unknown key", joined(path, found))
    return UserError(joined(path, key), None, f"unknown key; known here: {', '.join(known)}")


def choice(path: str, given: object, known: Iterable[str]) -> UserError:
    """Return the mistake of giving ``given`` where one of the words ``known`` is needed."""
    known = [str(word) for word in known]
    found = nearest(given, known)
    quoted = listed(json.dumps(word) for word in known)
    return UserError(path, shown(given), f"must be {quoted}", found and json.dumps(found))


def line_mistake(
    path: Path, line: int | None, given: object, allowed: str, meant: str | None = None
) -> UserError:
    """Return a mistake in a line of a file, None: in all of it; ``given`` None: none is shown."""
    place = str(path) if line is None else f"{path}: line {line}"
    return UserError(place, None if given is None else shown(given), allowed, meant)


def joined(*parts: str) -> str:
    """Return a dotted path: ``joined("workload", "process[2]", "node")``."""
    return ".".join(part for part in parts if part).replace(".[", "[")


@contextmanager
def _problems(path: Path) -> Iterator[None]:
    """Turn what a system says of a file that cannot be read into a mistake of the user."""
    try:
        yield
        return
    except FileNotFoundError:
        problem = "no such file"
    except IsADirectoryError:
        problem = "is a directory, not a file"
    except OSError as error:
        problem = f"cannot be read: {(error.strerror or str(error)).lower()}"
    except UserError:
        raise
    except ValueError:  # a null character in the name
        problem = "is not a file name"
    raise UserError(_file_name(path), None, problem)


def check_readable(path: Path) -> None:
    """Raise `UserError` for a file that is not there or cannot be read, without reading it."""
    with _problems(path):
        # What comes through a pipe can be read only once.
        if not _is_pipe(path):
            path.open("rb").close()


def read_bytes(path: Path) -> bytes:
    """Return the content of a file or of a pipe; raise `UserError` if it cannot be read.

    A device, and a pipe with more than `MOST_PIPED` bytes, is refused: it may have no end.
    """
    with _problems(path):
        if not _is_pipe(path):
            return path.read_bytes()
        with path.open("rb") as pipe:
            content = pipe.read(MOST_PIPED + 1)
    if len(content) > MOST_PIPED:
        problem = f"is a pipe with more than {MOST_PIPED >> 20} MiB; write it to a file first"
        raise UserError(_file_name(path), None, problem)
    return content


def read_lines(path: Path) -> Iterator[bytes]:
    """Yield the lines of a file of any size; raise `UserError` if it cannot be read."""
    with _problems(path):
        _is_pipe(path)
        with path.open("rb") as file:
            yield from file


def read_pieces(path: Path, size: int) -> Iterator[bytes]:
    """Yield whole lines of a file of any size, about so many bytes of them at once."""
    with _problems(path):
        _is_pipe(path)
        with path.open("rb") as file:
            while piece := file.read(size):
                yield piece + file.readline()


def _is_pipe(path: Path) -> bool:
    """Whether a file is a pipe; raise `UserError` if it is neither that nor a file or folder."""
    mode = path.stat().st_mode
    if not (stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise UserError(_file_name(path), None, "is a device, not a file")
    return stat.S_ISFIFO(mode)


def read_text(path: Path) -> str:
    """Return the text of a UTF-8 file; raise `UserError` if it cannot be read."""
    try:
        return read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problem = no_text(error.object[:_LONGEST_SIGN])
        problem = problem or f"is not UTF-8 text (byte {error.start})"
        raise UserError(_file_name(path), None, problem) from None


def no_text(start: bytes) -> str | None:
    """Return what a file is that begins so, and how it becomes text; None if nobody knows."""
    for sign, what in _SIGNS.items():
        if start.startswith(sign):
            return what
    return None


def _file_name(path: Path) -> str:
    name = str(path)
    return name if name.isprintable() else repr(name)
