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
    from tailback.api import (
        blame,
        cost,
        describe,
        load,
        plot,
        run,
        saturate,
        sweep,
        table,
        write_report,
    )
    from tailback.blaming import Blaming
    from tailback.comparison import Cost
    from tailback.dataframes import to_pandas
    from tailback.errors import RunFailure, UserError
    from tailback.experiment import Experiment, Run
    from tailback.machines import (
        Butterfly,
        Chaos,
        Deflection,
        DestinationTag,
        DimensionOrder,
        Dragonfly,
        FatTree,
        FirstHop,
        FullyConnected,
        Graph,
        Hypercube,
        Interface,
        Link,
        LinkClass,
        Machine,
        Mesh,
        Minimal,
        MinimalAdaptive,
        NearestCommonAncestor,
        NegativeFirst,
        NodeLink,
        OddEven,
        Pair,
        Profitable,
        Shortest,
        SourceRoutes,
        Star,
        Switch,
        Table,
        Torus,
        Tree,
        UpDown,
        Valiant,
        WestFirst,
    )
    from tailback.plots import Plot
    from tailback.programs import ANY, Node
    from tailback.results import Result
    from tailback.saturation import Saturation
    from tailback.statistics import Estimate
    from tailback.store.points import PointStore
    from tailback.sweeps import Sweep
    from tailback.workloads import (
        BoundaryExchange,
        ComputeOnly,
        Messages,
        PythonProgram,
        Synthetic,
    )

    __version__: str

_HOMES = {
    "api": (
        "blame",
        "cost",
        "describe",
        "load",
        "plot",
        "run",
        "saturate",
        "sweep",
        "table",
        "write_report",
    ),
    "blaming": ("Blaming",),
    "comparison": ("Cost",),
    "errors": ("RunFailure", "UserError"),
    "experiment": ("Experiment", "Run"),
    "dataframes": ("to_pandas",),
    "machines": (
        "Butterfly",
        "Chaos",
        "Deflection",
        "DestinationTag",
        "DimensionOrder",
        "Dragonfly",
        "FatTree",
        "FirstHop",
        "FullyConnected",
        "Graph",
        "Hypercube",
        "Interface",
        "Link",
        "LinkClass",
        "Machine",
        "Mesh",
        "Minimal",
        "MinimalAdaptive",
        "NearestCommonAncestor",
        "NegativeFirst",
        "NodeLink",
        "OddEven",
        "Pair",
        "Profitable",
        "Shortest",
        "SourceRoutes",
        "Star",
        "Switch",
        "Table",
        "Torus",
        "Tree",
        "UpDown",
        "Valiant",
        "WestFirst",
    ),
    "plots": ("Plot",),
    "programs": ("ANY", "Node"),
    "results": ("Result",),
    "saturation": ("Saturation",),
    "statistics": ("Estimate",),
    "store.points": ("PointStore",),
    "sweeps": ("Sweep",),
    "workloads": ("BoundaryExchange", "ComputeOnly", "Messages", "PythonProgram", "Synthetic"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "ANY",
    "Blaming",
    "BoundaryExchange",
    "Butterfly",
    "Chaos",
    "ComputeOnly",
    "Cost",
    "Deflection",
    "DestinationTag",
    "DimensionOrder",
    "Dragonfly",
    "Estimate",
    "Experiment",
    "FatTree",
    "FirstHop",
    "FullyConnected",
    "Graph",
    "Hypercube",
    "Interface",
    "Link",
    "LinkClass",
    "Machine",
    "Mesh",
    "Messages",
    "Minimal",
    "MinimalAdaptive",
    "NearestCommonAncestor",
    "NegativeFirst",
    "Node",
    "NodeLink",
    "OddEven",
    "Pair",
    "Plot",
    "PointStore",
    "Profitable",
    "PythonProgram",
    "Result",
    "Run",
    "RunFailure",
    "Saturation",
    "Shortest",
    "SourceRoutes",
    "Star",
    "Sweep",
    "Switch",
    "Synthetic",
    "Table",
    "Torus",
    "Tree",
    "UpDown",
    "UserError",
    "Valiant",
    "WestFirst",
    "__version__",
    "blame",
    "cost",
    "describe",
    "load",
    "plot",
    "run",
    "saturate",
    "sweep",
    "table",
    "to_pandas",
    "write_report",
]


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("tailback")
    if name not in _HOME:
        raise AttributeError(f"module 'tailback' has no attribute {name!r}")
    value = getattr(import_module(f".{_HOME[name]}", __name__), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
