"""Plotly's JavaScript for the figures of pages: `plotly.min.js`, under the `LICENSE.txt` beside it.

The file is that of the Python library plotly in the version of requirements-dev.lock; the library
itself takes 64 MB.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files


@cache
def script() -> str:
    """Return the JavaScript of Plotly, for a page that needs no network."""
    return files(__name__).joinpath("plotly.min.js").read_text(encoding="utf-8")
