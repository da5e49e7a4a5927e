"""A machine, a workload and how to run it, checked together."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from tailback.helping import Helped
from tailback.since311 import Self

from ..entry_points import Origin
from ..errors import UserError, shown, unknown_key
from ..machines import BASELINES, TOPOLOGIES, Fidelity, Machine, machine_of
from ..metrics import ALL_METRICS, OF_COSTS, OF_FRAMES, OF_OPEN_LOOPS
from ..units import Time
from ..workloads import (
    InPython,
    Job,
    Jobs,
    Messages,
    PeerExchange,
    PythonProgram,
    Synthetic,
    Trace,
    Traffic,
    Workload,
)
from . import outages
from .choosing import WORKLOAD, chosen, find_kinds
from .faults import Fault, faults_of, specs
from .identity import Texts, canonical, filled, hole
from .jobs import check_tables, jobs_of
from .keys import placed
from .reading import parsed_override, read_description
from .run import Metric, Run
from .tables import FAULTS, JOBS

if TYPE_CHECKING:
    from ..door import TraceFile
    from ..programs import Running

#: The tables of an experiment file.
TABLES = ("machine", "workload", "run", "sweep")

#: In the duration of a run, unless the interval is given.
_MOST_SAMPLES = 500_000


@dataclass(frozen=True)
class Experiment(metaclass=Helped):
    """A machine, a workload that fits on it, and how to run it.

    Raises `UserError` if they do not fit together.

    >>> import tailback as tb
    >>> machine = tb.Machine(topology=tb.FatTree(arity=4, levels=2))
    >>> experiment = tb.Experiment(machine, tb.RingAllreduce(size="1 MB"), tb.Run(seed=7))
    >>> tb.run(experiment).seed
    7
    """

    helpful: ClassVar[tuple[str, ...]] = (
        *("fidelity", "finite", "from_dict", "identity", "load", "only", "resolved"),
    )
    machine: Machine
    workload: Workload = None  # type: ignore[assignment]  # it follows from jobs
    run: Run = field(default_factory=Run)
    jobs: tuple[Job, ...] = ()
    """Workloads side by side, instead of one; empty if there is one."""
    faults: tuple[Fault, ...] = ()
    """Links that are down, or slower, for a time, and stragglers; in mode `full` alone."""

    def __post_init__(self) -> None:
        """Check what no part can check alone."""
        self._join_jobs()
        self._keep_time()
        self._fit_to_machine()
        with self.workload.names():
            self.machine.check(self.fidelity, self.workload.network_classes())
        self.workload.check(self.machine)
        self._check_faults()
        self._check_end()
        self._check_metric()
        self._check_critical_path()

    def _join_jobs(self) -> None:
        """Make jobs the workload, and set `jobs` if the workload is jobs."""
        given: Any = self.workload
        if given is None:
            if not self.jobs:
                raise UserError("workload", None, "must be given, or jobs")
            object.__setattr__(self, "workload", Jobs(self.jobs))
        elif self.jobs and not (isinstance(given, Jobs) and given.jobs == tuple(self.jobs)):
            raise UserError("job", None, "must not be given together with workload")

    def _check_network(self) -> None:
        """Refuse workloads that need a network, on a machine without one."""
        for workload in (job.workload for job in self.jobs) if self.jobs else (self.workload,):
            if self.machine.loggops is not None and not isinstance(workload, Trace):
                allowed = "must be trace with [machine.loggops], which has no network"
                raise UserError("workload.kind", shown(workload.kind), allowed)

    def _check_faults(self) -> None:
        """Refuse faults of links that are not there, and what knows nothing of faults."""
        object.__setattr__(self, "faults", tuple(self.faults))
        if not self.faults:
            return
        if self.machine.loggops is not None:
            raise UserError(FAULTS, None, "must be left out with [machine.loggops]: no network")
        outages.check(self.faults, self.machine.topology)
        are_of_links = any(fault.is_of_links for fault in self.faults)
        if are_of_links and self.fidelity != "packet":
            allowed = f"must be left out with fidelity {self.fidelity}: needs packet"
            raise UserError(FAULTS, None, allowed)
        if are_of_links and self.run.packet_waits:
            allowed = "must be left out with [[fault]]: it does not know of faults"
            raise UserError("run.packet_waits", shown(self.run.packet_waits), allowed)
        if self.run.critical_path:
            self._check_stragglers()

    def _check_stragglers(self) -> None:
        """Refuse stragglers where the critical path is kept."""
        for number, fault in enumerate(self.faults):
            if not fault.is_of_links:
                allowed = (
                    "must be left out where the critical path is told (explain, "
                    "run.critical_path): it does not know of stragglers; `tailback cost` says what "
                    "they cost"
                )
                raise UserError(f"fault[{number}].time_factor", shown(fault.time_factor), allowed)

    def with_run(self, **fields: object) -> Self:
        """Return the experiment with some values of `run` changed.

        What needs blame is left out with ``blame=False``.
        """
        given = self.run.named() | fields
        if fields.get("blame") is False:
            given.pop("packet_waits", None)
            given.pop("slices", None)
        return replace(self, run=Run(**given))

    def whole(self) -> Self:
        """Return the experiment without faults, sampled at the same instants."""
        same = self.with_run(sample_interval=f"{self.sample_interval_ps} ps")
        return replace(same, faults=())

    def _check_end(self) -> None:
        """Refuse jobs that do not say when the run ends: finite ones beside endless ones."""
        behind = next((job for job in self.jobs if job.background), None)
        if behind is not None and self.machine.loggops is not None:
            allowed = "has no effect with [machine.loggops]: the run waits for all jobs"
            raise UserError(f"job.{behind.name}.background", "true", allowed)
        if not isinstance(self.workload, Jobs) or self.run.duration is not None:
            return
        jobs = self.workload.waited_for
        ends = [job.workload.finite for job in jobs]
        if any(ends) and not all(ends):
            finite, endless = (jobs[ends.index(end)].name for end in (True, False))
            allowed = (
                f"must be given: job {finite} ends by itself, and job {endless} goes on for ever, "
                f"unless job.{endless}.background = true"
            )
            raise UserError("run.duration", None, allowed)

    def only(self, *names: str) -> Experiment:
        """Return the experiment with some of its jobs, where they are beside the others."""
        if not isinstance(self.workload, Jobs):
            raise UserError("job", None, "must be given to choose from")
        run = self.run
        chosen = self.workload.only(names, self.machine)
        return type(self)(self.machine, chosen, run, faults=self.faults)

    def _keep_time(self) -> None:
        """Turn times that are given in cycles into times, if the machine has a clock."""
        cycle = self.machine.cycle()
        for name in ("workload", "run"):
            object.__setattr__(self, name, getattr(self, name).with_clock(cycle))
        faults = tuple(fault.with_clock(cycle) for fault in self.faults)
        object.__setattr__(self, "faults", faults)

    def _fit_to_machine(self) -> None:
        """Turn loads into periods."""
        workload = self.workload.on(self.machine)
        object.__setattr__(self, "workload", workload)
        object.__setattr__(self, "jobs", workload.jobs if isinstance(workload, Jobs) else ())

    @classmethod
    def load(cls, path: str | Path, overrides: Iterable[str] = (), *, code: bool = True) -> Self:
        """Read an experiment file and change it by ``overrides``, such as ``"run.seed=2"``.

        Files named in it are relative to it. Values of overrides are TOML or, if they are not,
        plain text. A table ``sweep`` is left out. Without ``code`` a workload that is a program
        in Python is refused. Raises `UserError`.
        """
        overrides = list(overrides)
        given = read_description(Path(path), overrides)
        _refuse_sweep(overrides)
        made = cls.from_dict(given.tables, given.changes)
        if not code:
            made.refuse_code()
        return made

    @classmethod
    def from_dict(
        cls, description: Mapping[str, Any], changes: Mapping[str, Any] | None = None
    ) -> Self:
        """Return the experiment with the tables ``machine``, ``workload`` and ``run``.

        Keys of a table refine its ``preset``; ``changes``, tables too, are laid over it. A
        table ``sweep`` is left out. Raises `UserError`.
        """
        try:
            return cls._from_dict(description, dict(changes or {}))
        except UserError as mistake:
            raise placed(mistake) from None

    @classmethod
    def _from_dict(cls, description: Mapping[str, Any], over: dict[str, Any]) -> Self:
        of_faults = over.pop(FAULTS, {})
        find_kinds(description)
        find_kinds(over)
        tables, by_job = tables_of(description), over.pop(JOBS, {})
        over = tables_of(over)
        machine = machine_of(tables["machine"], over["machine"])
        preset = over["machine"].get("preset", tables["machine"].get("preset"))
        usual = {"baseline": BASELINES[preset]} if preset in BASELINES else {}
        run = Run(**{**usual, **tables["run"], **over["run"]})
        faults = faults_of(description.get(FAULTS, ()), of_faults)
        if JOBS not in description:
            if by_job:
                raise UserError(JOBS, None, "there are no jobs in this experiment: no [[job]]")
            workload = chosen(WORKLOAD, tables["workload"], over["workload"])
            return cls(machine, workload, run, faults=faults)
        if "workload" in description or over["workload"]:
            problem = "must not be given together with [[job]]: every job has a workload"
            raise UserError("workload", None, problem)
        return cls(machine, jobs_of(description[JOBS], by_job), run, faults=faults)

    @property
    def fidelity(self) -> Fidelity:
        """How finely channels are simulated: ``run.fidelity``, with its default and ``auto``."""
        if self.run.fidelity is None:
            return self.machine.usual_fidelity
        return self.machine.exact_fidelity if self.run.fidelity == "auto" else self.run.fidelity

    @property
    def finite(self) -> bool:
        """Whether the workload ends by itself."""
        return self.workload.finite

    @property
    def metric(self) -> Metric:
        """What must be precise: ``run.metric`` or its default."""
        if self.run.metric is not None:
            return self.run.metric
        sends = self.workload.sends_messages
        return "messages_per_node_per_ms" if sends else "iterations_per_node_per_ms"

    @property
    def precision(self) -> float | None:
        """Relative half width at which the run ends; None if it ends otherwise."""
        if self.run.precision is None and self.run.duration is None and not self.finite:
            return 0.01
        return self.run.precision

    @property
    def warmup_ps(self) -> int | None:
        """Picoseconds cut from the start; None if they are to be found from the data."""
        if self.run.warmup is not None:
            return self.run.warmup.ps
        return 0 if self.finite else None

    @cached_property
    def sample_interval_ps(self) -> int:
        """Picoseconds between samples of the counters.

        Unless given: half the time a process needs between two messages when
        nothing is in its way (computing of all processes of the node, and one
        round trip over half the network's diameter), but at least the time of four
        full packets (shorter ones would cut most transmissions in two) and of 64
        flits (else sampling could take longer than what is sampled) and, if a
        duration is given, at most a twentieth of it and at least a 500,000th.
        """
        if self.run.sample_interval is not None:
            return self.run.sample_interval.ps
        least = max(4 * self.machine.full_packet_ps, 64 * self.machine.link.flit_ps())
        chosen = max(self.workload.iteration_ps(self.machine) // 2, least)
        if self.run.duration is not None:
            duration_ps = self.run.duration.ps
            chosen = max(min(chosen, duration_ps // 20), duration_ps // _MOST_SAMPLES)
        return max(chosen, 1)

    def spec(self, mode: str | None = None, *, record_packets: bool = False) -> str:
        """Return the engine's description of one run, in ``mode`` or ``run.mode``, as JSON.

        The rows of a message list are not in it; see `messages_arrays`. Raises `UserError` for a
        workload that needs a network, on a machine without one.
        """
        self._check_network()
        spec = self._spec(mode) | {"record_packets": record_packets}
        if self.finite:
            # Nothing is estimated from them, and no sum depends on it.
            spec["sparse_samples"] = True
        return canonical(spec)

    def _spec(self, mode: str | None) -> dict[str, Any]:
        return {
            "machine": self.machine.spec(self.fidelity, self.workload.network_classes()),
            "workload": self.workload.spec(self.machine),
            **self._spec_of_run(mode),
        }

    def _spec_of_run(self, mode: str | None) -> dict[str, Any]:
        return {
            "mode": self.run.mode if mode is None else mode,
            "fidelity": self.fidelity,
            "seed": self.run.seed,
            "sample_interval_ps": self.sample_interval_ps,
            # Left out if disabled: it does not change what is simulated.
            **({"blame": self._blame_spec()} if self.run.blame else {}),
            **({"lateness": True} if self.run.keep_messages else {}),
            **({"causes": {"slack": self.run.slack}} if self.run.critical_path else {}),
            # Modes that `full` is compared with have no faults.
            **self._faults_spec(self.run.mode if mode is None else mode),
        }

    def _faults_spec(self, mode: str) -> dict[str, Any]:
        if not self.faults or mode != "full":
            return {}
        return {"faults": specs(self.faults, self.machine.topology)}

    def _blame_spec(self) -> dict[str, Any]:
        spec, share = self.workload.class_spec(), self.run.blame_share
        if share < 1:
            spec = spec | {"share": round(share * 2**32), "groups": self.finite}
        memory, usual = self.run.blame_memory, Run.keys["blame_memory"].default
        if memory != usual:
            spec = spec | {"memory": memory.bytes}
        # Left out if disabled, like the keys above.
        if self.run.packet_waits:
            spec = spec | {"packet_waits": True}
        if self.run.slices is not None:
            spec = spec | {"slices": {"most": self.run.slices, "by_class": self._has_few_classes()}}
        return spec

    def _has_few_classes(self) -> bool:
        """Whether lateness is charged to jobs, or to classes that are listed: not to every node."""
        is_listed = bool(self.jobs) or not isinstance(self.workload.classes, str)
        return is_listed or self.message_classes() is not None

    def messages_arrays(self) -> Any:
        """Return the message list as NumPy arrays, or None for other workloads; of jobs a list."""
        if isinstance(self.workload, Messages | Jobs):
            return self.workload.messages_arrays()
        return None

    def message_classes(self) -> Any:
        """Return the traffic classes of a message list as a NumPy array; None if it has none."""
        return self.workload.message_classes() if isinstance(self.workload, Messages) else None

    def processes(self) -> Running | None:
        """Return the processes of one run that are written in Python, or None."""
        return self.workload.processes(self.machine, self.run.seed)

    def traces(self) -> list[TraceFile]:
        """Return the files of traces that processes carry out, in the order of these."""
        return self.workload.traces()

    def stop_rule(self) -> dict[str, Any]:
        """Return what ends a run and what is cut from its start, resolved."""
        return {
            "precision": self.precision,
            "confidence": self.run.confidence,
            "metric": self.metric,
            "warmup_ps": self.warmup_ps,
            "limit_ps": self.run.limit_ps,
            "max_events": self.run.max_events,
        }

    def identity(self, results_version: int, modes: Sequence[str] = ()) -> str:
        """Return a SHA-256 over everything that can change the result of a run in ``modes``.

        ``modes`` defaults to ``run.mode``; ``results_version`` is the engine's.
        Names of files are not part of it, their content is.
        """
        return self.identity_with(Texts(), results_version, modes)

    def identity_with(self, texts: Texts, results_version: int, modes: Sequence[str]) -> str:
        """Return the same; ``texts`` keeps what other experiments may have, too."""
        machine, workload, run = self.machine, self.workload, self.run
        fidelity, classes = self.fidelity, workload.network_classes()
        of_machine = f"{fidelity} {classes}"
        parts = {
            "machine": texts.of((machine,), of_machine, lambda: machine.spec(fidelity, classes)),
            "workload": texts.of((workload, machine), "spec", lambda: workload.spec(machine)),
            "content": texts.of((workload,), "digest", workload.digest),
        }
        question = {
            "results_version": results_version,
            "spec": self._spec_of_run(None)
            | (self._faults_spec("full") if "full" in modes else {})
            | {"mode": list(modes) or [run.mode]}
            | {name: hole(name) for name in ("machine", "workload")},
            "content": hole("content"),
            "stop_rule": self.stop_rule(),
            **({"plugins": [*map(str, origins)]} if (origins := self.plugins()) else {}),
            # Of one mode alone nothing depends on it.
            **({"baseline": run.baseline} if len(modes) > 1 else {}),
        }
        cycle = machine.cycle()
        workloads = [job.workload for job in self.jobs] or [workload]
        in_python = any(isinstance(workload, InPython) for workload in workloads)
        if cycle is not None and in_python:
            # Its processes may compute for so many cycles; all other times are in the spec.
            question["cycle_ps"] = cycle.ps
        return hashlib.sha256(filled(question, parts).encode()).hexdigest()

    def with_seed(self, seed: int) -> Self:
        """Return the experiment with another seed. All else is as it was found to be right."""
        same = copy(self)
        object.__setattr__(same, "run", self.run.with_known(seed=seed))
        return same

    def programs(self) -> list[str]:
        """Return the files of workloads that are programs in Python: running it runs them."""
        workloads = [job.workload for job in self.jobs] or [self.workload]
        files = [one.file for one in workloads if isinstance(one, PythonProgram)]
        return [file for file in dict.fromkeys(files) if file is not None]

    def refuse_code(self) -> None:
        """Raise `UserError` if a workload is a program in Python from a file."""
        for file in self.programs():
            allowed = "is a program in Python, which is not run (--no-code, or code=False)"
            raise UserError(file, None, allowed)

    def files_read(self) -> list[Path]:
        """Return the files that are read while it runs: traces, programs and what these read."""
        return self.workload.files_read()

    def plugins(self) -> list[Origin]:
        """Return the distributions that its topology and workloads are from, ours apart."""
        workloads = [job.workload for job in self.jobs] or [self.workload]
        found = [TOPOLOGIES.origin(type(self.machine.topology))]
        found += [WORKLOAD.classes.origin(type(workload)) for workload in workloads]
        return [origin for origin in found if origin is not None]

    def resolved(self) -> dict[str, Any]:
        """Return every parameter with its unit, defaults filled in; a valid `from_dict`.

        Except that a message list, or a network from a file, is only counted and hashed.
        """
        run = self.run.listed() | {
            "fidelity": self.fidelity,
            "metric": self.metric,
            "precision": self.precision,
            "warmup": None if self.warmup_ps is None else str(Time(self.warmup_ps)),
            "sample_interval": str(Time(self.sample_interval_ps)),
            "max_duration": str(Time(self.run.limit_ps)),
        }
        workload = self.workload.resolved(self.machine)
        if not run["blame"]:
            # Without blame these keys have no effect.
            run.pop("blame")
            run.pop("blame_share")
            run.pop("blame_memory")
            workload.pop("classes", None)
        if not self.run.critical_path:
            run.pop("slack")
        machine = self.machine.resolved(self.fidelity)
        self._add_origins(machine["topology"], workload)
        runs = {JOBS: workload["jobs"]} if self.jobs else {"workload": workload}
        faults = {FAULTS: [fault.given_plainly() for fault in self.faults]} if self.faults else {}
        return {"machine": machine, **runs, "run": run, **faults}

    def _add_origins(self, topology: dict[str, Any], workload: dict[str, Any]) -> None:
        """Add to tables of kinds that are of plugins which version of which it is."""
        origin = TOPOLOGIES.origin(type(self.machine.topology))
        if origin is not None:
            topology["plugin"] = str(origin)
        tables = [job["workload"] for job in workload["jobs"]] if self.jobs else [workload]
        described = [job.workload for job in self.jobs] or [self.workload]
        for table, one in zip(tables, described, strict=True):
            origin = WORKLOAD.classes.origin(type(one))
            if origin is not None:
                table["plugin"] = str(origin)

    def _check_critical_path(self) -> None:
        """Refuse to look for what the end waits for where there is none."""
        if self.run.critical_path and not self.finite:
            allowed = "the workload goes on for ever: only one that ends has a critical path"
            raise UserError("run.critical_path", "true", allowed)
        behind = next((job for job in self.jobs if job.background), None)
        if self.run.critical_path and behind is not None:
            allowed = f"job {behind.name} is in the background: nothing that ends waits for its end"
            raise UserError("run.critical_path", "true", allowed)

    def _check_metric(self) -> None:
        """Refuse a metric that the workload or machine cannot have: it is never precise."""
        metric = self.metric
        if "messages" in metric and not self.workload.sends_messages:
            allowed = 'the workload sends no messages; use "iterations_per_node_per_ms"'
            raise UserError("run.metric", shown(metric), allowed)
        if "iterations" in metric and isinstance(self.workload, Messages):
            allowed = 'a list of messages has no iterations; use "messages_per_node_per_ms"'
            raise UserError("run.metric", shown(metric), allowed)
        if "iterations" in metric and isinstance(self.workload, InPython | PeerExchange):
            allowed = 'a program in Python has no iterations; use "messages_per_node_per_ms"'
            raise UserError("run.metric", shown(metric), allowed)
        if "iterations" in metric and isinstance(self.workload, Trace):
            allowed = 'a trace has no iterations; use "messages_per_node_per_ms"'
            raise UserError("run.metric", shown(metric), allowed)
        reason = self._reason_against(metric)
        if reason is not None:
            raise UserError("run.metric", shown(metric), reason)

    def _reason_against(self, metric: str) -> str | None:
        """Return why a metric can have no value in this experiment."""
        needs_packets = ALL_METRICS[metric].needs_packets
        sends = self.workload.sends_messages
        routed = metric.startswith(("routed_", "internal_"))
        against = (
            (
                routed and not (self.machine.has_internal_channels and sends),
                "no packet crosses a channel between switches here",
            ),
            (
                (needs_packets or metric.startswith("message_")) and not sends,
                'the workload sends no messages; use "iterations_per_node_per_ms"',
            ),
            (
                needs_packets and self.run.mode == "ideal",
                'there are no packets with run.mode = "ideal"',
            ),
            (
                metric == "routed_lifetime_ack_us" and not self.machine.interface.acknowledgements,
                "the machine has no acknowledgements",
            ),
            (
                metric in OF_COSTS and not self.machine.interface.has_costs,
                "no message costs anything in software here",
            ),
            (
                metric in OF_FRAMES and not self.machine.switch.forwards_frames,
                "nothing is lost, and nobody pauses, without machine.switch.forwarding",
            ),
            (
                metric in OF_OPEN_LOOPS and isinstance(self.workload, Traffic),
                "each traffic class has its own load: classes.NAME.accepted_load, which is "
                "measured but cannot be chosen here",
            ),
            (
                metric in OF_OPEN_LOOPS and not self.workload.is_open_loop,
                'no load is offered: that takes workload.sync = "asynchronous", without end',
            ),
            (
                metric == "failed_messages_per_node_per_ms" and not self._drops,
                'no message is dropped without workload.sync = "asynchronous"',
            ),
        )
        return next((reason for refused, reason in against if refused), None)

    @property
    def _drops(self) -> bool:
        if isinstance(self.workload, Traffic):
            return any(one.reply is None for one in self.workload.sources)
        return isinstance(self.workload, Synthetic) and self.workload.sync == "asynchronous"


def tables_of(description: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    """Return the tables of an experiment file by name, empty where they are left out.

    Raises `UserError` for anything else in it.
    """
    for key, table in description.items():
        if key == JOBS:
            check_tables(table)
            continue
        if key == FAULTS:
            continue
        if key not in TABLES:
            # A stray `seed` is nearest to `sweep`, but not meant for it.
            known = [*TABLES, JOBS] if key.startswith("sw") else [*TABLES[:-1], JOBS]
            raise unknown_key("", key, known)
        if not isinstance(table, Mapping):
            raise UserError(key, shown(table), f"must be a table: [{key}]")
    return {table: description.get(table, {}) for table in TABLES}


def _refuse_sweep(overrides: Iterable[str]) -> None:
    """Refuse to change what a single experiment leaves out."""
    for override in overrides:
        name, value = parsed_override(override)
        if name.startswith("sweep."):
            allowed = "changes a sweep; this is a single experiment"
            raise UserError(name, shown(value), allowed)
