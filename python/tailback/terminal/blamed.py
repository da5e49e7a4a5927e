"""The report of `tailback blame`: who made whom late."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Column, Table
from rich.text import Text

from tailback.answers import of_blame
from tailback.answers.lateness import SMALL, Lateness, Rows, kept, remarks
from tailback.answers.of_blame import own_text
from tailback.charging import KIND_WORDS, KINDS, Blame, Charged
from tailback.results import Result
from tailback.results.names import Names
from tailback.statistics import finite
from tailback.wording import number, share_text
from tailback.wording.phrases import sentence
from tailback.wording.scaling import MICROSECONDS, scaled, unit_for

from .layout import FULL, cautions, head, more, new_table, numbers, texts, words
from .shading import heat_map


def blame_report(result: Result, top: int, *, full: bool = False) -> RenderableType:
    """Return what `tailback blame` prints: the answer, then tables of at most `top` rows.

    `full`: every table, with shares however small.
    """
    late = Lateness.of(result)
    blame, names = late.blame, late.names
    cautious = [*remarks(result)]
    tables: list[RenderableType] = []
    if len(blame.pairs.keys):
        tables += _every_table(late, top) if full else _first_tables(late, top)
        grid = heat_map(late)
        tables += [] if grid is None else [grid]
    # Of jobs and traffic classes the answer says it.
    own = "" if late.groups.are_classes and not full else own_text(late, "all lateness")
    return Group(
        *head(result.experiment, of_blame(result)),
        *(part for table in tables for part in (Text(), table)),
        *([Text(), Text(f"{sentence(own)}")] if own else []),
        *cautions(cautious),
        *_packet_waits(blame, names, top),
        *([] if full else more(FULL, "--packet-waits", "--html PAGE")),
    )


def _first_tables(late: Lateness, top: int) -> list[Table]:
    """Return the rows that matter: kinds, first roots, who makes whom late."""
    unit = unit_for([late.blame.late(late.confidence).value], MICROSECONDS)
    per_message = f"{unit.name} per message"

    def told(charged: Charged, *words_of: str) -> tuple[str, ...]:
        mean = number(charged.per_message_us, 1 / unit.size, 4)
        return (*words_of, mean, share_text(charged.share))

    kinds = [(kind, c) for kind, c in late.kinds() if c.share >= SMALL]
    roots, who = late.roots(min(top, _ROOTS)), late.culprits(min(top, _PAIRS))
    tables = [
        new_table(
            "Why messages are late",
            Column("where"),
            *numbers(per_message, "share"),
            rows=[told(c, KIND_WORDS[kind]) for kind, c in kinds],
        ),
        new_table(
            "Where it begins, and what mostly waits for whom there",
            *_places(late.names, "root channel"),
            *words("kind"),
            *texts("traffic of", "makes late"),
            *numbers(per_message, "share"),
            rows=[told(row.charged, *row.words) for row in roots.shown],
        ),
        _who_table(late, who, per_message, told),
    ]
    shown = [True, bool(roots.shown), bool(who.shown) and late.stands_out]
    _fold(tables[1], roots)
    _fold(tables[2], who)
    return [table for table, is_shown in zip(tables, shown, strict=True) if is_shown]


def _places(names: Names, *heads: str) -> list[Column]:
    """Return columns of nodes and channels: folded if they have names, which may be long."""
    return texts(*heads) if names.ends.names else words(*heads)


_ROOTS, _PAIRS = 5, 8
"""Rows of the tables that are shown first."""


def _who_table(
    late: Lateness, who: Rows, per_message: str, told: Callable[..., tuple[str, ...]]
) -> Table:
    if late.groups.are_classes:
        columns = (*texts("traffic of", "makes late"), *numbers(per_message, "of its lateness"))
        title = "Who makes whom late, others than itself"
    else:
        columns = (*texts("traffic of"), *numbers(per_message, "share"))
        title = "Who makes messages late"
    rows = [told(row.charged, *row.words) for row in who.shown]
    return new_table(title, *columns, rows=rows)


def _fold(table: Table, rows: Rows) -> None:
    """Say in a last row how many rows are left out, and their share where they have one."""
    if rows.others:
        share = "" if math.isnan(rows.others_share) else share_text(rows.others_share)
        blank = [""] * (len(table.columns) - 2)
        table.add_row(f"{rows.others:,} more", *blank, share, style="dim")


def _every_table(late: Lateness, top: int) -> list[Table]:
    """Return the tables of `--full`: kinds, charges by root channel, root channels."""
    blame, names, confidence = late.blame, late.names, late.confidence
    unit = unit_for([blame.late(confidence).value], MICROSECONDS)
    per_message = f"{unit.name} per message"

    def told(row: Charged, *key: str) -> tuple[str, ...]:
        return (*key, number(row.per_message_us, 1 / unit.size), share_text(row.share))

    return [
        new_table(
            "Why messages are late",
            Column("where"),
            *words("kind"),
            *numbers(per_message, "share"),
            rows=[told(c, KIND_WORDS[kind], kind) for kind, c in late.kinds()],
        ),
        new_table(
            "Who makes whom late, and at which root channel",
            *_places(names, "traffic of", "makes late", "at"),
            *numbers(f"{unit.name} per message of those that are late", "of their lateness"),
            rows=[
                told(row, names.traffic(culprit), names.traffic(victim), names.channel(channel))
                for row in blame.culprits_on_channels(confidence, top)
                for channel, victim, culprit in [row.key]
            ],
        ),
        new_table(
            "Where it begins",
            *_places(names, "root channel"),
            *numbers(per_message, "share"),
            rows=[
                told(row, names.channel(row.key[0])) for row in blame.by_channel(confidence, top)
            ],
        ),
    ]


def facts(result: Result, top: int) -> dict[str, Any]:
    """Return who made whom late for JSON, with at most `top` rows of each table."""
    blame, names = kept(result), Names.of(result)
    confidence = result.experiment.run.confidence
    late, traffic = blame.late(confidence), names.traffic

    def row(charged: Charged, **key: object) -> dict[str, Any]:
        return {
            **key,
            "us_per_message": charged.per_message_us.to_dict(),
            "share": finite(charged.share),
        }

    return {
        "late_us_per_message": late.to_dict(),
        "alone_us_per_message": finite(blame.alone_us),
        "latency_us_per_message": finite(blame.alone_us + late.value),
        "messages": int(blame.messages().sum()) if blame.has_lateness else None,
        "share": blame.share,
        "own_share": finite(blame.own_share),
        "kinds": [row(c, kind=KINDS[c.key[0]]) for c in blame.by_kind(confidence)],
        "culprits": [
            row(
                c,
                culprit=traffic(c.key[2]),
                victim=traffic(c.key[1]),
                channel=names.channel(c.key[0]),
            )
            for c in blame.culprits_on_channels(confidence, top)
        ],
        "pairs": [
            row(c, culprit=traffic(c.key[1]), victim=traffic(c.key[0]))
            for c in blame.culprits(confidence, top)
        ],
        "roots": [
            row(c, channel=names.channel(c.key[0])) for c in blame.by_channel(confidence, top)
        ],
        **result.untold.to_dict(),
        "chain_waits_us": blame.totals.waited_ps / 1e6 if blame.has_lateness else None,
        "packet_waits": _waits(blame, names, top),
        "rest_share": blame.rest_share,
    }


def _waits(blame: Blame, names: Names, top: int) -> dict[str, Any] | None:
    """Return what packets waited, for JSON; None if that was not kept."""
    if blame.waits is None:
        return None

    def told(rows: Iterable[tuple[str, float, float]], name: str) -> list[dict[str, Any]]:
        return [{name: what, "us": us, "share": finite(share)} for what, us, share in rows]

    return {
        "us": blame.waited_ps / 1e6,
        "places": told(names.waits_by_place(blame)[:top], "place"),
        "causes": told(waits_by_cause(blame), "cause"),
    }


def waits_by_cause(blame: Blame) -> list[tuple[str, float, float]]:
    """Return why packets waited: the cause, microseconds and share."""
    if blame.waits is None:
        return []
    rows = blame.waits_by(blame.waits.by(1))
    return [(blame.causes[cause], us, share) for cause, us, share in rows]


def packet_waits_text(blame: Blame) -> str:
    """Return the waits of all packets, and why they are not what contention costs."""
    waited = blame.waited_ps / 1e6
    messages = float(blame.messages().sum())
    of_each = f", {scaled(waited / messages, MICROSECONDS)} per message" if messages else ""
    return (
        f"Packets waited {scaled(waited, MICROSECONDS)} in all{of_each}. That is not what it "
        "cost: a packet that waits delays its message only if no other packet of it comes later "
        "anyway."
    )


def _packet_waits(blame: Blame, names: Names, top: int) -> list[RenderableType]:
    if blame.waits is None:
        return []
    if not len(blame.waits.keys):
        return [Text("no packet waited")]
    found: list[RenderableType] = [Text(), Text(f"packet waits: {packet_waits_text(blame)}")]
    for title, rows in (
        ("place", names.waits_by_place(blame)[:top]),
        ("cause", waits_by_cause(blame)),
    ):
        unit = unit_for((us for _, us, _ in rows), MICROSECONDS)
        table = new_table(
            f"Packet waits, by {title}",
            *words(title),
            *numbers(f"{unit.name} in all", "share"),
            rows=[(what, f"{us / unit.size:.4g}", share_text(share)) for what, us, share in rows],
        )
        found += [Text(), table]
    return found
