"""Files for every reader, and what reads them: the command, or a function of the package."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tailback.calibration import read_measured
from tailback.counters.readers import between
from tests.myrinet import ROUTES, TOPOLOGY

from .commands import NET

ROOT = Path(__file__).resolve().parents[2]
TRACES, NETWORKS, EXAMPLES = ROOT / "tests/traces", ROOT / "tests/networks", ROOT / "examples"


@dataclass(frozen=True)
class Sample:
    """Files by name, one of which is damaged, and what reads them."""

    files: Mapping[str, bytes]
    words: tuple[str, ...] = ()
    """Of the command `tailback`, in the folder of the files."""
    read: Callable[[], object] | None = None
    """Instead of a command that would take long."""
    damaged: tuple[str, ...] = field(default=())
    """Those that may be damaged; none: all."""


def _folder(folder: Path, *first: str) -> list[Sample]:
    """Return a trace of several files, to be converted by the name of one."""
    files = {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
    return [Sample(files, ("convert", name, "made.tbt")) for name in first]


def _text(text: str) -> bytes:
    return text.lstrip("\n").encode()


_IB = _text("""
switchguid=0x1(1)
Switch 4 "S-0000000000000001" # "leaf 1" enhanced port 0 lid 1 lmc 0
[1] "H-00000000000000a0"[1](a1) # "a HCA-1" lid 4 4xHDR
[2] "H-00000000000000b0"[1](b1) # "b HCA-1" lid 6 4xHDR
[3] "S-0000000000000002"[1] # "leaf 2" lid 2 4xHDR

switchguid=0x2(2)
Switch 4 "S-0000000000000002" # "leaf 2" enhanced port 0 lid 2 lmc 0
[1] "S-0000000000000001"[3] # "leaf 1" lid 1 4xHDR
[3] "H-00000000000000c0"[1](c1) # "c HCA-1" lid 8 4xFDR

caguid=0xa0
Ca 1 "H-00000000000000a0" # "a HCA-1"
[1](a1) "S-0000000000000001"[1] # lid 4 lmc 0 "leaf 1" lid 1 4xHDR

caguid=0xb0
Ca 1 "H-00000000000000b0" # "b HCA-1"
[1](b1) "S-0000000000000001"[2] # lid 6 lmc 0 "leaf 1" lid 1 4xHDR

caguid=0xc0
Ca 1 "H-00000000000000c0" # "c HCA-1"
[1](c1) "S-0000000000000002"[3] # lid 8 lmc 0 "leaf 2" lid 2 4xFDR
""")
_LFTS = _text("""
Unicast lids [0x0-0x9] of switch Lid 1 guid 0x0000000000000001 (leaf 1):
0x0004 001 : (Channel Adapter portguid 0x00000000000000a1: 'a HCA-1')
0x0006 002
0x0008 003
3 valid lids dumped
Unicast lids [0x0-0x9] of switch Lid 2 guid 0x0000000000000002 (leaf 2):
0x0004 001
0x0006 001
0x0008 003
""")
_NAMES = _text('0x1 "left"\n0x00000000000000c0 "far HCA-1"\n0x00000000000000b0 "a HCA-2"\n')
_NCCL = _text("""
# nThread 1 nGpus 1 minBytes 8 maxBytes 1024 step: 2(factor) warmup iters: 5 iters: 20
#  Rank  0 Group  0 Pid 204199 on  node-a device  0 [0009:01:00] NVIDIA
#  Rank  1 Group  0 Pid 204200 on  node-b device  1 [0019:01:00] NVIDIA
#                                                     out-of-place           in-place
#  size   count      type   redop    root     time   algbw   busbw #wrong    time
#   (B)  (elements)                           (us)  (GB/s)  (GB/s)           (us)
      8       2     float       sum      -1    24.71    0.00    0.00      0   24.30
   1024     256     float       sum      -1    25.71    0.00    0.00      0   24.30
# Out of bounds values : 0 OK
""")
_LIBALLPROF = {
    f"pmpi-trace-rank-{rank}.txt": _text(f"""
# Recorded by liballprof
MPI_Init:1000.5:-:1001
MPI_Comm_size:1001:0:2:1002
MPI_Comm_rank:1002:0:{rank}:1003
MPI_Allreduce:1100:1:2:4:1,8,8:0:0,{rank},2:1200
MPI_Finalize:1300
""")
    for rank in range(2)
}


def _counted() -> object:
    paths = Path("before.txt"), Path("after.txt")
    return between(*paths, lambda block: (block.device, block.port))


def samples() -> dict[str, list[Sample]]:
    """Return the samples of each kind of file."""
    goal = sorted(path for path in (TRACES / "goal").iterdir() if path.suffix in (".goal", ".bin"))
    ib = {"net.txt": _IB, "names.txt": _NAMES, "lfts.txt": _LFTS}
    out = ("--out", "made.toml")
    with_both = ("--names", "names.txt", "--routes", "lfts.txt")
    counters = {f"{name}.txt": _example(f"perfquery_{name}.txt") for name in ("before", "after")}
    packets = _each(sorted((TRACES / "netrace").iterdir()), "convert", "FILE", "made.tbt")
    return {
        "goal": _each(goal, "convert", "FILE", "made.tbt"),
        "simgrid": [
            *_folder(TRACES / "simgrid_ti/plain", "p2p.files", "inc.files"),
            *_folder(TRACES / "simgrid_ti/nas_is_s_4", "files.txt"),
        ],
        "chakra": _folder(TRACES / "chakra", "all_reduce.0.et"),
        "dumpi": _folder(TRACES / "dumpi", "testtrace-0000.ascii.txt"),
        "liballprof": [Sample(_LIBALLPROF, ("convert", "pmpi-trace-rank-0.txt", "made.tbt"))],
        "netrace": packets,
        "network": [
            *_each(
                sorted(one for one in NETWORKS.iterdir() if one.suffix != ".md"),
                *("import", "network", "FILE", *out),
            ),
            Sample(ib, ("import", "network", "net.txt", *with_both, *out)),
        ],
        "booksim": [
            Sample({"net.cfg": NET.encode()}, ("import", "booksim", "net.cfg", *out)),
            *_each([EXAMPLES / "booksim_mesh.cfg"], "import", "booksim", "FILE", *out),
        ],
        "myrinet": [
            Sample(
                {"net": TOPOLOGY.encode(), "routes": ROUTES.encode()},
                ("import", "myrinet", "net", "--routes", "routes", *out),
            )
        ],
        "measured": [
            Sample({"a.txt": content}, read=lambda: read_measured(Path("a.txt")))
            for content in (_example("osu_bw.txt"), _example("osu_latency.txt"), _NCCL)
        ],
        "counters": [Sample(counters, read=_counted)],
        "graph": [
            Sample(
                {"campus.graphml": _example("campus.graphml"), "e.toml": _example("campus.toml")},
                ("describe", "e.toml"),
                damaged=("campus.graphml",),
            )
        ],
        "messages": [
            Sample(
                {name: _example(name) for name in ("messages.csv", "message_file.toml")},
                ("describe", "message_file.toml"),
                damaged=("messages.csv",),
            )
        ],
    }


def _each(paths: list[Path], *words: str) -> list[Sample]:
    return [
        Sample({path.name: path.read_bytes()}, tuple(w.replace("FILE", path.name) for w in words))
        for path in paths
    ]


def _example(name: str) -> bytes:
    return (EXAMPLES / name).read_bytes()
