"""Numbers of a network, whatever its routing: distances, minimal paths, bisection, symmetry."""

from .bisection import Bisection, bisection_found
from .counting import Survey, survey
from .symmetry import Symmetry, symmetry

__all__ = ["Bisection", "Survey", "Symmetry", "bisection_found", "survey", "symmetry"]
