"""Figures: descriptions made from tables, and their two renderers.

* `description`, `network_map`: views, panels, axes and marks; `drawing`: views with choices;
* `curves`, `bars`, `latency`, `maps`, `topology`, `blocked`, `schedules`, `single`: builders;
* `pages` with `layout`, `line_traces`, `network_traces`: Plotly's figures, for pages and notebooks;
* `files` with `network_files`, `scales`, `canvas`: SVG, PDF and PNG.

Plotly itself is only imported for notebooks and stand-alone maps: a page brings its own script.
"""

from .single import of_modes

__all__ = ["of_modes"]
