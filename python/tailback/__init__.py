"""Tailback: simulate an interconnection network and learn what contention costs.

    import tailback as tb

    machine = tb.Machine(topology=tb.Torus(dims=(8, 8)), link=tb.Link(rate="400 Gbit/s"))
    workload = tb.Synthetic(radius=4, compute_period="50 us")
    print(tb.cost(machine, workload, precision=0.02))

Names are looked up when they are first used, so that importing costs nothing.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tailback.api.blaming import Blaming, blame
    from tailback.api.experiments import (
        cost,
        describe,
        explain,
        interference,
        load,
        run,
        saturate,
    )
    from tailback.api.stores import plot, sweep, table, write_report
    from tailback.comparison import Cost
    from tailback.errors import RunFailure, UserError
    from tailback.experiment import Experiment, Run
    from tailback.machines import (
        Interface,
        Link,
        LinkClass,
        LogGops,
        Machine,
        NodeLink,
        Switch,
    )
    from tailback.machines.routing import *  # noqa: F403
    from tailback.machines.topologies.families import *  # noqa: F403
    from tailback.machines.topologies.graph import *  # noqa: F403
    from tailback.machines.topologies.grids import *  # noqa: F403
    from tailback.machines.topologies.star import *  # noqa: F403
    from tailback.machines.written_routes import *  # noqa: F403
    from tailback.plots import Plot
    from tailback.programs import ANY, Node
    from tailback.results import Result
    from tailback.saturation import Saturation
    from tailback.statistics import Estimate
    from tailback.store.points import PointStore
    from tailback.sweeps import Sweep
    from tailback.tables.dataframes import to_pandas
    from tailback.workloads import Job, Messages, Program, PythonProgram, Synthetic
    from tailback.workloads.builtin import *  # noqa: F403
    from tailback.workloads.exchanges import *  # noqa: F403

    __version__: str

    # Kinds come with their modules: these name them in `__all__`.
    __all__ = [
        "ANY",
        "Blaming",
        "Cost",
        "Estimate",
        "Experiment",
        "Interface",
        "Job",
        "Link",
        "LinkClass",
        "LogGops",
        "Machine",
        "Messages",
        "Node",
        "NodeLink",
        "Plot",
        "PointStore",
        "Program",
        "PythonProgram",
        "Result",
        "Run",
        "RunFailure",
        "Saturation",
        "Sweep",
        "Switch",
        "Synthetic",
        "UserError",
        "__version__",
        "blame",
        "cost",
        "describe",
        "explain",
        "interference",
        "load",
        "plot",
        "run",
        "saturate",
        "sweep",
        "table",
        "to_pandas",
        "write_report",
    ]

_HOMES = {
    "api.blaming": ("Blaming", "blame"),
    "api.experiments": ("cost", "describe", "explain", "interference", "load", "run", "saturate"),
    "api.stores": ("plot", "sweep", "table", "write_report"),
    "comparison": ("Cost",),
    "errors": ("RunFailure", "UserError"),
    "experiment": ("Experiment", "Run"),
    "machines": ("Interface", "Link", "LinkClass", "LogGops", "Machine", "NodeLink", "Switch"),
    "plots": ("Plot",),
    "programs": ("ANY", "Node"),
    "results": ("Result",),
    "saturation": ("Saturation",),
    "statistics": ("Estimate",),
    "store.points": ("PointStore",),
    "sweeps": ("Sweep",),
    "tables.dataframes": ("to_pandas",),
    "workloads": ("Job",),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def _names() -> dict[str, str]:
    """Return where every name is, those of all kinds of topology, routing and workload included."""
    from tailback.machines import ROUTINGS, TOPOLOGIES
    from tailback.workloads import KINDS

    kinds = (*TOPOLOGIES.values(), *ROUTINGS.values(), *KINDS.values())
    return _HOME | {kind.__name__: kind.__module__.partition(".")[2] for kind in kinds}


if not TYPE_CHECKING:
    # Type checkers see the imports above, and names that are not there.

    def __getattr__(name: str) -> Any:
        if name == "__version__":
            from importlib.metadata import version

            return version("tailback")
        if name == "__all__":
            return __dir__()
        # Kinds are looked up where they are listed; modules are none.
        home = _HOME.get(name) or (_names().get(name) if name[:1].isupper() else None)
        if home is None:
            raise AttributeError(f"module 'tailback' has no attribute {name!r}")
        value = getattr(import_module(f".{home}", __name__), name)
        globals()[name] = value
        return value


def __dir__() -> list[str]:
    return [*sorted(_names()), "__version__"]
