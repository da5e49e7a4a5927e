"""Pages: headings, paragraphs, tables and figures in one HTML file.

The file needs only a browser: no network, no other file. All text is
plain text and is escaped; `backticks` become code. Numbers in tables have
four significant digits.

    from tailback.figures.curves import Axis, Line, curves
    from tailback.report.page import Figure, Page, Section, write

    drawing = curves([Line("full", [1, 2, 4], [3.0, 2.0, 1.0])], Axis("x"), Axis("y"))
    section = Section("Rates", ("A paragraph.", Figure("rate", "Rate", drawing)))
    write(Page("Title", sections=(section,)), Path("page.html"))
"""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import quote

from tailback import files
from tailback.errors import UserError

from .content import Cell, Content, Figure, Mark, Page, Section, Table
from .rendering import html

__all__ = [
    "Cell",
    "Content",
    "Figure",
    "Mark",
    "Page",
    "Section",
    "Table",
    "html",
    "link_from",
    "write",
    "write_html",
]


def link_from(page: Path, other: Path) -> str:
    """Return the address of another file for a link on a page."""
    return quote(os.path.relpath(other, page.parent).replace(os.sep, "/"))


def write(page: Page, path: Path) -> None:
    """Write a page into a file atomically; raise `UserError` if that fails."""
    write_html(html(page), path)


def write_html(text: str, path: Path) -> None:
    """Write the text of any page likewise."""
    try:
        files.write_durably(path, text.encode("utf-8", "backslashreplace"))
    except OSError as error:
        reason = f"cannot be written: {(error.strerror or str(error)).lower()}"
        raise UserError(str(path), None, reason) from None
