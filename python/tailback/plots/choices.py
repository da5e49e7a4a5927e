"""What a picture of results is made of: what the user chose, and the small file that keeps it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, NoReturn

from tailback.errors import UserError, choice, read_text, shown, unknown_key
from tailback.figures.canvas import PX_PER_INCH
from tailback.figures.description import Axis
from tailback.figures.files import Paper
from tailback.importing.toml import to_toml
from tailback.since311 import Self, tomllib
from tailback.units import Size, Time, quantity

SIZES = {"single": 3.5, "double": 7.16}
"""Widths of one and of both columns of a paper with two, in inches."""
_UNITS = {"in": 1.0, "mm": 1 / 25.4, "cm": 1 / 2.54}
_MOST_INCHES = 100.0
AXES = ("x", "y", "xy")
_PS = {"ns": 1e3, "µs": 1e6, "ms": 1e9}
_HEAD = ("Draws the picture again: tailback plot --from THIS FILE",)


@dataclass(frozen=True)
class Choices:
    """What is drawn, and how; the keys of the file that keeps it."""

    x: str | None = None
    y: str | None = None
    cdf: str | None = None
    quantiles: str | None = None
    heat: str | None = None
    """The parameter upwards on a map of colours."""
    mode: str | None = None
    where: tuple[str, ...] = ()
    title: str | None = None
    size: str | None = None
    xlim: str | None = None
    ylim: str | None = None
    linear: str | None = None
    log: str | None = None
    end_at_saturation: bool = False

    def __post_init__(self) -> None:
        """Check what can be checked without results."""
        object.__setattr__(self, "where", tuple(self.where))
        for name in ("linear", "log"):
            axes = getattr(self, name)
            if axes is not None and axes not in AXES:
                raise choice(name, axes, AXES)
        both = set(self.linear or "") & set(self.log or "")
        if both:
            problem = f"is said of axis {min(both)}, which is to be logarithmic as well"
            raise UserError("linear", shown(self.linear), problem)
        own = [name for name in ("cdf", "quantiles", "heat") if getattr(self, name) is not None]
        if len(own) > 1:
            problem = f"is another picture than {own[1]}: choose one"
            raise UserError(own[0], shown(getattr(self, own[0])), problem)
        if own and own != ["heat"] and (self.x is not None or self.y is not None):
            problem = "has axes of its own; leave out x and y"
            raise UserError(own[0], shown(getattr(self, own[0])), problem)
        _ = self.paper

    @property
    def is_usual(self) -> bool:
        """Whether nothing says which picture is wanted."""
        named = (self.x, self.y, self.cdf, self.quantiles, self.heat, self.mode)
        return all(name is None for name in named)

    @property
    def paper(self) -> Paper:
        """The size of the picture; raises `UserError` if it is none."""
        has_heading = self.title is not None
        if self.size is None:
            return Paper(has_heading=has_heading)
        if self.size in SIZES:
            width, height = PX_PER_INCH * SIZES[self.size], None
        else:
            width, height = (PX_PER_INCH * side for side in _inches(self.size))
        return Paper(width, height, in_inches=True, has_heading=has_heading)

    def axes(self, x: Axis, y: Axis) -> tuple[Axis, Axis]:
        """Return axes as they are to be drawn; raise `UserError` for limits that are none."""
        return self._axis(x, "x", self.xlim), self._axis(y, "y", self.ylim)

    def _axis(self, axis: Axis, letter: str, limits: str | None) -> Axis:
        if letter in (self.log or ""):
            axis = replace(axis, log=True)
        if letter in (self.linear or ""):
            axis = replace(axis, log=False)
        return axis if limits is None else replace(axis, limits=_limits(axis, letter, limits))

    # ---- the file

    @classmethod
    def names(cls) -> list[str]:
        """Return the keys of the file."""
        return [field.name for field in fields(cls)]

    def given(self) -> dict[str, Any]:
        """Return what differs from what is usual, by key."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != field.default
        }

    def but(self, given: Mapping[str, Any]) -> Self:
        """Return these choices with others in place of some of them."""
        return replace(self, **given)

    def toml(self, path: Path, results: Mapping[str, Path], out: str) -> str:
        """Return the file at `path` that keeps the choices, the results and the picture."""
        named = [
            f"{name}={os.path.relpath(folder, path.parent)}" if name else _relative(folder, path)
            for name, folder in results.items()
        ]
        return to_toml({"results": named, "out": out, **self.given()}, _HEAD)


def _relative(folder: Path, path: Path) -> str:
    place = os.path.relpath(folder, path.parent)
    # With an equals sign it would be taken for a name.
    return f"{Path(place).name}={place}" if "=" in place else place


@dataclass(frozen=True)
class Kept:
    """The content of a file of choices."""

    choices: Choices
    results: tuple[str, ...]
    out: Path | None

    @classmethod
    def read(cls, path: Path) -> Kept:
        """Return what a file keeps; raise `UserError` naming what is wrong with it."""
        try:
            content = tomllib.loads(read_text(path))
        except tomllib.TOMLDecodeError as error:
            raise UserError(str(path), None, f"is not TOML: {error}") from None
        known = ["results", "out", *Choices.names()]
        for key in content:
            if key not in known:
                raise unknown_key(str(path), key, known)
        results = content.pop("results", None)
        if not _are_texts(results) or not results:
            raise UserError(f"{path}: results", None, 'must be a list of folders: ["results"]')
        out = content.pop("out", None)
        for key, value in [*content.items(), *([("out", out)] if out is not None else [])]:
            _check(path, key, value)
        try:
            choices = Choices(**content)
        except UserError as error:
            raise error.inside(str(path)) from None
        folders = tuple(_placed(text, path.parent) for text in results)
        return cls(choices, folders, None if out is None else path.parent / out)


def _placed(text: str, folder: Path) -> str:
    """Return `NAME=DIR` or `DIR` of a file, seen from here instead of from the file's folder."""
    name, equals, place = text.rpartition("=")
    return f"{name}{equals}{folder / place}"


def _are_texts(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(text, str) for text in value)


def _check(path: Path, key: str, value: object) -> None:
    """Raise `UserError` unless a value is of the kind that its key needs."""
    if key == "where":
        is_right, needed = _are_texts(value), "a list of conditions"
    elif key == "end_at_saturation":
        is_right, needed = isinstance(value, bool), "true or false"
    else:
        is_right, needed = isinstance(value, str), "a text"
    if not is_right:
        raise UserError(f"{path}: {key}", shown(value), f"must be {needed}")


def _inches(text: str) -> tuple[float, float]:
    """Return width and height of `3.5x2.6` (inches), `88x66mm` or `9x6cm`."""
    unit = next((unit for unit in _UNITS if text.endswith(unit)), "")
    sides = text.removesuffix(unit).lower().split("x")
    try:
        width, height = (float(side) * _UNITS.get(unit, 1.0) for side in sides)
    except ValueError:
        _refuse_size(text)
    if not (0 < width <= _MOST_INCHES and 0 < height <= _MOST_INCHES):
        _refuse_size(text)
    return width, height


def _refuse_size(text: str) -> NoReturn:
    allowed = "must be single, double, or width x height such as 3.5x2.6 (inches) or 88x66mm"
    raise UserError("size", shown(text), allowed)


def _limits(axis: Axis, letter: str, text: str) -> tuple[float | None, float | None]:
    """Return the ends that `LOW:HIGH` says, in the unit of the axis; one may be left out."""
    option = f"{letter}lim"
    low_text, colon, high_text = text.partition(":")
    if axis.names:
        raise UserError(option, shown(text), f"the {letter} axis has no numbers")
    if not colon or not (low_text or high_text):
        raise UserError(option, shown(text), "must be LOW:HIGH, such as 0:0.8 or :20us")
    low, high = (_end(axis, option, end.strip()) if end else None for end in (low_text, high_text))
    if low is not None and high is not None and low >= high:
        raise UserError(option, shown(text), "its first end must be below its second")
    if axis.log and ((low is not None and low <= 0) or (high is not None and high <= 0)):
        raise UserError(option, shown(text), "a logarithmic axis has positive ends")
    return low, high


def _end(axis: Axis, option: str, text: str) -> float:
    """Return a number, a share in percent, or a time or size in the unit of the axis."""
    try:
        return float(text.removesuffix("%")) / (100 if text.endswith("%") else 1)
    except ValueError:
        pass
    try:
        found = quantity(text)
    except UserError as error:
        raise error.inside(option) from None
    unit = axis.unit.partition(" ")[0]
    if isinstance(found, Time) and unit in _PS:
        return found.ps / _PS[unit]
    if isinstance(found, Size) and unit == "B":
        return float(found.bytes)
    raise UserError(option, shown(text), f"is no end of an axis of {axis.title}")
