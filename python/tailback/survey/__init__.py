"""Numbers of a network, whatever its routing: distances, minimal paths, bisection, symmetry."""

from .bisection import Bisection, bisection_found
from .cluster import Cables, ClusterSurvey, Groups, Tier, cluster_survey
from .counting import Survey, survey
from .structure import Structure, structure
from .symmetry import Symmetry, symmetry
from .table_routes import TableRoutes, table_routes

__all__ = [
    "Bisection",
    "Cables",
    "ClusterSurvey",
    "Groups",
    "Structure",
    "Survey",
    "Symmetry",
    "TableRoutes",
    "Tier",
    "bisection_found",
    "cluster_survey",
    "structure",
    "survey",
    "symmetry",
    "table_routes",
]
