"""What is drawn: plotly's figures as plain dictionaries, with the numbers in them.

* `curves`: lines with confidence bands;
* `maps`: the load of nodes and channels; `network` is a machine as they draw it;
* `latency`: distributions; `waiting`: where packets wait;
* `single`: the modes of one experiment side by side, for notebooks;
* `schedules`: steps of a schedule, as SVG;
* `drawing`: what all of them return, and what can be chosen in it.

Plotly itself is only needed for notebooks: a page brings its own script.
"""

from .single import of_modes

__all__ = ["of_modes"]
