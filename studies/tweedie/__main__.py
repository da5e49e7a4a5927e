"""Run the whole study and write `RESULTS.md`: `python -m studies.tweedie`."""

from __future__ import annotations

import sys
import time
from pathlib import Path

from studies.tweedie.measure import measure_all
from studies.tweedie.report import write
from studies.tweedie.sections import SECTIONS

RESULTS = Path(__file__).parent / "RESULTS.md"


def main() -> int:
    """Run everything, write the report, return the exit code."""
    started = time.monotonic()
    try:
        measured = measure_all(point for section in SECTIONS for point in section.points)
    except KeyboardInterrupt:
        print("Interrupted; nothing was written.", file=sys.stderr)
        return 130
    write(RESULTS, SECTIONS, measured, time.monotonic() - started)
    print(f"Wrote {RESULTS}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
