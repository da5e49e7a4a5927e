"""How much memory this process has used."""

from __future__ import annotations

import resource
import sys
from pathlib import Path

_STATUS = Path("/proc/self/status")


def peak_bytes() -> int:
    """Return the largest resident size of this process so far, in bytes.

    Linux says it of the program; `getrusage` there includes the process that started it.
    """
    if _STATUS.exists():
        lines = _STATUS.read_text(encoding="ascii").splitlines()
        peak_kb = next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:"))
        return peak_kb * 1024
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
