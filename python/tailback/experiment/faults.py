"""The tables ``[[fault]]`` of an experiment file: links and nodes that fail, or are slower."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Strict

from ..errors import UserError, shown, unknown_key
from ..machines import Topology
from ..machines.topologies.failed import End, Ends
from ..parts import Part, key
from ..units import Time
from .tables import FAULTS

_MILLION = 1_000_000
#: The end of what is never repaired.
_NEVER_PS = 2**63 - 1

Link = str | Annotated[tuple[End, End], Strict(False)]


class Fault(Part, init=False):
    """A link that is down, or slower, for a time while the simulation runs; or all of a switch.

    A packet on a link that fails is sent again when the link is up. With ``time_factor`` it is a
    straggler: a node that is slower for a time.
    """

    section: ClassVar[str] = FAULTS
    link: Link | None = key(
        default=None,
        description='Which link: two switches, as [3, 4] or "(0, 1) to (1, 1)", for all links '
        'between them, or a switch and a port, as "3:1" or, where a file gives ports their '
        'numbers, "leaf1@7". One of link, switch, node and every is given.',
    )
    switch: End | None = key(
        default=None, description="All links of a switch, those of its nodes included."
    )
    node: End | None = key(default=None, description="All links of a node; the node itself.")
    every: Literal["link", "switch", "node"] | None = key(
        default=None,
        description="Every link between switches, every switch or every node; where times are "
        "drawn, each fails by itself.",
    )
    time: Time = key(
        default=Time(0), description="When it begins; where times are drawn, from when on."
    )
    duration: Time | None = key(
        default=None,
        description="Time until it is repaired. A link or node that is slower stays so if it is "
        "left out; for a link that is down it must be given.",
    )
    rate_share: float = key(
        default=0.0,
        ge=0,
        lt=1,
        description="Share of its rate that the link still has; 0: it is down.",
    )
    bit_error_rate: float | None = key(
        default=None,
        ge=1e-18,
        le=0.01,
        description="Share of the bits on the link that are damaged. A damaged packet is sent "
        "again on that link, after a round trip of the link.",
    )
    time_factor: float | None = key(
        default=None,
        gt=1,
        le=1000,
        description="A straggler: how many times as long it takes to compute on the node, and to "
        "send and receive in software. Its links are as they were.",
    )
    reroute_after: Time | None = key(
        default=None,
        description="Links that are down: time from the failure until routes avoid them, and from "
        "the repair until routes return (a subnet manager, or a routing protocol, has noticed and "
        "installed new tables). Left out, packets on fixed routes wait for the repair.",
    )
    up_time: Time | None = key(
        default=None,
        description="Flapping: time from a repair until it fails again, until `until` or `count`.",
    )
    count: int | None = key(
        default=None, ge=1, le=1_000_000, description="Flapping: how many times it fails at most."
    )
    mean_time_to_failure: Time | None = key(
        default=None,
        description="Failures at random: mean time from a repair, or the beginning, until it "
        "fails; exponentially distributed.",
    )
    mean_time_to_repair: Time | None = key(
        default=None,
        description="Failures at random: mean time until it is repaired; exponentially "
        "distributed.",
    )
    until: Time | None = key(
        default=None, description="Flapping, or failures at random: none begins then or later."
    )
    seed: int | None = key(
        default=None,
        ge=0,
        le=2**63 - 1,
        description="Failures at random: seed of the times; 1 if it is left out. `run.seed` does "
        "not change them.",
    )

    def _check(self) -> None:
        given = [name for name in ("link", "switch", "node", "every") if self._has(name)]
        if len(given) != 1:
            if not given:
                raise self.refused("link", "must be given, or switch, node or every")
            raise self.refused(given[1], f"must be left out beside {given[0]}")
        for name in ("duration", "up_time", "mean_time_to_failure", "mean_time_to_repair"):
            if self._has(name) and not getattr(self, name).ps:
                raise self.refused(name, "must be above 0")
        if self.time_factor is not None:
            self._check_straggler()
        if self.reroute_after is not None:
            self._check_reroute()
        self._check_times()

    def _has(self, name: str) -> bool:
        return getattr(self, name) is not None

    def _check_straggler(self) -> None:
        if self.node is None and self.every != "node":
            raise self.refused("time_factor", 'must be left out: needs node, or every = "node"')
        for name in ("rate_share", "bit_error_rate"):
            if name in self.named():
                allowed = "must be left out beside time_factor: another [[fault]]"
                raise self.refused(name, allowed)

    def _check_reroute(self) -> None:
        """Refuse other routes round what nothing leads round, or what packets still cross."""
        if self.node is not None or self.every == "node":
            allowed = "must be left out with the links of a node: no other way leads there"
            raise self.refused("reroute_after", allowed)
        if not self.is_down:
            others = ("rate_share", "bit_error_rate")
            name = next(name for name in others if name in self.named())
            allowed = f"must be left out with {name}: routes avoid links that are down"
            raise self.refused("reroute_after", allowed)

    def _check_times(self) -> None:
        """Refuse times that belong to another kind of fault."""
        means = ("mean_time_to_failure", "mean_time_to_repair")
        if any(map(self._has, means)):
            for name in (*means, "until"):
                if not self._has(name):
                    raise self.refused(name, "must be given where failures are at random")
            self._refuse(("duration", "up_time", "count"), "where failures are at random")
            return
        self._refuse(("seed",), "without mean_time_to_failure: nothing is drawn")
        if self.up_time is None:
            self._refuse(("count", "until"), "without up_time: it fails once")
        elif self.until is None and self.count is None:
            raise self.refused("until", "must be given, or count: how long it goes on flapping")
        if self.duration is None and (self.up_time is not None or self.is_down):
            if self.up_time is not None:
                raise self.refused("duration", "must be given with up_time: how long it is down")
            allowed = "must be given: packets for a link that stays down would wait for ever"
            raise self.refused("duration", f"{allowed} (failed_links are down from the start)")

    def _refuse(self, names: tuple[str, ...], why: str) -> None:
        for name in names:
            if self._has(name):
                raise self.refused(name, f"must be left out {why}")

    @property
    def is_down(self) -> bool:
        """Whether links are down."""
        others = self.time_factor is not None or self.bit_error_rate is not None
        return not self.rate_share and ("rate_share" in self.named() or not others)

    @property
    def is_of_links(self) -> bool:
        """Whether it concerns links: not with ``time_factor``."""
        return self.time_factor is None

    @property
    def comes_again(self) -> bool:
        """Whether there may be several of it: it flaps, is drawn, or is at many places."""
        return any(map(self._has, ("up_time", "mean_time_to_failure", "every")))

    @property
    def is_repaired(self) -> bool:
        """Whether it ends."""
        return self.duration is not None or self.mean_time_to_repair is not None

    def given_plainly(self) -> dict[str, Any]:
        """Return the keys that were given, as a file has them."""
        written = self.written()
        return {name: written[name] for name in self.named()}

    def spec(self, topology: Topology) -> dict[str, Any]:
        """Return it as the engine describes it. Raises `UserError` for what is not there."""
        length = self.duration or self.mean_time_to_repair
        end_ps = _NEVER_PS if length is None else self.time.ps + length.ps
        share = max(1, round(self.rate_share * _MILLION)) if self.rate_share else _MILLION
        found: dict[str, Any] = {
            "at": self._place(topology),
            "from_ps": self.time.ps,
            "until_ps": min(end_ps, _NEVER_PS),
            "share": 0 if self.is_down else share,
        }
        if self.time_factor is not None:
            found["time_factor"] = round(self.time_factor * _MILLION)
        if self.bit_error_rate is not None:
            found["bit_errors"] = round(self.bit_error_rate * 10**18)
        if self.reroute_after is not None:
            found["reroute_ps"] = self.reroute_after.ps
        up = self.up_time or self.mean_time_to_failure
        if up is not None:
            until_ps = _NEVER_PS if self.until is None else self.until.ps
            again = {"up_ps": up.ps, "until_ps": until_ps}
            if self.count is not None:
                again["count"] = self.count
            if self.mean_time_to_failure is not None:
                again["seed"] = 1 if self.seed is None else self.seed
            found["again"] = again
        return found

    def _place(self, topology: Topology) -> dict[str, Any]:
        if self.every == "link" and not topology.facts.links:
            raise self.refused("every", "must be switch or node: no link joins two switches")
        if self.every is not None:
            return {"each": self.every}
        sides, shape, labels = topology.facts.sides, topology.shape, topology.labels
        if self.node is not None:
            names = () if shape else labels.get("node", ())
            nodes = Ends(topology.node_count, shape, names, f"{FAULTS}.node", "node")
            return {"node": nodes.number(self.node)}
        names = () if sides else labels.get("switch", ())
        what = "link" if self.switch is None else "switch"
        field, ports = f"{FAULTS}.{what}", topology.network.file_ports
        switches = Ends(topology.switch_count, sides, names, field, ports=ports)
        if self.switch is not None:
            return {"switch": switches.number(self.switch)}
        assert self.link is not None
        [link] = switches.failed([self.link])
        return {"link": link}


def faults_of(given: object, changes: object = None) -> tuple[Fault, ...]:
    """Return the faults that tables describe, with changes by number. Raises `UserError`."""
    given = changed(given, {} if changes is None else changes)
    return tuple(_fault(place, table) for place, table in enumerate(given))


def changed(given: object, changes: object) -> list[object]:
    """Return tables of faults with changes laid over them by number. Raises `UserError`."""
    if not isinstance(given, list | tuple):
        raise UserError(FAULTS, shown(given), "must be tables: [[fault]]")
    if not isinstance(changes, Mapping):
        raise UserError(FAULTS, shown(changes), f"must be changed key by key: {FAULTS}.0.time")
    found: list[object] = list(given)
    for number, change in changes.items():
        known = str(number).isdecimal() and int(number) < len(found)
        if not known or not isinstance(change, Mapping):
            last = len(found) - 1
            which = f"its number from 0 to {last}" if last >= 0 else "there is no [[fault]]"
            allowed = f"must be changed key by key, such as {FAULTS}.0.time: {which}"
            raise UserError(FAULTS, shown(str(number)), allowed)
        table = found[int(number)]
        found[int(number)] = {**table, **change} if isinstance(table, Mapping) else table
    return found


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
