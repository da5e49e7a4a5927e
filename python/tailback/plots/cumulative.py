"""Cumulative distributions: the share of messages, packets or flows that took at most a time.

Histograms cover all messages or packets. What has no histogram (lateness of one traffic class,
messages of one job, flows) covers the messages with a row, which need `run.keep_messages`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tailback.analysis.distributions import of_rows, of_runs, owned_by
from tailback.analysis.names import column_named
from tailback.comparison import MODES
from tailback.errors import UserError, shown
from tailback.figures.description import Axis, Line, spreads
from tailback.figures.labels import metric_axis
from tailback.figures.look import MODE_LOOKS, telling
from tailback.metrics import class_of, owner_of, stem_of
from tailback.report.series import EVERYTHING, Row, Series, in_order
from tailback.report.usual import Picture, file_name
from tailback.results import CLASS_VARIABLES
from tailback.store.points import PointStore
from tailback.tables.bins import BINS, together
from tailback.tables.flows import flows
from tailback.tables.frames import Floats, dictionaries

FLOWS = "flow_completion_us"
"""From the first send of a flow until its last byte arrives."""

_HOPS = "hops"
_MEDIAN = "_p50"
_MOST = 1000
"""Most values of rows that are drawn; more are reduced to as many quantiles."""
_LAST = 100
_PS_IN_US = 1e6

_OF_CLASSES = {f"{told}_us": variable for variable, told in CLASS_VARIABLES.items()}


def known(columns: Iterable[str]) -> list[str]:
    """Return the names that have a distribution: those of percentiles without their suffix."""
    stems = [name.removesuffix(_MEDIAN) for name in columns if name.endswith(_MEDIAN)]
    owners = dict.fromkeys(name.removesuffix(stem_of(name)) for name in stems)
    return [*stems, *(f"{owner}{FLOWS}" for owner in owners), _HOPS]


def picture(  # what a picture is of, each once
    store: PointStore,
    series: Series,
    wanted: str,
    mode: str | None,
    columns: Sequence[str],
    kind: str,
) -> Picture:
    """Return the distributions of what is `wanted`: a line for each combination, or each mode.

    `kind`: `cdf`, shares against values, or `quantiles`, values against shares with room for the
    last ones. Raises `UserError` for what is not known, or was not kept.
    """
    name = column_named(wanted, known(columns), kind)
    held, combinations = next(iter(series.groups(None).items()))
    modes = [there for there in series.modes if there != "ideal"]
    if mode is not None:
        modes = [mode]
    elif len(combinations) > 1:
        modes = ["full"] if "full" in modes else modes[:1]
    drawn = list(_lines(store, series, name, combinations, modes))
    if not drawn:
        where = "" if mode is None else f" in mode {mode}"
        problem = f"is not known at any point{where}; flows, jobs and lateness of one class need "
        raise UserError(kind, shown(wanted), f"{problem}run.keep_messages = true in the sweep")
    x = metric_axis(name)
    x = replace(x, label=x.label.removeprefix("mean "), from_zero=True)
    what = "flows" if stem_of(name) == FLOWS else "packets" if "lifetime" in name else "messages"
    what = "packets" if name == _HOPS else what
    y = Axis(f"share of {what}", log=False, percent=True, from_zero=True, column="share")
    caption = "" if held == EVERYTHING else f"Where {held}."
    title = f"distribution of {x.label}"
    if kind == "quantiles":
        turned = [replace(line, x=line.y, y=line.x) for line in drawn]
        y = replace(y, label=f"{y.label} that take no longer", log=True, nines=True)
        return Picture(file_name(f"quantiles_{name}"), title, turned, y, x, caption)
    return Picture(file_name(f"cdf_{name}"), title, _on_one_scale(drawn), x, y, caption)


def _lines(
    store: PointStore, series: Series, name: str, combinations: Sequence[Row], modes: Sequence[str]
) -> Iterator[Line]:
    alone = len(combinations) == 1
    differing = [c for c in combinations[0] if len({row[c] for row in combinations}) > 1]
    orders = in_order(combinations, differing)
    rows = dictionaries(series.runs)
    for number, combination in enumerate(combinations):
        for mode in modes:
            places = [
                place
                for place, row in enumerate(rows)
                if row["mode"] == mode and all(row[c] == v for c, v in combination.items())
            ]
            found = _cumulative(store, series.runs.take(places), name) if places else None
            if found is None:
                continue
            words = [series.variation.text(combination, differing)] if differing else []
            words += [mode] if len(modes) > 1 else []
            words += ["saturated"] if any(rows[place]["saturated"] for place in places) else []
            words += ["cut off"] if any(rows[place].get("cut_off") for place in places) else []
            yield Line(
                name=", ".join(words),
                x=found.values.tolist(),
                y=found.shares.tolist(),
                colour=MODES.index(mode) if alone else number,
                order=orders[number],
                look=MODE_LOOKS[mode] if len(modes) > 1 else telling(number),
                marked=False,
            )


def _on_one_scale(lines: Sequence[Line]) -> list[Line]:
    """Return lines without zeros if the axis is logarithmic."""
    numbers = [float(x) for line in lines for x in line.x if float(x) > 0]
    if not spreads(numbers):
        return [*lines]
    found = []
    for line in lines:
        xs = [float(x) for x in line.x]
        points = [(x, up) for x, up in zip(xs, line.y, strict=True) if x > 0]
        if points and len(points) < len(xs):
            # Zeros are left of the axis: the line starts at the share that they have.
            points = [(min(numbers), points[0][1]), *points]
        found.append(replace(line, x=[x for x, _ in points], y=[up for _, up in points]))
    return found


@dataclass(frozen=True, eq=False)
class _Cumulative:
    """Values in ascending order, and the share of all values that are not above each."""

    values: Floats
    shares: Floats

    @classmethod
    def of_bins(cls, low: Floats, high: Floats, count: Floats) -> _Cumulative:
        """Return the distribution of a histogram with values uniform in each bin."""
        low, high, count = together(low, high, count)
        reached = np.cumsum(count)
        values = np.stack([low, high]).T.reshape(-1)
        shares = np.stack([reached - count, reached]).T.reshape(-1) / reached[-1]
        return cls(values, shares)

    @classmethod
    def of_values(cls, values: Floats) -> _Cumulative:
        """Return the distribution of single values, as steps."""
        ordered = np.sort(values)
        shares = np.arange(1, len(ordered) + 1) / len(ordered)
        if len(ordered) > _MOST:
            last = len(ordered) - 1
            # The last ones all: quantiles near 100 % are made of few.
            chosen = np.linspace(0, last - _LAST, _MOST).round().astype(np.int64)
            chosen = np.unique(np.append(chosen, np.arange(last - _LAST, last + 1)))
            ordered, shares = ordered[chosen], shares[chosen]
        before = np.concatenate([[0.0], shares[:-1]])
        return cls(np.repeat(ordered, 2), np.stack([before, shares]).T.reshape(-1))


def _cumulative(store: PointStore, runs: pa.Table, name: str) -> _Cumulative | None:
    """Return the distribution over some runs; None if it is unknown."""
    stem = stem_of(name)
    traffic_class = class_of(name)[0]
    if owner_of(name) is None and stem != FLOWS:
        return _of_histograms(store, runs, stem.removesuffix("_us"), None)
    if traffic_class and stem in _OF_CLASSES:
        return _of_histograms(store, runs, _OF_CLASSES[stem], traffic_class)
    if stem == FLOWS:
        return _of_flows(store, runs, owner_of(name))
    return _of_messages(store, runs, name)


def _of_histograms(
    store: PointStore, runs: pa.Table, variable: str, traffic_class: str | None
) -> _Cumulative | None:
    modes: Mapping[str, str] = dict(
        zip(runs["identity"].to_pylist(), runs["mode"].to_pylist(), strict=True)
    )
    bins = store.nested("histograms", [*modes])
    bins = bins.filter(pc.equal(bins["variable"], variable))
    if traffic_class is not None:
        bins = bins.filter(pc.equal(bins["class"], traffic_class))
    wanted = [modes[identity] for identity in bins["identity"].to_pylist()]
    bins = bins.filter(pc.equal(bins["mode"], pa.array(wanted, pa.string())))
    if not bins.num_rows:
        return None
    size = 1.0 if variable == _HOPS else _PS_IN_US
    low, high, count = (bins[column].to_numpy().astype(np.float64) for column in BINS)
    return _Cumulative.of_bins(low / size, high / size, count)


def _of_flows(store: PointStore, runs: pa.Table, owner: str | None) -> _Cumulative | None:
    """Return the distribution over the flows of a traffic class or job, or all."""
    found = []
    for _, messages in of_runs(store, runs):
        rows = owned_by(messages, owner)
        if rows.num_rows:
            found.append(flows(rows)["completion_ps"].to_numpy() / _PS_IN_US)
    return _Cumulative.of_values(np.concatenate(found)) if found else None


def _of_messages(store: PointStore, runs: pa.Table, name: str) -> _Cumulative | None:
    """Return the distribution over messages that have a row."""
    # As in histograms: a message that was faster than alone counts as not late.
    values = np.maximum(of_rows(store, runs, name), 0.0)
    return _Cumulative.of_values(values) if len(values) else None
