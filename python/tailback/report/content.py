"""The content of a page: sections of paragraphs, tables and figures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from tailback.figures.drawing import Drawing

Mark = Literal["good", "bad", "open", ""]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table with a sort order, verdict or remark."""

    text: str
    order: float | str | None = None
    """Sort order of its row; by default the text."""
    mark: Mark = ""
    """A verdict, shown as a colour and a sign."""
    hint: str = ""
    """A remark below the text in small letters."""
    link: str = ""
    """The address that the text leads to, relative to the page."""


Content = Cell | str | float | int | None
"""A cell: numbers are shown with four significant digits, None as a dash."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that can be sorted by each of its columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Content, ...], ...]
    caption: str = ""
    searchable: bool = False
    """Whether rows can be filtered by text."""
    folded: bool = False
    """Whether only the caption is visible until unfolded."""


@dataclass(frozen=True, eq=False, slots=True)
class Figure:
    """A drawing with its title, caption and the name of the files made from it."""

    name: str
    """Base name of its files: letters, digits, `_`; unique on a page."""
    title: str
    drawing: Drawing
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and its content, in order; nested sections have smaller headings."""

    title: str
    content: tuple[str | Table | Figure | Section, ...]
    choices: tuple[str, ...] = ()
    """Names of choices with one control at the head of the section, for all its figures."""
    points: tuple[str, ...] = ()
    """Names of those of its choices that choose a point; a click on a point elsewhere sets them."""
    pages: Mapping[str, str] = field(default_factory=dict)
    """Addresses of points that have a page of their own, relative to this one, by the numbers of
    these choices (`1,0`); a click on such a point opens it."""


@dataclass(frozen=True, slots=True)
class Page:
    """The content of an HTML file."""

    title: str
    lead: tuple[str, ...] = ()
    """Paragraphs below the title."""
    sections: tuple[Section, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Key numbers at the top: a label and a value each."""
    terms: tuple[tuple[str, str], ...] = ()
    """The glossary: a term and its meaning in one line."""
    footer: str = ""
    links: tuple[tuple[str, str], ...] = ()
    """Words, and the address of another file that they lead to, relative to the page."""
