"""Who is who: ranks of communicators, locations and tags as those of the world."""

from __future__ import annotations

from typing import Any

from tailback.errors import UserError

#: Tags of the world are below; above are those of other communicators.
_FIRST_OTHER = 2**31


class Communicators:
    """The MPI processes of an archive. Locations are known by their numbers."""

    def __init__(self, library: Any, definitions: Any, place: str) -> None:
        """Look for the processes; raises `UserError` if there are none."""
        self._place = place
        self._library = library
        kinds = library.GroupType
        groups = [
            group
            for group in definitions.groups
            if group.paradigm == library.Paradigm.MPI and group.group_type == kinds.COMM_LOCATIONS
        ]
        if not groups:
            raise UserError(place, None, "has no MPI processes")
        self.world = [location._ref for location in groups[0].members]
        self.rank_of = {location: rank for rank, location in enumerate(self.world)}
        self._members: dict[int, list[int]] = {}
        self._tags: dict[tuple[int, int], int] = {}
        self._numbers: dict[int, int] = {}

    def is_world(self, communicator: Any) -> bool:
        """Return whether it has all ranks in their order."""
        return self.number(communicator) == 0

    def is_alone(self, communicator: Any) -> bool:
        """Return whether a rank is there with itself."""
        return len(self._ranks(communicator, 0)) == 1

    def number(self, communicator: Any) -> int:
        """Return a number that no other one has; 0 if it has all ranks in their order."""
        number = self._numbers.get(communicator._ref)
        if number is None:
            is_world = self._ranks(communicator, 0) == list(range(len(self.world)))
            number = 0 if is_world else 1 + len(self._numbers)
            self._numbers[communicator._ref] = number
        return number

    def members(self, communicator: Any) -> list[int]:
        """Return the ranks that are in it, which are several, in its order."""
        return self._ranks(communicator, 0)

    def name(self, communicator: Any) -> str:
        """Return its name, or its number if it has none."""
        return communicator.name or f"communicator {communicator._ref}"

    def rank(self, communicator: Any, member: int, me: int) -> int:
        """Return the rank of a member in the world, as seen by rank ``me``."""
        ranks = self._ranks(communicator, me)
        if member >= len(ranks):
            what = f"rank {member} of {self.name(communicator)}, which has {len(ranks)}"
            raise UserError(self._place, None, f"rank {me} names {what}")
        return ranks[member]

    def tag(self, communicator: Any, tag: int) -> int:
        """Return a tag such that messages of different communicators have different ones."""
        if self.is_world(communicator):
            if tag >= _FIRST_OTHER:
                raise UserError(self._place, None, f"a tag is {tag}; below 2147483648 are possible")
            return tag
        return self._tags.setdefault((communicator._ref, tag), _FIRST_OTHER + len(self._tags))

    def _ranks(self, communicator: Any, me: int) -> list[int]:
        group = getattr(communicator, "group", None)
        if group is None:
            what = "has one group for each side, which has no counterpart"
            raise UserError(self._place, None, f"{self.name(communicator)} {what}")
        if group.group_type == self._library.GroupType.COMM_SELF:
            return [me]
        if communicator._ref not in self._members:
            ranks = [self.rank_of[location._ref] for location in group.members]
            self._members[communicator._ref] = ranks
        return self._members[communicator._ref]
