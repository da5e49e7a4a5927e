"""Token and packet passing under every queue policy: figure 4.12."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

from studies.markdown import paragraphs, percent, table
from studies.tables import Keys
from studies.tweedie.charts import Chart, Panel, Series
from studies.tweedie.comparison import Report, Section
from studies.tweedie.exchange import FLOW_CONTROL, Fidelity, exchange, rate
from studies.tweedie.experiment import Point
from studies.tweedie.measure import Measurements
from studies.tweedie.sections.policies import COMBINATIONS, SHORT, keys, nodes_of


@dataclass(frozen=True, slots=True)
class _Model:
    """One of the ways a channel is simulated."""

    name: str
    fidelity: Fidelity
    balanced: bool = False

    def buffers(self, total: int) -> Keys:
        """Return the keys that share out the buffers of a channel."""
        if self.fidelity == "packet":
            return {"switch.input_buffer": f"{total} B"}
        output = total // 2 if self.balanced else _LEAST_OUTPUT
        return {"switch.input_buffer": f"{total - output} B", "switch.output_buffer": f"{output} B"}


_LEAST_OUTPUT = 2
_MODELS = (
    _Model("token, half and half", "token", balanced=True),
    _Model("token, input only", "token"),
    _Model("packet", "packet"),
)
_TOTALS = (70, 140)
_SIDES = (4, 8)
_SHOWN = ((4, 70), (4, 140), (8, 70))
"""In the chart: side and bytes of buffers."""


def _point(side: int, total: int, model: _Model, policy: str, ack_priority: bool) -> Point:
    machine = {**keys(policy, ack_priority), **model.buffers(total)}
    return exchange(model.fidelity, machine, side=side)


def _rates(measured: Measurements, side: int, total: int, model: _Model) -> list[float]:
    """Return the rate of every combination of policy and priority."""
    return [
        rate(measured, _point(side, total, model, policy, ack_priority)).value
        for policy, ack_priority in COMBINATIONS
    ]


def _ratio_lines(measured: Measurements) -> Iterator[list[str]]:
    *token_models, packet_model = _MODELS
    for side, total in product(_SIDES, _TOTALS):
        packet = _rates(measured, side, total, packet_model)
        line = [f"{nodes_of(side)}, {total} bytes"]
        for model in token_models:
            token = _rates(measured, side, total, model)
            ratios = [t / p - 1 for t, p in zip(token, packet, strict=True)]
            corrected = [FLOW_CONTROL * (1 + ratio) - 1 for ratio in ratios]
            line += [percent(sum(ratios) / len(ratios)), _span(corrected)]
        yield line


def _span(values: list[float]) -> str:
    mean = sum(values) / len(values)
    return f"{percent(mean)} ({percent(min(values))} to {percent(max(values))})"


def _chart(measured: Measurements) -> Chart:
    names = [f"{short}{', a' if a else ''}" for short, a in product(SHORT, (False, True))]
    panels = []
    for side, total in _SHOWN:
        series = [
            Series(
                model.name,
                names,
                _rates(measured, side, total, model),
                "marks",
                colour,
            )
            for colour, model in enumerate(_MODELS)
        ]
        panels.append(
            Panel(
                f"Figure 4.12: {nodes_of(side)}, {total} bytes",
                "queue policy (a: acknowledgements first)",
                "exchanges per ms",
                tuple(series),
                from_zero=False,
            )
        )
    return Chart("figure4_12_fidelities", "Figure 4.12: token and packet passing", tuple(panels))


def _report(measured: Measurements) -> Report:
    chart = _chart(measured)
    header = [
        "token over packet, less one",
        "half and half",
        f"times {FLOW_CONTROL:g}",
        "input only",
        f"times {FLOW_CONTROL:g}",
    ]
    text = paragraphs(
        "The experiment above with few nodes, with the default buffers and twice as much, for "
        "every policy with and without priority; mean, and lowest to highest. The thesis calls it "
        '"the 16-processor experiment", but describes none with 16; so 16 and 64 are shown. '
        f'"Input only" leaves {_LEAST_OUTPUT} bytes of output buffer, as in table 4.3.',
        table(header, _ratio_lines(measured)),
        'The thesis: "a clear difference between the responses", which "vanishes when we remove '
        'the output buffer". So it is with 16 nodes. With 64, output buffers help where policies '
        "are bad: half and half is ahead with `fifo` and `random`, behind with the others.",
        chart,
    )
    return Report(text, charts=(chart,))


SECTION = Section(
    "Figure 4.12: token and packet passing compared again",
    tuple(
        _point(side, total, model, policy, ack_priority)
        for side, total, model, (policy, ack_priority) in product(
            _SIDES, _TOTALS, _MODELS, COMBINATIONS
        )
    ),
    _report,
)
