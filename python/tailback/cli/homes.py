"""Where commands are: none is imported before it is needed."""

from __future__ import annotations

#: Which module of this folder has which commands, in the order in which they are listed.
HOMES = {
    "describe": "single",
    "run": "single",
    "cost": "single",
    "blame": "blaming",
    "look": "looking",
    "counters": "counting",
    "explain": "explaining",
    "interference": "interfering",
    "flows": "blaming",
    "resilience": "failing",
    "saturate": "sweeping",
    "sweep": "sweeping",
    "table": "sweeping",
    "plot": "plotting",
    "report": "sweeping",
    "diff": "sending",
    "rerun": "sending",
    "pack": "sending",
    "timeline": "timelines",
    "schedule": "scheduling",
    "convert": "converting",
    "schema": "single",
    "import": "importing",
    "calibrate": "calibrating",
    "export": "exporting",
}
