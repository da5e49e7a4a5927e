"""Machines that routing has a task on: which way packets go, and what channels they use."""

from __future__ import annotations

import hashlib
import json
from abc import abstractmethod
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import Field, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from ..errors import UserError, choice, listed, shown
from .base import Fidelity
from .routes_file import Places, most_class, read_source_routes, read_table
from .routing import OPTIONS, ROUTINGS, Algorithm
from .switched import SwitchedMachine

#: Channels a packet may cross at most: the engine counts them in 16 bits.
MOST_HOPS = 65_534

Selection = Literal["first", "random", "fewest_waiting", "most_credit"]


class RoutedMachine(SwitchedMachine, init=False):
    """A machine with several switches, among which packets are routed."""

    routings: ClassVar[tuple[str, ...]] = ()
    """The words that `routing` may be; the first is meant if it is left out."""

    routing: str | None = Field(
        default=None,
        description="Which way packets go; not every topology has every word, nor the same usual "
        "one (docs/routing.md).",
    )
    virtual_channels: int | None = Field(
        default=None,
        ge=1,
        le=255,
        description="Virtual channels of every link between switches, each with an input buffer of "
        "its own; default: as many as the routing needs on this topology.",
    )
    sharing: Literal["round_robin", "until_stall", "separate"] = Field(
        default="round_robin",
        description="How virtual channels share a wire: flit by flit in turn, each until it has "
        "nothing to send or no credit, or not at all: each has a wire of its own.",
    )
    selection: Selection | None = Field(
        default=None,
        description="Which of several free outputs a packet takes; default: first, with chaos and "
        "deflection random.",
    )
    allow_deadlock: bool = Field(
        default=False, description="Whether a routing that can deadlock is simulated all the same."
    )
    hop_limit: int = Field(
        default=MOST_HOPS,
        ge=1,
        le=MOST_HOPS,
        description="Most channels a packet may cross; a run in which one crosses more ends as a "
        "livelock.",
    )
    up_down_root: int | None = Field(
        default=None,
        ge=0,
        description="With up_down: the number of the switch at the top; default: the first of "
        "those with the most links.",
    )
    adaptive_ways: bool | None = Field(
        default=None,
        description="With up_down and nearest_common_ancestor: whether packets may choose among "
        "several ways that are equally short; default: true, on a tree false.",
    )
    routes_file: str | None = Field(
        default=None,
        description="With table and source_routes: a CSV file of routes (docs/routing.md), "
        "relative to the experiment file.",
    )

    @model_validator(mode="after")
    def _routing_possible(self) -> RoutedMachine:
        word = self.routings[0] if self.routing is None else self.routing
        if word not in self._possible_routings:
            raise self._impossible_routing(word)
        options = ROUTINGS[word].options
        for key in OPTIONS:
            value = getattr(self, key, None)
            if value is not None and key not in options:
                raise UserError(key, shown(_plain(value)), self._not_an_option(key, word))
        if "routes_file" in options and self.routes_file is None:
            raise UserError("routes_file", None, f'must be given with routing = "{word}"')
        return self

    @property
    def _possible_routings(self) -> tuple[str, ...]:
        """The words of `routings` that are possible with the other keys."""
        return self.routings

    def _impossible_routing(self, word: str) -> UserError:
        return choice("routing", word, self._possible_routings)

    def _not_an_option(self, key: str, word: str) -> str:
        having = [f'"{word}"' for word in self._possible_routings if key in ROUTINGS[word].options]
        return f'not an option with routing = "{word}", only with {listed(having)}'

    @property
    def chosen_routing(self) -> str:
        """`routing` or its default."""
        return self.routings[0] if self.routing is None else self.routing

    @property
    def _algorithm(self) -> Algorithm:
        return ROUTINGS[self.chosen_routing]

    @property
    def chosen_selection(self) -> str:
        """`selection` or its default."""
        if self.selection is not None:
            return self.selection
        return "random" if self._algorithm.spreads else "first"

    @property
    @abstractmethod
    def switches_in_all(self) -> int:
        """Number of switches."""

    @property
    def _way_classes(self) -> int:
        """Classes of virtual channels of the one minimal way that this topology usually has."""
        return 1

    @property
    def routing_classes(self) -> int:
        """Classes of virtual channels that the routing tells apart here: it needs as many."""
        word = self.chosen_routing
        if word == "adaptive":
            return self._way_classes + 1
        if word == "two_phase":
            return 2 * self._way_classes
        if self._written is not None:
            return most_class(self._written) + 1
        return self._way_classes if word in ("dimension_order", "minimal") else 1

    @property
    def channels_per_wire(self) -> int:
        """`virtual_channels` or its default; with separate wires, wires per link."""
        return self.routing_classes if self.virtual_channels is None else self.virtual_channels

    @property
    def shares_wires(self) -> bool:
        """Whether several virtual channels share a wire anywhere."""
        is_shared = self.sharing != "separate" and self.has_internal_channels
        return is_shared and self.channels_per_wire > 1

    @cached_property
    def _written(self) -> dict[str, Any] | None:
        """The content of `routes_file`, as the engine has it; it is read once."""
        if self.routes_file is None:
            return None
        read = read_table if self.chosen_routing == "table" else read_source_routes
        return read(Path(self.routes_file), self._places)

    @property
    def _places(self) -> Places:
        return Places(self.switches_in_all, self.nodes, {}, {})

    @property
    def exact_fidelity(self) -> Fidelity:
        """The fidelity that leaves nothing out, of those that can simulate the routing."""
        exact = super().exact_fidelity
        less: tuple[Fidelity, ...] = () if exact == "token" else ("flit",)
        suiting = (f for f in (exact, *less) if self._obstacle(f) is None)
        return next(suiting, "packet")

    def _obstacle(self, fidelity: Fidelity) -> str | None:
        """Say why a fidelity cannot simulate the routing or the virtual channels."""
        if fidelity not in self._algorithm.fidelities:
            return f'cannot do machine.routing = "{self.chosen_routing}": {self._algorithm.because}'
        if fidelity in ("token", "stream") and self._chooses:
            return "cannot do packets that have a choice of outputs"
        if fidelity in ("token", "worm", "stream") and self.shares_wires:
            shared = f"{self.channels_per_wire} virtual channels that share a wire"
            return f'cannot do {shared}, only machine.sharing = "separate"'
        return None

    def check(self, fidelity: Fidelity) -> None:
        """Raise `UserError` if the machine cannot be simulated with this fidelity."""
        if self.up_down_root is not None and self.up_down_root >= self.switches_in_all:
            allowed = f"must be a switch, 0 to {self.switches_in_all - 1}"
            raise UserError("machine.up_down_root", shown(self.up_down_root), allowed)
        _ = self._written
        obstacle = self._obstacle(fidelity)
        if obstacle is not None:
            remedy = f'use "{self.exact_fidelity}"'
            raise UserError("run.fidelity", shown(fidelity), f"{obstacle}; {remedy}")
        super().check(fidelity)

    def _least_input(self, fidelity: Fidelity) -> tuple[int, str]:
        least, content = super()._least_input(fidelity)
        if self._algorithm.fidelities == ("packet",):
            # A packet enters the network only where a place stays free.
            return 2 * least, f"two packets with routing {self.chosen_routing}"
        return least, content

    def resolved(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return every parameter, with units and with the defaults that depend on others."""
        chosen = {
            "routing": self.chosen_routing,
            "virtual_channels": self.channels_per_wire,
            "selection": self.chosen_selection,
        }
        if "adaptive_ways" in self._algorithm.options:
            chosen["adaptive_ways"] = self._chooses_ways
        if self._written is not None:
            text = json.dumps(self._written, sort_keys=True, separators=(",", ":"))
            chosen["routes_sha256"] = hashlib.sha256(text.encode()).hexdigest()
        return super().resolved(fidelity) | chosen

    @property
    def _chooses(self) -> bool:
        """Whether packets may have a choice of several outputs."""
        has_key = "adaptive_ways" in self._algorithm.options
        return self._algorithm.chooses and (self._chooses_ways or not has_key)

    @property
    def _chooses_ways(self) -> bool:
        return self._has_ways if self.adaptive_ways is None else self.adaptive_ways

    @property
    def _has_ways(self) -> bool:
        """Whether there may be several ways that are equally short."""
        return True

    def spec(self, fidelity: Fidelity) -> dict[str, Any]:
        """Return the machine as the engine describes it: picoseconds, bytes, tokens."""
        spec = super().spec(fidelity) | {"routing": self._routing_spec()}
        return spec | ({"allow_deadlock": True} if self.allow_deadlock else {})

    def _routing_spec(self) -> dict[str, Any]:
        """Return the engine's routing."""
        word = self.chosen_routing
        spec: dict[str, Any] = {"kind": word}
        if word == "up_down":
            spec |= {"root": self.up_down_root}
        if "adaptive_ways" in self._algorithm.options:
            spec |= {"adaptive": self._chooses_ways}
        return spec | (self._written or {})

    def _switch_spec(self, fidelity: Fidelity) -> dict[str, Any]:
        # Only what is not the engine's default: the description of experiments that were
        # there before these keys, and with it their identity, stays what it was.
        chosen = {
            "virtual_channels": (self.channels_per_wire, 1),
            "sharing": (self.sharing, "round_robin"),
            "selection": (self.chosen_selection, "first"),
            "hop_limit": (self.hop_limit, MOST_HOPS),
        }
        special = {key: value for key, (value, usual) in chosen.items() if value != usual}
        return super()._switch_spec(fidelity) | special

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Return the schema with the words that `routing` may be."""
        schema = handler(core_schema)
        own = handler.resolve_ref_schema(schema)
        described = own["properties"]["routing"]
        words: dict[str, Any] = {"enum": [*cls.routings], "type": "string"}
        if cls.model_fields["routing"].default is None:
            described["anyOf"] = [words, {"type": "null"}]
        else:
            described.update(words)
        return schema


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value
