"""Counters of ports, as switches and adapters of real machines have them.

* `ports`: which channels leave and enter by which port, and its names; `recorded`: a run that keeps
  what counters are made of;
* `counting`: counters of a run from its tables; `sampled`: the same by slice of time;
* `texts`: counters in the text forms of `perfquery`, `ibdiagnet` and `ethtool -S`;
* `measured`: a port of a file; `perfquery`, `ibdiagnet`, `ethtool`: one reader per tool;
  `readers`: all of them, and what was counted between two files;
* `beside`: measured counters beside simulated ones.
"""

from __future__ import annotations

from .beside import Beside, beside
from .counting import Counters, counters_of
from .readers import READERS, between
from .recorded import Waiting, run_counted, with_counters
from .sampled import sampled
from .texts import FORMS, text_of

__all__ = [
    "FORMS",
    "READERS",
    "Beside",
    "Counters",
    "Waiting",
    "beside",
    "between",
    "counters_of",
    "run_counted",
    "sampled",
    "text_of",
    "with_counters",
]
