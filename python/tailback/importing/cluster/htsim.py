"""htsim, the simulator of the Ultra Ethernet Consortium: `.topo`, fat trees of two or three tiers.

`Nodes`, `Tiers` and `Podsize`, then for each tier, 0 the lowest, a paragraph that `Tier` begins. A
link has the rate and the latency of the tier above it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from ...errors import nearest, read_text
from ...units import Rate
from .description import Cable, Cluster, Reader
from .lines import decimal, delay_ps, rate, whole, words

_OF_TIERS = (
    "downlink_speed_gbps",
    "radix_down",
    "radix_up",
    "oversubscribed",
    "bundle",
    "downlink_latency_ns",
    "switch_latency_ns",
    "queue_down",
    "queue_up",
)
_OF_ALL = ("nodes", "tiers", "podsize")


@dataclass
class _Tier:
    """What a paragraph says, by its keys in lower case: line and value."""

    line: int
    said: dict[str, tuple[int, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Down:
    """The links from a tier to the one below."""

    down: int
    up: int
    bundle: int
    rate: Rate
    delay_ps: int
    switch_ps: int


def read(path: Path) -> Cluster:
    """Read a file. Raises `UserError` for the first mistake, with its line."""
    found = Cluster(path)
    general = _Tier(1)
    tiers: list[_Tier] = []
    current = general
    known: tuple[str, ...] = _OF_ALL
    for line, said in words(read_text(path)):
        key = said[0].lower()
        if len(said) != 2:
            raise found.mistake(line, " ".join(said), "must be a key and a value")
        if key == "tier":
            if said[1] != str(len(tiers)):
                raise found.mistake(line, said[1], f"must be tier {len(tiers)}")
            current, known = _Tier(line), _OF_TIERS
            tiers.append(current)
            continue
        if key not in known:
            raise found.mistake(line, said[0], "is no key that is known", nearest(key, known))
        if key in current.said:
            raise found.mistake(line, said[0], f"is there already, in line {current.said[key][0]}")
        current.said[key] = (line, said[1])
    nodes, pod, count = (_number(found, general, key) for key in ("nodes", "podsize", "tiers"))
    if count not in (2, 3) or len(tiers) != count:
        line = general.said["tiers"][0]
        raise found.mistake(line, count, f"must be 2 or 3, and as many tiers below; {len(tiers)}")
    downs = [_down(found, tier, is_top=tier is tiers[-1]) for tier in tiers]
    _build(found, (nodes, pod if count == 3 else nodes), downs, general)
    return found


def _number(found: Cluster, of: _Tier, key: str, usual: int | None = None) -> int:
    if key not in of.said:
        if usual is None:
            raise found.mistake(of.line, None, f"has no {key.capitalize()}")
        return usual
    line, text = of.said[key]
    return whole(found, line, text, f"{key.capitalize()}", 1)


def _down(found: Cluster, tier: _Tier, *, is_top: bool) -> _Down:
    line, text = tier.said.get("downlink_speed_gbps", (tier.line, ""))
    if not text:
        raise found.mistake(tier.line, None, "has no Downlink_speed_Gbps")
    speed = rate(found, line, decimal(found, line, text, "a speed") * 10**9, text)
    times = []
    for key in ("downlink_latency_ns", "switch_latency_ns"):
        line, text = tier.said.get(key, (tier.line, "0"))
        times.append(delay_ps(found, line, decimal(found, line, text, "a latency"), text))
    if is_top and "radix_up" in tier.said:
        raise found.mistake(tier.said["radix_up"][0], "Radix_Up", "must be left out at the top")
    up = 0 if is_top else _number(found, tier, "radix_up")
    down, bundle = _number(found, tier, "radix_down"), _number(found, tier, "bundle", 1)
    return _Down(down, up, bundle, speed, times[0], times[1])


def _build(found: Cluster, sizes: tuple[int, int], tiers: list[_Down], general: _Tier) -> None:
    """Add switches of all tiers, and cables: as in an extended generalised fat tree.

    A pod is the nodes below the switches of one place of the middle tier; of two tiers it is all.
    """
    nodes, pod = sizes
    tor = tiers[0]
    for size, name in ((nodes, "nodes"), (pod, "podsize")):
        if size % tor.down or nodes % pod:
            line = general.said[name][0]
            allowed = (
                f"must be a multiple of Radix_Down of tier 0, {tor.down}, and divide into pods"
            )
            raise found.mistake(line, size, allowed)
    for number in range(nodes):
        found.add_host(f"host{number}", 1)
    for number in range(nodes // tor.down):
        found.add_switch(f"tor{number}", 1)
    for number in range(nodes):
        ends = (f"host{number}", f"tor{number // tor.down}")
        found.join(1, Cable(ends, rate=tor.rate, delay_ps=tor.delay_ps))
    if tor.bundle != 1:
        raise found.mistake(None, tor.bundle, "Bundle of tier 0 must be 1: nodes have one link")
    pods, tors = nodes // pod, pod // tor.down
    names = ["tor", "agg", "core"] if len(tiers) == 3 else ["tor", "spine"]
    middle = _tier(found, (names[0], names[1]), (pods, tors, tor.up), tiers[1])
    if len(tiers) == 3:
        # Pods are below each core switch as switches of the lowest tier are below those in pods.
        _top(found, (pods, middle, tiers[1].up), tiers[2])
    found.machine = {"switch": {"delay": f"{max(tier.switch_ps for tier in tiers)} ps"}}
    if len({tier.switch_ps for tier in tiers}) > 1:
        found.notes.append("all switches have the longest Switch_Latency_ns of the tiers")


def _tier(found: Cluster, names: tuple[str, str], sizes: tuple[int, int, int], above: _Down) -> int:
    """Add the tier above the lowest, and the cables to it; how many switches a pod has there."""
    pods, lower, up = sizes
    upper = _switches_above(found, up, above, 0)
    if above.down != lower * above.bundle:
        allowed = (
            f"Radix_Down of tier 1 must be {lower * above.bundle}: switches of tier 0 below it, "
            "with all cables"
        )
        raise found.mistake(None, above.down, allowed)
    for number in range(pods * upper):
        found.add_switch(f"{names[1]}{number}", 1)
    for at in range(pods * lower):
        for t in range(upper):
            ends = (f"{names[0]}{at}", f"{names[1]}{at // lower * upper + t}")
            _join(found, ends, above, "tier_1")
    return upper


def _top(found: Cluster, sizes: tuple[int, int, int], above: _Down) -> None:
    pods, places, up = sizes
    each = _switches_above(found, up, above, 1)
    if above.down != pods * above.bundle:
        allowed = f"Radix_Down of tier 2 must be {pods * above.bundle}: pods, with all cables"
        raise found.mistake(None, above.down, allowed)
    for number in range(each * places):
        found.add_switch(f"core{number}", 1)
    for at in range(pods * places):
        for t in range(each):
            _join(found, (f"agg{at}", f"core{t * places + at % places}"), above, "tier_2")


def _switches_above(found: Cluster, up: int, above: _Down, tier: int) -> int:
    """Return how many switches above one of a tier has cables to."""
    if up % above.bundle:
        allowed = f"Radix_Up of tier {tier} must be a multiple of {above.bundle}"
        raise found.mistake(None, up, allowed)
    return up // above.bundle


def _join(found: Cluster, ends: tuple[str, str], above: _Down, link_class: str) -> None:
    cable = Cable(ends, rate=above.rate, delay_ps=above.delay_ps, link_class=link_class)
    for _ in range(above.bundle):
        found.join(1, cable)


READERS = (
    Reader(
        "htsim",
        "htsim: .topo",
        lambda head: bool(re.search(rb"^\s*Tiers\s+\d", head, re.MULTILINE | re.IGNORECASE)),
        read,
    ),
)
