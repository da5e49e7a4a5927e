"""What failed links cost: the same experiment with sets of links that are drawn at random.

* `cables`: the links between switches, and their names;
* `drawing`: which of them fail together;
* `outcomes`: what came of them, and the answer;
* `resilience`: the runs with and without them.
"""

from .outcomes import Drawn, Outcome, Resilience, Spread
from .resilience import resilience

__all__ = [
    "Drawn",
    "Outcome",
    "Resilience",
    "Spread",
    "resilience",
]
