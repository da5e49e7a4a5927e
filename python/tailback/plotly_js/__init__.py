"""Plotly's JavaScript for the figures of pages, compressed, under the `LICENSE.txt` beside it.

The file is that of the Python library plotly in the version of requirements-dev.lock; the library
itself takes 64 MB and is needed for figures in notebooks alone (the extra `notebook`). Pages hold
the file compressed, as 2 MB instead of 4.8, and their browsers inflate it.
"""

from __future__ import annotations

import base64
import re
from functools import cache
from importlib.resources import files

LOADING = """
const packed = document.getElementById("plotly").textContent;
const bytes = Uint8Array.from(atob(packed.trim()), (letter) => letter.charCodeAt(0));
const inflating = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
const library = document.createElement("script");
library.textContent = await new Response(inflating).text();
document.head.append(library);
"""
"""Loads Plotly from the element `plotly` of a page; within an asynchronous function."""


@cache
def packed() -> str:
    """Return the JavaScript of Plotly, compressed, in base64."""
    content = files(__name__).joinpath("plotly.min.js.gz").read_bytes()
    return base64.b64encode(content).decode("ascii")


def inlined(script: str) -> str:
    """Return a script that cannot end the element of HTML it stands in."""
    return re.sub("</(?=script)", r"<\\/", script, flags=re.IGNORECASE)
