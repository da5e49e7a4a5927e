"""Networks of clusters from files: what is read, and one clear line for what cannot be."""

from __future__ import annotations

import struct
from collections import Counter
from pathlib import Path

import pytest

from tailback.errors import UserError
from tailback.importing import Imported, import_network
from tailback.importing.cluster import READERS, forwarding
from tests.commands import tailback

SAMPLES = Path(__file__).parents[1] / "networks"


def made(path: Path, text: str | bytes, **asked: object) -> Imported:
    """Return what a file with this content becomes."""
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return import_network(path, **asked)  # type: ignore[arg-type]


def refused(path: Path, text: str | bytes, **asked: object) -> str:
    """Return why it cannot be read, without the folder."""
    with pytest.raises(UserError) as caught:
        made(path, text, **asked)
    line = str(caught.value)
    assert "\n" not in line
    return line.replace(f"{path.parent}/", "")


def cables(found: Imported) -> Counter[tuple[str, str]]:
    """Return how many cables lie between two ends."""
    return Counter(tuple(sorted(one.ends)) for one in found.cluster.cables)  # type: ignore[misc]


# ibnetdiscover: a real cluster of 2020.


def test_x5_has_the_switches_adapters_and_cables_of_its_file() -> None:
    found = import_network(SAMPLES / "X5.topofile")
    lines = (SAMPLES / "X5.topofile").read_text().splitlines()
    ports = [line for line in lines if line.startswith("[")]
    assert found.counts() == {"switches": 11, "hosts": 89, "cables": len(ports) // 2}
    rates = Counter(str(one.rate) for one in found.cluster.cables)
    assert rates == {
        "16 Gbit/s": sum(line.rstrip().endswith("4xDDR") for line in ports) // 2,
        "32 Gbit/s": sum(line.rstrip().endswith("4xQDR") for line in ports) // 2,
    }
    one, other = "S-0008f10500200b50", "S-0008f10500108098"
    begin = next(n for n, line in enumerate(lines) if f'"{one}"' in line and "Switch" in line)
    block = lines[begin + 1 : lines.index("", begin)]
    parallel = [line for line in block if f'"{other}"' in line]
    assert len(parallel) == 6
    assert cables(found)[tuple(sorted((one, other)))] == 6  # type: ignore[index]
    ports_of = {cable.ports for cable in found.cluster.cables if {*cable.ends} == {one, other}}
    assert len(ports_of) == 6


def test_x5_of_slurm_has_the_same_hosts_and_switches() -> None:
    found = import_network(SAMPLES / "X5.topology.conf")
    assert (found.counts()["switches"], found.counts()["hosts"]) == (11, 89)
    ends = [name for cable in found.cluster.cables for name in cable.ends]
    assert {"r422node104", "sl390lin22"} <= set(ends)


IB = """
switchguid=0x1(1)
Switch 4 "S-0000000000000001" # "leaf 1" enhanced port 0 lid 1 lmc 0
[1] "H-00000000000000a0"[1](a1) # "a HCA-1" lid 4 4xHDR
[2] "H-00000000000000b0"[1](b1) # "b HCA-1" lid 6 4xHDR
[3] "S-0000000000000002"[1] # "leaf 2" lid 2 4xHDR
[4] "S-0000000000000002"[2] # "leaf 2" lid 2 4xHDR

switchguid=0x2(2)
Switch 4 "S-0000000000000002" # "leaf 2" enhanced port 0 lid 2 lmc 0
[1] "S-0000000000000001"[3] # "leaf 1" lid 1 4xHDR
[2] "S-0000000000000001"[4] # "leaf 1" lid 1 4xHDR
[3] "H-00000000000000c0"[1](c1) # "c HCA-1" lid 8 4xFDR

caguid=0xa0
Ca 1 "H-00000000000000a0" # "a HCA-1"
[1](a1) "S-0000000000000001"[1] # lid 4 lmc 1 "leaf 1" lid 1 4xHDR

caguid=0xb0
Ca 1 "H-00000000000000b0" # "b HCA-1"
[1](b1) "S-0000000000000001"[2] # lid 6 lmc 1 "leaf 1" lid 1 4xHDR

caguid=0xc0
Ca 1 "H-00000000000000c0" # "c HCA-1"
[1](c1) "S-0000000000000002"[3] # lid 8 lmc 1 "leaf 2" lid 2 4xFDR
"""

TABLES = """\
Unicast lids [0x0-0x9] of switch Lid 1 guid 0x0000000000000001 (leaf 1):
  Lid  Out   Destination
       Port     Info
0x0001 000 : (Switch portguid 0x0000000000000001: 'leaf 1')
0x0004 001 : (Channel Adapter portguid 0x00000000000000a1: 'a HCA-1')
0x0005 001
0x0006 002
0x0007 002
0x0008 003
0x0009 004
6 valid lids dumped
Unicast lids [0x0-0x9] of switch Lid 2 guid 0x0000000000000002 (leaf 2):
0x0004 001
0x0005 002
0x0006 002
0x0007 001
0x0008 003
0x0009 003
"""


def test_names_rates_and_addresses(tmp_path: Path) -> None:
    names = tmp_path / "names"
    names.write_text('# mine\n0x1 "left"\n0x00000000000000c0 "far"\n0x77 "elsewhere"\n')
    found = made(tmp_path / "net", IB, names=names)
    assert list(found.cluster.switches) == ["left", "leaf 2"]
    assert list(found.cluster.hosts) == ["a HCA-1", "b HCA-1", "far"]
    assert {str(one.rate) for one in found.cluster.cables} == {"200 Gbit/s", "54.544 Gbit/s"}
    assert found.cluster.lids[8] == found.cluster.lids[9] == "far"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            '[2] "S-0000000000000001"[4] # "leaf 1" lid 1 4xHDR\n',
            "",
            'line 7 = "[4] of leaf 1": is a cable known from one end only: leaf 2 port 2 has '
            "no such line",
        ),
        (
            '"S-0000000000000002"[2]',
            '"S-0000000000000002"[3]',
            'line 7 = "[4] of leaf 1": is a cable known from one end only: leaf 2 port 3 '
            "says otherwise "
            "in line 13",
        ),
        (
            "4xFDR",
            "4xFOO",
            'line 13 = "FOO": is no known rate; must be SDR, DDR, QDR, FDR10, FDR, EDR, HDR, '
            "NDR or XDR",
        ),
        ("4xFDR", "5xFDR", 'line 13 = "5x": is no width of a link; must be 1x, 2x, 4x, 8x or 12x'),
        (
            'Ca 1 "H-00000000000000b0"',
            'Ca 1 "H-00000000000000a0"',
            'line 20 = "H-00000000000000a0": is there already, in line 16',
        ),
        ("lid 6 lmc 1", "lid 4 lmc 1", 'line 21 = "lid 4": is that of a HCA-1 already'),
        ('[3] "H-', '[9] "H-', 'line 13 = "[9]": must be a port, 1 to 4'),
        ("Switch 4", "Switch four", 'must be like Switch 36 "S-0008f10500200b50" # "name"'),
    ],
)
def test_mistakes_of_ibnetdiscover(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in IB
    line = refused(tmp_path / "net", IB.replace(old, new, 1))
    assert said in line


def test_forwarding_tables_keep_parallel_cables_apart(tmp_path: Path) -> None:
    tables = tmp_path / "lfts"
    tables.write_text(TABLES)
    found = made(tmp_path / "net", IB, routes=tables)
    assert found.routes == (b"ports,a HCA-1,b HCA-1,c HCA-1\nleaf 1,1,2,3\nleaf 2,1,2,3\n")
    other = import_network(tmp_path / "net", routes=tables, lid_path=1)
    assert other.routes == b"ports,a HCA-1,b HCA-1,c HCA-1\nleaf 1,1,2,4\nleaf 2,2,1,3\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("0x0007 002\n", "0x0017 002\n", 'lfts: line 8 = "lid 23": is of no port that net names'),
        (
            "0x0008 003\n",
            "0x0008 013\n",
            'lfts: line 9 = "port 13": has no cable at switch leaf 1; must be one of its '
            "ports, 1 to 4",
        ),
        (
            "0x0008 003\n",
            "",
            'lfts: line 1 = "lid 8": a HCA-1 does not reach c HCA-1: switch leaf 1 has no '
            "line for it",
        ),
        (
            "0x0004 001\n0x0005 002",
            "0x0004 003\n0x0005 002",
            'lfts: line 12 = "lid 4": c HCA-1 does not reach a HCA-1: switch leaf 2 sends it '
            "to port 3, which leads to another host or to the switch itself",
        ),
        (
            "0x0006 002\n0x0007 002",
            "0x0006 003\n0x0007 002",
            'lfts: line 1 = "lid 6": switch leaf 1 sends it to port 3, but b HCA-1 is at port 2',
        ),
        (
            "guid 0x0000000000000002",
            "guid 0x0000000000000003",
            'lfts: line 12 = "0x0000000000000003": is no switch of net',
        ),
        (
            "0x0009 004\n",
            "0x0008 004\n",
            'lfts: line 10 = "lid 8": has a line already for switch leaf 1',
        ),
        ("0x0005 001\n", "what\n", 'lfts: line 6 = "what": must be like 0x0004 012'),
    ],
)
def test_mistakes_of_forwarding_tables(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in TABLES
    (tmp_path / "lfts").write_text(TABLES.replace(old, new, 1))
    assert refused(tmp_path / "net", IB, routes=tmp_path / "lfts") == said


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("0x0005 002\n", "0x0005 002 : (Channel Adapter portguid 0xb1: 'b 0x0007 003')\r\n"),
        ("0x0005 002\n", "0x5 2\n"),
        ("0x0005 002\n", " 0x0005\t02 \n"),
        ("0x0005 002\n", "0x0005 002\n0x0099 255\n"),
        ("0x0007 002\n", "# 0x0007 003\n0x0007 002\n"),
    ],
)
def test_rows_of_any_form_are_read(tmp_path: Path, old: str, new: str) -> None:
    assert old in TABLES
    tables = tmp_path / "lfts"
    found = []
    for text in (TABLES, TABLES.replace(old, new, 1), TABLES.replace(old, new, 1).rstrip()):
        tables.write_text(text, newline="")
        found.append(made(tmp_path / "net", IB, routes=tables).routes)
    assert found[0] == found[1] == found[2]


@pytest.mark.parametrize("size", [1, 7, 40])
def test_tables_are_read_in_pieces(
    tmp_path: Path, size: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    tables = tmp_path / "lfts"
    tables.write_text(TABLES)
    whole = made(tmp_path / "net", IB, routes=tables).routes
    monkeypatch.setattr(forwarding, "_PIECE", size)
    assert made(tmp_path / "net", IB, routes=tables).routes == whole
    wrong = TABLES.replace("0x0009 004\n", "0x0008 004\n", 1)
    tables.write_text(wrong)
    said = 'lfts: line 10 = "lid 8": has a line already for switch leaf 1'
    assert refused(tmp_path / "net", IB, routes=tables) == said


def test_a_circle_of_tables_is_refused(tmp_path: Path) -> None:
    ring = [f"switchguid=0x{n}\n" for n in (1, 2, 3)]
    text = ""
    for n, head in enumerate(ring):
        after, before = (n + 1) % 3 + 1, (n - 1) % 3 + 1
        text += head + f'Switch 3 "S-{n + 1}" # "s{n + 1}" base port 0 lid {n + 1} lmc 0\n'
        text += f'[1] "H-a{n + 1}"[1] # "h{n + 1}" lid {n + 11} 4xEDR\n'
        text += f'[2] "S-{after}"[3] # "s{after}" 4xEDR\n[3] "S-{before}"[2] # "s{before}" 4xEDR\n'
        text += f'Ca 1 "H-a{n + 1}" # "h{n + 1}"\n'
        text += f'[1](a{n}) "S-{n + 1}"[1] # lid {n + 11} lmc 0 "s" 4xEDR\n'
    rows = [(1, {11: 1, 12: 2, 13: 2}), (2, {11: 2, 12: 1, 13: 3}), (3, {11: 2, 12: 2, 13: 1})]
    tables = ""
    for switch, ports in rows:
        tables += f"Unicast lids [0x0-0xd] of switch Lid {switch} guid 0x{switch} (s):\n"
        tables += "".join(f"0x{lid:04x} {port:03d}\n" for lid, port in ports.items())
    (tmp_path / "lfts").write_text(tables)
    line = refused(tmp_path / "net", text, routes=tmp_path / "lfts")
    assert line == (
        'lfts: line 1 = "lid 13": h1 does not reach h3: switch s1 is on a circle that the tables '
        "send it around"
    )


# htsim


def test_topo_is_the_same_as_the_family(tmp_path: Path) -> None:
    found = import_network(SAMPLES / "fat_tree_1024_4os.topo")
    assert found.counts() == {"switches": 128 + 32 + 16, "hosts": 1024, "cables": 1024 + 256 + 256}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Radix_Down 4", "Radix_Down 5", "n.topo = 5: Radix_Down of tier 1 must be 4"),
        ("Tiers 2", "Tiers 3", "n.topo: line 2 = 3: must be 2 or 3"),
        ("Radix_Up 2", "Radix_Up two", 'n.topo: line 8 = "two": must be Radix_up'),
        (
            "Radix_Up 2",
            "Radix_Upp 2",
            'n.topo: line 8 = "Radix_Upp": is no key that is known; did you mean radix_up?',
        ),
        (
            "Nodes 32",
            "Nodes 33",
            "n.topo: line 1 = 33: must be a multiple of Radix_Down of tier 0, 8",
        ),
    ],
)
def test_mistakes_of_topo(tmp_path: Path, old: str, new: str, said: str) -> None:
    text = (SAMPLES / "leaf_spine_tiny.topo").read_text()
    assert old in text
    assert said in refused(tmp_path / "n.topo", text.replace(old, new, 1))


# ns-3


def test_hpn_has_two_planes_for_every_gpu() -> None:
    found = import_network(SAMPLES / "hpn_dual_plane.txt")
    ends = cables(found)
    switches = [name for name in found.cluster.switches if name.startswith("switch")]
    around: dict[str, set[str]] = {}
    for one, other in ends:
        around.setdefault(one, set()).add(other)
        around.setdefault(other, set()).add(one)
    # Planes: what can be reached over switches alone.
    planes: list[set[str]] = []
    for name in switches:
        if not any(name in plane for plane in planes):
            plane, front = {name}, [name]
            while front:
                front = [n for at in front for n in around[at] if n in switches and n not in plane]
                plane.update(front)
            planes.append(plane)
    assert len(planes) == 2
    for gpu in found.cluster.hosts:
        assert all(around[gpu] & plane for plane in planes)
        assert sum(name.startswith("nvswitch") for name in around[gpu]) == 1


HPCC = (
    "5 2 5\n3 4\n0 3 100Gbps 1000ns 0.000000\n1 3 100Gbps 1us 0\n2 4 50Gbps 0.001ms 0\n"
    "3 4 100Gbps 1000ns 0\n3 4 100Gbps 1000ns 0\n"
)


def test_hpcc(tmp_path: Path) -> None:
    found = made(tmp_path / "t", HPCC)
    assert found.counts() == {"switches": 2, "hosts": 3, "cables": 5}
    assert cables(found)["switch3", "switch4"] == 2
    assert {one.delay_ps for one in found.cluster.cables} == {1_000_000}


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "2 4 50Gbps 0.001ms 0\n",
            "",
            't: line 6 = "4 links": must be 5, as line 1 says; is the file cut?',
        ),
        ("2 4 50Gbps", "2 9 50Gbps", "t: line 5 = 9: must be a node, 0 to 4"),
        ("2 4 50Gbps", "2 4 50Gbit", 't: line 5 = "50Gbit": is no rate; must be like 100Gbps'),
        ("3 4\n", "3 3\n", "t: line 2 = 3: is there twice"),
        ("3 4\n", "3\n", 't: line 2 = "1 switches": must be 2, as line 1 says'),
        (
            "0 3 100",
            "0 1 100",
            't: line 3 = "host0 and host1": are two hosts; a cable must have a switch at one end',
        ),
        ("2 4 50Gbps", "1 4 50Gbps", 't: line 2 = "host2": is a host without a cable'),
    ],
)
def test_mistakes_of_hpcc(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in HPCC
    assert refused(tmp_path / "t", HPCC.replace(old, new, 1)) == said


# Slurm


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "BlockName=b1 Nodes=n[0-3]\nSwitchName=s Nodes=m\n",
            't: line 2 = "SwitchName=s": must be BlockName=, Nodes= or BlockSizes=',
        ),
        (
            "BlockName=b1 Nodes=n[0-3]\nBlockName=b2 Nodes=n3\n",
            't: line 2 = "n3": is in a block already, in line 1',
        ),
        (
            "BlockName=b1\n",
            't: line 1 = "BlockName=b1": has no Nodes=; a block has a name and nodes',
        ),
        (
            "BlockName=b1 Nodes=n[0-3]\nBlockSizes=4,12\n",
            "t: line 2 = 12: must be a power of two times 4, the smallest of BlockSizes",
        ),
        (
            "BlockName=b1 Nodes=n[0-3]\nBlockSizes=many\n",
            't: line 2 = "many": must be numbers of nodes, such as BlockSizes=18,72',
        ),
        (
            "BlockSizes=4\n",
            "t: has no block, such as BlockName=b0 Nodes=node[0-17]",
        ),
        (
            "---\n- topology: t\n  flat: true\n",
            "t: is a topology.yaml; only topology.conf is read",
        ),
        (
            "SwitchName=a Nodes=n[3-1]\n",
            't: line 1 = "3-1": must be at most 1048576 ascending numbers',
        ),
        (
            "SwitchName=a Nodes=n[1-3\n",
            't: line 1 = "n[1-3": is no list of names, such as node[000-017,020]',
        ),
        (
            "SwitchName=a Nodes=n1,n2 Switches=b\n",
            't: line 1 = "b": is no switch or host of this file',
        ),
        ("SwitchName=a Nodes=n1,n1\n", 't: line 1 = "n1": is on switch a already'),
        (
            "SwitchName=a Nodes=n1\nSwitchName=a Nodes=n2\n",
            't: line 2 = "a": is there already, in line 1',
        ),
        (
            "SwitchName=a Nods=n1\n",
            't: line 1 = "Nods=n1": must be SwitchName=, Nodes=, Switches= or LinkSpeed=',
        ),
    ],
)
def test_mistakes_of_slurm(tmp_path: Path, text: str, said: str) -> None:
    assert refused(tmp_path / "t", text) == said


def test_host_lists_of_slurm(tmp_path: Path) -> None:
    found = made(tmp_path / "t", "SwitchName=s[0-1] Nodes=n[08-10,2]x[1-2]\n", word="slurm")
    assert len(found.cluster.hosts) == 8
    assert {"n08x1", "n10x2", "n2x1"} <= set(found.cluster.hosts)
    assert len(found.network.own) == 8


def test_blocks_of_slurm_are_joined_by_their_sizes(tmp_path: Path) -> None:
    lines = [f"BlockName=b{at} Nodes=n{at}[0-3]\n" for at in range(1, 6)]
    found = made(tmp_path / "t", "".join([*lines, "BlockSizes=4,8,16\n"]))
    assert (len(found.cluster.hosts), len(found.cluster.switches)) == (20, 9)
    between = {one.ends for one in found.cluster.cables if one.ends[0] not in found.cluster.hosts}
    assert between == {
        ("b1", "b1..b2"),
        ("b2", "b1..b2"),
        ("b3", "b3..b4"),
        ("b4", "b3..b4"),
        ("b1..b2", "b1..b4"),
        ("b3..b4", "b1..b4"),
        ("b1..b4", "b1..b5"),
        ("b5", "b1..b5"),
    }
    # Without sizes one switch joins all, and a single block has none above it.
    alike = made(tmp_path / "t", "".join(lines[:2]))
    assert set(alike.cluster.switches) == {"b1", "b2", "b1..b2"}
    assert set(made(tmp_path / "t", lines[0]).cluster.switches) == {"b1"}


# CODES: as on Theta, groups of rows and columns with two cables between routers.

CONF = """LPGROUPS {{ MODELNET_GRP {{ repetitions="{routers}"; nw-lp="1"; }} }}
PARAMS
{{
  packet_size="2048";
  modelnet_order=( "dragonfly_custom","dragonfly_custom_router" );
  num_router_rows="{rows}"; # of a group
  num_router_cols="{columns}";
  num_groups="{groups}";
  local_bandwidth="5.25";
  global_bandwidth="1.5";
  cn_bandwidth="16.0";
  num_cns_per_router="4";
  intra-group-connections="../elsewhere/intra";
  inter-group-connections="inter";
}}
"""


def dragonfly(folder: Path, groups: int = 9, rows: int = 6, columns: int = 16) -> str:
    """Write files of connections; return the `.conf`."""
    size = rows * columns
    intra, inter = [], []
    for one in range(size):
        for other in range(size):
            if one != other and one // columns == other // columns:
                intra.append((one, other, 0))
            if one != other and one % columns == other % columns:
                intra += [(one, other, 1)] * 3
    for one in range(groups):
        for other in range(groups):
            for router in range(size) if one != other else ():
                if router % (groups - 1) == (one + other) % (groups - 1):
                    inter += [(one * size + router, other * size + router)] * 2
    (folder / "intra").write_bytes(b"".join(struct.pack("<3i", *row) for row in intra))
    (folder / "inter").write_bytes(b"".join(struct.pack("<2i", *row) for row in inter))
    return CONF.format(routers=groups * size, rows=rows, columns=columns, groups=groups)


def test_a_dragonfly_of_codes(tmp_path: Path) -> None:
    found = made(tmp_path / "theta.conf", dragonfly(tmp_path))
    assert (found.counts()["switches"], found.counts()["hosts"]) == (864, 3456)
    between = [one for one in found.cluster.cables if one.link_class == "global"]
    assert set(Counter(one.ends for one in between).values()) == {2}
    assert str(between[0].rate) == "12.884901888 Gbit/s"
    inside = [one for one in found.cluster.cables if one.link_class == "local"]
    assert len(inside) == 9 * (96 * 15 + 96 * 5 * 3) // 2


def test_mistakes_of_codes(tmp_path: Path) -> None:
    text = dragonfly(tmp_path, 3, 2, 2)
    conf = tmp_path / "d.conf"
    assert refused(conf, text.replace('num_groups="3"', 'num_groups="4"')) == (
        "d.conf: line 1 = 12: must be 16, the routers of all groups"
    )
    content = (tmp_path / "inter").read_bytes()
    (tmp_path / "inter").write_bytes(content[:-3])
    assert "must be whole records of 8 bytes; is the file cut?" in refused(conf, text)
    (tmp_path / "inter").write_bytes(content[8:])
    assert "times the other way" in refused(conf, text)
    (tmp_path / "inter").write_bytes(content + struct.pack("<2i", 0, 99))
    assert refused(conf, text).endswith("99: must be a router, 0 to 11, as d.conf says")
    (tmp_path / "inter").unlink()
    assert refused(conf, text) == 'd.conf: line 14 = "inter": is no file, nor is inter'


# Other files.


def test_a_torus_and_a_slim_fly_of_codes(tmp_path: Path) -> None:
    torus = (
        'LPGROUPS { G { repetitions="32"; } }\nPARAMS { modelnet_order=( "torus" ); n_dims="3"; '
        'dim_length="4,4,2"; link_bandwidth="10.0"; }\n'
    )
    found = made(tmp_path / "t", torus)
    assert found.counts() == {"switches": 32, "hosts": 32, "cables": 32 + 32 + 32 + 16}
    fly = (
        'LPGROUPS { G { repetitions="50"; } }\nPARAMS { modelnet_order=( "slimfly","r" ); '
        'num_routers="5"; num_terminals="3"; generator_set_X=("1","4"); '
        'generator_set_X_prime=("2","3"); local_bandwidth="9.0"; global_bandwidth="9.0"; '
        'cn_bandwidth="9.0"; }\n'
    )
    found = made(tmp_path / "f", fly)
    assert found.counts() == {"switches": 50, "hosts": 150, "cables": 150 + 50 + 125}


def test_lingjun(tmp_path: Path) -> None:
    text = "ip,DSW,PSW,ASW\na,G1,P1,S1\nb,G1,P1,S2\nc,G2,P1,S1\n"
    found = made(tmp_path / "t", text)
    assert list(found.cluster.switches) == [
        "G1",
        "G1.P1",
        "G1.S1",
        "G1.S2",
        "G2",
        "G2.P1",
        "G2.S1",
        "core",
    ]


def test_anytopo(tmp_path: Path) -> None:
    vertices = "".join(f'<node id="r{n}"><data key="t">router</data></node>' for n in (0, 1))
    vertices += "".join(f'<node id="e{n}"><data key="t">endpoint</data></node>' for n in (0, 1))
    ends = (("r0", "r1"), ("e0", "r0"), ("r1", "e1"))
    edges = "".join(f'<edge source="{one}" target="{other}"/>' for one, other in ends)
    text = (
        '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="t" for="node" '
        f'attr.name="type" attr.type="string"/><graph '
        f'edgedefault="undirected">{vertices}{edges}</graph></graphml>'
    )
    assert made(tmp_path / "t", text).counts() == {"switches": 2, "hosts": 2, "cables": 3}
    assert refused(tmp_path / "t", text.replace("endpoint", "enpoint", 1)) == (
        't = "enpoint": vertex e0: type must be "router" or "endpoint"'
    )


def test_an_unknown_form_names_all(tmp_path: Path) -> None:
    line = refused(tmp_path / "t", "what is this\n")
    assert line.startswith("t: is of no form that is known; --format says which: ibnetdiscover, ")
    assert refused(tmp_path / "t", "x", word="slurn").endswith('did you mean "slurm"?')
    assert len(READERS) == len({reader.what for reader in READERS.values()})


# The command.


def test_two_commands_from_a_file_to_a_cost(tmp_path: Path) -> None:
    (tmp_path / "net").write_text(IB)
    (tmp_path / "lfts").write_text(TABLES)
    asked = ["import", "network", tmp_path / "net", "--routes", tmp_path / "lfts"]
    done = tailback(*asked, "--out", tmp_path / "c.toml")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[0] == "found: 2 switches, 3 hosts, 5 cables"
    cost = tailback("cost", tmp_path / "c.toml", "--set", "run.duration=20 us")
    assert cost.returncode == 0
    assert "HCA-1" in cost.stdout


def test_nothing_is_written_of_a_file_that_is_cut(tmp_path: Path) -> None:
    (tmp_path / "net").write_text(IB.partition("\ncaguid=0xb0")[0])
    done = tailback("import", "network", tmp_path / "net", "--out", tmp_path / "c.toml")
    assert done.returncode == 2
    assert done.stderr.count("\n") == 1
    assert "is a cable known from one end only" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["net"]
