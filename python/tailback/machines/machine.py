"""A machine in five parts: topology, links, switches, routing, interfaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, cast

from .. import door
from ..door import Exact
from ..errors import NoEffectError, UserError, choice
from ..parts import Part
from ..units import Time
from . import describing, needs, suited
from .assembled import INTERFACES, Assembled
from .fidelities import Fidelity
from .link import LONGEST_DELAY, check_delay, check_whole
from .topologies import Graph


class Machine(Assembled):
    """Who is wired to whom, by what, and how packets find their way.

    Parts that are left out are their defaults; `routing` is the topology's usual one.

    >>> import tailback as tb
    >>> machine = tb.Machine(topology=tb.Torus(dims=(8, 8)), link=tb.Link(rate="400 Gbit/s"))
    >>> machine.topology.node_count, str(machine.link.rate)
    (64, '400 Gbit/s')
    """

    def __hash__(self) -> int:
        """Return a hash of all parts: equal machines have the same."""
        parts = self.values() | {"link_classes": frozenset(self.link_classes.items())}
        return hash(tuple(parts.values()))

    def _check(self) -> None:
        self._keep_time()
        self._give_hosts()
        self.link.check_delays()
        self.switch.check_delays()
        check_delay(self.node_link, self.node_link.section)
        self._check_classes()
        needs.check(self)
        suited.check(self)

    def _keep_time(self) -> None:
        """Turn times in cycles into times, if there is a clock, and those in flits of a link."""
        try:
            cycle = self.cycle()
        except UserError as error:
            raise error.inside("machine.clock") from None
        try:
            flit = Time(self.link.flit_ps())
        except UserError:
            # The rate is refused where all of it is looked at.
            flit = Time(1)
        for name in ("link", "node_link", "hosts", "switch", "interface", "loggops"):
            part: Part | None = getattr(self, name)
            object.__setattr__(self, name, None if part is None else part.with_clock(cycle, flit))
        classes = {name: one.with_clock(cycle, flit) for name, one in self.link_classes.items()}
        object.__setattr__(self, "link_classes", classes)
        topology = self.topology
        if isinstance(topology, Graph) and topology.cycle is None and cycle is not None:
            object.__setattr__(self, "topology", Graph(**topology.named() | {"cycle": cycle}))

    def _give_hosts(self) -> None:
        """Put the topology on hosts, if there are any, and check these."""
        object.__setattr__(self, "topology", self.topology.with_hosts(self.hosts))
        hosts = self.hosts
        if hosts is None:
            return
        if self.node_link.width != 1:
            allowed = f"must be 1 with {hosts.section}: each interface is one link"
            raise self.node_link.refused("width", allowed)
        if self.switch.input_order == "port":
            raise self.switch.refused("input_order", f"must be left out with {hosts.section}")
        for delay in ("inner_delay", "inner_switch_delay"):
            if (getattr(hosts, delay) or LONGEST_DELAY) > LONGEST_DELAY:
                raise hosts.refused(delay, f"must be at most {LONGEST_DELAY}")
        if hosts.inner_rate is not None:
            check_whole(self.link, hosts.inner_rate, hosts.section, "inner_rate")
        self.topology.grouped  # noqa: B018  # asked for its refusals

    def _check_classes(self) -> None:
        known = self.topology.link_classes if self.link_classes else ()
        for name, special in self.link_classes.items():
            section = f"machine.link_classes.{name}"
            if name == INTERFACES and self.hosts is not None:
                raise UserError(section, None, "must be left out: see machine.node_link")
            if name not in known:
                kind = f'machine.topology.kind = "{self.topology.kind}"'
                if not known:
                    problem = f"must be left out: {kind} has no link classes"
                    raise NoEffectError(section, None, problem)
                error = choice(section, name, known)
                # A class of another topology may be left over; a misspelled one is a mistake.
                mistake = NoEffectError if error.nearest is None else UserError
                raise mistake(section, None, f"{error.allowed} with {kind}", error.nearest)
            check_delay(special, section)
            if special.rate is not None:
                check_whole(self.link, special.rate, section)
        if self.node_link.rate is not None:
            check_whole(self.link, self.node_link.rate, "machine.node_link")

    # Fidelities.

    @property
    def usual_fidelity(self) -> Fidelity:
        """The fidelity of a run that names none: whole packets in band, as in the thesis."""
        return "packet" if self.link.flow_control == "in_band" else self.exact_fidelity

    @property
    def why_usual_fidelity(self) -> str:
        """Why a run that names no fidelity has that one, in words."""
        if self.link.flow_control == "in_band":
            return "whole packets unless asked for more, with flow control in band"
        return self.exact.why

    @cached_property
    def exact(self) -> Exact:
        """The cheapest fidelity that leaves nothing out, and why."""
        return door.exact(self.spec("packet"))

    @property
    def exact_fidelity(self) -> Fidelity:
        """The cheapest fidelity that leaves nothing out: what ``auto`` stands for."""
        return cast(Fidelity, self.exact.fidelity)

    def check(self, fidelity: Fidelity, classes: Sequence[Mapping[str, Any]] = ()) -> None:
        """Raise `UserError` if the machine cannot be simulated with this fidelity.

        ``classes``: the traffic classes that share it, as `spec` has them.
        """
        question = (fidelity, repr(classes))
        if question in self._passed:
            return
        self.switch.check_classes(classes)
        with self.topology.names():
            door.check(self.spec(fidelity, classes), fidelity)
        self._passed.add(question)

    @cached_property
    def _passed(self) -> set[tuple[Fidelity, str]]:
        """What `check` has found to be right: many experiments may have the same machine."""
        return set()

    # The machine in other words.

    def resolved(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others."""
        return describing.resolved(self, fidelity)

    def spec(self, fidelity: Fidelity, classes: Sequence[Mapping[str, Any]] = ()) -> dict[str, Any]:
        """Return the machine as the engine describes it: picoseconds, bytes, flits.

        ``classes``: what it knows of traffic classes, if there are several.
        """
        return describing.spec(self, fidelity, classes)
