"""An experiment: a machine, a workload and how to run it, from one TOML file."""

from __future__ import annotations

from .description import Experiment
from .run import Metric, Mode, Run
from .schema import json_schema

__all__ = ["Experiment", "Metric", "Mode", "Run", "json_schema"]
