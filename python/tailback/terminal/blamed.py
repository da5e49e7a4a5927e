"""The report of `tailback blame`: who made whom late."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Column
from rich.text import Text

from tailback.charging import KIND_WORDS, KINDS, Blame, Charged, unknown_blame
from tailback.results import Result
from tailback.results.names import Names
from tailback.units import counted
from tailback.wording import UNKNOWN, number, warnings
from tailback.wording.scaling import MICROSECONDS, scaled, unit_for

from .layout import cautions, heading, new_table, numbers, words


def blame_report(result: Result, top: int) -> RenderableType:
    """Return what `tailback blame` prints: tables, each of at most `top` rows."""
    blame, names = kept(result), Names.of(result)
    confidence = result.experiment.run.confidence
    unit = unit_for([blame.late(confidence).value], MICROSECONDS)
    per_message = f"{unit.name} per message"

    def told(row: Charged, *key: str) -> tuple[str, ...]:
        return (*key, number(row.per_message_us, 1 / unit.size), share_text(row.share))

    tables = [
        new_table(
            "Why messages are late",
            Column("where"),
            *words("kind"),
            *numbers(per_message, "share"),
            rows=[
                told(row, KIND_WORDS[kind], kind)
                for row in blame.by_kind(confidence)
                for kind in [KINDS[row.key[0]]]
            ],
        ),
        new_table(
            "Who makes whom late, and at which root channel",
            *words("traffic of", "makes late", "at"),
            *numbers(f"{unit.name} per message of those that are late", "of their lateness"),
            rows=[
                told(row, names.traffic(culprit), names.traffic(victim), names.channel(channel))
                for row in blame.culprits_on_channels(confidence, top)
                for channel, victim, culprit in [row.key]
            ],
        ),
        new_table(
            "Where it begins",
            *words("root channel"),
            *numbers(per_message, "share"),
            rows=[
                told(row, names.channel(row.key[0])) for row in blame.by_channel(confidence, top)
            ],
        ),
    ]
    if not len(blame.pairs.keys):
        tables = []
    return Group(
        heading(result.experiment),
        Text(f"mode {result.mode}: {lateness(blame, confidence)}"),
        *(part for table in tables for part in (Text(), table)),
        Text(),
        *map(Text, _own(blame)),
        *cautions((*warnings(result.ending), *remarks(result))),
        *_packet_waits(blame, names, top),
    )


def lateness(blame: Blame, confidence: float) -> str:
    """Return how late messages are, of how much latency, in a sentence."""
    late = blame.late(confidence)
    if not blame.has_lateness:
        return _UNDEFINED
    if math.isnan(late.value):
        return "lateness is not known"
    unit = unit_for([blame.alone_us + late.value], MICROSECONDS)
    whole, alone = (
        number(type(late).exact(value), 1 / unit.size)
        for value in (blame.alone_us + late.value, blame.alone_us)
    )
    own = unit_for([late.value], MICROSECONDS)
    return (
        f"a message is late by {number(late, 1 / own.size)} {own.name} on average, of a latency of "
        f"{whole} {unit.name}; alone it takes {alone} {unit.name}"
    )


def remarks(result: Result) -> list[str]:
    """Return what limits the numbers: sampling, sums, early and lost messages."""
    found, blame = [], result.blame
    if blame is not None and blame.share < 1:
        found.append(f"estimates from {100 * blame.share:g} % of all messages")
    found += untold_texts(result)
    if blame is not None and blame.rest_share:
        share = 100 * blame.rest_share
        found.append(f"{share:.2g} % of all lateness is not broken down by channel")
    return found


def untold_texts(result: Result) -> list[str]:
    """Return what means of lateness leave out; nothing if lateness was not asked for."""
    if not result.asks_for_lateness:
        return []
    found, untold = [], result.untold
    if untold.early_messages and untold.early_us is not None:
        early = counted(untold.early_messages, "message")
        time = scaled(untold.early_us, MICROSECONDS)
        were = "was" if untold.early_messages == 1 else "were"
        found.append(f"{early} {were} faster than alone, by {time} in total (counted as negative)")
    if untold.unattributed_us and untold.unattributed_share is not None:
        share = 100 * untold.unattributed_share
        found.append(f"{share:.2g} % of all lateness is charged to nobody")
    if untold.lost_packets:
        lost = f"{counted(untold.lost_packets, 'packet')} lost"
        if untold.lost_messages:
            lost += f" of {counted(untold.lost_messages, 'message')}"
        found.append(f"{lost}: a message with a lost packet has no latency and is in no mean")
    if untold.are_thinned:
        kept = f"{untold.rows:,} of {counted(untold.received, 'message')}"
        found.append(f"percentiles of flows, classes and jobs are of {kept}, at equal distances")
    return found


_UNDEFINED = (
    "lateness is defined only in modes full, endpoints and free, where a message is compared with "
    "itself alone; this mode has waits of packets only"
)


def facts(result: Result, top: int) -> dict[str, Any]:
    """Return the same for JSON, with at most `top` rows of each table."""
    blame, names = kept(result), Names.of(result)
    confidence = result.experiment.run.confidence
    late, traffic = blame.late(confidence), names.traffic

    def row(charged: Charged, **key: object) -> dict[str, Any]:
        return {
            **key,
            "us_per_message": charged.per_message_us.to_dict(),
            "share": _known(charged.share),
        }

    return {
        "late_us_per_message": late.to_dict(),
        "alone_us_per_message": _known(blame.alone_us),
        "latency_us_per_message": _known(blame.alone_us + late.value),
        "messages": int(blame.messages().sum()) if blame.has_lateness else None,
        "share": blame.share,
        "own_share": _known(blame.own_share),
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
        return [{name: what, "us": us, "share": _known(share)} for what, us, share in rows]

    return {
        "us": blame.waited_ps / 1e6,
        "places": told(names.waits_by_place(blame)[:top], "place"),
        "causes": told(waits_by_cause(blame), "cause"),
    }


def kept(result: Result) -> Blame:
    """Return who made whom late; raise `UserError` where that was not kept."""
    if result.blame is None:
        raise unknown_blame()
    return result.blame


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
        hint = "what packets waited for, by place and cause: --packet-waits"
        return [Text(hint, style="dim")]
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


def share_text(share: float) -> str:
    """Return `7.8 %`."""
    return UNKNOWN if math.isnan(share) else f"{100 * share:.1f} %"


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _own(blame: Blame) -> list[str]:
    """Return the share of lateness that traffic classes cause themselves."""
    if math.isnan(blame.own_share):
        return []
    return [f"{100 * blame.own_share:.1f} % of all lateness is caused by traffic of the same class"]
