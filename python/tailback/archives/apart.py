"""Archives, read in a process of its own.

The library prints what it does not like, and a damaged archive may end the process it is in.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

from tailback.errors import UserError

from .library import otf2

_ERROR = re.compile(r"^\[OTF2\] \S+ error: ([^:\n]*)", re.MULTILINE)


def actions_of(source: Path, folder: Path) -> list[str]:
    """Write ``files.txt`` and the actions of each rank into a folder; return what has no effect.

    Raises `UserError` for an archive that cannot be read, or without the library.
    """
    otf2("IN", str(source))
    command = [sys.executable, "-m", "tailback.archives", str(source.resolve()), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = _ERROR.search(done.stderr)
        last = done.stderr.strip().rpartition("\n")[2]
        why = said[1] if said else f"the library otf2 fails: {last or done.returncode}"
        raise UserError(str(source), None, f"is no whole OTF2 archive: {why}")
    answer = json.loads(done.stdout)
    if "mistake" in answer:
        raise UserError(str(source), None, answer["mistake"][0])
    notes: list[str] = answer["notes"]
    return notes
