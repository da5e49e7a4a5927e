"""What is expected of the routings, and what our runs say.

Where the literature says it, the source stands beside it; the rules are ours, and were
written with the runs at hand.
"""

from __future__ import annotations

from collections.abc import Iterable

from studies.adaptive.costs import at_equal_loads
from studies.adaptive.settings import (
    CLOSED,
    GREEDY,
    OPEN,
    RATE,
    ROUTINGS,
    THETA_R,
    WAITING,
    Setting,
    saturation,
)
from studies.adaptive.theory import greedy_bound, overload
from studies.adaptive.variants import CHANNELS, rates
from studies.claims import Check, Claim, Statement, Wording
from studies.curve import apart
from studies.runs import Runs

_NAMED = {setting.name: setting for setting in (*OPEN, *CLOSED)}


def _loads(runs: Runs, routing: str, settings: Iterable[Setting]) -> list[float]:
    return [saturation(setting, runs, routing).load for setting in settings]


def _ratio(runs: Runs, routing: str, other: str, name: str) -> float:
    """Return the saturation load of a routing over that of another."""
    one, two = (saturation(_NAMED[name], runs, r).load for r in (routing, other))
    return one / two


def _saturates(routing: str, low: float, high: float, *names: str) -> Check[Runs]:
    """Return the check that a routing's saturation load over greedy's is within two numbers."""

    def check(runs: Runs) -> Statement:
        ratios = [_ratio(runs, routing, GREEDY, name) for name in names]
        texts = (f"{ratio:.2f} ({_NAMED[n].title})" for ratio, n in zip(ratios, names, strict=True))
        return Statement(f"over greedy's {', '.join(texts)}", all(low <= r <= high for r in ratios))

    return check


def _pattern_blind(machine: str) -> Check[Runs]:
    """Return the check that two-phase routing saturates alike whatever the pattern."""

    def check(runs: Runs) -> Statement:
        settings = [s for s in OPEN if s.sweep == machine and s.pattern != "hot_spot"]
        found, greedy = (_loads(runs, routing, settings) for routing in ("valiant", GREEDY))
        text = (
            f"{min(found):.0f} to {max(found):.0f}, greedy {min(greedy):.0f} to {max(greedy):.0f}"
        )
        return Statement(f"{text} messages per node and ms", max(found) / min(found) < 1.15)

    return check


def _costs_less(routing: str, settings: tuple[Setting, ...]) -> Check[Runs]:
    """Return the check that a routing's theta_t is above greedy's at all loads compared."""

    def check(runs: Runs) -> Statement:
        higher, lower, alike, gains = 0, 0, 0, []
        for setting in settings:
            for found in at_equal_loads(setting, runs):
                one, greedy = found.theta_t[routing], found.theta_t[GREEDY]
                if one is None or greedy is None:
                    continue
                gains.append(100 * (one.value - greedy.value))
                is_apart = apart(one, greedy)
                higher += is_apart and one.value > greedy.value
                lower += is_apart and one.value < greedy.value
                alike += not is_apart
        text = (
            f"theta_t {min(gains):+.0f} to {max(gains):+.0f} points; higher in {higher}, "
            f"undecided in {alike}, lower in {lower} of {len(gains)}"
        )
        return Statement(text, lower == 0 and higher > alike)

    return check


def _is_least(routing: str) -> Check[Runs]:
    """Return the check that a routing has the shortest routed lifetimes, or one of them."""

    def check(runs: Runs) -> Statement:
        cases = [found for s in (*OPEN, *CLOSED) for found in at_equal_loads(s, runs)]
        count = sum(routing in found.least for found in cases)
        return Statement(f"in {count} of {len(cases)}", count == len(cases))

    return check


def _moves_rate(routing: str) -> Check[Runs]:
    """Return the check that a routing raises theta_r of processes that wait at high load."""

    def check(runs: Runs) -> Statement:
        texts, holds = [], True
        for setting in WAITING:
            one, greedy = (setting.curve(runs, r, THETA_R).first for r in (routing, GREEDY))
            rates = [setting.curve(runs, r, RATE).first.value for r in (routing, GREEDY)]
            gain = 100 * (rates[0] / rates[1] - 1)
            texts.append(
                f"{setting.title}: {100 * greedy.value:.1f} becomes {100 * one.value:.1f} %, "
                f"rate {gain:+.0f} %"
            )
            holds &= one.low > greedy.high
        return Statement("; ".join(texts), holds)

    return check


def _reaches(routing: str, name: str, least: float) -> Check[Runs]:
    def check(runs: Runs) -> Statement:
        setting = _NAMED[name]
        rate = float(setting.curve(runs, routing, RATE).values.max())
        share = rate / greedy_bound(setting)
        return Statement(
            f"{rate:.0f} messages per node and ms, {100 * share:.0f} %", share >= least
        )

    return check


def _survives(routing: str) -> Check[Runs]:
    """Return the check that a routing keeps its rate beyond saturation."""

    def check(runs: Runs) -> Statement:
        lost = {s.title: overload(s, runs, routing) for s in OPEN if routing in s.routings}
        worst = min(lost, key=lambda title: lost[title])
        text = f"at worst {100 * lost[worst]:+.0f} % ({worst})"
        return Statement(text, lost[worst] > -0.1)

    return check


def _more_channels(runs: Runs) -> Statement:
    """Return whether two-phase routing pays on the tornado with more virtual channels."""
    one, greedy = (
        float(rates(runs, routing, "tornado", CHANNELS[1]).values.max())
        for routing in ("valiant", GREEDY)
    )
    text = f"{one:.0f} messages per node and ms at most, greedy {greedy:.0f}"
    return Statement(text, one >= 1.1 * greedy)


WORDING = Wording("expected", "[{}]", sources="source", contradicted="does not hold")

_MESHES = ("mesh_uniform", "mesh_transpose", "mesh_bit_complement", "mesh_hot_spot")
_TORI = ("torus_uniform", "torus_transpose", "torus_tornado")
_MANY = 100.0
_WIDELY = "Its saturation load is at least 1.1 times that of greedy routing."

_ALIKE = "Saturation loads within 15 % (permutations and uniform traffic)."
_EQUAL_OPEN = (
    "theta_t at 25, 50 and 75 % of greedy's saturation: nowhere lower beyond the intervals, and "
    "higher in more cases than not decided."
)
_EQUAL_CLOSED = (
    "The same rule, at 25, 50 and 75 % of the highest load that greedy routing lets them reach."
)
_HIGHER = "theta_r at c = 1 µs higher than greedy's, beyond the intervals."

EXPECTED: tuple[Claim[Runs], ...] = (
    Claim(
        "Two-phase routing has half of greedy routing's capacity under uniform traffic",
        "Valiant 1982; Dally & Towles 2004",
        _saturates("valiant", 0.4, 0.6, "mesh_uniform", "torus_uniform"),
        "0.4 to 0.6 times its saturation load.",
        remark="On the torus each of its four classes has only one virtual channel.",
    ),
    Claim(
        "Under two-phase routing the pattern does not matter, on the mesh",
        "Valiant 1982",
        _pattern_blind("mesh"),
        _ALIKE,
    ),
    Claim(
        "… on the torus",
        "Valiant 1982",
        _pattern_blind("torus"),
        _ALIKE,
    ),
    Claim(
        "Two-phase routing pays on the transpose",
        "Valiant 1982",
        _saturates("valiant", 1.1, _MANY, "mesh_transpose", "torus_transpose"),
        _WIDELY,
    ),
    Claim(
        "… and on the tornado",
        "Dally & Towles 2004",
        _saturates("valiant", 1.1, _MANY, "torus_tornado"),
        _WIDELY,
        remark=(
            "By the loads of links it could: 3 links for each packet, all in one direction, "
            "become 4, in both. Of four virtual channels each of its classes has but one."
        ),
    ),
    Claim(
        "… with eight virtual channels on a link",
        "Dally & Towles 2004",
        _more_channels,
        "Its highest rate is at least 1.1 times that of greedy routing.",
    ),
    Claim(
        "Under uniform traffic greedy routing saturates later than negative first and odd-even",
        "Glass & Ni 1992; Chiu 2000",
        lambda runs: _both_below(runs, "mesh_uniform"),
        "Both saturation loads are less than 0.95 times greedy's.",
        remark="Where turns are forbidden traffic gathers; greedy routing spreads it evenly.",
    ),
    Claim(
        "Negative first saturates later than greedy routing on the transpose",
        "Glass & Ni 1992",
        _saturates("negative_first", 1.1, _MANY, "mesh_transpose"),
        _WIDELY,
        remark=(
            "On (x, y) → (y, x) a packet has one way down and one up, and negative first "
            "no choice; the transpose about the other diagonal would give it one."
        ),
    ),
    Claim(
        "Minimal adaptive routing saturates later than greedy routing under all traffic",
        "Duato 1993",
        _saturates("minimal_adaptive", 1.0, _MANY, *_MESHES, *_TORI[::2]),
        "All ratios are at least 1.",
        remark=(
            "Under the bit complement greedy routing loads all rows alike, and all columns; "
            "probably packets that choose by what is free next to them lose this order."
        ),
    ),
    Claim(
        "At equal load minimal adaptive routing costs less than greedy routing (open traffic)",
        "",
        _costs_less("minimal_adaptive", OPEN),
        _EQUAL_OPEN,
    ),
    Claim(
        "… for processes that wait for each other",
        "",
        _costs_less("minimal_adaptive", WAITING),
        _EQUAL_CLOSED,
    ),
    Claim("The same of chaos, open traffic", "", _costs_less("chaos", OPEN), _EQUAL_OPEN),
    Claim(
        "… for processes that wait for each other",
        "",
        _costs_less("chaos", WAITING),
        _EQUAL_CLOSED,
    ),
    Claim("The same of deflection, open traffic", "", _costs_less("deflection", OPEN), _EQUAL_OPEN),
    Claim(
        "… for processes that wait for each other",
        "",
        _costs_less("deflection", WAITING),
        _EQUAL_CLOSED,
    ),
    Claim(
        "Minimal adaptive routing raises theta_r of processes that wait, at the highest load",
        "",
        _moves_rate("minimal_adaptive"),
        _HIGHER,
    ),
    Claim("… chaos", "", _moves_rate("chaos"), _HIGHER),
    Claim(
        "Chaos has the shortest routed lifetimes of all, at all loads compared",
        "Bolding 1993",
        _is_least("chaos"),
        "No other is shorter beyond the intervals.",
    ),
    Claim(
        "Chaos comes within 10 % of what the bisection carries, uniform traffic on the mesh",
        "Bolding 1993",
        _reaches("chaos", "mesh_uniform", 0.9),
        "Its highest rate over the bound of the most loaded link under greedy routing, which is "
        "one of the bisection.",
    ),
    *(
        Claim(
            f"{ROUTINGS[routing].capitalize()} keeps its rate beyond saturation",
            "",
            _survives(routing),
            "At the highest load offered not more than 10 % below its highest rate.",
        )
        for routing in (GREEDY, "minimal_adaptive", "chaos", "deflection")
    ),
)


def _both_below(runs: Runs, name: str) -> Statement:
    ratios = {r: _ratio(runs, r, GREEDY, name) for r in ("negative_first", "odd_even")}
    text = ", ".join(f"{ROUTINGS[r]} {ratio:.2f}" for r, ratio in ratios.items())
    return Statement(f"over greedy's: {text}", all(ratio < 0.95 for ratio in ratios.values()))
