"""Files of every reader, damaged: read all the same, or refused in one line, at little cost."""

from __future__ import annotations

import os
import random
import resource
import shutil
import time
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from tailback.errors import UserError
from tests.fuzz.cases import Case
from tests.fuzz.files import damaged
from tests.fuzz.judging import Outcome, problems
from tests.fuzz.running import invoked

from .corruptions import CHANGES
from .samples import Sample, samples

_LONGEST_S = 10.0
_MOST_KIB = 1 << 20


class Readers:
    """The campaign, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        """Read every sample once as it is: some of the traces of tests are to be refused."""
        self._folder = folder / "case"
        self.kinds: dict[str, Callable[[random.Random], str]] = {}
        for name, known in samples().items():
            outcomes = [self._read(sample) for sample in known]
            whole = [one for one, its in zip(known, outcomes, strict=True) if its.code == 0]
            if not whole:
                raise SystemExit(f"{name}: {outcomes[0].stderr or outcomes[0].exception}")
            self.kinds[name] = partial(self._damaged, whole)

    def _damaged(self, known: Sequence[Sample], moments: random.Random) -> str:
        """Damage a file of a sample, in one place or several, and read it."""
        sample = moments.choice(known)
        name = moments.choice(sample.damaged or sorted(sample.files))
        content = sample.files[name]
        for _ in range(moments.choice([1, 1, 1, 2, 5])):
            if content:
                content = moments.choice([*CHANGES, _as_text])(content, moments)
        with suppress(OSError):
            Path("/proc/self/clear_refs").write_text("5")  # the peak is that of this case
        began = time.process_time()
        outcome = self._read(sample, {name: content})
        spent = time.process_time() - began
        wrong = [*problems(Case(0, name, list(sample.words)), outcome)]
        if spent > _LONGEST_S:
            wrong.append(f"takes {spent:.1f} s")
        if (peak := _peak_kib()) > _MOST_KIB:
            wrong.append(f"takes {peak >> 10} MiB")
        return f"{' '.join(sample.words)}, {name}: {'; '.join(wrong)}" if wrong else ""

    def _read(self, sample: Sample, damaged_: dict[str, bytes] | None = None) -> Outcome:
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        for name, content in (dict(sample.files) | (damaged_ or {})).items():
            (self._folder / name).write_bytes(content)
        before = Path.cwd()
        os.chdir(self._folder)
        try:
            if sample.read is None:
                return invoked(Case(0, "", list(sample.words)))
            return _called(sample.read)
        finally:
            os.chdir(before)


def _as_text(content: bytes, moments: random.Random) -> bytes:
    return damaged(moments, content)


def _called(read: Callable[[], object]) -> Outcome:
    """Call a function as a command would."""
    try:
        read()
    except UserError as error:
        return Outcome(2, "", f"error: {error}\n")
    except BaseException:  # a panic of compiled code is no Exception
        return Outcome(None, "", "", traceback.format_exc())
    return Outcome(0, "", "")


def _peak_kib() -> int:
    try:
        told = Path("/proc/self/status").read_text(encoding="ascii")
        return next(int(line.split()[1]) for line in told.splitlines() if line[:6] == "VmHWM:")
    except OSError:
        scale = 1024 if os.uname().sysname == "Darwin" else 1
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // scale
