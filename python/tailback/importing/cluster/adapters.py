"""Which adapters of InfiniBand are of one host: by their names, such as `node12 HCA-1`."""

from __future__ import annotations

import re

from .description import Cluster

#: The name of a host, and what drivers and administrators call its adapters and their ports.
_ADAPTER = re.compile(
    r"(.+?)[ ./:](?:HCA|mlx|hfi|qib|ib|opa|adapter|port)[-_ ]?[a-z]{0,3}\d{1,4}"
    r"(?:[_.-]\d{1,4})?(?: port \d{1,5})?",
    re.IGNORECASE,
)


def members(cluster: Cluster) -> list[list[str]]:
    """Return for each host with several adapters, or ports, their names, in the order of names."""
    if not cluster.guids:
        return []
    found: dict[str, list[str]] = {}
    for name in cluster.hosts:
        of = _ADAPTER.fullmatch(name)
        found.setdefault(name if of is None else of[1], []).append(name)
    return [sorted(names) for names in found.values() if len(names) > 1]
