"""Topologies of ns-3 with RDMA: of HPCC and ConWeave, and of SimAI.

The first line has counts, the second the numbers of switches, each further one a link: two ends,
rate, delay and error rate. With SimAI the first numbers are GPUs, and NVSwitches come first among
switches.
"""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

from ...errors import read_text
from .description import MOST, Cable, Cluster, Reader
from .lines import decimal, delay_ps, rate, whole, words

_RATE = re.compile(r"([0-9.]{1,12})(bps|[KMGT]bps)")
_BITS = {"bps": 1, "Kbps": 10**3, "Mbps": 10**6, "Gbps": 10**9, "Tbps": 10**12}
_DELAY = re.compile(r"([0-9.eE-]{1,16})(s|ms|us|ns|ps)")
_NANOSECONDS = {
    "s": Fraction(10**9),
    "ms": Fraction(10**6),
    "us": Fraction(1000),
    "ns": Fraction(1),
    "ps": Fraction(1, 1000),
}


def read_hpcc(path: Path) -> Cluster:
    """Read a topology of HPCC or ConWeave. Raises `UserError` for the first mistake."""
    found = Cluster(path)
    lines = list(words(read_text(path)))
    counts = _counts(found, lines, ("nodes", "switches", "links"))
    names = {}
    switches = _numbers(found, lines, counts["nodes"], counts["switches"])
    for number in range(counts["nodes"]):
        is_switch = number in switches
        names[number] = f"switch{number}" if is_switch else f"host{number}"
        (found.add_switch if is_switch else found.add_host)(names[number], 2)
    _links(found, lines, counts["links"], names)
    return found


def read_simai(path: Path) -> Cluster:
    """Read a topology of SimAI. Raises `UserError` for the first mistake."""
    found = Cluster(path)
    lines = list(words(read_text(path)))
    keys = ("nodes", "gpus_per_server", "nvswitches", "switches", "links")
    counts = _counts(found, lines, keys, more=1)
    listed = _numbers(found, lines, counts["nodes"], counts["nvswitches"] + counts["switches"])
    nvswitches = set(sorted(listed)[: counts["nvswitches"]])
    names = {}
    for number in range(counts["nodes"]):
        kind = "gpu" if number not in listed else "nvswitch" if number in nvswitches else "switch"
        names[number] = f"{kind}{number}"
        (found.add_host if kind == "gpu" else found.add_switch)(names[number], 2)
    _links(found, lines, counts["links"], names)
    return found


def _counts(
    found: Cluster,
    lines: list[tuple[int, list[str]]],
    keys: tuple[str, ...],
    more: int = 0,
) -> dict[str, int]:
    """Return the numbers of the first line, behind which ``more`` words may stand."""
    if not lines:
        raise found.mistake(None, None, f"is empty; must begin with {' '.join(keys)}")
    line, said = lines[0]
    if not len(keys) <= len(said) <= len(keys) + more:
        raise found.mistake(line, " ".join(said), f"must be {' '.join(keys)}")
    counts = {
        key: whole(found, line, text, f"the number of {key}")
        for key, text in zip(keys, said, strict=False)
    }
    if counts["nodes"] > MOST:
        raise found.mistake(line, counts["nodes"], f"must be at most {MOST} nodes")
    return counts


def _numbers(
    found: Cluster, lines: list[tuple[int, list[str]]], nodes: int, expected: int
) -> set[int]:
    """Return the numbers of the second line: those of switches."""
    if expected == 0:
        raise found.mistake(lines[0][0], None, "has no switches; a network must have one")
    if len(lines) < 2:
        raise found.mistake(None, None, f"ends before the numbers of its {expected} switches")
    line, said = lines[1]
    numbers = [whole(found, line, text, "the number of a switch") for text in said]
    if len(numbers) != expected:
        raise found.mistake(line, f"{len(numbers)} switches", f"must be {expected}, as line 1 says")
    for number in numbers:
        if number >= nodes:
            raise found.mistake(line, number, f"must be a node, 0 to {nodes - 1}")
    if len(set(numbers)) != len(numbers):
        twice = next(one for one in numbers if numbers.count(one) > 1)
        raise found.mistake(line, twice, "is there twice")
    return set(numbers)


def _links(
    found: Cluster,
    lines: list[tuple[int, list[str]]],
    expected: int,
    names: dict[int, str],
) -> None:
    links = lines[2:]
    if len(links) != expected:
        raise found.mistake(
            links[-1][0] if links else None,
            f"{len(links)} links",
            f"must be {expected}, as line 1 says; is the file cut?",
        )
    errs = False
    for line, said in links:
        if len(said) not in (4, 5):
            allowed = "must be two nodes, rate, delay and error rate: 0 320 100Gbps 1000ns 0"
            raise found.mistake(line, " ".join(said), allowed)
        ends = [whole(found, line, text, "a node") for text in said[:2]]
        for end in ends:
            if end not in names:
                raise found.mistake(line, end, f"must be a node, 0 to {len(names) - 1}")
        speed, time = _RATE.fullmatch(said[2]), _DELAY.fullmatch(said[3])
        if speed is None:
            raise found.mistake(line, said[2], "is no rate; must be like 100Gbps")
        if time is None:
            raise found.mistake(line, said[3], "is no delay; must be like 1000ns")
        bits = decimal(found, line, speed[1], "a rate") * _BITS[speed[2]]
        nanoseconds = decimal(found, line, time[1], "a delay") * _NANOSECONDS[time[2]]
        if len(said) == 5:
            errs |= decimal(found, line, said[4], "an error rate") > 0
        joined = [names[end] for end in ends]
        inside = any(name.startswith("nvswitch") for name in joined)
        cable = Cable(
            (joined[0], joined[1]),
            rate=rate(found, line, bits, said[2]),
            delay_ps=delay_ps(found, line, nanoseconds, said[3]),
            link_class="nvlink" if inside else None,
        )
        found.join(line, cable)
    if errs:
        found.notes.append("error rates of links have no effect")


def _is_hpcc(head: bytes) -> bool:
    return bool(re.match(rb"\s*\d+[ \t]+\d+[ \t]+\d+[ \t]*\r?\n", head))


def _is_simai(head: bytes) -> bool:
    return bool(
        re.match(rb"\s*\d+[ \t]+\d+[ \t]+\d+[ \t]+\d+[ \t]+\d+([ \t]+\w+)?[ \t]*\r?\n", head)
    )


READERS = (
    Reader("hpcc", "HPCC and ConWeave (ns-3): topology", _is_hpcc, read_hpcc),
    Reader("simai", "SimAI (ns-3): topology", _is_simai, read_simai),
)
