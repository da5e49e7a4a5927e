"""Pictures of sweeps for papers, as SVG, PDF or PNG.

* `making`: which picture, from which store, into which file;
* `cumulative`: distributions of times;
* `by_owner`: traffic classes or jobs in one picture.

`figures.files` draws them.
"""

from .making import FOLDER, Plot, check_kind, plot, write_plots

__all__ = ["FOLDER", "Plot", "check_kind", "plot", "write_plots"]
