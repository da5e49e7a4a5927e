"""Counts the files that an addition takes: `python -m tests.additions`.

For each kind of addition there is an example in the tree, with the words that name it. Every file
that names it had to change when it was added; what is generated, and tests of its own, apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]

#: Most files that an addition may take.
MOST = 6

#: Where what has to change can be.
_PLACES = ("crates", "python", "docs", "tests", "ARCHITECTURE.md", "REFERENCES.md", "Makefile")
_KINDS = {".rs", ".py", ".md", ".toml", ".j2", ".ts", ".js"}

#: Tests that an addition brings along, whatever it is.
_TESTS = re.compile(
    r"tests/(unit|contract|golden|browser|frozen|fuzz|answers)/"
    r"|tests/(additions|exact/|programs/)"
    r"|engine/tests/(exact|programs)/"
    r"|tests/twins/.*(hand|shares)\.rs"
    r"|/tests\.rs$"
    # It names the examples to follow.
    r"|docs/extending\.md$"
)
_GENERATED = re.compile(r"<!-- generated: .*?<!-- end -->", re.DOTALL)


@dataclass(frozen=True)
class Addition:
    """An addition that was made, and what names it."""

    name: str
    example: str
    words: str
    """Regular expression."""


ADDITIONS = (
    Addition("a topology", "the Kautz graph", r"(?i)kautz"),
    Addition("a routing", "labels along a Hamiltonian path", r"(?i)hamiltonian"),
    Addition(
        "an arbiter with a parameter",
        "deficit round robin, with shares",
        r"deficit_round_robin|DeficitRoundRobin|deficit round-robin|shares_bytes",
    ),
    Addition("a workload of steps", "compute_only", r"compute_only|ComputeOnly"),
    Addition("a reader", "that of BookSim2", r"read_booksim"),
    Addition("a key", "switch.edge_delay", r"edge_delay"),
)


def text_of(path: Path) -> str:
    """Return what is written by hand in a file."""
    text = path.read_text(encoding="utf-8")
    return _GENERATED.sub("", text) if path.suffix == ".md" else text


def files() -> Iterator[tuple[str, str]]:
    """Yield the paths of all files that may have to change, with their texts."""
    for place in _PLACES:
        top = ROOT / place
        for path in sorted(top.rglob("*")) if top.is_dir() else [top]:
            name = path.relative_to(ROOT).as_posix()
            if path.suffix in _KINDS and path.is_file() and not _TESTS.search(name):
                yield name, text_of(path)


def counted() -> dict[Addition, list[str]]:
    """Return the files that name each addition."""
    all_files = list(files())
    return {
        one: [name for name, text in all_files if re.search(one.words, text)] for one in ADDITIONS
    }


def main() -> None:
    """Print the count of each, and the files."""
    for one, names in counted().items():
        print(f"{one.name} ({one.example}): {len(names)}")
        print(*(f"  {name}" for name in names), sep="\n")


if __name__ == "__main__":
    main()
