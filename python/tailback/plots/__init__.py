"""Pictures for papers: the lines of a sweep as SVG without further libraries, or PDF and PNG.

* `making`: which picture, from which store, into which file;
* `cumulative`: distributions of times;
* `each`: traffic classes or jobs in one picture;
* `scales`: axes and their ticks, the same for every kind of file;
* `svg`, `with_matplotlib`: who draws.
"""

from .making import FOLDER, Plot, check_kind, plot, write_plots

__all__ = ["FOLDER", "Plot", "check_kind", "plot", "write_plots"]
