"""Memory that is left for this process, and what is said before it runs out.

The engine cannot go on without the memory it asks for: the program would be ended by the system.
So memory is looked at before a machine is built and while it runs.
"""

from __future__ import annotations

import os
import re
import time
from pathlib import Path

from .errors import UserError

_EVERY_S = 0.25
_LEAST_BYTES = 32 << 20
_MOST_BYTES = 512 << 20
"""Of what must be left while a run goes on: an eighth of what is in use, between these,
and what was taken since memory was last looked at."""

_LEAST_ADDRESSES = 350 * 10**6
"""Below it libraries end the program: small runs and tables take 290 to 340 MB."""
_M_ARENA_MAX = -8
"""Of `mallopt`, as glibc numbers it."""
ARROW_POOL = "ARROW_DEFAULT_MEMORY_POOL"
"""The variable that says how Arrow gets memory: read when it is imported."""
_SPARING = {
    ARROW_POOL: "system",
    "MALLOC_ARENA_MAX": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
}
"""Variables by which libraries reserve less: they are read when these are imported."""

_KIBIBYTES = re.compile(r"^(\w+):\s*(\d+) kB$", re.MULTILINE)
_OF_GROUP = Path("/sys/fs/cgroup")


class ShortMemoryError(UserError, MemoryError):
    """There is not enough memory for a run."""

    def __init__(self, reason: str) -> None:
        super().__init__("memory", None, reason)

    def __reduce__(self) -> tuple[type[ShortMemoryError], tuple[str]]:
        """Come from a worker as it was raised there."""
        return type(self), (self.allowed or "",)


def keep_within_limit() -> None:
    """Take few addresses if they are limited (`ulimit -v`); call it before Arrow is imported.

    A limit counts addresses as if they were in use, and libraries reserve many: Arrow 1 GB, the C
    library 64 MB for each thread, NumPy as much for each processor. Processes that this one starts
    do the same.
    """
    if _limit_bytes() is None:
        return
    for name, value in _SPARING.items():
        os.environ.setdefault(name, value)
    set_allocation(_M_ARENA_MAX, 1)


def check_limit() -> None:
    """Raise `ShortMemoryError` under a limit of addresses that the libraries alone would exceed.

    They end the program where they get none: nobody could say why afterwards.
    """
    limit = _limit_bytes()
    if limit is not None and limit < _LEAST_ADDRESSES:
        raise ShortMemoryError(
            f"the limit of addresses (ulimit -v) is {amount(limit)}; "
            f"Tailback and its libraries take {amount(_LEAST_ADDRESSES)}"
        )


def set_allocation(option: int, value: int) -> None:
    """Set an option of `mallopt`, if the C library is glibc."""
    if is_glibc():
        import ctypes

        ctypes.CDLL(None).mallopt(option, value)


def is_glibc() -> bool:
    """Whether memory comes from glibc."""
    try:
        return str(os.confstr("CS_GNU_LIBC_VERSION")).startswith("glibc")
    except (AttributeError, ValueError, OSError):  # not on other systems
        return False


def _limit_bytes() -> int | None:
    """Return how many addresses this process may have; None without a limit."""
    try:
        import resource
    except ImportError:  # not on other systems
        return None
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return None if limit == resource.RLIM_INFINITY else limit


def left_bytes() -> int | None:
    """Return what this process may still take; None where the system does not tell."""
    machine, own = _kibibytes("/proc/meminfo"), _kibibytes("/proc/self/status")
    if "MemAvailable" not in machine or "VmSize" not in own:
        return None
    left = [machine["MemAvailable"] + machine.get("SwapFree", 0)]
    limit = _limit_bytes()
    if limit is not None:
        left.append(limit - own["VmSize"])
    try:
        most, used = ((_OF_GROUP / name).read_text() for name in ("memory.max", "memory.current"))
        left.append(int(most) - int(used))
    except (OSError, ValueError):
        pass  # There is no group, or no limit ("max").
    return max(0, min(left))


def used_bytes() -> int:
    """Return what this process takes; 0 where the system does not tell."""
    return _kibibytes("/proc/self/status").get("VmRSS", 0)


def _kibibytes(path: str) -> dict[str, int]:
    """Return the amounts in a file of the system, in bytes."""
    try:
        text = Path(path).read_text(encoding="ascii", errors="replace")
    except OSError:
        return {}
    return {name: int(amount) << 10 for name, amount in _KIBIBYTES.findall(text)}


def amount(size: int) -> str:
    """Return a number of bytes in words: `1.4 GB`."""
    for unit, name in ((10**9, "GB"), (10**6, "MB")):
        if size >= unit:
            return f"{size / unit:.1f} {name}"
    return f"{size / 1e3:.0f} kB"


class Guard:
    """Ends a run before it takes the memory that is left."""

    def __init__(self) -> None:
        """Look at memory a while later for the first time."""
        self._next_s = time.monotonic() + _EVERY_S
        self._used = used_bytes()

    def check(self) -> None:
        """Raise `ShortMemoryError` if so little is left that the next step could end the program.

        It costs next to nothing: memory is looked at a few times a second.
        """
        now_s = time.monotonic()
        if now_s < self._next_s:
            return
        self._next_s = now_s + _EVERY_S
        left, used = left_bytes(), used_bytes()
        # The next step may take as much as the last one, and somewhat more.
        next_bytes, self._used = (used - self._used) * 5 // 4, used
        if left is not None and left < max(_LEAST_BYTES, min(used // 8, _MOST_BYTES), next_bytes):
            raise ShortMemoryError(
                f"the run takes {amount(used)} and only {amount(left)} are left; it needs more"
            )
