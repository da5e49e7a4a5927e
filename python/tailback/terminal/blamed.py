"""Who made whom wait, for the terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rich.console import Group, RenderableType
from rich.text import Text

from tailback.charging import Blame, Charged, unknown_blame
from tailback.results import Result
from tailback.results.names import Names
from tailback.wording import UNKNOWN, number, warnings
from tailback.wording.scaling import MICROSECONDS, Unit, unit_for

from .layout import heading, new_table


def blame_report(result: Result, top: int) -> RenderableType:
    """Return the tables of `tailback blame`, each of at most `top` rows."""
    blame, names = kept(result), Names.of(result)
    confidence = result.experiment.run.confidence
    unit = unit_for([blame.total(confidence).value], MICROSECONDS)
    total = number(blame.total(confidence), 1 / unit.size)
    per_message = f"{unit.name} per message"
    causes = _table("Why messages wait", ("cause",), per_message)
    for row in blame.by_cause(confidence):
        causes.add_row(blame.causes[row.key[0]], *_numbers(row, unit))
    tables = [causes]
    for root in (False, True) if blame.knows_roots else (False,):
        tables.append(_culprits(blame, names, unit, (confidence, top), root=root))
    roots = _table("Where it begins", ("root channel",), per_message)
    for row in blame.by_root(confidence, top):
        roots.add_row(names.channel(row.key[0]), *_numbers(row, unit))
    switches = _table("Where messages wait", ("place",), per_message)
    for place, waits in names.by_place(blame, confidence)[:top]:
        switches.add_row(place, *_numbers(waits, unit))
    parts: list[RenderableType] = [
        heading(result.experiment),
        Text(f"mode {result.mode}: contention costs a message {total} {unit.name}"),
    ]
    tables += [roots, switches] if blame.knows_roots else [switches]
    for table in tables:
        parts += [Text(), table]
    parts += [Text(), *map(Text, _own(blame))]
    told = (*warnings(result.ending), *_sampled(blame), *_rest(blame))
    parts += [Text(line, style="yellow") for line in told]
    return Group(*parts)


def _culprits(
    blame: Blame, names: Names, unit: Unit, rows: tuple[float, int], *, root: bool
) -> Any:
    """Return who makes whom wait, and where: at the root of waits, or in the way."""
    table = _table(
        "Who is at the root of it" if root else "Who makes whom wait, and where",
        ("traffic of", "costs", "waiting for"),
        f"{unit.name} per message of those that wait",
        "of their contention",
    )
    for row in blame.culprits_on_channels(*rows, root=root):
        channel, victim, culprit = row.key
        words = (names.traffic(culprit), names.traffic(victim), names.channel(channel))
        table.add_row(*words, *_numbers(row, unit))
    return table


def facts(result: Result, top: int) -> dict[str, Any]:
    """Return the same for JSON."""
    blame, names = kept(result), Names.of(result)
    confidence = result.experiment.run.confidence

    def row(charged: Charged, **key: object) -> dict[str, Any]:
        share = None if math.isnan(charged.share) else charged.share
        return {**key, "us_per_message": charged.per_message_us.to_dict(), "share": share}

    def culprits(*, root: bool) -> list[dict[str, Any]]:
        traffic = names.traffic
        return [
            row(
                c,
                culprit=traffic(c.key[2]),
                victim=traffic(c.key[1]),
                channel=names.channel(c.key[0]),
            )
            for c in blame.culprits_on_channels(confidence, top, root=root)
        ]

    def pairs(*, root: bool) -> list[dict[str, Any]]:
        return [
            row(c, culprit=names.traffic(c.key[1]), victim=names.traffic(c.key[0]))
            for c in blame.culprits(confidence, top, root=root)
        ]

    return {
        "contention_us_per_message": blame.total(confidence).to_dict(),
        "share": blame.share,
        "own_share": None if math.isnan(blame.own_share()) else blame.own_share(),
        "root_own_share": (
            None if math.isnan(blame.own_share(root=True)) else blame.own_share(root=True)
        ),
        "causes": [row(c, cause=blame.causes[c.key[0]]) for c in blame.by_cause(confidence)],
        "culprits": culprits(root=False),
        "pairs": pairs(root=False),
        "root_culprits": culprits(root=True),
        "root_pairs": pairs(root=True),
        "roots": [row(c, channel=names.channel(c.key[0])) for c in blame.by_root(confidence, top)],
        "places": [row(c, place=place) for place, c in names.by_place(blame, confidence)[:top]],
        "rest_share": blame.rest_share,
    }


def kept(result: Result) -> Blame:
    """Return who made whom wait; raise `UserError` where that was not kept."""
    if result.blame is None:
        raise unknown_blame()
    return result.blame


def _table(title: str, names: Sequence[str], mean: str, share: str = "share") -> Any:
    table = new_table(title)
    for name in names:
        table.add_column(name, no_wrap=True)
    for name in (mean, share):
        table.add_column(name, justify="right")
    return table


def _numbers(row: Charged, unit: Unit) -> tuple[str, str]:
    share = UNKNOWN if math.isnan(row.share) else f"{100 * row.share:.1f} %"
    return number(row.per_message_us, 1 / unit.size), share


def _own(blame: Blame) -> list[str]:
    """Return how much of it classes cost themselves: the diagonal of a matrix."""
    direct = blame.own_share()
    if math.isnan(direct):
        return []
    passed = f"; passed on to the root, {100 * blame.own_share(root=True):.1f} %"
    end = passed if blame.knows_roots else ""
    return [f"{100 * direct:.1f} % of all waits are behind traffic of one's own{end}"]


def _sampled(blame: Blame) -> list[str]:
    if blame.share == 1:
        return []
    said = f"estimates from {100 * blame.share:g} % of all packets"
    unknown = "; who is at the root of waits is known with run.blame_roots = true"
    return [said if blame.knows_roots else said + unknown]


def _rest(blame: Blame) -> list[str]:
    share = blame.rest_share
    if share == 0:
        return []
    return [f"{100 * share:.2g} % of all waits came when the table by channel was full: the rest"]
