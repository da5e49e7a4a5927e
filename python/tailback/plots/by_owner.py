"""Pictures with one colour per traffic class or job: `classes.*.message_latency`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from tailback.errors import UserError, shown
from tailback.figures.description import Axis, Line
from tailback.figures.labels import metric_axis
from tailback.figures.look import telling
from tailback.metrics import OF_CLASSES, OF_JOBS, stem_of
from tailback.report.usual import Picture

EACH = "*"

_WORDS = {OF_CLASSES: "class", OF_JOBS: "job"}

Names = Mapping[str, str]
"""Names of metrics as given by the user, by option."""


def of_each(
    names: Names, columns: Iterable[str], is_known: Callable[[str, str], bool]
) -> dict[str, Names]:
    """Return the requested names by class or job; under an empty key without an asterisk.

    `is_known`: whether an option accepts a name. Raises `UserError` if an asterisk matches nothing.
    """
    starred = {option: name for option, name in names.items() if EACH in name}
    if not starred:
        return {"": names}
    option, pattern = next(iter(starred.items()))
    start = next((start for start in _WORDS if pattern.startswith(f"{start}{EACH}.")), None)
    if start is None or pattern.count(EACH) > 1:
        problem = f"an asterisk stands for a class or job: {OF_CLASSES}*.message_latency"
        raise UserError(option, shown(pattern), problem)
    owned = [name.removesuffix(stem_of(name))[:-1] for name in columns if name.startswith(start)]
    found: dict[str, Names] = {}
    for owner in dict.fromkeys(name.removeprefix(start) for name in owned):
        own = {option: name.replace(EACH, owner) for option, name in names.items()}
        if all(is_known(option, own[option]) for option in starred):
            found[owner] = own
    if not found:
        raise UserError(option, shown(pattern), f"is known of no {_WORDS[start]}")
    return found


def together(pictures: Mapping[str, Picture]) -> Picture:
    """Return one picture for all classes or jobs, with a colour for each."""
    if len(pictures) == 1:
        return next(iter(pictures.values()))
    first = next(iter(pictures.values()))
    x, y = _of_all(first.x), _of_all(first.y)
    told = first.title
    for axis, whole in ((first.x, x), (first.y, y)):
        told = told.replace(axis.label, whole.label)
    owners = [*pictures]
    name = first.name.replace(f".{owners[0]}.", ".each.")
    kind = "class" if OF_CLASSES in f"{first.x.column} {first.y.column}" else "job"
    title = f"{told}, by {kind}"
    return replace(first, name=name, title=title, lines=_coloured(pictures), x=x, y=y)


def _coloured(pictures: Mapping[str, Picture]) -> list[Line]:
    """Return the lines of all pictures, named by them, with a colour for each picture."""
    plain = [line for seen in pictures.values() for line in seen.lines if line.look == "plain"]
    # One reference line is enough: the longest.
    lines: list[Line] = sorted(plain, key=lambda line: float(max(line.x)))[-1:]
    for number, (owner, seen) in enumerate(pictures.items()):
        own = [line for line in seen.lines if line.look != "plain"]
        for place, line in enumerate(own):
            name = ", ".join(filter(None, (owner, line.name)))
            mark = number + place
            told = replace(line, name=name, colour=number, order=None)
            lines.append(replace(told, mark=mark, look=telling(mark)))
    return lines


def of_stores(pictures: Mapping[str, Picture]) -> Picture:
    """Return one picture for several results, whose pictures must have the same axes.

    Raises `UserError` if they have not.
    """
    first = next(iter(pictures.values()))
    for name, seen in pictures.items():
        if (seen.x.column, seen.y.column) != (first.x.column, first.y.column):
            problem = f"shows {seen.title}, others {first.title}; choose x and y"
            raise UserError("results", shown(name), problem)
    captions = {name: seen.caption for name, seen in pictures.items() if seen.caption}
    same = len(set(captions.values())) == 1 and len(captions) == len(pictures)
    words = [first.caption] if same else [f"{name}: {text}" for name, text in captions.items()]
    return replace(first, lines=_coloured(pictures), caption=" ".join(words))


def _of_all(axis: Axis) -> Axis:
    """Return the axis of a metric of one class or job without the name of its owner."""
    if not axis.column.startswith(tuple(_WORDS)):
        return axis
    stem = stem_of(axis.column)
    whole = metric_axis(stem)
    # Distributions show single values, not means.
    label = whole.label if axis.label.startswith("mean ") else whole.label.removeprefix("mean ")
    return replace(axis, label=label)
