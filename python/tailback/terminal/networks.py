"""Rows of the report of `describe`: what a network is made of."""

from __future__ import annotations

from tailback.answers.of_prediction import EVEN
from tailback.survey import Bisection, ClusterSurvey
from tailback.wording import UNKNOWN, plain


def cluster_rows(c: ClusterSurvey) -> list[tuple[str, str]]:
    """Return tiers and groups with their oversubscription, cables by what they join, bisection."""
    rows = [("hosts", f"{c.hosts:,}")]
    if c.nodes is not None:
        rows.append(("  nodes", f"{c.nodes:,}"))
    rows += [("  interfaces", f"{c.interfaces:,}")] if c.interfaces > c.hosts else []
    rows += [("rails", f"{c.rails:,}")] if c.rails is not None else []
    rows += [("planes", f"{c.planes:,}")] if c.planes > 1 else []
    for tier in c.tiers:
        name = "switches" if tier.name == "switch" else f"{tier.name} switches"
        rows += [(name, f"{tier.switches:,}"), *_over(tier.oversubscription, _UP)]
        if tier.oversubscription and _differs(tier.oversubscription_max, tier.oversubscription):
            rows.append(("  of the worst switch", _to_one(tier.oversubscription_max, _UP)))
    if c.groups is not None:
        rows += [("groups", f"{c.groups.groups:,} of {c.groups.switches:,} switches")]
        rows += _over(c.groups.oversubscription, "between groups as from hosts")
    if c.switches_in_hosts:
        rows.append(("switches inside hosts", f"{c.switches_in_hosts:,}"))
    if c.rate_in_hosts is not None:
        rows.append(("links of nodes inside hosts", f"{c.nodes:,} of {c.rate_in_hosts}"))
    rows += [
        (f"cables, {one.joins}", f"{one.cables:,} of {one.gbit_per_s:,.4g} Gbit/s")
        for one in c.cables
    ]
    rows.append(("wires across the bisection", bisection(c.bisection)))
    if c.bisection is not None and not c.bisection.exact:
        rows.append(("  smallest cut found by", c.bisection.method))
    if c.bisection_share is not None:
        most = "" if c.bisection is not None and c.bisection.exact else "at most "
        share = f"{most}{plain(100 * c.bisection_share, 3)} %"
        rows.append(("  of what half of the hosts send", share))
    return rows


_UP = "up as down"


def _over(share: float | None, out: str) -> list[tuple[str, str]]:
    return [] if share is None else [("  oversubscription", _to_one(share, out))]


def _to_one(share: float | None, out: str) -> str:
    """Return how much more leads in than out; ``out`` says where, for a network with more out."""
    if share is None:
        return UNKNOWN
    if 0 < share < 1 / EVEN:
        return f"none: {plain(1 / share, 3)} times as much {out}"
    return f"{plain(share, 3)} to 1"


def _differs(most: float | None, usual: float) -> bool:
    return most is not None and most > EVEN * usual


def bisection(found: Bisection | None) -> str:
    """Return the wires of the bisection; an upper bound says so, with the sizes of the halves."""
    if found is None:
        return UNKNOWN
    if found.exact or found.halves is None:
        return f"{found.wires:,}"
    smaller, larger = found.halves
    halves = "" if smaller == larger else f" ({smaller:,} and {larger:,} nodes)"
    return f"at most {found.wires:,}{halves}"
