"""Whether a Dask scheduler answers at an address, before Dask's own client is asked.

The client tries for a long time, and says with tracebacks what is wrong.
"""

from __future__ import annotations

import asyncio
import re
import socket
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from .outcome import described

_ADDRESS = re.compile(
    r"(?:(?:tcp|tls|wss?)://)?(?P<host>[\w.-]+|\[[0-9a-fA-F:.]+\]):(?P<port>\d{1,5})"
)
_LAST_PORT = 65535
_EVERY_S = 0.2


def scheduler_problem(address: str, timeout_s: float) -> str | None:
    """Return why work cannot be given to the scheduler at `address`; None if it can.

    It is found out within `timeout_s`, which a scheduler without workers has for one to join.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None or not 0 < int(found["port"]) <= _LAST_PORT:
        return 'must be such as "tcp://node1:8786": a host and a port'
    try:
        place = (found["host"].strip("[]"), int(found["port"]))
        socket.create_connection(place, timeout=timeout_s / 2).close()
    except socket.gaierror:
        return "no host is called so"
    except (OSError, UnicodeError) as error:
        return f"no Dask scheduler answers there ({getattr(error, 'strerror', None) or error})"
    try:
        # In a thread of its own: notebooks run a loop in theirs.
        with ThreadPoolExecutor(1) as thread:
            workers = thread.submit(asyncio.run, _in_time(address, timeout_s / 2)).result()
    except asyncio.TimeoutError:
        return "no Dask scheduler answers there, but something else, or with other encryption"
    except Exception as error:
        # Anything may answer at a port, with anything.
        return f"what answers there is no Dask scheduler ({described(error)})"
    return None if workers else f"the scheduler has no worker: start some (dask worker {address})"


async def _in_time(address: str, timeout_s: float) -> bool:
    return await asyncio.wait_for(_workers(address), timeout_s)


async def _workers(address: str) -> bool:
    """Whether the scheduler has a worker, or gets one before it is no longer waited for."""
    import distributed

    library: Any = distributed  # It has no types.
    arguments = library.Security().get_connection_args("client")
    comm = await library.core.connect(address, **arguments)
    try:
        waited_s = 0.0
        while not (await _told(comm))["workers"]:
            await asyncio.sleep(_EVERY_S)
            waited_s += _EVERY_S
            if waited_s > _PATIENCE_S:
                return False
        return True
    finally:
        comm.abort()


_PATIENCE_S = 3.0


async def _told(comm: Any) -> dict[str, Any]:
    """Return what a scheduler says of itself."""
    await comm.write({"op": "identity", "reply": True})
    told = await comm.read()
    if not isinstance(told, dict) or told.get("type") != "Scheduler":
        raise ValueError("it says that it is something else")
    return told
