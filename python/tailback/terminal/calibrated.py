"""The report of `tailback calibrate`."""

from __future__ import annotations

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from tailback.calibration import Calibration
from tailback.calibration.calibrating import Row
from tailback.calibration.measured import Measured

from .layout import cautions, new_table, numbers, words


def calibration_report(found: Calibration) -> RenderableType:
    """Return the report: how well it fits, the parameters, then every size."""
    said = (
        f"Simulated times differ from measured ones by {found.median:.1%} (median), "
        f"{found.worst:.1%} at most."
    )
    notes = [Text(), *_notes(found)] if any(one.note for one in found.parameters) else []
    sizes: list[RenderableType] = []
    for measured, rows in found.tables:
        sizes += [Text(), _sizes(measured, rows)]
    warned = cautions(found.warnings())
    return Group(Text(said, style="bold"), *warned, Text(), _parameters(found), *notes, *sizes)


def _parameters(found: Calibration) -> Table:
    table = new_table(None, *words("key"), *numbers("before", "fitted", "error, %", no_wrap=True))
    for one in found.parameters:
        after = "" if one.after == one.before else str(one.after)
        error = f"{one.error * 100:.2g}" if one.error else ""
        table.add_row(one.name.replace(" and ", "\n"), str(one.before), after, error)
    return table


def _notes(found: Calibration) -> list[Text]:
    """Return why keys were not fitted, those with the same reason together."""
    by_reason: dict[str, list[str]] = {}
    for one in found.parameters:
        if one.note:
            by_reason.setdefault(one.note, []).append(one.name)
    return [Text(f"{', '.join(names)}: {reason}") for reason, names in by_reason.items()]


def _sizes(measured: Measured, rows: tuple[Row, ...]) -> Table:
    table = new_table(
        f"{measured.path.name}: {measured.exchange.words}",
        *numbers("bytes", "measured, us", "simulated, us", "misfit, %", no_wrap=True),
        *words(""),
    )
    for row in rows:
        table.add_row(
            f"{row.bytes:,}",
            f"{row.measured_us:,.5g}",
            f"{row.simulated_us:,.5g}",
            f"{row.misfit * 100:+.1f}",
            "" if row.counts else "not fitted to",
        )
    return table
