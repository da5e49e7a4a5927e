"""The tables ``[[fault]]`` of an experiment file: links that are down, or slower, for a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Strict

from ..errors import UserError, shown, unknown_key
from ..machines import Topology
from ..machines.topologies.failed import End, Ends
from ..parts import Part, key
from ..units import Time

FAULTS = "fault"

_MILLION = 1_000_000
#: The end of what is never repaired.
_NEVER_PS = 2**63 - 1

Link = str | Annotated[tuple[End, End], Strict(False)]


class Fault(Part, init=False):
    """A link that is down, or slower, for a time while the simulation runs; or all of a switch.

    A packet on a link that fails is sent again when the link is up.
    """

    section: ClassVar[str] = FAULTS
    link: Link | None = key(
        default=None,
        description='Which link: two switches, as [3, 4] or "(0, 1) to (1, 1)", for all links '
        'between them, or a switch and a port, as "3:1". One of link, switch and node is given.',
    )
    switch: End | None = key(
        default=None, description="All links of a switch, those of its nodes included."
    )
    node: End | None = key(default=None, description="All links of a node.")
    time: Time = key(default=Time(0), description="When it begins.")
    duration: Time | None = key(
        default=None,
        description="Time until it is repaired. A link that is slower stays so if it is left out; "
        "for a link that is down it must be given.",
    )
    rate_share: float = key(
        default=0.0,
        ge=0,
        lt=1,
        description="Share of its rate that the link still has; 0: it is down.",
    )

    def _check(self) -> None:
        places = ("link", "switch", "node")
        given = [name for name in places if getattr(self, name) is not None]
        if len(given) != 1:
            if not given:
                raise self.refused("link", "must be given, or switch, or node")
            raise self.refused(given[1], f"must be left out beside {given[0]}")
        if self.duration is None and not self.rate_share:
            allowed = "must be given: packets for a link that stays down would wait for ever"
            raise self.refused("duration", f"{allowed} (failed_links are down from the start)")
        if self.duration is not None and not self.duration.ps:
            raise self.refused("duration", "must be above 0")

    def given_plainly(self) -> dict[str, Any]:
        """Return the keys that were given, as a file has them."""
        written = self.written()
        return {name: written[name] for name in self.named()}

    def spec(self, topology: Topology) -> dict[str, Any]:
        """Return it as the engine describes it. Raises `UserError` for what is not there."""
        end_ps = _NEVER_PS if self.duration is None else self.time.ps + self.duration.ps
        return {
            "at": self._place(topology),
            "from_ps": self.time.ps,
            "until_ps": min(end_ps, _NEVER_PS),
            "share": max(1, round(self.rate_share * _MILLION)) if self.rate_share else 0,
        }

    def _place(self, topology: Topology) -> dict[str, Any]:
        sides, shape, labels = topology.facts.sides, topology.shape, topology.labels
        if self.node is not None:
            names = () if shape else labels.get("node", ())
            nodes = Ends(topology.node_count, shape, names, f"{FAULTS}.node", "node")
            return {"node": nodes.number(self.node)}
        names = () if sides else labels.get("switch", ())
        what = "link" if self.switch is None else "switch"
        switches = Ends(topology.switch_count, sides, names, f"{FAULTS}.{what}")
        if self.switch is not None:
            return {"switch": switches.number(self.switch)}
        assert self.link is not None
        [link] = switches.failed([self.link])
        return {"link": link}


def faults_of(given: object) -> tuple[Fault, ...]:
    """Return the faults that tables describe. Raises `UserError`."""
    if not isinstance(given, list | tuple):
        raise UserError(FAULTS, shown(given), "must be tables: [[fault]]")
    return tuple(_fault(place, table) for place, table in enumerate(given))


def _fault(place: int, table: object) -> Fault:
    if not isinstance(table, Mapping):
        raise UserError(f"{FAULTS}[{place}]", shown(table), "must be a table: [[fault]]")
    for name in table:
        if name not in Fault.keys:
            raise unknown_key(f"{FAULTS}[{place}]", name, list(Fault.keys))
    try:
        return Fault(**table)
    except UserError as error:
        raise at_place(error, place) from None


def at_place(error: UserError, place: int) -> UserError:
    """Return a mistake in a fault as one in that of a number."""
    own = error.field.removeprefix(FAULTS).lstrip(".")
    field = f"{FAULTS}[{place}].{own}"
    return UserError(field, error.given, error.allowed, error.nearest)


def specs(faults: tuple[Fault, ...], topology: Topology) -> list[dict[str, Any]]:
    """Return faults as the engine describes them. Raises `UserError`."""
    found = []
    for place, fault in enumerate(faults):
        try:
            found.append(fault.spec(topology))
        except UserError as error:
            raise at_place(error, place) from None
    return found
