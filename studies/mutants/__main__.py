"""Try mutants of kernels and switches: `python -m studies.mutants --sample 200 --seed 1`.

Writes `outcomes.csv`, a line for every mutant that was tried, and `RESULTS.md`. A mutant that was
tried already is not tried again; delete `outcomes.csv` to begin anew. Needs `cargo-mutants`.
"""

from __future__ import annotations

import argparse
import shutil
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from studies.mutants.mutants import ROOMS, Bench, Mutant, Outcome, drawn, kept, listed
from tailback.files import write_durably

HERE = Path(__file__).parent
OUTCOMES = HERE / "outcomes.csv"
RESULTS = HERE / "RESULTS.md"


def main() -> int:
    """Try them, and write what was found."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--sample", type=int, default=200, help="mutants drawn of all")
    parser.add_argument("--seed", type=int, default=1, help="which are drawn")
    asked = parser.parse_args()
    if shutil.which("cargo-mutants") is None:
        print("cargo-mutants is needed: cargo install cargo-mutants --locked", file=sys.stderr)
        return 2
    mutants = listed()
    chosen = drawn(mutants, asked.sample, asked.seed)
    found, bench = kept(OUTCOMES), None
    for number, mutant in enumerate(chosen, 1):
        if mutant.name not in found:
            bench = bench or Bench()
            found[mutant.name] = bench.tried(mutant)
            _keep(found)
        print(f"{number} of {len(chosen)}: {found[mutant.name]:8} {mutant.name}", flush=True)
    write_durably(RESULTS, report(mutants, chosen, found, asked.seed).encode())
    return 0


def _keep(found: dict[str, Outcome]) -> None:
    rows = (f"{outcome},{name}\n" for name, outcome in found.items())
    write_durably(OUTCOMES, "".join(["outcome,mutant\n", *rows]).encode())


def report(
    mutants: Sequence[Mutant], chosen: Sequence[Mutant], found: dict[str, Outcome], seed: int
) -> str:
    """Return the results as a document."""
    counts = Counter(found[mutant.name] for mutant in chosen)
    viable = len(chosen) - counts["unviable"]
    noticed = counts["caught"] + counts["timeout"]
    share = f"{noticed / viable:.0%}" if viable else "none"
    missed = [f"* `{one.name}`" for one in chosen if found[one.name] == "missed"]
    rooms = " and ".join(f"`{room}`" for room in ROOMS)
    return "\n".join(
        [
            "# Mutation testing of kernels and switches",
            "",
            "Do the twins notice a fault? `cargo mutants` lists small changes of the engine in",
            f"{rooms}; each is made by itself, and the twins of its room are run",
            "(`TWINS` in `tests/quick.py`), with a tenth of all random cases, as in `make test`.",
            "`make mutants` repeats it.",
            "",
            f"{len(chosen)} of {len(mutants)} mutants were tried, drawn with seed {seed}.",
            f"Of the {viable} that compile, {share} were noticed.",
            "",
            "| outcome | mutants |",
            "|---|---:|",
            f"| caught: a test fails | {counts['caught']} |",
            f"| timeout: tests take five times as long | {counts['timeout']} |",
            f"| missed: all tests pass | {counts['missed']} |",
            f"| unviable: does not compile | {counts['unviable']} |",
            "",
            "## Missed",
            "",
            *(missed or ["None."]),
            "",
        ]
    )


if __name__ == "__main__":
    sys.exit(main())
