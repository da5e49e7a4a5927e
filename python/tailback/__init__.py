"""Tailback: simulate an interconnection network and learn what contention costs.

    import tailback as tb

    machine = tb.Machine(topology=tb.Torus(dims=(8, 8)), link=tb.Link(rate="400 Gbit/s"))
    workload = tb.Synthetic(radius=4, compute_period="50 us")
    print(tb.cost(machine, workload, precision=0.02))

Names are looked up when they are first used, so that importing costs nothing.
"""

# The part of `signal` that is compiled into Python: importing the rest takes 2 ms.
import _signal  # type: ignore[import-not-found]
import os
import sys


def _end_quietly_on_ctrl_c() -> None:
    """Let Ctrl-C end the command while it imports its modules: nothing is under way."""
    _signal.signal(_signal.SIGINT, lambda *_: os._exit(130))


# Python imports this package before the module that is the command. `python -m` is called "-m"
# until it has found its module, which may be that of a program that imports this package.
_called = os.path.basename(sys.argv[0] if sys.argv else "")
if _called in ("tailback", "tailback.exe") or (_called == "-m" and "tailback" in sys.orig_argv):
    _end_quietly_on_ctrl_c()

# Not from `typing`, which takes longer to import than all else in this module. Type checkers take
# this name as true.
TYPE_CHECKING = False

if TYPE_CHECKING:
    # Type checkers take as public what is imported under its own name again, or by a star: the
    # kinds that a module names in its `__all__`.
    from tailback.api.blaming import Blaming as Blaming
    from tailback.api.blaming import blame as blame
    from tailback.api.experiments import cost as cost
    from tailback.api.experiments import describe as describe
    from tailback.api.experiments import explain as explain
    from tailback.api.experiments import interference as interference
    from tailback.api.experiments import load as load
    from tailback.api.experiments import run as run
    from tailback.api.experiments import saturate as saturate
    from tailback.api.stores import plot as plot
    from tailback.api.stores import sweep as sweep
    from tailback.api.stores import table as table
    from tailback.api.stores import write_report as write_report
    from tailback.comparison import Cost as Cost
    from tailback.errors import RunFailure as RunFailure
    from tailback.errors import UserError as UserError
    from tailback.experiment import Experiment as Experiment
    from tailback.experiment import Run as Run
    from tailback.machines import Hosts as Hosts
    from tailback.machines import Interface as Interface
    from tailback.machines import Link as Link
    from tailback.machines import LinkClass as LinkClass
    from tailback.machines import LogGops as LogGops
    from tailback.machines import Machine as Machine
    from tailback.machines import NodeLink as NodeLink
    from tailback.machines import Switch as Switch
    from tailback.machines.routing import *  # noqa: F403
    from tailback.machines.topologies.families import *  # noqa: F403
    from tailback.machines.topologies.fat_trees import *  # noqa: F403
    from tailback.machines.topologies.graph import *  # noqa: F403
    from tailback.machines.topologies.grids import *  # noqa: F403
    from tailback.machines.topologies.low_diameter import *  # noqa: F403
    from tailback.machines.topologies.rails import *  # noqa: F403
    from tailback.machines.topologies.star import *  # noqa: F403
    from tailback.machines.written_routes import *  # noqa: F403
    from tailback.programs import ANY as ANY
    from tailback.programs import Node as Node
    from tailback.results import Result as Result
    from tailback.saturation import Saturation as Saturation
    from tailback.statistics import Estimate as Estimate
    from tailback.store.points import PointStore as PointStore
    from tailback.sweeps import Sweep as Sweep
    from tailback.tables.dataframes import to_pandas as to_pandas
    from tailback.workloads import Job as Job
    from tailback.workloads import Messages as Messages
    from tailback.workloads import Program as Program
    from tailback.workloads import PythonProgram as PythonProgram
    from tailback.workloads import Synthetic as Synthetic
    from tailback.workloads import Trace as Trace
    from tailback.workloads import Traffic as Traffic
    from tailback.workloads import TrafficClass as TrafficClass
    from tailback.workloads.all_to_all import *  # noqa: F403
    from tailback.workloads.builtin import *  # noqa: F403
    from tailback.workloads.exchanges import *  # noqa: F403

    __version__: str

_HOMES = {
    "api.blaming": ("Blaming", "blame"),
    "api.experiments": ("cost", "describe", "explain", "interference", "load", "run", "saturate"),
    "api.stores": ("plot", "sweep", "table", "write_report"),
    "comparison": ("Cost",),
    "errors": ("RunFailure", "UserError"),
    "experiment": ("Experiment", "Run"),
    "machines": (
        "Hosts",
        "Interface",
        "Link",
        "LinkClass",
        "LogGops",
        "Machine",
        "NodeLink",
        "Switch",
    ),
    "programs": ("ANY", "Node"),
    "results": ("Result",),
    "saturation": ("Saturation",),
    "statistics": ("Estimate",),
    "store.points": ("PointStore",),
    "sweeps": ("Sweep",),
    "tables.dataframes": ("to_pandas",),
    "workloads": ("Job", "TrafficClass"),
}
_HOME = {name: home for home, names in _HOMES.items() for name in names}


def _names() -> dict[str, str]:
    """Return where every name is, those of all kinds of topology, routing and workload included."""
    from tailback.machines import ROUTINGS, TOPOLOGIES
    from tailback.workloads import KINDS

    kinds = (*TOPOLOGIES.values(), *ROUTINGS.values(), *KINDS.values())
    return _HOME | {
        kind.__name__: kind.__module__.partition(".")[2]
        for kind in kinds
        if kind.__module__.startswith(f"{__name__}.")
    }


if not TYPE_CHECKING:
    # Type checkers see the imports above, and names that are not there.

    def __getattr__(name):
        from importlib import import_module

        if name == "__version__":
            from tailback.door import compiled

            return compiled.VERSION
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
