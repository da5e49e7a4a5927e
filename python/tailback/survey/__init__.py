"""What can be said about a network by counting: distances, minimal paths, bisection."""

from .bisection import Bisection, bisection_found
from .counting import Survey, sees_the_same, survey

__all__ = ["Bisection", "Survey", "bisection_found", "sees_the_same", "survey"]
