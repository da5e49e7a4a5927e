"""The machine on which something was measured."""

from __future__ import annotations

import platform
from pathlib import Path

from tailback.threads import processors


def processor() -> str:
    """Return the processor's name, as far as the system tells."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        lines = []
    names = (line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or platform.machine())


def machine() -> str:
    """Return how many processors there are, which, and under which system."""
    return f"{processors()} cores ({processor()}, {platform.system()})"
