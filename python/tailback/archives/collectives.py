"""Collectives of archives as actions of SimGrid's traces.

Lengths are counted as Score-P counts them: what a rank sends to, and receives from, all members
together, itself included; without itself where it works in place.
"""

from __future__ import annotations

from collections.abc import Callable

#: By the name of the operation: bytes sent, bytes received, members, root -> action.
Action = Callable[[int, int, int, int], "str | None"]


def _share(total: int, ranks: int) -> int | None:
    """Return the part of one member; None if there is no such length."""
    for members in (ranks, ranks - 1):
        if members and total % members == 0:
            return total // members
    return None


def _own(length: int, of_all: int, ranks: int) -> int | None:
    """Return the part of a rank, which the root may leave where it is."""
    return length or _share(of_all, ranks - 1 if ranks > 1 else 1)


def _rooted(name: str, part: int | None, root: int, counts: str) -> str | None:
    return None if part is None else f"{name} {counts.format(part)} {root}"


def _equal(name: str, part: int | None, counts: str) -> str | None:
    return None if part is None else f"{name} {counts.format(part)}"


ACTIONS: dict[str, Action] = {
    "BARRIER": lambda sent, received, ranks, root: "barrier",
    "BCAST": lambda sent, received, ranks, root: _rooted(
        "bcast", _own(received, sent, ranks), root, "{0}"
    ),
    "REDUCE": lambda sent, received, ranks, root: _rooted(
        "reduce", _own(sent, received, ranks), root, "{0} 0"
    ),
    "GATHER": lambda sent, received, ranks, root: _rooted(
        "gather", _own(sent, received, ranks), root, "{0} {0}"
    ),
    "SCATTER": lambda sent, received, ranks, root: _rooted(
        "scatter", _own(received, sent, ranks), root, "{0} {0}"
    ),
    "ALLREDUCE": lambda sent, received, ranks, root: _equal(
        "allreduce", _share(sent, ranks), "{0} 0"
    ),
    "ALLGATHER": lambda sent, received, ranks, root: _equal(
        "allgather", _share(received, ranks), "{0} {0}"
    ),
    "ALLTOALL": lambda sent, received, ranks, root: _equal(
        "alltoall", _share(sent, ranks), "{0} {0}"
    ),
}

#: What makes and frees communicators and windows moves nothing between ranks.
WITHOUT_EFFECT = {
    "CREATE_HANDLE",
    "DESTROY_HANDLE",
    "ALLOCATE",
    "DEALLOCATE",
    "CREATE_HANDLE_AND_ALLOCATE",
    "DESTROY_HANDLE_AND_DEALLOCATE",
}
