"""Renders a page as HTML with figures, scripts and styles inside."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from tailback import plotly_js
from tailback.figures import look
from tailback.wording import UNKNOWN, plain

from .content import Cell, Content, Figure, Page, Section, Table
from .encoding import Encoder, compressed_json

_TEMPLATE = "template.html.j2"
_SCRIPTS = ("decoding", "controls", "figures", "looks", "tables", "start")
_DIGITS = 4
MOST_ROWS = 2000
"""Rows of a table; it says how many more there are."""
_HEIGHT_PX = 400
_CODE = re.compile(r"`([^`]+)`")
_SIGNS = {"good": "✓", "bad": "✗", "open": "?", "": ""}


@dataclass(frozen=True, slots=True)
class _ShownCell:
    """A cell for the template."""

    cell: Cell
    sign: str
    number: bool


@dataclass(frozen=True, slots=True)
class _Block:
    """A part of a section; `kind` is paragraph, table, figures or section."""

    kind: str
    content: Any


def html(page: Page) -> str:
    """Return a page as text."""
    encoder = Encoder()
    sections = [_section(section, encoder, f"s{i}") for i, section in enumerate(page.sections)]
    themes = {"light": look.LIGHT.to_dict(), "dark": look.DARK.to_dict()}
    return page_template("tailback.report").render(
        page=page,
        sections=sections,
        chunks=encoder.finish(),
        themes=compressed_json(themes),
        plotly=Markup(plotly_js.packed()),  # base64
        script=_script(_own_script()),
        style=Markup(_file("tailback.report", "page.css")),  # a file of ours
    )


@cache
def page_template(package: str) -> Template:
    """Return the template of a page that lies in a package: all text is escaped.

    It is compiled once: `report --pages` writes many.
    """
    environment = Environment(
        loader=PackageLoader(package, "."),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters["prose"] = prose
    return environment.get_template(_TEMPLATE)


def prose(text: str) -> Markup:
    """Return text escaped, with `backticks` as code."""
    return Markup(_CODE.sub(r"<code>\1</code>", str(escape(text))))  # escaped


def _own_script() -> str:
    """Return the script of a page: files in one function scope."""
    parts = [_file("tailback.report", f"script/{name}.js") for name in _SCRIPTS]
    loading = f"async function loadPlotly() {{{plotly_js.LOADING}}}"
    return "\n".join(['"use strict";', "(async () => {", loading, *parts, "})();"])


def _script(text: str) -> Markup:
    """Return a script escaped so that it cannot end its element."""
    return Markup(plotly_js.inlined(text))


@cache
def _file(package: str, name: str) -> str:
    return files(package).joinpath(name).read_text(encoding="utf-8")


def _section(section: Section, encoder: Encoder, anchor: str) -> dict[str, Any]:
    return {
        "title": section.title,
        "anchor": anchor,
        "choices": " ".join(section.choices),
        "points": " ".join(section.points),
        "pages": json.dumps(section.pages) if section.pages else "",
        "blocks": list(_blocks(section.content, encoder, anchor)),
    }


def _blocks(
    content: Sequence[str | Table | Figure | Section], encoder: Encoder, anchor: str
) -> Iterator[_Block]:
    """Yield the parts of a section; consecutive figures are side by side."""
    row: list[dict[str, Any]] = []
    for i, part in enumerate(content):
        if isinstance(part, Figure):
            row.append(_figure(part, encoder))
            continue
        if row:
            yield _Block("figures", row)
            row = []
        if isinstance(part, Table):
            yield _Block("table", _table(part))
        elif isinstance(part, Section):
            yield _Block("section", _section(part, encoder, f"{anchor}-{i}"))
        else:
            yield _Block("paragraph", part)
    if row:
        yield _Block("figures", row)


def _figure(figure: Figure, encoder: Encoder) -> dict[str, Any]:
    drawing = figure.drawing
    return {
        "name": figure.name,
        "title": figure.title,
        "caption": figure.caption,
        "height_px": drawing.height_px or _HEIGHT_PX,
        "drawing": compressed_json(encoder.drawing(drawing)),
    }


def _table(table: Table) -> dict[str, Any]:
    return {
        "columns": table.columns,
        "caption": table.caption,
        "searchable": table.searchable,
        "folded": table.folded,
        "rows": [[_cell(cell) for cell in row] for row in table.rows[:MOST_ROWS]],
        "left_out": max(0, len(table.rows) - MOST_ROWS),
    }


def _cell(content: Content) -> _ShownCell:
    if isinstance(content, Cell):
        return _ShownCell(content, _SIGNS[content.mark], isinstance(content.order, int | float))
    if isinstance(content, str):
        return _ShownCell(Cell(content), "", number=False)
    if content is None:
        return _ShownCell(Cell(UNKNOWN), "", number=True)
    text = plain(content, _DIGITS) if isinstance(content, float) else f"{content:,}"
    return _ShownCell(Cell(text, content), "", number=True)
