"""What the page shows of a run, as plain data: points, lines, and who waits where for whom."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tailback.answers import Head
from tailback.answers.lateness import Lateness, remarks
from tailback.charging import NOBODY
from tailback.errors import UserError, one_line
from tailback.results.names import Names
from tailback.terminal.layout import heading
from tailback.units import counted
from tailback.wording import number, share_text
from tailback.wording.scaling import MICROSECONDS, scaled, unit_for

from . import scale
from .against import WAITS, Against, change, compared, queue
from .charged import Charges, Rows
from .encoding import Bytes, logarithmic
from .faulty import Spell, faults_of, outages_of, sentences
from .flows import flows
from .halted import Halted
from .heads import head_of, names_in
from .lines import KINDS, Lines
from .marks import Mark, marks
from .plan import Plan, called, plan
from .sliced import Sliced, begins, sliced
from .standing import Standing
from .tailbacks import trees
from .ways import ways

if TYPE_CHECKING:
    from tailback.charging import Blame, Ints
    from tailback.experiment import Experiment
    from tailback.results import Result
    from tailback.statistics import Floats

KEPT: Mapping[str, Any] = {"blame": True, "packet_waits": True, "slices": 200}
"""What a run keeps for all of the page, by the key of `run`; see `kept_with`."""

_WITH_FAULTS: Mapping[str, Any] = {"blame": True, "slices": 200}
"""The same where links fail while the simulation runs: causes of waits know nothing of faults."""

MOST_SWITCHES = 20_000
MOST_LINKS = 200_000
"""The largest network that is drawn."""

_CHARGES = (
    *("victims", "culprits", "places", "blamed", "delayed", "causes"),
    *("victims_by_group", "culprits_by_group"),
)
_COLUMNS = ("utilisation", "packets", *WAITS)
_DIGITS = 4
_INSTEAD = "is too large to draw; `tailback blame` lists where messages wait, and for whom"


def kept_with(*, faults: bool) -> Mapping[str, Any]:
    """Return what a run keeps for its page, by the key of `run`."""
    return _WITH_FAULTS if faults else KEPT


def check_drawable(experiment: Experiment) -> None:
    """Raise `UserError` for a network that is not drawn, before anything is simulated."""
    if experiment.machine.loggops is not None:
        raise UserError("machine", None, "has no network whose channels could be drawn")
    facts = experiment.machine.topology.facts
    for count, most, one, more in (
        (facts.switches, MOST_SWITCHES, "switch", "switches"),
        (facts.links, MOST_LINKS, "link", "links"),
    ):
        if count > most:
            size = f"{counted(count, one, more)} (at most {most:,})"
            raise UserError("machine.topology", size, _INSTEAD)


@dataclass(frozen=True, eq=False)
class Look:
    """A run as the page shows it."""

    title: str
    head: Head
    """The answer, as `tailback blame` gives it, and when it began."""
    remarks: Sequence[str]
    """What else limits the numbers."""
    names: Sequence[str]
    """Names in the sentences that stand out."""
    command: str
    facts: Sequence[tuple[str, str]]
    shown: Mapping[str, Any]
    """Everything else, for JSON."""
    tables: Mapping[str, Bytes]
    """Values by slice, by name: a row for each line, or each pair of a root and a line."""


def look_of(result: Result, command: str = "", against: Against | None = None) -> Look:
    """Return what the page shows of a run with `run.blame`; `command`: what made it.

    Raises `UserError` if the run that it is compared with has another network.
    """
    late = Lateness.of(result)
    blame, names = late.blame, late.names
    lines = Lines.of(result.channels, names)
    topology = result.experiment.machine.topology
    where = plan(topology, lines, result.nodes.num_rows, topology.facts.switches)
    groups = None if late.groups.are_classes else late.groups
    charges, times = Charges.of(blame, lines, groups), sliced(result, lines)
    confidence = result.experiment.run.confidence
    changed = None if against is None else change(result, lines, against)
    failure = result.failure
    standing = Standing.of(failure, lines, times) if failure and failure.circle else None
    halted = None if standing else Halted.of(result, lines, times)
    faults, outages = faults_of(result, lines, late), outages_of(result)
    named = marks(result, standing, halted, outages)
    shown = {
        "points": _points(where, names),
        "lines": _lines(result, lines, where),
        "roots": _roots(blame, charges, confidence),
        "charges": {name: table(getattr(charges, name)) for name in _CHARGES},
        "causes": [cause.replace("_", " ") for cause in blame.causes],
        "classes": _classes(result, blame, names),
        "ways": table(ways(result, lines)),
        "flows": flows(result, lines),
        "groups": None if groups is None else groups.names,
        "late_ps": round(blame.late_ps),
        "has_lateness": blame.has_lateness,
        "messages": int(blame.messages().sum()),
        "time": None if times is None else _time(times, lines, named, outages),
        "change": _change(against, changed),
        "deadlock": None if standing is None else standing.to_dict(),
        "faults": [{"text": fault.short, "lines": fault.lines} for fault in faults],
        "halted": None if halted is None else halted.to_dict(),
        "scales": {"light": scale.LIGHT, "dark": scale.DARK},
        "change_scales": {"light": scale.CHANGE_LIGHT, "dark": scale.CHANGE_DARK},
    }
    ending = result.ending
    head = head_of(result, (charges, times, standing, halted), lines)
    head = replace(head, sentences=(*head.sentences, *sentences(faults, late)))
    if against is not None and changed is not None:
        head = replace(
            head, sentences=(*head.sentences, *compared(result, against, changed, lines))
        )
    return Look(
        title=one_line(result.experiment.run.title or str(heading(result.experiment))),
        head=head,
        remarks=remarks(result),
        names=names_in(late, standing, halted, lines),
        command=command,
        facts=[
            ("mode", result.mode),
            ("seed", str(result.seed)),
            ("messages", f"{int(blame.messages().sum()):,}"),
            ("measured", scaled(1e3 * ending.window_ms, MICROSECONDS, 4)),
            ("Tailback", result.version),
        ],
        shown=shown,
        tables={} if times is None else _tables(times),
    )


def _change(against: Against | None, changed: Floats | None) -> dict[str, Any] | None:
    if against is None or changed is None:
        return None
    return {"name": against.name, "queue": _short(changed)}


def _points(where: Plan, names: Names) -> dict[str, Any]:
    """Return switches and nodes: names as they stand in tables."""
    ends = names.ends
    switches = [called("switch", ends.of_end("switch", n)) for n in range(where.switches)]
    nodes = [called("node", ends.of_end("node", n)) for n in range(where.nodes)]
    return {
        "x": _short(where.x),
        "y": _short(where.y),
        "switches": switches,
        "nodes": nodes,
        "cluster": where.cluster.tolist(),
        "clusters": where.clusters,
    }


def _lines(result: Result, lines: Lines, where: Plan) -> dict[str, Any]:
    columns = {name: result.channels[name].to_numpy() for name in _COLUMNS}
    wait_ps = sum(lines.total(columns[name]) for name in WAITS)
    return {
        "kind": lines.kind.tolist(),
        "kinds": KINDS,
        "from": where.start.tolist(),
        "to": where.end.tolist(),
        "bent": where.bent.tolist(),
        "name": lines.names,
        "channels": lines.widths.tolist(),
        "busy": _short(lines.total(columns["utilisation"]) / lines.widths),
        "packets": _whole(lines.total(columns["packets"])),
        "wait_ps": _whole(np.asarray(wait_ps)),
        "queue": _short(queue(result, lines)),
    }


def _roots(blame: Blame, charges: Charges, confidence: float) -> dict[str, Any]:
    """Return lateness by root line, and as `tailback blame` prints it."""
    charged = [c for c in blame.by_sums(charges.roots, confidence) if c.key[0] < NOBODY]
    unit = unit_for([blame.late(confidence).value], MICROSECONDS)
    return {
        "line": [c.key[0] for c in charged],
        "mean": [number(c.per_message_us, 1 / unit.size) for c in charged],
        "share": [share_text(c.share) for c in charged],
        "unit": f"{unit.name} per message",
        "ps": _whole(charges.late_ps),
    }


def _classes(result: Result, blame: Blame, names: Names) -> dict[str, Any]:
    """Return the traffic classes: their names, messages, and the nodes they belong to."""
    told = [blame.victims.keys[:, 0], blame.pairs.keys[:, 1]]
    numbers = np.concatenate(told)
    count = 1 + int(numbers[numbers < NOBODY].max(initial=-1))
    messages = np.zeros(count)
    messages[blame.victims.keys[:, 0]] = blame.victims.totals_ps
    return {
        "what": names.classes,
        "name": [names.traffic(number) for number in range(count)],
        "messages": _whole(messages),
        "nodes": _nodes_of_classes(result, names, count),
    }


def _nodes_of_classes(result: Result, names: Names, count: int) -> list[list[int]]:
    """Return the nodes of each class; empty lists where a class belongs to none."""
    if names.classes == "node":
        return [[node] if node < result.nodes.num_rows else [] for node in range(count)]
    experiment = result.experiment
    if experiment.jobs:
        places = experiment.workload.places(experiment.machine)  # type: ignore[attr-defined]
        return [sorted({int(node) for node in places[job.name]}) for job in experiment.jobs]
    return [[] for _ in range(count)]


def _time(
    times: Sliced, lines: Lines, named: Sequence[Mark], outages: Sequence[Spell]
) -> dict[str, Any]:
    pairs = times.pairs
    depth, parent = trees(lines, pairs.root, pairs.line, pairs.waited_ps)
    roots = np.flatnonzero(times.root_ps.sum(axis=0) > 0)
    begun = {int(root): begins(times.root_ps[:, root]) for root in roots}
    stored = _tables(times)
    return {
        "begin_ps": times.begin_ps.tolist(),
        "end_ps": times.end_ps.tolist(),
        "waited_ps": _whole(times.waited_ps.sum(axis=1)),
        "line_ps": _whole(times.waited_ps.sum(axis=0)),
        "root_ps": _whole(times.root_ps.sum(axis=0)),
        "begun": [list(begun), list(begun.values())],
        "pairs": {
            "root": pairs.root.tolist(),
            "line": pairs.line.tolist(),
            "ps": _whole(pairs.waited_ps),
            "depth": depth.tolist(),
            "parent": parent.tolist(),
            "by_slice": len(pairs.by_slice_ps),
        },
        "victims": table(times.victims),
        "culprits": table(times.culprits),
        "waits": table(times.waits),
        "ranges": {name: [one.low, one.high] for name, one in stored.items()},
        "marks": named,
        "outages": [[spell.begin_ps, spell.end_ps] for spell in outages],
    }


def _tables(times: Sliced) -> dict[str, Bytes]:
    """Return the tables by slice, line by line: what changes little over time packs well."""
    return {
        "queue": logarithmic(times.queue_ps.T),
        "busy": logarithmic(times.busy_ps.T),
        "root": logarithmic(times.root_ps.T),
        "pairs": logarithmic(times.pairs.by_slice_ps),
    }


def table(rows: Rows) -> dict[str, Any]:
    """Return rows for JSON, in whole picoseconds."""
    return {"owner": rows.owner.tolist(), "other": rows.other.tolist(), "ps": _whole(rows.time_ps)}


def _whole(values: Floats | Ints) -> list[int]:
    """Return whole numbers, as the tables hold them."""
    found: list[int] = np.rint(values).astype(np.int64).tolist()
    return found


def _short(values: Floats) -> list[float]:
    # A share of a window without length is not known.
    return [float(f"{value:.{_DIGITS}g}") for value in np.nan_to_num(values).tolist()]
