"""Pictures of sweeps for papers, as SVG, PDF or PNG.

* `choices`: what is drawn and how, and the small file that keeps it;
* `picture`: a picture and its files;
* `making`: which picture, from which stores;
* `cumulative`: distributions of times;
* `by_owner`: traffic classes, jobs or several stores in one picture;
* `saturating`: curves that end at saturation.

`figures.files` draws them.
"""

from .choices import Choices, Kept
from .making import FOLDER, drawn, plot, write_plots
from .picture import Plot, check_kind

__all__ = ["FOLDER", "Choices", "Kept", "Plot", "check_kind", "drawn", "plot", "write_plots"]
