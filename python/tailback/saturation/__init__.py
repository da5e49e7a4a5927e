"""The load at which a network saturates, by bisection on stability.

* `loads`: from compute periods to loads and back;
* `probes`: one load is run until it is clear whether the network keeps up;
* `bracket`: which load to try next, and between which two the answer lies;
* `search`: `saturate`, and its answer.
"""

from .bracket import bracket
from .probes import Probe, Verdict
from .search import Outcome, Saturation, saturate

__all__ = [
    "Outcome",
    "Probe",
    "Saturation",
    "Verdict",
    "bracket",
    "saturate",
]
