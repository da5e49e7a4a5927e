"""Machines fitted to measured tables of latency and bandwidth.

* `measured`: rows of a table, and what processes did meanwhile; a reader;
* `osu`, `perftest`, `nccl_tests`, `plain`: one file per tool; `readers`: all of them;
* `simulated`: what the simulator takes for the same;
* `parameters`, `fitting`: keys as numbers, and least squares over them;
* `calibrating`: which keys can be told apart, and the answer;
* `rewritten`: the experiment file with the new values.
"""

from __future__ import annotations

from .calibrating import Calibration, calibrate
from .readers import READERS, read_measured
from .rewritten import rewritten

__all__ = ["READERS", "Calibration", "calibrate", "read_measured", "rewritten"]
