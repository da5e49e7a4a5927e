"""What failed links cost: the same experiment with sets of links that are drawn at random.

* `cables`: the links between switches, and their names;
* `drawing`: which of them fail together;
* `resilience`: `resilience`, and its answer.
"""

from .resilience import Drawn, Outcome, Resilience, Spread, resilience

__all__ = [
    "Drawn",
    "Outcome",
    "Resilience",
    "Spread",
    "resilience",
]
