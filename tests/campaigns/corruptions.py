"""Folders of results whose files are changed: no other number is shown, and all is made again."""

from __future__ import annotations

import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

from tests.commands import tailback

from .commands import FILE, content

_DAMAGED = 2
_DIGEST = re.compile(r"[0-9a-f]{64}\.[0-9a-f]{32}\.")


class Corruptions:
    """The campaign, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """Make the folder of results that is damaged in each case: most points are in a segment."""
        self._folder = folder
        (folder / "sweep.toml").write_text(
            FILE.replace("400 us", "50 us").replace("seeds = 3", "seeds = 9")
        )
        self._sweep = ["sweep", "sweep.toml", "--out", "whole"]
        done = tailback(*self._sweep, cwd=folder)
        if done.returncode:
            raise SystemExit(done.stderr)
        (folder / "one.toml").write_text(FILE.partition("[sweep]")[0])
        self._carried_out("run", "one.toml", "--out", "run")
        self._read_of_run = {
            words: self._carried_out(*words, "run") for words in (("counters",), ("diff", "run"))
        }
        self._table = tailback("table", "whole", "--format", "csv", cwd=folder).stdout
        self._whole = content(folder / "whole")
        self.kinds: dict[str, Callable[[random.Random], str]] = {
            "flipped bit": lambda moments: self._damaged(moments, _flipped),
            "cut off": lambda moments: self._damaged(moments, _cut_off),
            "zeros": lambda moments: self._damaged(moments, _zeros),
            "longer": lambda moments: self._damaged(moments, _longer),
            "bytes": lambda moments: self._damaged(moments, _bytes),
            "gone": lambda moments: self._damaged(moments, None),
            "run": self._of_run,
            "digest gone": self._without_digest,
            "run without digests": lambda moments: self._of_run(moments, has_digests=False),
        }

    def _carried_out(self, *words: str) -> str:
        done = tailback(*words, cwd=self._folder)
        if done.returncode:
            raise SystemExit(done.stderr)
        return done.stdout

    def _of_run(self, moments: random.Random, *, has_digests: bool = True) -> str:
        """Damage a file of a run: what reads it tells so or is not concerned, and so is `run`."""
        copy = self._folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self._folder / "run", copy)
        whole = content(copy, lambda path: "asked" not in path.parts)
        name = moments.choice(sorted(whole))
        (copy / name).write_bytes(moments.choice(CHANGES)(whole[name], moments))
        if not has_digests:
            (copy / "SHA256SUMS").unlink()
        for words, expected in self._read_of_run.items():
            done = tailback(*words, "copy", cwd=self._folder)
            is_told = done.returncode == _DAMAGED and len(done.stderr.splitlines()) == 1
            if not is_told and (done.returncode or done.stdout != expected):
                return f"{name}: {words[0]} ends with {done.returncode}: {done.stderr}"
        again = tailback("run", "one.toml", "--out", "copy", cwd=self._folder)
        is_unknown = "manifest.json: remove" in again.stderr or (
            not has_digests and "holds other results" in again.stderr
        )
        if again.returncode == _DAMAGED and is_unknown:
            (copy / "manifest.json").unlink()
            again = tailback("run", "one.toml", "--out", "copy", cwd=self._folder)
        if again.returncode or content(copy) != content(self._folder / "run"):
            return f"{name}: not made again ({again.returncode}): {again.stderr}"
        return ""

    def _without_digest(self, moments: random.Random) -> str:
        """Damage a file and remove its digest, which is in another file or in its name."""
        copy = self._copied()
        name = moments.choice(["runs.parquet", *(n for n in self._whole if _has_digest(n))])
        path = copy / name
        path.write_bytes(moments.choice(CHANGES)(self._whole[name], moments))
        if _has_digest(name):
            path = path.rename(path.with_name(f"{path.name[:64]}{path.suffix}"))
        else:
            path.with_name("runs.parquet.sha256").unlink()
        name = str(path.relative_to(copy))
        return self._told(copy, name) or self._mended(copy, name)

    def _copied(self) -> Path:
        copy = self._folder / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self._folder / "whole", copy)
        return copy

    def _damaged(
        self, moments: random.Random, change: Callable[[bytes, random.Random], bytes] | None
    ) -> str:
        """Damage a file; `table` shows the same or says so, and the same sweep makes it again."""
        copy = self._copied()
        name = moments.choice(sorted(self._whole))
        # Half of all cases without the index, so that the points are read.
        for index in copy.glob("runs.parquet*") if moments.random() < 0.5 else ():
            if index.name != name:
                index.unlink()
        path = copy / name
        if change is None:
            path.unlink()
        else:
            path.write_bytes(change(self._whole[name], moments))
            if path.read_bytes() == self._whole[name]:
                return ""
        return self._told(copy, name) or self._mended(copy, name)

    def _told(self, copy: Path, name: str) -> str:
        shown = tailback("table", "copy", "--format", "csv", cwd=self._folder)
        is_told = shown.returncode == _DAMAGED and len(shown.stderr.splitlines()) == 1
        # What is gone is not finished: only rows that it has no part in are as they were, and
        # without the sweep that asked for them they are in another order.
        is_gone = not (copy / name).exists() and shown.returncode == 0
        if is_told or is_gone or (shown.returncode == 0 and shown.stdout == self._table):
            return ""
        return f"{name}: table ends with {shown.returncode}: {shown.stderr or shown.stdout}"

    def _mended(self, copy: Path, name: str) -> str:
        again = [*self._sweep[:-1], "copy"]
        done = tailback(*again, cwd=self._folder)
        if done.returncode == _DAMAGED and name == "store.json" and "version" in done.stderr:
            return ""
        if done.returncode:
            return f"{name}: sweep ends with {done.returncode}: {done.stderr}"
        was_set_aside = [*copy.rglob(".*.damaged")] != []
        if was_set_aside and "is damaged" not in done.stderr:
            return f"{name}: damaged, and nothing is said"
        return "" if content(copy) == self._whole else f"{name}: other bytes after the same sweep"


def _has_digest(name: str) -> bool:
    return bool(_DIGEST.search(name))


def _flipped(whole: bytes, moments: random.Random) -> bytes:
    content = bytearray(whole)
    bit = moments.randrange(8 * len(content))
    content[bit // 8] ^= 1 << bit % 8
    return bytes(content)


def _cut_off(whole: bytes, moments: random.Random) -> bytes:
    return whole[: moments.randrange(len(whole))]


def _zeros(whole: bytes, moments: random.Random) -> bytes:
    at, length = moments.randrange(len(whole)), moments.choice([1, 16, 512, 4096])
    return (whole[:at] + bytes(length) + whole[at + length :])[: len(whole)]


def _longer(whole: bytes, moments: random.Random) -> bytes:
    return whole + moments.randbytes(moments.choice([1, 100, 5000]))


def _bytes(whole: bytes, moments: random.Random) -> bytes:
    at, length = moments.randrange(len(whole)), moments.choice([1, 8, 300])
    return whole[:at] + moments.randbytes(length) + whole[at + length :]


CHANGES = (_flipped, _cut_off, _zeros, _longer, _bytes)
"""How the content of a file is changed."""
