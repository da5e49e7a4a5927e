"""Networks of clusters with one thing broken: each is read, or refused in one line.

`python -m tests.fuzz.networks --cases 2000` tries so many mutations of each sample.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tailback.errors import UserError
from tailback.importing import import_network

SAMPLES = Path(__file__).parents[1] / "networks"

_IB = """Switch 4 "S-01" # "leaf" base port 0 lid 1 lmc 0
[1] "H-0a"[1](a1) # "a" lid 4 4xHDR
[2] "H-0b"[1](b1) # "b" lid 5 2xNDR
Ca 1 "H-0a" # "a"
[1](a1) "S-01"[1] # lid 4 lmc 0 "leaf" lid 1 4xHDR
Ca 1 "H-0b" # "b"
[1](b1) "S-01"[2] # lid 5 lmc 0 "leaf" lid 1 2xNDR
"""
_TABLES = """Unicast lids [0x0-0x5] of switch Lid 1 guid 0x01 (leaf):
  Lid  Out   Destination
0x0001 000 : (Switch portguid 0x01: 'leaf')
0x0004 001 : (Channel Adapter portguid 0xa1: 'a')
0x0005 002
3 valid lids dumped
"""
_CONF = """LPGROUPS { G { repetitions="32"; } }
PARAMS { modelnet_order=( "torus" ); # a torus
packet_size="512"; n_dims="3"; dim_length="4,4,2"; link_bandwidth="10.0"; }
"""
_FAT_TREE = """LPGROUPS { G { repetitions="4"; } }
PARAMS { modelnet_order=( "fattree" ); num_levels="3"; switch_count="4"; switch_radix="4";
link_bandwidth="12.5"; cn_bandwidth="12.5"; router_delay="60"; }
"""
_SLIM_FLY = """LPGROUPS { G { repetitions="50"; } }
PARAMS { modelnet_order=( "slimfly","r" ); num_routers="5"; num_terminals="3";
generator_set_X=("1","4"); generator_set_X_prime=("2","3");
local_bandwidth="9.0"; global_bandwidth="9.0"; cn_bandwidth="9.0"; }
"""
_DRAGONFLY = """LPGROUPS { G { repetitions="4"; } }
PARAMS { modelnet_order=( "dragonfly_dally","r" ); num_routers="2"; num_groups="2";
local_bandwidth="2.0"; global_bandwidth="2.0"; cn_bandwidth="2.0"; num_cns_per_router="2";
intra-group-connections="intra"; inter-group-connections="inter"; }
"""
_INFRAGRAPH = """devices:
- name: server
  components:
  - {name: xpu, choice: xpu, count: 2}
  - {name: nic, choice: nic, count: 2}
  links:
  - {name: pcie}
  edges:
  - {ep1: {component: xpu}, ep2: {component: nic}, link: pcie, scheme: many2many}
- name: leaf
  components:
  - {name: asic, choice: cpu, count: 1}
  - {name: port, choice: port, count: 4}
  links:
  - {name: ic}
  edges:
  - {ep1: {component: asic}, ep2: {component: port}, link: ic, scheme: many2many}
instances:
- {name: host, device: server, count: 2}
- {name: leaf, device: leaf, count: 1}
links:
- name: cable
  physical: {bandwidth: {choice: gigabits_per_second, gigabits_per_second: 400}}
edges:
- ep1: {instance: "host[0:2]", component: nic}
  ep2: {instance: "leaf[0]", component: port}
  link: cable
  scheme: one2one
"""
_ANYTOPO = """<graphml><key id="t" for="node" attr.name="type"/><graph edgedefault="undirected">
<node id="r"><data key="t">router</data></node>
<node id="a"><data key="t">endpoint</data></node><node id="b"><data key="t">endpoint</data></node>
<edge source="r" target="a"/><edge source="b" target="r" bandwidth="25GB/s" latency="20ns"/>
</graph></graphml>
"""


@dataclass(frozen=True, slots=True)
class Sample:
    """Files that can be read: one that is broken, and others beside it."""

    word: str
    content: bytes
    beside: tuple[tuple[str, bytes], ...] = ()
    role: str = "network"
    """Which file is broken: the network, its routes or its names."""


def samples() -> dict[str, Sample]:
    """Return a sample for every reader, and those that stand beside this project's tests."""
    found = {
        "ib": Sample("ibnetdiscover", _IB.encode()),
        "lfts": Sample("ibnetdiscover", _TABLES.encode(), (("n", _IB.encode()),), "routes"),
        "names": Sample("ibnetdiscover", b'0x1 "left"\n0xa "x"\n', (("n", _IB.encode()),), "names"),
        "slurm": Sample(
            "slurm", b"SwitchName=s[0-1] Nodes=a[00-03,7]\nSwitchName=t Switches=s[0-1]\n"
        ),
        "slurm_blocks": Sample(
            "slurm", b"BlockName=b1 Nodes=a[00-03]\nBlockName=b2 Nodes=c,d\nBlockSizes=2,4\n"
        ),
        "hpcc": Sample("hpcc", b"3 1 2\n2\n0 2 100Gbps 1000ns 0.0\n1 2 50Gbps 1us 0\n"),
        "torus": Sample("codes", _CONF.encode()),
        "fat_tree": Sample("codes", _FAT_TREE.encode()),
        "slim_fly": Sample("codes", _SLIM_FLY.encode()),
        "dragonfly": Sample("codes", _DRAGONFLY.encode(), _connections()),
        "lingjun": Sample("lingjun", b"ip,DSW,PSW,ASW\na,G1,P1,S1\nb,G1,P2,S1\nc,G2,P1,S4\n"),
        "infragraph": Sample("infragraph", _INFRAGRAPH.encode()),
        "anytopo": Sample("anytopo", _ANYTOPO.encode()),
        "anynet": Sample("anynet", b"router 0 node 0 node 1 router 1 15\nrouter 1 node 2\n"),
    }
    for name, word in (("leaf_spine_tiny.topo", "htsim"), ("hpn_dual_plane.txt", "simai")):
        found[name] = Sample(word, (SAMPLES / name).read_bytes())
    return found


def _connections() -> tuple[tuple[str, bytes], ...]:
    def numbers(*given: int) -> bytes:
        return b"".join(number.to_bytes(4, "little") for number in given)

    inside, between = numbers(0, 1, 0, 1, 0, 0), numbers(0, 2, 2, 0, 1, 3, 3, 1)
    return ("intra", inside), ("inter", between)


def broken(content: bytes, rng: random.Random) -> bytes:
    """Return a file with one change: cut, a line twice or gone, a word or a byte replaced."""
    lines = content.splitlines(keepends=True)
    at, kind = rng.randrange(len(lines)), rng.randrange(7)
    if kind == 0:
        return content[: rng.randrange(len(content))]
    if kind == 1:
        lines.insert(rng.randrange(len(lines) + 1), lines[at])
    elif kind == 2:
        del lines[at]
    elif kind == 3:
        place = rng.randrange(len(content))
        return content[:place] + bytes([rng.randrange(256)]) + content[place + 1 :]
    elif kind == 4:
        other = rng.randrange(len(lines))
        lines[at], lines[other] = lines[other], lines[at]
    else:
        words = lines[at].split(b" ")
        words[rng.randrange(len(words))] = rng.choice(_WORDS)
        lines[at] = b" ".join(words)
    return b"".join(lines)


_WORDS = (
    b"", b"0", b"-1", b"1", b"999999999", b"1e309", b"nan", b"99999999999999999999", b"[1]",
    b'"S-01"', b'"', b"0x5", b"lid", b"{", b"}", b"#", b"=", b"\x1b[31m", b"\xc3\xa9", b"4xHDR",
    b"\n", b"a,b", b"1,1,1,1", b"[0-99999999]",
)  # fmt: skip


def tried(name: str, sample: Sample, number: int, folder: Path) -> str | None:
    """Read a broken file; return what is wrong with how that went, if anything."""
    rng = random.Random(f"{name} {number}")
    for beside, content in sample.beside:
        (folder / beside).write_bytes(content)
    names = [beside for beside, _ in sample.beside]
    target, content = folder / "broken", sample.content
    if sample.role == "network" and names and rng.random() < 0.5:
        (folder / "broken").write_bytes(content)
        target = folder / rng.choice(names)
        content = target.read_bytes()
    target.write_bytes(broken(content, rng))
    network = folder / "broken" if sample.role == "network" else folder / "n"
    given = {} if sample.role == "network" else {sample.role: target}
    word = sample.word if rng.random() < 0.5 else None
    try:
        found = import_network(network, word, **given)
        found.graph()
        found.toml("g.graphml", "r.csv")
    except UserError as error:
        line = str(error)
        return None if line.isprintable() and len(line) < 1500 else f"odd line: {line!r}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return None


def problems(cases: int, folder: Path) -> Iterator[str]:
    """Try so many mutations of each sample; yield what was wrong."""
    for name, sample in samples().items():
        for number in range(cases):
            problem = tried(name, sample, number, folder)
            if problem is not None:
                yield f"{name} {number}: {problem}"


def main() -> int:
    """Try cases and say what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=2000)
    asked = parser.parse_args()
    count = 0
    with tempfile.TemporaryDirectory(prefix="fuzz-") as folder:
        for problem in problems(asked.cases, Path(folder)):
            print(problem, flush=True)
            count += 1
    print(f"{len(samples())} samples, {asked.cases} mutations of each, {count} problems")
    return int(count > 0)


if __name__ == "__main__":
    sys.exit(main())
