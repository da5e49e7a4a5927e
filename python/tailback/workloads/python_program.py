"""Processes written in Python."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import BeforeValidator, WithJsonSchema
from pydantic.json_schema import SkipJsonSchema

from ..errors import UserError, shown
from ..parts import key
from .base import Network, Workload, check_node
from .collectives import all_or_numbers

if TYPE_CHECKING:
    from ..programs import Processes
    from ..programs.loading import Source


def _pairs(given: object) -> object:
    """Return a list of names of files, or a table of names and files, as pairs."""
    pairs: list[tuple[object, object]]
    if isinstance(given, Mapping):
        pairs = list(given.items())
    elif isinstance(given, list | tuple):
        pairs = [tuple(one) if isinstance(one, list | tuple) else ("", one) for one in given]
    else:
        pairs = [("", None)]
    if not all(len(pair) == 2 and all(isinstance(text, str) for text in pair) for pair in pairs):
        allowed = 'must be a list of files, or a table: {"name that is opened" = "file"}'
        raise UserError("", shown(given), allowed)
    return tuple(pairs)


def _variables(given: object) -> object:
    """Return a table of variables of the environment as pairs."""
    pairs = list(given.items()) if isinstance(given, Mapping) else given
    if not isinstance(pairs, list | tuple) or not all(
        isinstance(pair, list | tuple) and len(pair) == 2 and all(isinstance(t, str) for t in pair)
        for pair in pairs
    ):
        raise UserError("", shown(given), 'must be a table of texts: {SIZE = "10 kB"}')
    return tuple(map(tuple, pairs))


Pairs = tuple[tuple[str, str], ...]
_TABLE = {"type": "object", "additionalProperties": {"type": "string"}}
Reads = Annotated[
    Pairs,
    BeforeValidator(_pairs),
    WithJsonSchema({"anyOf": [{"type": "array", "items": {"type": "string"}}, _TABLE]}),
]
Variables = Annotated[Pairs, BeforeValidator(_variables), WithJsonSchema(_TABLE)]
_TWICE = "is given twice; a node has one process"
Nodes = Annotated[
    Literal["all"] | tuple[int, ...],
    BeforeValidator(partial(all_or_numbers, of="numbers of nodes", twice=_TWICE)),
]


class InPython(Workload, init=False):
    """A workload whose processes are carried out in Python."""

    def variables_read(self) -> Mapping[str, str | None]:
        """Return the variables of the environment that are read before a run; None: not set."""
        return {}

    def iteration_ps(self, network: Network) -> int:
        """Return one round trip: what processes wait for, if they wait."""
        return network.round_trip_ps(0)


class PythonProgram(InPython, init=False):
    """A process on every node that carries out a function written ``async def program(node)``.

    See docs/programs.md. The function is given itself, or as its name in a file; a file is
    executed anew for every run.
    """

    kind: Literal["python"] = key(default="python")
    file: str | None = key(
        default=None, description="Python file with the function; relative to the experiment file."
    )
    function: str | SkipJsonSchema[Callable[..., Any]] = key(
        default="program",
        description="Name of the function in it, written async def program(node).",
    )
    placement: Nodes = key(
        default="all", description='Nodes with a process, one each, such as [0, 5]; or "all".'
    )
    comparators: int | None = key(
        default=None,
        ge=0,
        lt=2**32,
        description="Arriving messages of which a node can use the first bytes at one time; "
        "default: the degree of the network.",
    )
    reads: Reads = key(
        shown="given",
        default=(),
        description="Files that the processes read while they run, relative to the experiment "
        "file; what the file of the program reads before is known. A table has a file for each "
        "name that is opened.",
    )
    environment: Variables = key(
        shown="given",
        default=(),
        description="Variables of the environment, as the program sees them.",
    )
    endless: bool = key(
        default=False,
        description="Whether the processes go on for ever; then a warm-up is cut off, "
        "and the run ends by precision or duration.",
    )

    def _check(self) -> None:
        if self.file is None and isinstance(self.function, str):
            raise self.refused("file", "must be given: the Python file with the function")
        if self.file is not None and not isinstance(self.function, str):
            raise self.refused("file", "must not be given together with a function")

    @property
    def finite(self) -> bool:
        """Whether the workload ends by itself."""
        return not self.endless

    def check(self, network: Network) -> None:
        """Raise `UserError` unless there is such a function, and the machine has the nodes."""
        from ..programs import loading

        if self.file is not None:
            loading.check_file(Path(self.file), str(self.function))
        else:
            loading.from_function(self.function)
        for node in () if self.placement == "all" else self.placement:
            check_node(network, "workload.placement", node)

    def spec(self, network: Network) -> dict[str, Any]:
        """Return the workload as the engine describes it; instructions come from `processes`."""
        return {"kind": "external", "comparators": self.comparators}

    def processes(self, network: Network, seed: int) -> Processes:
        """Return the processes of one run; executes the file."""
        from ..programs import Processes

        program = self.source.load()
        places = None if self.placement == "all" else self.placement
        return Processes(program, network.nodes, places, seed, network.cycle())

    @property
    def source(self) -> Source:
        """The program, and what it may read."""
        from ..programs.loading import Source

        return Source(self.function, self.file, self.reads, self.environment)

    def files_read(self) -> list[Path]:
        """Return the program and the files that it reads; executes the file to find these."""
        return self.source.files_read()

    def variables_read(self) -> Mapping[str, str | None]:
        """Return the variables that the program reads; executes the file to find these."""
        return dict(self.source.reads().environment)

    def digest(self) -> str:
        """Return a hash of the program, of all that it reads, and of where it runs."""
        places = "" if self.placement == "all" else f" {list(self.placement)}"
        return self.source.digest() + places

    def resolved(self, network: Network) -> dict[str, Any]:
        """Return every parameter; of the program where it is from, and its hash."""
        is_name = isinstance(self.function, str)
        name = self.function if is_name else getattr(self.function, "__name__", "program")
        parameters = self.written()
        # The hash is of all that it reads, too, wherever that is.
        for left_out in ("function", "reads", "environment"):
            del parameters[left_out]
        return parameters | {"function": name, "program_sha256": self.digest().split()[0]}
