"""Plotly's JavaScript for the figures of pages: `plotly.min.js`, under the `LICENSE.txt` beside it.

The file is that of the Python library plotly in the version of requirements-dev.lock; the library
itself takes 64 MB and is needed for figures in notebooks alone (the extra `notebook`).
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files


@cache
def script() -> str:
    """Return the JavaScript of Plotly, for a page that needs no network."""
    return files(__name__).joinpath("plotly.min.js").read_text(encoding="utf-8")


def inlined(script: str) -> str:
    """Return a script that cannot end the element of HTML it stands in."""
    return re.sub("</(?=script)", r"<\\/", script, flags=re.IGNORECASE)
