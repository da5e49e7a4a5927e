"""The report of the study as Markdown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from studies import markdown
from studies.adaptive import theory, variants
from studies.adaptive.claims import WORDING
from studies.adaptive.costs import SHARES, at_equal_loads, lifetime_table, theta_table
from studies.adaptive.findings import findings
from studies.adaptive.settings import CLOSED, OPEN, REFUSED, ROUTINGS, STUDY, Setting
from studies.claims import Judgement
from studies.markdown import claims_table, table, written_by
from studies.runs import Runs

_METHOD = """\
The thesis [Tweedie] measures what contention costs by running the same workload again
with contention switched off: `theta_t` is the mean routed lifetime of packets without
contention over that with it, `theta_r` the message rate with contention over that
without. It does so for greedy (dimension-order) routing only. Here the same is done for
seven routings, each compared with itself without contention, and with the others at
equal *actual* load: what gets through, not what is offered.

* **Machine.** 8 x 8 switches, mesh and torus, T9000 links and nodes (100 Mbit/s, 32-byte
  packets, acknowledgements, four links between node and switch): its constants because the
  thesis' workloads wait for acknowledgements, which the usual machine of the literature on
  wormhole routing does not have, and so that these numbers lie beside those of the study of
  the thesis. One fidelity, `packet`, for all: chaos and deflection route whole packets.
* **Equal buffers.** Every link has four virtual channels, with a buffer of 70 bytes (two
  packets) each, that share its wire. Four is what two-phase routing needs on a torus. A routing
  spreads them over its classes: greedy has all four in one class on the mesh and two by two on
  the torus (`balanced`), two-phase two for each phase (on the torus one for each dateline
  class of each phase), minimal adaptive one or two as a way out and the rest for any way, all
  others four. What is not equal: a chaos switch has a queue of its own besides, of six
  packets; in chaos and deflection an acknowledgement takes the place of a whole packet.
* **Traffic.** Open: each node sends at random instants (Poisson) and refuses a message when
  16 of its own are unacknowledged. Closed: the thesis' three workloads, to nodes anywhere.
  A hot spot gets 10 % of all messages besides its share of the rest.
* **What is compared.** Curves are read on straight lines between points, and so are the ends of
  their intervals. A saturation load is where {refused:g} % of what is offered begins to be
  refused, summed over all nodes; in brackets: between which loads that were simulated.
* **theta_t is relative to the routing itself.** Two-phase routing goes twice as far, and its
  packets without contention do too; deflection and chaos go detours only with contention, which
  `theta_t` counts as contention. So routed lifetimes in µs stand beside it, and "costs
  least" means the shortest of these.
* **Without contention** a packet with a choice takes the first way there is. That changes no
  lifetime here, only `theta_r` where many wait for one first channel."""

_LIMITS = """\
* `packet` sends a packet only where there is room for all of it, and stores it in one buffer at a
  time: what is said here is of virtual cut-through, not of worms that stand in several switches.
* One size of network, one length of message. Intervals (95 %) are those of three seeds merged; of
  saturation loads there are none, only the loads simulated around them.
* Sums over all nodes hide who is refused: under the transpose and the hot spot a few nodes
  starve while the others send on, so that a saturation load may exceed the bound by a few
  percent."""


def write(judgements: Sequence[Judgement], runs: Runs, wall_seconds: float) -> None:
    """Write the report; only its first lines depend on anything but the runs."""
    markdown.write(
        STUDY.results,
        "# What adaptive routing does to the costs of contention",
        _provenance(runs, wall_seconds),
        _METHOD.format(refused=100 * REFUSED),
        "## What was found",
        findings(runs),
        "## What is expected, and what our runs say",
        claims_table(judgements, WORDING),
        "## Saturation",
        "Messages per node and ms. The bound is the load at which the most loaded link is always "
        "busy under greedy routing (data and acknowledgements); *reached*: greedy's saturation.",
        theory.saturation_table(runs),
        "The rate at the highest load offered, over the highest rate, less one:",
        theory.overload_table(runs),
        "## Which routing costs least at equal load",
        "Routings of the shortest mean routed lifetime, and those whose intervals overlap with "
        "it, at shares of greedy's saturation load (closed workloads: of the highest load that "
        "greedy routing lets them reach):",
        _least_table((*OPEN, *CLOSED), runs),
        "### Routed lifetimes (µs)",
        "With 95 % intervals; bold: shortest. A dash: beyond that routing's highest load, or not "
        "run.",
        lifetime_table((*OPEN, *CLOSED), runs),
        "### theta_t (%)",
        theta_table((*OPEN, *CLOSED), runs),
        "`make studies` also writes `report.html`, which has the figures, and `theta_r`.",
        "## What depends on choices made for all",
        "Highest rates on the torus (messages per node and ms) with more virtual channels, each of "
        "two packets, and what is lost of them at the highest load offered:",
        variants.channels_table(runs),
        "Minimal adaptive routing, by which of several free outputs a packet takes (`first` "
        "everywhere else in this study, but `random` in chaos and deflection):",
        variants.selection_table(runs),
        "## Limits",
        _LIMITS,
    )


def _provenance(runs: Runs, wall_seconds: float) -> str:
    endings = runs.endings
    simulated_ms, events = (float(endings[name].sum()) for name in ("simulated_ms", "events"))
    reasons = Counter(endings["stop_reason"].to_list())
    return (
        f"{written_by('python -m studies.adaptive')}; {len(endings)} runs, "
        f"{simulated_ms / 1000:.1f} s simulated, {events / 1e9:.1f} G events; "
        f"those not kept from before took {wall_seconds:.0f} s. "
        f"{reasons['max_duration']} runs, most of them at saturation, ended after 25 ms without "
        "the precision asked for (3 % of the routed lifetime); their intervals are wider."
    )


def _least_table(settings: tuple[Setting, ...], runs: Runs) -> str:
    lines = []
    for setting in settings:
        cells = (
            ", ".join(ROUTINGS[routing] for routing in found.least)
            for found in at_equal_loads(setting, runs)
        )
        lines.append([setting.title, *cells])
    return table(["traffic", *(f"{100 * share:.0f} %" for share in SHARES)], lines)
