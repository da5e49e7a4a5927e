"""Run the study: `python -m studies.booksim` writes `RESULTS.md` and `report.html`.

The exit code is 1 if something that is asked differs.
"""

from __future__ import annotations

import sys

from studies.booksim import page
from studies.booksim.curves import STUDY, Curve, curve, left_out, names, published, refusal, run
from studies.booksim.text import write_report
from studies.runs import answers
from studies.study import carry_out


def _run() -> list[Curve]:
    reasons = {name: refusal(name) for name in names()}
    rows = [row for name, reason in reasons.items() if not reason for row in published(name)]
    ours = answers(run, [asked for asked, _ in rows], "runs")
    runs = [(asked, theirs, found) for (asked, theirs), found in zip(rows, ours, strict=True)]
    return [
        left_out(name, reason)
        if reason
        else curve(name, [one for one in runs if one[0].name == name])
        for name, reason in reasons.items()
    ]


def _report(found: list[Curve], wall_seconds: float) -> bool:
    page.write(found)
    return write_report(found, wall_seconds)


if __name__ == "__main__":
    sys.exit(carry_out(_run, _report, (STUDY.results, STUDY.page)))
