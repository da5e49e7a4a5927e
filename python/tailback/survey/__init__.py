"""What can be said about a network by counting: distances, minimal paths, bisection."""

from .bisection import Bisection, bisection_found
from .counting import Survey, survey
from .symmetry import Symmetry, symmetry

__all__ = ["Bisection", "Survey", "Symmetry", "bisection_found", "survey", "symmetry"]
