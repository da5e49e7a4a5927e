"""What is on a page: sections of paragraphs, tables and figures."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from tailback.figures.drawing import Drawing

Mark = Literal["good", "bad", "open", ""]


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell of a table that is more than its text."""

    text: str
    order: float | str | None = None
    """What rows are sorted by; the text unless given."""
    mark: Mark = ""
    """A verdict, shown by a colour and a sign."""
    hint: str = ""
    """A remark below the text, in small letters."""


Content = Cell | str | float | int | None
"""A cell: numbers are shown with four digits that count, None as a dash."""


@dataclass(frozen=True, slots=True)
class Table:
    """A table that can be sorted by each of its columns."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Content, ...], ...]
    caption: str = ""
    searchable: bool = False
    """Whether rows can be filtered by text."""
    folded: bool = False
    """Whether only the caption is seen until it is unfolded."""


@dataclass(frozen=True, eq=False, slots=True)
class Figure:
    """A drawing with its title, caption and the name of the files made from it."""

    name: str
    """Of its files, without ending: letters, digits, `_`; another one for each on a page."""
    title: str
    drawing: Drawing
    caption: str = ""


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what follows, in order; a section inside one has a smaller heading."""

    title: str
    content: tuple[str | Table | Figure | Section, ...]
    choices: tuple[str, ...] = ()
    """Names of choices that are made once, at the head of the section, for all its figures."""


@dataclass(frozen=True, slots=True)
class Page:
    """What a file of HTML shows."""

    title: str
    lead: tuple[str, ...] = ()
    """Paragraphs below the title."""
    sections: tuple[Section, ...] = ()
    facts: tuple[tuple[str, str], ...] = ()
    """Numbers to be seen at once: a label and a value each."""
    terms: tuple[tuple[str, str], ...] = ()
    """The glossary: a term and what it means, in one line."""
    footer: str = ""
