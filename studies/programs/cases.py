"""What is run: programs, and machines of 16 nodes."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from studies.study import Study

STUDY = Study("programs")
TRACES = STUDY.folder / "traces"
TESTED = STUDY.folder.parents[1] / "tests" / "traces"

NODES = 16
_LINKS: dict[str, Any] = {
    "link": {"rate": "8 Gbit/s", "delay": "100 ns", "end_token": False},
    "switch": {"switching": "cut_through", "input_buffer": "8 kB", "delay": "100 ns"},
    "interface": {"header": "16 B", "packet_size": "2000 B", "acknowledgements": False},
}
"""1 GB/s on every link, as in the platform on which the NAS traces were recorded."""

MACHINES: dict[str, dict[str, Any]] = {
    "mesh 4 x 4": {"topology": {"kind": "mesh", "dims": [4, 4]}, **_LINKS},
    "fat tree, k = 4": {"topology": {"kind": "pod_fat_tree", "switch_ports": 4}, **_LINKS},
    "dragonfly 2, 2, 1": {
        "topology": {
            "kind": "dragonfly",
            "nodes_per_switch": 2,
            "switches_per_group": 4,
            "global_links": 1,
            "groups": 2,
        },
        **_LINKS,
    },
}


@dataclass(frozen=True)
class Program:
    """A program, and how many ranks it has."""

    name: str
    ranks: int
    workload: dict[str, Any]


def _nas(ranks: int, files: Path) -> Program:
    workload = {"kind": "trace", "file": str(files), "compute_speed": 1e9}
    return Program(f"NAS IS, class S, {ranks} ranks", ranks, workload)


def _collective(name: str, ranks: int, size: str, algorithm: str) -> Program:
    steps = [{"all_reduce": size, "algorithm": algorithm}]
    processes = [{"node": node, "repeat": 1, "steps": steps} for node in range(ranks)]
    return Program(name, ranks, {"kind": "program", "process": processes})


def programs() -> list[Program]:
    """Return all programs."""
    return [
        _nas(4, TESTED / "simgrid_ti" / "nas_is_s_4" / "files.txt"),
        _nas(8, TRACES / "nas_is_s_8" / "files.txt"),
        _nas(16, TRACES / "nas_is_s_16" / "files.txt"),
        _collective("all-reduce of 1 MB, ring", NODES, "1 MB", "ring"),
        _collective("all-reduce of 1 MB, doubling", NODES, "1 MB", "recursive_doubling"),
        Program(
            "PyTorch, one recorded rank on all of 8",
            8,
            {"kind": "trace", "file": str(TRACES / "pytorch" / "pytorch.0.et.gz")},
        ),
    ]


#: Two jobs of eight nodes each.
JOBS = ("nas_is", "ring")
SHARES = ("contiguous", "random")


def jobs(placement: str) -> list[dict[str, Any]]:
    """Return NAS IS on eight nodes beside a ring of the other eight."""
    nas, ring = programs()[1], {"kind": "ring_allreduce", "size": "1 MB"}
    share = {"share": 8, "placement": placement}
    return [
        {"name": JOBS[0], **share, "workload": nas.workload},
        {"name": JOBS[1], **share, "workload": ring},
    ]
