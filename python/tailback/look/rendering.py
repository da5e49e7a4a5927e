"""Renders the page: one HTML file that may run its own script, by its hash, and nothing else."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from markupsafe import Markup

from tailback import plotly_js
from tailback.report.encoding import compressed_json
from tailback.report.rendering import page_template

from .model import Look

_SCRIPTS = (
    "data",
    "words",
    "colours",
    "map",
    "drawing",
    "strip",
    "panel",
    "flows",
    "controls",
    "start",
)

_UNIT = re.compile(r"(?<=\d) (?=%|[pnµm]?s\b)")


def html(look: Look) -> str:
    """Return the page as text."""
    script, style = _script(), "\n" + _file("look.css")
    return page_template("tailback.look").render(
        look=look,
        lead=_marked(" ".join(look.head.sentences), look.names),
        policy=f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'",
        data=compressed_json(look.shown),
        tables={name: stored.text for name, stored in look.tables.items()},
        script=Markup(script),  # ours
        style=Markup(style),  # ours
    )


@cache
def _script() -> str:
    """Return the script: files in one function scope."""
    parts = [_file(f"script/{name}.js") for name in _SCRIPTS]
    text = "\n".join(["", '"use strict";', "(async () => {", *parts, "})();", ""])
    return plotly_js.inlined(text)


def _marked(text: str, names: Sequence[str]) -> str:
    """Put names in backticks, which become code; each where it is no part of a longer one.

    Numbers stay with their units.
    """
    for name in names:
        text = re.sub(rf"(?<![\w`]){re.escape(name)}(?![\w`])", lambda found: f"`{found[0]}`", text)
    return _UNIT.sub("\N{NO-BREAK SPACE}", text)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


@cache
def _file(name: str) -> str:
    return files("tailback.look").joinpath(name).read_text(encoding="utf-8")
