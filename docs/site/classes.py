"""Pages of the public names of Python, from docstrings, types and the schema of experiments."""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import tailback as tb
from tailback.experiment import json_schema
from tailback.machines import ROUTINGS, TOPOLOGIES
from tailback.workloads import KINDS

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import generate

Schema = Mapping[str, Any]

_PARTS = {
    "Link": ("link",),
    "NodeLink": ("node_link",),
    "LinkClass": ("link_classes", "additionalProperties"),
    "Hosts": ("hosts",),
    "Switch": ("switch",),
    "Interface": ("interface",),
    "LogGops": ("loggops",),
}
"""Where the schema of a machine has the keys of a class."""

_EXPERIMENTS = ("Experiment", "Run", "Job", "TrafficClass", "Sweep")
_RESULTS = (
    *("Result", "Cost", "Estimate", "Blaming", "Saturation", "PointStore"),
    *("UserError", "RunFailure"),
)
_PROGRAMS = ("Node", "ANY")

_START = """# Python

```python
import tailback as tb

print(tb.explain("examples/two_jobs.toml").path)
```

Every command has a function that returns what the command prints. An experiment is a file, a
`tb.Experiment`, or a machine and a workload. Names are imported when they are first used.
Examples on these pages are run by the tests.
"""


def pages() -> dict[str, str]:
    """Return the pages by name, the first page first. Every public name is on one of them."""
    functions = [name for name in tb.__all__ if inspect.isfunction(getattr(tb, name))]
    parts = {
        "functions": ("Functions", [_documented(name) for name in functions]),
        "experiments": ("Experiments", [_documented(name) for name in _EXPERIMENTS]),
        "machines": ("Machines", [_machine(), *map(_machine_part, _PARTS)]),
        "topologies": ("Topologies", _kinds(TOPOLOGIES, _kinds_of("topology"))),
        "routing": ("Routing", _kinds(ROUTINGS, _kinds_of("routing"))),
        "workloads": ("Workloads", _kinds(KINDS, _workloads())),
        "programs": ("Processes written in Python", [_documented(name) for name in _PROGRAMS]),
        "results": ("Results and errors", [_documented(name) for name in _RESULTS]),
    }
    tree = "\n".join(["```{toctree}", ":maxdepth: 2", "", *parts, "```", ""])
    made = {name: "\n\n".join([f"# {title}", *texts, ""]) for name, (title, texts) in parts.items()}
    return {"index": f"{_START}\n{tree}"} | made


def _kinds(classes: Mapping[str, type], schemas: Mapping[str, Schema]) -> list[str]:
    return [_with_keys(kind.__name__, schemas[word]) for word, kind in classes.items()]


def _documented(name: str) -> str:
    """Return the docstring of a name, with those of its members."""
    what = getattr(tb, name)
    role = "function" if inspect.isfunction(what) else "class" if inspect.isclass(what) else "data"
    return "\n".join([f"## {name}", "", *_rst(f".. auto{role}:: tailback.{name}")])


def _with_keys(name: str, schema: Schema) -> str:
    """Return the docstring of a part of an experiment, and a table of its keys."""
    keys = {key: value for key, value in schema["properties"].items() if key != "kind"}
    table = generate._table({**schema, "properties": keys}) if keys else "No keys."
    return "\n\n".join([*_head(name), table])


def _head(name: str) -> list[str]:
    """Return what is told of a class that has keys: its docstring without them."""
    told = inspect.cleandoc(getattr(tb, name).__doc__ or "").partition("\n\nKeys:\n")[0]
    body = [f"   {line}" for line in told.splitlines()]
    lines = _rst(f".. py:class:: tailback.{name}(**keys)", "", *body)
    return [f"## {name}", "\n".join(lines)]


def _rst(*lines: str) -> list[str]:
    return ["```{eval-rst}", *lines, "```"]


def _machine() -> str:
    """Return what a machine is, and its parts as a list."""
    keys = re.findall(r"(?m)^ *(\w+): (.+)$", (tb.Machine.__doc__ or "").partition("Keys:")[2])
    return "\n\n".join([*_head("Machine"), *(f"* `{key}`: {meaning}" for key, meaning in keys)])


def _machine_part(name: str) -> str:
    schema: Schema = json_schema()["properties"]["machine"]
    for key in _PARTS[name]:
        schema = schema[key] if key == "additionalProperties" else schema["properties"][key]
    return _with_keys(name, schema)


def _kinds_of(table: str) -> dict[str, Schema]:
    options = json_schema()["properties"]["machine"]["properties"][table]["anyOf"]
    return {option["properties"]["kind"]["enum"][0]: option for option in options}


def _workloads() -> dict[str, Schema]:
    definitions = json_schema()["$defs"]
    return {word: definitions[kind.__name__] for word, kind in KINDS.items()}
