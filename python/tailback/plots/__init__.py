"""Pictures of sweeps for papers, as SVG, PDF or PNG.

* `choices`: what is drawn and how, and the small file that keeps it;
* `making`: which picture, from which stores, into which file;
* `cumulative`: distributions of times;
* `by_owner`: traffic classes, jobs or several stores in one picture;
* `saturating`: curves that end at saturation.

`figures.files` draws them.
"""

from .choices import Choices, Kept
from .making import FOLDER, Plot, check_kind, drawn, plot, write_plots

__all__ = ["FOLDER", "Choices", "Kept", "Plot", "check_kind", "drawn", "plot", "write_plots"]
