"""CODES: dragonflies with binary files of connections, fat trees, Slim Flies and tori."""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import product
from pathlib import Path

from .codes_conf import Conf, read_conf
from .description import MOST, Cable, Cluster, Reader


def read(path: Path) -> Cluster:
    """Read a `.conf`. Raises `UserError` for the first mistake, with its line."""
    conf = read_conf(path)
    order = conf.said.get("modelnet_order")
    if order is None:
        raise conf.found.mistake(None, None, "has no modelnet_order")
    word = order[1].strip("() ").partition(",")[0].strip().strip('"')
    if word not in _MODELS:
        allowed = f"cannot be read; must be {', '.join(_MODELS)}"
        raise conf.found.mistake(order[0], word, allowed)
    _MODELS[word](conf)
    found = conf.found
    size = conf.number("packet_size", usual=0)
    if size:
        found.machine["interface"] = {"packet_size": f"{size} B"}
    delay = conf.number("router_delay", 0, usual=0)
    if delay:
        found.machine["switch"] = {"delay": f"{delay} ns"}
    return found


def _routers(conf: Conf, count: int, line: int = 1) -> None:
    """Add routers and their terminals: those of a router have successive numbers."""
    found, each = conf.found, _terminals(conf)
    if count * (each + 1) > MOST:
        raise found.mistake(None, count, f"routers must be at most {MOST // (each + 1)}")
    for router in range(count):
        found.add_switch(f"router{router}", line)
    usual = conf.rate("cn_bandwidth" if "cn_bandwidth" in conf.said else "link_bandwidth")
    for terminal in range(count * each):
        found.add_host(f"terminal{terminal}", line)
        ends = (f"terminal{terminal}", f"router{terminal // each}")
        found.join(line, Cable(ends, rate=usual))


def _terminals(conf: Conf) -> int:
    for key in ("num_cns_per_router", "num_terminals"):
        if key in conf.said:
            return conf.number(key)
    return 1


def _dragonfly(conf: Conf) -> None:
    """Add groups that are alike: one file has connections in a group, one those of all routers."""
    found = conf.found
    groups = conf.number("num_groups")
    size = conf.number("num_routers", usual=0)
    if not size:
        size = conf.number("num_router_rows") * conf.number("num_router_cols")
    _check_repetitions(conf, groups * size)
    _routers(conf, groups * size)
    inside = conf.pairs("intra-group-connections", 3, size)
    between = conf.pairs("inter-group-connections", 2, groups * size)
    local, distant = conf.rate("local_bandwidth"), conf.rate("global_bandwidth")
    for group in range(groups):
        for (one, other), count in inside.items():
            if one < other:
                ends = (f"router{group * size + one}", f"router{group * size + other}")
                for _ in range(count):
                    found.join(1, Cable(ends, rate=local, link_class="local"))
    for (one, other), count in between.items():
        if one < other:
            for _ in range(count):
                ends = (f"router{one}", f"router{other}")
                found.join(1, Cable(ends, rate=distant, link_class="global"))


def _check_repetitions(conf: Conf, routers: int) -> None:
    """Refuse a number of routers that is not that of the group of processes."""
    given = conf.number("repetitions", usual=routers)
    if given != routers:
        line = conf.said["repetitions"][0]
        raise conf.found.mistake(line, given, f"must be {routers}, the routers of all groups")


def _torus(conf: Conf) -> None:
    """Add a torus with one terminal on each router; a side of two has one cable."""
    found, sides = conf.found, conf.numbers("dim_length")
    if len(sides) != conf.number("n_dims", usual=len(sides)):
        line = conf.said["dim_length"][0]
        raise found.mistake(line, conf.said["dim_length"][1], "must be n_dims numbers")
    count = 1
    for side in sides:
        count *= side
    if count > MOST:
        raise found.mistake(conf.said["dim_length"][0], count, f"must be at most {MOST} routers")
    _routers(conf, count)
    speed = conf.rate("link_bandwidth")
    step = 1
    for side in sides:
        for router in range(count):
            at = router // step % side
            if side > 1 and not (side == 2 and at):
                after = router + step * ((at + 1) % side - at)
                found.join(1, Cable((f"router{router}", f"router{after}"), rate=speed))
        step *= side


def _slim_fly(conf: Conf) -> None:
    """Add two halves of q x q routers: generators join those of one column, lines the halves."""
    found, q = conf.found, conf.number("num_routers")
    if 2 * q * q > MOST:
        line = conf.said["num_routers"][0]
        raise found.mistake(line, q, f"must give at most {MOST} routers")
    _check_repetitions(conf, 2 * q * q)
    _routers(conf, 2 * q * q)
    local, distant = conf.rate("local_bandwidth"), conf.rate("global_bandwidth")
    for half, key in enumerate(("generator_set_X", "generator_set_X_prime")):
        steps = {step % q for step in conf.numbers(key)}
        for x, y, step in product(range(q), range(q), steps):
            other = (y + step) % q
            if y < other or (y > other and (-step) % q not in steps):
                ends = tuple(f"router{(half * q + x) * q + place}" for place in (y, other))
                found.join(1, Cable((ends[0], ends[1]), rate=local, link_class="local"))
    for x, y, m in product(range(q), repeat=3):
        ends = (f"router{x * q + y}", f"router{(q + m) * q + (y - m * x) % q}")
        found.join(1, Cable(ends, rate=distant, link_class="global"))


def _fat_tree(conf: Conf) -> None:
    """Add a fat tree of switches of one radix, with as many pods as its lowest switches fill.

    Uplinks of the middle tier are dealt out to the core switches in turn.
    """
    found, lowest, radix = conf.found, conf.number("switch_count"), conf.number("switch_radix", 2)
    levels, half = conf.number("num_levels"), conf.number("switch_radix", 2) // 2
    if levels not in (2, 3):
        raise found.mistake(conf.said["num_levels"][0], levels, "must be 2 or 3")
    if radix % 2 or (levels == 3 and lowest % half):
        line = conf.said["switch_count"][0]
        raise found.mistake(line, lowest, f"must be a multiple of {half}, half of an even radix")
    if lowest * radix > MOST:
        raise found.mistake(conf.said["switch_count"][0], lowest, "is too large")
    hosts, speed = conf.rate("cn_bandwidth"), conf.rate("link_bandwidth")
    for number in range(lowest):
        found.add_switch(f"edge{number}", 1)
    for number in range(lowest * half):
        found.add_host(f"terminal{number}", 1)
        ends = (f"terminal{number}", f"edge{number // half}")
        found.join(1, Cable(ends, rate=hosts))
    lower, name = "edge", "core"
    if levels == 3:
        for number in range(lowest):
            found.add_switch(f"agg{number}", 1)
        for at, t in product(range(lowest), range(half)):
            ends = (f"edge{at}", f"agg{at // half * half + t}")
            found.join(1, Cable(ends, rate=speed, link_class="tier_1"))
        lower = "agg"
    cores = -(-lowest // 2)
    for number in range(cores):
        found.add_switch(f"{name}{number}", 1)
    for at, t in product(range(lowest), range(half)):
        ends = (f"{lower}{at}", f"core{(at * half + t) % cores}")
        found.join(1, Cable(ends, rate=speed, link_class=f"tier_{levels - 1}"))
    found.notes.append("uplinks of the fat tree are dealt out to the core switches in turn")


_MODELS: dict[str, Callable[[Conf], None]] = {
    "dragonfly_custom": _dragonfly,
    "dragonfly_dally": _dragonfly,
    "fattree": _fat_tree,
    "slimfly": _slim_fly,
    "torus": _torus,
}


def _is_like(head: bytes) -> bool:
    return bool(re.search(rb"^\s*LPGROUPS\b", head, re.MULTILINE))


READERS = (Reader("codes", "CODES: .conf of a network model", _is_like, read),)
