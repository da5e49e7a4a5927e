"""The report of the study: every configuration, load by load, both columns."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from studies.booksim.curves import STUDY, Curve, imported
from studies.booksim.verdicts import Judged, judged, zero_load_agrees
from studies.markdown import percent, table, write, written_by

_INTRODUCTION = """\
What BookSim2 [Jiang et al. 2013] (commit 28f43299) measured with eight configurations, beside runs
of the same configurations that `tailback import booksim` makes experiments of.

* **Runs.** Each run of BookSim2 is made again, with the same load, warm-up and window; the seeds
  are other streams of random numbers. Offered and accepted loads are flits per node and cycle,
  latencies cycles from when a packet is made until its tail is ejected; *network*: from its
  injection.
* **What must agree.** The latency without contention, within 0.2 cycles; latencies up to nine
  tenths of saturation (the load at which the latency is three times that without contention),
  unless it is four times that already (flows of one pattern need not saturate together), and
  accepted loads in overload, within 2 %, or within the interval of 95 % of both where there are
  several runs. Between the two the latency depends on how long it is measured; it is shown."""

#: Why numbers differ, by configuration.
REASONS: dict[str, str] = {
    "g3_mesh_8vc_transpose_mixed_wtc": "At the lowest load a run has 11,000 packets, whose "
    "latencies spread by 19 cycles with the routers they cross: means of runs differ by some "
    "tenths of a cycle by which packets were drawn (the first of BookSim2 has 6.306 routers to "
    "a packet, 5 cycles each, where 6.25 are expected). Runs of 800,000 cycles at 0.01, brought"
    " to 6.25 routers and 3 flits, have 35.33 cycles in BookSim2 and 35.32 here.",
    "g8_mesh_4vc_shared_buffers_p5": "Four virtual channels with one place each share four more: "
    "`switch.shared_buffer`.",
    "g5_flatfly_ugal_adversarial": "The two ways are compared when a packet asks at its first "
    "router; in BookSim2, with look-ahead, when it is injected, two cycles earlier.",
    "g6_dragonfly_min_uniform_speedup2": "A packet goes to its node in either virtual channel, "
    "whichever is free; in BookSim2 in that in which it has arrived, for most the second.",
}


#: Of the table of all configurations.
COLUMNS = (
    "",
    "without contention",
    "ours",
    "worst latency",
    "worst accepted load",
    "verdict",
)


def write_report(curves: Sequence[Curve], wall_seconds: float) -> bool:
    """Write the report; whether all that is asked agrees."""
    found = [(curve, list(judged(curve))) for curve in curves]
    verdicts = Counter(one.verdict for _, rows in found for one in rows if one.asked)
    write(
        STUDY.results,
        "# BookSim2's curves",
        f"{written_by('python -m studies.booksim')}, in {wall_seconds:.0f} s.",
        _INTRODUCTION,
        "## In all",
        "Loads by verdict: " + ", ".join(f"{count} {word}" for word, count in verdicts.items()),
        table(
            list(COLUMNS),
            (summary(curve, rows) for curve, rows in found),
        ),
        *(block for curve, rows in found for block in _curve(curve, rows)),
    )
    return not verdicts["differs"] and all(
        curve.refused or zero_load_agrees(curve) for curve, _ in found
    )


def summary(curve: Curve, rows: list[Judged]) -> list[str]:
    """Return what is said of a configuration in the table of all."""
    if curve.zero_load is None:
        return [curve.name, "", "", "", "", "not run"]
    agrees = zero_load_agrees(curve) and all(one.verdict != "differs" for one in rows)

    def worst(asked: str) -> str:
        of = [one.apart for one in rows if one.asked == asked]
        return percent(max(of, key=abs)) if of else ""

    theirs, ours = (f"{cycles:.2f}" for cycles in curve.zero_load)
    verdict = "agrees" if agrees else "**differs**"
    return [curve.name, theirs, ours, worst("latency"), worst("accepted"), verdict]


def _curve(curve: Curve, rows: list[Judged]) -> Iterator[str]:
    yield f"## {curve.name}"
    if curve.refused:
        yield f"Not run: {curve.refused}."
        return
    notes = [note for note in imported(curve.name).notes if "not given" not in note]
    if notes:
        yield "\n".join(f"* Not as in BookSim2: {note}." for note in notes)
    if reason := REASONS.get(curve.name):
        yield reason
    yield table(
        [
            "offered",
            "runs",
            "latency",
            "ours",
            "network",
            "ours",
            "accepted",
            "ours",
            "asked",
            "off",
            "verdict",
        ],
        map(_line, rows),
    )


def _line(one: Judged) -> list[str]:
    pairs = [
        *(f"{cycles:.2f}" for cycles in (*one.latency, *one.network)),
        *(f"{flits:.4f}" for flits in one.accepted),
    ]
    off = percent(one.apart) if one.asked else ""
    verdict = f"**{one.verdict}**" if one.verdict == "differs" else one.verdict
    runs = str(len(one.load.theirs))
    return [f"{one.load.offered:g}", runs, *pairs, one.asked, off, verdict]
