"""BookSim's anynet format [Jiang et al. 2013].

A line lists what a router is joined to, each perhaps followed by a latency in cycles:

    router 0 node 0 node 1 router 1 15 router 2

A link leads back too: with the latency that the other router's line gives it, or of one
cycle if that line does not mention it. A line may begin with a node. Other than in
BookSim, a router that is mentioned twice in one line is joined by two links.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from ..errors import nearest, shown
from .assembling import Assembly, Wires, in_order

_KINDS = ("router", "node")
_USUAL_CYCLES = 1
_MOST_DIGITS = 20
"""Of the number of a router; of longer latencies the first ones are too long already."""


@dataclass(frozen=True, slots=True)
class _Mention:
    """One thing that a line says its head is joined to."""

    line: int
    head: tuple[str, str]
    kind: str
    name: str
    cycles: int | None


def read_anynet(path: Path, text: str, cycle_ps: int | None) -> Assembly:
    """Return what a file says. Raises `UserError`."""
    found = Assembly(path)
    mentions: list[_Mention] = []
    heads = []
    for number, line in enumerate(text.splitlines(), 1):
        words = line.split()
        if words:
            heads.append(_head(found, number, words))
            mentions += _mentions(found, number, heads[-1], words[2:])
    for kind, add in (("router", found.add_switch), ("node", found.add_node)):
        named = [name for of, name in heads if of == kind]
        named += [mention.name for mention in mentions if mention.kind == kind]
        for name in in_order(list(dict.fromkeys(named))):
            add(_vertex(kind, name))
    _join(found, mentions, cycle_ps)
    return found


def _vertex(kind: str, name: str) -> str:
    """Return a name that no vertex of the other kind has."""
    return name if kind == "router" else f"n{name}"


def _head(found: Assembly, number: int, words: list[str]) -> tuple[str, str]:
    kind = _kind(found, number, words[0])
    if len(words) < 2:
        raise found.mistake(f"line {number}: {kind} without a number")
    return kind, _number(found, number, kind, words[1])


def _mentions(
    found: Assembly, line: int, head: tuple[str, str], words: list[str]
) -> list[_Mention]:
    """Return what the rest of a line says."""
    mentions = []
    at = 0
    while at < len(words):
        kind = _kind(found, line, words[at])
        if at + 1 == len(words):
            raise found.mistake(f"line {line}: {kind} without a number")
        name = _number(found, line, kind, words[at + 1])
        at += 2
        cycles = None
        if at < len(words) and words[at] not in _KINDS:
            cycles = _cycles(found, line, words[at])
            at += 1
        mentions.append(_Mention(line, head, kind, name, cycles))
    return mentions


def _kind(found: Assembly, line: int, word: str) -> str:
    if word not in _KINDS:
        problem = f'line {line}: {shown(word)} where "router" or "node" is expected'
        raise found.mistake(problem, nearest(word, _KINDS))
    return word


def _number(found: Assembly, line: int, kind: str, word: str) -> str:
    if not (word.isascii() and word.isdigit() and len(word) < _MOST_DIGITS):
        raise found.mistake(f"line {line}: {shown(word)} is no number of a {kind}")
    return str(int(word))


def _cycles(found: Assembly, line: int, word: str) -> int:
    try:
        cycles = int(word[:_MOST_DIGITS])
    except ValueError:
        problem = f'line {line}: {shown(word)} where "router", "node" or a latency is expected'
        raise found.mistake(problem, nearest(word, _KINDS)) from None
    if cycles < 0:
        raise found.mistake(f"line {line}: latency {cycles} must not be negative")
    return cycles


def _join(found: Assembly, mentions: list[_Mention], cycle_ps: int | None) -> None:
    """Add the edges of all lines, and those that lead back and are mentioned nowhere."""
    between = {(m.head[1], m.name) for m in mentions if m.head[0] == m.kind == "router"}
    for mention in mentions:
        kind, name = mention.head
        head, other = _vertex(kind, name), _vertex(mention.kind, mention.name)
        if "node" in (kind, mention.kind):
            # BookSim's own default, written out, says nothing.
            told = None if mention.cycles in (None, _USUAL_CYCLES) else mention.cycles
            delay_ps = None if told is None else _delay(found, mention, told, cycle_ps)
            found.add_edge(head, other, Wires(delay_ps=delay_ps))
            found.add_edge(other, head, Wires(delay_ps=delay_ps))
            continue
        delay_ps = _delay(found, mention, mention.cycles, cycle_ps)
        found.add_edge(head, other, Wires(delay_ps=delay_ps))
        if (mention.name, name) not in between:
            back_ps = _delay(found, mention, None, cycle_ps)
            found.add_edge(other, head, Wires(delay_ps=back_ps))


def _delay(
    found: Assembly, mention: _Mention, cycles: int | None, cycle_ps: int | None
) -> int | None:
    """Return the time a flit is on a link; None if the file does not say."""
    if cycle_ps is None:
        if cycles is None:
            return None
        problem = f"line {mention.line}: latency {cycles} is in cycles; machine.clock or "
        raise found.mistake(f"{problem}machine.topology.cycle must be given")
    return (_USUAL_CYCLES if cycles is None else cycles) * cycle_ps
