"""Numbers of a network, whatever its routing: distances, minimal paths, bisection, symmetry."""

from .bisection import Bisection, bisection_found
from .counting import Survey, survey
from .symmetry import Symmetry, symmetry
from .table_routes import TableRoutes, table_routes

__all__ = [
    "Bisection",
    "Survey",
    "Symmetry",
    "TableRoutes",
    "bisection_found",
    "survey",
    "symmetry",
    "table_routes",
]
