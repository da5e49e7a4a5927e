"""Values of keys: sensible ones by what the schema says, and such as break things."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from typing import Any

from .keys import Property
from .writing import Raw

TIMES = ("1 ns", "7 ns", "100 ns", "1 us", "5 us", "20 us", "333 ns", "0 s")
SIZES = ("1 B", "8 B", "32 B", "64 B", "100 B", "256 B")
RATES = ("100 Mbit/s", "1 Gbit/s", "8 Gbit/s", "25.78125 Gbit/s", "100 Gbit/s", "400 Gbit/s")

#: What the schema alone would make too large, too long or unlikely: by key.
SENSIBLE: Mapping[str, tuple[Any, ...]] = {
    "dims": ([2, 2], [3, 3], [4], [4, 2], [2, 3, 2], [5, 5], [1, 6]),
    "dimensions": (1, 2, 3, 4),
    "nodes": (2, 3, 8),
    "arity": (2, 3),
    "levels": (1, 2, 3),
    "stages": (1, 2, 3),
    "fan_out": (2, 3),
    "depth": (1, 2),
    "switches": (2, 3, 5),
    "nodes_per_switch": (1, 2, 3),
    "switches_per_group": (1, 2, 3),
    "global_links": (1, 2),
    "groups": (2, 3),
    "clock": ("1 GHz", "1.2 GHz", "50 MHz"),
    "virtual_channels": (1, 2, 3, 4),
    "width": (1, 2, 3),
    "flit": ("1 B", "1 B", "16 B", "32 B"),
    "window": (1, 2, 8, "unlimited"),
    "hop_limit": (20, 1000),
    "root": (0, 1),
    "order": ([0], [0, 1], [1, 0]),
    "processes_per_node": (1, 2),
    "radius": (1, 2, "all"),
    "hot_spots": ([0], [1, 2]),
    "compute_burst": (2.0, 10.0),
    "compute_peak": (2.0, 5.0),
    "compute_sigma": (0.1, 0.5),
    "message_sigma": (0.1, 0.5),
    "messages": (1, 2, 4),
    "max_outstanding": (1, 4),
    "max_queue": (1, 16),
    "repeat": (1, 3, 20),
    "seed": (0, 1, 12345),
    "duration": ("1 us", "50 us", "200 us"),
    "max_duration": ("100 us", "1 ms"),
    "warmup": ("0 s", "1 us", "10 us"),
    "sample_interval": ("100 ns", "1 us", "77 ns"),
    "precision": (0.05, 0.2),
    "confidence": (0.9, 0.95),
    "max_events": (2000, 20000),
    "classes": ("node", "process"),
}

#: What no key or few keys can be.
BROKEN: tuple[Any, ...] = (
    *(0, -1, 2**31, 2**63, 2**64, 10**30, 10**400, 1.5, -0.0, 1e-300, 1e300),
    *(float("nan"), float("inf"), True, "", " ", "x", "all", "none", "-1", "1"),
    *("0 s", "1 ps", "100000 s", "100001 s", "1e99 s", "-1 us", "0.1 ps", "1us", "1 fortnight"),
    *("0 B", "1000 MB", "1e15 B", "12 bit", "-1 B", "0 bit/s", "1000 Tbit/s", "1 bit/s", "Gbps"),
    *(
        "3 cycles",
        "-1 cycles",
        "0 Hz",
        "\0",
        "é",
        "\u202e",
        "a" * 5000,
        "/dev/null",
        ".",
        "\x1b[31m",
    ),
    *("</script><script>alert(1)</script>", "{x}", "[bold]x[/bold]", "'", '"', "\\", "\n\n"),
    *([], [0], [1], [-1, 2], [1048576, 1048576], [2] * 64, [[]], ["x"], [1.5], [True]),
    *({}, {"a": 1}, {"kind": "mesh"}, {"from": 1, "to": 2, "count": 3}, {"": {"": 0}}),
    *(
        Raw("1979-05-27T07:32:00Z"),
        Raw("0xff"),
        Raw("'''\nx\n'''"),
        Raw("[" * 500),
        Raw("9" * 5000),
    ),
)


def sensible(rng: random.Random, name: str, spec: Property, definitions: Property) -> Any:
    """Return a value that a key may well have; None if the schema does not tell of any."""
    if name in SENSIBLE:
        return rng.choice(SENSIBLE[name])
    if "$ref" in spec:
        spec = definitions[spec["$ref"].rpartition("/")[2]]
    for among in ("anyOf", "oneOf"):
        parts = [part for part in spec.get(among, ()) if part.get("type") != "null"]
        if parts:
            return sensible(rng, "", rng.choice(parts), definitions)
    if "const" in spec:
        return spec["const"]
    if "enum" in spec:
        return rng.choice(spec["enum"])
    if "examples" in spec:
        example = str(spec["examples"][0])
        return rng.choice(RATES if "bit/s" in example else SIZES if "B" in example else TIMES)
    return _BY_TYPE.get(str(spec.get("type")), lambda rng, spec: None)(rng, spec)


def _whole(rng: random.Random, spec: Property) -> int:
    least = int(spec.get("minimum", spec.get("exclusiveMinimum", -1) + 1))
    most = int(spec.get("maximum", spec.get("exclusiveMaximum", least + 9) - 1))
    return rng.choice([least, min(least + 1, most), rng.randint(least, min(most, least + 8))])


def _share(rng: random.Random, spec: Property) -> float:
    least = float(spec.get("minimum", spec.get("exclusiveMinimum", 0)))
    most = float(spec.get("maximum", spec.get("exclusiveMaximum", least + 4)))
    return round(least + (most - least) * (0.05 + 0.9 * rng.random()), 3)


_BY_TYPE: Mapping[str, Callable[[random.Random, Property], Any]] = {
    "boolean": lambda rng, spec: rng.random() < 0.5,
    "integer": _whole,
    "number": _share,
}


def broken(rng: random.Random, value: Any) -> Any:
    """Return something else than `value`: of the same sort but wrong, or of another one."""
    if rng.random() < 0.6:
        return rng.choice(BROKEN)
    if isinstance(value, str):
        number, _, unit = value.partition(" ")
        changed = [value[:-1], value + "x", value.upper(), value[::-1], f"{number}9 {unit}"]
        return rng.choice([*changed, f"-{value}", f"{number} {unit}{unit}", f"1e12 {unit}"])
    if isinstance(value, list) and value:
        return rng.choice([value * 30, value[:-1], [*value, "x"], [value], [*value, value[0]]])
    if isinstance(value, bool) or not isinstance(value, int | float):
        return rng.choice(BROKEN)
    return rng.choice([-value, value * 10**9, str(value), [value], value + 0.5, value - 1])
