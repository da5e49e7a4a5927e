"""The head of every answer: what a user asked, in one to three sentences.

One function for each kind of result returns its `Head`: how much contention costs, with the
interval if there is one; where it begins; and because of whom. The terminal prints `Head.lines`
first, and so can pages. The words for ratios are those of `wording.verdict`. `of_program` and
`of_saturation` are not imported here: they need what most commands do not.
"""

from __future__ import annotations

from .of_blame import of_blame
from .of_cost import of_cost
from .of_jobs import of_interference
from .of_prediction import of_prediction
from .of_run import of_run
from .status import Head

__all__ = [
    "Head",
    "of_blame",
    "of_cost",
    "of_interference",
    "of_prediction",
    "of_run",
]
