"""Fill in the parts of the documentation that the code knows best.

    python docs/generate.py [--tables | --photographs] [DOCUMENT …]

rewrites, in the documents given, or else in README.md, docs/*.md and docs/cookbook/*.md, as many
at a time as there are processors:

* what stands between `<!-- generated: NAME -->` and `<!-- end -->`: tables of
  the keys of an experiment, from its JSON Schema;
* the output under each `$ command` of a ```console block;
* the ```text block that follows a ```python block: what the program prints;
* pictures in docs/pictures: those that a document shows and says where its commands
  write them, `![…](pictures/NAME.svg)<!-- from PATH -->`.

With `--photographs`, pages that a document shows are photographed in Chromium, too, with the
library playwright: `![…](pictures/NAME.png)<!-- photograph of PATH#STATE -->`. Such pictures are
not compared by tests, since fonts and browsers differ.

With `--tables`, only the tables are renewed: no command is run, and no picture drawn.

Commands run in a folder of their own for each document, in which are `examples` and the
files that the document gives: blocks with a name behind the language, such as ```toml mine.toml.

`tests/unit/test_docs.py` says when this is to be run again.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tailback import machines, workloads
from tailback.experiment import json_schema
from tailback.metrics import ALL_METRICS
from tailback.store.columns import (
    BLAME_COLUMNS,
    BLAME_TABLES,
    ENDING,
    IDENTIFYING,
    INNER,
    MERGED,
    MESSAGE_COLUMNS,
    MESSAGE_TABLE,
    METRIC_COLUMNS,
    NESTED,
    NODES_OF_COSTS,
    NODES_OF_INTEGRATED,
    PATH_COLUMNS,
    PATH_METRICS,
    PATH_TABLES,
    PERCENTILE_COLUMNS,
    RATIO_COLUMNS,
    TRAFFIC_COLUMNS,
    TRAFFIC_TABLE,
    Column,
)
from tailback.store.schema import columns

ROOT = Path(__file__).resolve().parents[1]
PICTURES = ROOT / "docs" / "pictures"
DOCUMENTS = [
    ROOT / "README.md",
    *(path for name in ("docs", "docs/cookbook") for path in sorted((ROOT / name).glob("*.md"))),
]

Schema = Mapping[str, Any]

_GENERATED = re.compile(r"(<!-- generated: ([^\n]+) -->\n).*?(<!-- end -->)", re.DOTALL)
_CONSOLE = re.compile(r"(?<=```console\n).*?(?=```)", re.DOTALL)
_FILE = re.compile(r"```\w+ ([\w.]+)\n(.*?)```", re.DOTALL)
_PICTURE = re.compile(r"\]\((?:docs/)?pictures/([\w.-]+)\)<!-- from (\S+) -->")
_PHOTOGRAPH = re.compile(r"\]\((?:docs/)?pictures/([\w.-]+)\)<!-- photograph of (.+?)(#.*?)? -->")
_PROGRAM = re.compile(r"(```python\n(.*?)```\n+```text\n)(.*?)(?=```)", re.DOTALL)
# What depends on the clock on the wall: events per second, and how far work is.
_PROGRESS = re.compile(
    r"(?m)^(?:\d+ of \d+ \w+ done|step \d+ of \d+: |\d+ operations, [\d.]+ million/s"
    r"|[^:\n]+: [\d.]+ ms simulated,).*\n"
)
_SPEED = re.compile(r"(?m)^((?:full|endpoints|throttled|free|ideal): .*), [0-9.]+ [kM]?/s$")


#: Whether commands are left as they are.
TABLES_ONLY = "--tables" in sys.argv[1:]
PHOTOGRAPHS = "--photographs" in sys.argv[1:]


def filled(text: str) -> tuple[str, dict[str, bytes]]:
    """Return a document with its generated parts as they should be now, and its pictures."""
    text = _GENERATED.sub(lambda m: f"{m[1]}\n{_PARTS[m[2]]()}\n\n{m[3]}", text)
    if TABLES_ONLY:
        return text, {}
    with TemporaryDirectory() as place:
        folder = Path(place)
        (folder / "examples").symlink_to(ROOT / "examples")
        for name, content in _FILE.findall(text):
            (folder / name).write_text(content, encoding="utf-8")
        text = _CONSOLE.sub(lambda m: _session(m[0], folder), text)
        text = _PROGRAM.sub(lambda m: m[1] + _output([sys.executable, "-c", m[2]], folder), text)
        pictures = {name: (folder / made).read_bytes() for name, made in _PICTURE.findall(text)}
        if PHOTOGRAPHS:
            for name, page, state in _PHOTOGRAPH.findall(text):
                pictures[name] = _photograph(folder / page, state)
        return text, pictures


def _photograph(page: Path, state: str) -> bytes:
    """Return a picture of a page in a browser, as a PNG."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        shown = browser.new_page(viewport={"width": 1280, "height": 800})
        shown.goto(page.as_uri() + state)
        shown.wait_for_selector("html[data-ready]")
        taken = shown.screenshot()
        browser.close()
    return taken


def _session(block: str, folder: Path) -> str:
    """Return a console block with every command's output renewed."""
    commands = re.findall(r"(?m)^\$ (.*(?:(?<=\\)\n.*)*)$", block)
    return "".join(f"$ {c}\n{_output(['bash', '-c', c], folder)}" for c in commands)


def _output(command: list[str], folder: Path) -> str:
    """Return what a command prints, on both streams."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    variables = os.environ | {"PATH": path, "COLUMNS": "80", "PYTHONUTF8": "1", "NO_COLOR": "1"}
    done = subprocess.run(
        command,
        cwd=folder,
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
        encoding="utf-8",
    )
    return _told(done.stdout)


def _told(output: str) -> str:
    """Return an output without trailing blanks, and without what depends on the clock."""
    lines = "".join(f"{line.rstrip()}\n" for line in output.splitlines())
    return _SPEED.sub(r"\1", _PROGRESS.sub("", lines))


def _run_keys() -> str:
    return _table(json_schema()["properties"]["run"])


def _job_keys() -> str:
    table = json_schema()["properties"]["job"]["items"]
    keys = {name: key for name, key in table["properties"].items() if name != "workload"}
    return _table({**table, "properties": keys})


def _fault_keys() -> str:
    return _table(json_schema()["properties"]["fault"]["items"])


#: The tables of a machine, in order.
_OF_MACHINE = (
    *("topology", "link", "node_link", "link_classes", "hosts", "switch", "routing"),
    *("interface", "loggops"),
)


def _machine_keys() -> str:
    """Return a table for each part of a machine; of parts with kinds one for each kind."""
    tables = json_schema()["properties"]["machine"]["properties"]
    clock = {"default": None} | tables["clock"]
    parts = [f"**`[machine]`**\n\n{_table({'properties': {'clock': clock}})}"]
    for name in _OF_MACHINE:
        schema = tables[name]
        title = f"**`[machine.{name}]`**"
        if name == "link_classes":
            schema, title = schema["additionalProperties"], "**`[machine.link_classes.NAME]`**"
        if "anyOf" in schema:
            parts += [f"{title}: the keys depend on `kind`.", *_kinded(schema)]
        else:
            parts.append(f"{title}\n\n{_table(schema)}")
    return "\n\n".join(parts)


def _kinded(schema: Schema) -> Iterable[str]:
    """Yield a table of the keys that all kinds have, then those of each."""
    kinds = {kind["properties"]["kind"]["enum"][0]: kind for kind in schema["anyOf"]}
    own = {word: dict(kind["properties"]) for word, kind in kinds.items()}
    first, *others = own.values()
    shared = [key for key in first if all(first[key] == other.get(key) for other in others)]
    if shared:
        common = {key: first[key] for key in shared}
        yield f"Keys of every kind:\n\n{_table({'properties': common})}"
    tables: dict[str, list[str]] = {}
    for word, properties in own.items():
        rest = {k: value for k, value in properties.items() if k not in ("kind", *shared)}
        if rest:
            tables.setdefault(_table({"properties": rest}), []).append(f'`"{word}"`')
    for table, words in tables.items():
        yield f"Keys of kind {', '.join(words)}:\n\n{table}"


def _topologies() -> str:
    return _described(machines.TOPOLOGIES, machines.DEFAULT_TOPOLOGY)


def _routings() -> str:
    return _described(machines.ROUTINGS, "")


def _families() -> str:
    """Return what every kind of topology is, and how large it is by default."""
    rows = []
    for word, kind in machines.TOPOLOGIES.items():
        sizes = ["as the file says"] * 2
        if "file" not in kind.key_names:
            sizes = [f"{kind().node_count:,}", f"{kind().switch_count:,}"]
        rows.append(" | ".join([f'| `"{word}"`', _paragraphs(kind)[0], *sizes]) + " |")
    head = ["| `kind` | what it is | nodes by default | switches |", "|---|---|---:|---:|"]
    return "\n".join([*head, *rows])


def _numbering() -> str:
    return _arguments(machines.TOPOLOGIES)


def _arguments(classes: Mapping[str, type]) -> str:
    """Return what is told of kinds besides what they are, keys apart."""
    told = {word: _paragraphs(kind)[1:] for word, kind in classes.items()}
    return "\n".join(f"* `{word}`: {' '.join(text)}" for word, text in told.items() if text)


def _algorithms() -> str:
    """Return which routes every kind of routing takes, where, and its number of VC classes."""
    routed = {word: kind for word, kind in machines.TOPOLOGIES.items() if kind.routings}
    rows = []
    for word, kind in machines.ROUTINGS.items():
        there = [name for name, topology in routed.items() if word in topology.routings]
        missing = [name for name in routed if name not in there]
        few = len(missing) < len(there) // 2
        where = " but ".join(["all", *([", ".join(missing)] if missing else [])])
        cells = [f"| `{word}`", _paragraphs(kind)[0], where if few else ", ".join(there)]
        rows.append(" | ".join([*cells, _channels(kind, [routed[name] for name in there])]) + " |")
    head = ["| `kind` | routes | on | VC classes |", "|---|---|---|---|"]
    return "\n".join([*head, *rows])


def _channels(kind: type[machines.Routing], topologies: Iterable[type]) -> str:
    """Return how many classes of virtual channels a kind of routing tells apart."""
    if "file" in kind.key_names:
        return "as the file says"
    made = [topology() for topology in topologies if "file" not in topology.key_names]
    found = {topology.kind: kind().facts(topology).classes for topology in made}
    usual = max(found.values(), key=list(found.values()).count)
    others = [f"{name} {count}" for name, count in found.items() if count != usual]
    few = len(set(found.values())) <= 3
    return ", ".join([str(usual), *others]) if few else "one for each hop of the longest route"


def _kinds() -> str:
    return _described(workloads.KINDS, workloads.DEFAULT_KIND)


def _described(classes: Mapping[str, type], default: str) -> str:
    rows = [
        f'| `"{word}"`{" (default)" if word == default else ""} | {_paragraphs(kind)[0]} |'
        for word, kind in classes.items()
    ]
    return "\n".join(["| value | what it is |", "|---|---|", *rows])


def _workload_keys() -> str:
    """Return a section for every kind, with one for each table inside it."""
    definitions = json_schema()["$defs"]
    parts = []
    for word, kind in workloads.KINDS.items():
        schema = definitions[kind.__name__]
        parts += [f"### `{word}`", *_paragraphs(kind), _table(schema)]
        for name in _inner(schema, definitions):
            inner = definitions[name]
            parts += [f"**{name}.** {_unwrapped(inner['description'])}", _table(inner)]
    return "\n\n".join(parts)


def _inner(schema: Schema, definitions: Schema) -> Iterable[str]:
    """Return the names of the tables that a table contains, in order, also indirectly."""
    found: dict[str, None] = {}
    for name in re.findall(r'"#/\$defs/(\w+)"', json.dumps(schema)):
        found |= {name: None} | dict.fromkeys(_inner(definitions[name], definitions))
    return found


def _presets(section: str, presets: Mapping[str, Mapping[str, Any]]) -> str:
    """Return every preset as the lines of an experiment file that it stands for."""
    blocks = []
    for name, values in presets.items():
        lines = [f"{key} = {json.dumps(value)}" for key, value in _dotted(values)]
        blocks.append("\n".join([f"`{name}`:", "", "```toml", f"[{section}]", *lines, "```"]))
    return "\n\n".join(blocks)


def _dotted(values: Mapping[str, Any], path: str = "") -> Iterable[tuple[str, Any]]:
    """Yield keys of tables, and of the tables in them, by dotted name."""
    for key, value in values.items():
        if isinstance(value, Mapping):
            yield from _dotted(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def _columns() -> str:
    """Return tables of the columns of a stored run; the parts of a metric are told once."""
    measured = {f"{name}{part}" for name in ALL_METRICS for part in MERGED}
    sections: dict[str, list[Column]] = {}
    for column in columns():
        table = column.name.rpartition(".")[0] if "." in column.name else ""
        sections.setdefault(table and f"Parameters of [{table}]", []).append(column)
    plain = [column for column in sections.pop("") if column.name not in measured]
    ending = {column.name for column in ENDING}
    metrics = [column for column in columns() if column.name in ALL_METRICS]
    parts = [
        ("The run", [column for column in plain if column.name in {c.name for c in IDENTIFYING}]),
        *sections.items(),
        ("How it ended", [column for column in plain if column.name in ending]),
        ("Metrics", metrics),
        ("Parts of each metric, by the end of the name", _metric_parts()),
        ("Ratios and percentiles", [c for c in plain if c.name in _FOLLOWING]),
    ]
    return "\n\n".join(f"**{title}**\n\n{_column_table(rows)}" for title, rows in parts)


_FOLLOWING = {column.name for column in (*RATIO_COLUMNS, *PERCENTILE_COLUMNS)}


def _metric_parts() -> list[Column]:
    """Return what is stored of a metric beside its value, by the end of the name."""
    found = []
    for suffix in MERGED[1:]:
        units = {
            column.unit
            for column in METRIC_COLUMNS
            if column.name.endswith(suffix) and column.name not in ALL_METRICS
        }
        unit = "of the metric" if len(units) > 4 else ", ".join(sorted(units))
        [first, *_] = [column for column in METRIC_COLUMNS if column.name.endswith(suffix)]
        found.append(Column(f"…{suffix}", first.type, unit, first.meaning))
    return found


def _inner_columns() -> str:
    return _inner_tables(columns(), NESTED)


def _traffic_columns() -> str:
    """Return the columns inside the one that points with traffic of several classes have."""
    return _inner_tables(TRAFFIC_COLUMNS, (TRAFFIC_TABLE,))


def _message_columns() -> str:
    """Return the columns inside the one that points with `run.keep_messages` have."""
    return _inner_tables(MESSAGE_COLUMNS, (MESSAGE_TABLE,))


def _blame_columns() -> str:
    """Return the columns that points with `run.blame` have besides, and those inside them."""
    said = [column for column in BLAME_COLUMNS if column.name not in BLAME_TABLES]
    return f"{_column_table(said)}\n\n{_inner_tables(BLAME_COLUMNS, BLAME_TABLES)}"


def _path_columns() -> str:
    """Return the values and tables that points with `run.critical_path` have besides."""
    values = _column_table([column for column in PATH_COLUMNS if column.name in PATH_METRICS])
    return f"{values}\n\n{_inner_tables(PATH_COLUMNS, PATH_TABLES)}"


def _inner_tables(described: Iterable[Column], names: Iterable[str]) -> str:
    meanings = {column.name: column.meaning for column in described}
    further = {"nodes": (*NODES_OF_INTEGRATED, *NODES_OF_COSTS)}
    return "\n\n".join(
        f"**`{name}`.** {meanings[name]}\n\n{_column_table([*INNER[name], *further.get(name, ())])}"
        for name in names
    )


def _column_table(rows: Iterable[Column]) -> str:
    """Return columns: name, type, unit, meaning."""
    lines = ["| column | type | unit | meaning |", "|---|---|---|---|"]
    for column in rows:
        meaning = column.meaning.replace("|", "\\|")
        lines.append(f"| `{column.name}` | {column.type} | {column.unit} | {meaning} |")
    return "\n".join(lines)


_PARTS: dict[str, Callable[[], str]] = {
    "topologies": _topologies,
    "routings": _routings,
    "families": _families,
    "numbering": _numbering,
    "algorithms": _algorithms,
    "arguments": lambda: _arguments(machines.ROUTINGS),
    "machine": _machine_keys,
    "jobs": _job_keys,
    "faults": _fault_keys,
    "machine presets": lambda: _presets("machine", machines.PRESETS),
    "kinds": _kinds,
    "workload": _workload_keys,
    "workload presets": lambda: _presets("workload", workloads.PRESETS),
    "run": _run_keys,
    "columns": _columns,
    "inner columns": _inner_columns,
    "traffic columns": _traffic_columns,
    "message columns": _message_columns,
    "blame columns": _blame_columns,
    "path columns": _path_columns,
}


def _paragraphs(described: type) -> list[str]:
    """Return what is told of a part, keys apart."""
    text = (described.__doc__ or "").partition("\n\nKeys:\n")[0]
    return [_unwrapped(part) for part in re.split(r"\n\s*\n", text.strip())]


def _unwrapped(text: str) -> str:
    return " ".join(text.replace("``", "`").split())


def _table(schema: Schema) -> str:
    """Return the keys of a table: values, default, meaning."""
    required = schema.get("required", ())
    rows = []
    for key, value in schema["properties"].items():
        if key in ("preset", "topology", "kind"):
            continue  # explained in the text
        no_default = key in required or "default" not in value
        default = "must be given" if no_default else _default(value)
        description = value["description"].replace("|", "\\|")
        rows.append(f"| `{key}` | {_values(value)} | {default} | {description} |")
    return "\n".join(["| key | value | default | meaning |", "|---|---|---|---|", *rows])


def _default(value: Schema) -> str:
    default = value["default"]
    return "" if default in (None, []) else f"`{json.dumps(default)}`"


def _values(value: Schema) -> str:
    """Return in words what a key may be."""
    if "anyOf" in value:
        words = [_values(option) for option in value["anyOf"] if option.get("type") != "null"]
        words = words or ["none yet"]
        return " or ".join(word for word in dict.fromkeys(words) if word != "`0`")
    if "$ref" in value:
        return value["$ref"].rpartition("/")[2]
    for fixed in ("enum", "const"):
        if fixed in value:
            options = value[fixed] if fixed == "enum" else [value[fixed]]
            return ", ".join(f"`{json.dumps(option)}`" for option in options)
    if "pattern" in value:
        return _quantity(value["pattern"])
    if value["type"] == "array":
        of = _values(value["items"]) if "items" in value else ""
        parts = [_values(part) for part in value.get("prefixItems", ())]
        return f"[{', '.join(parts)}]" if parts else f"list of {of}"
    words = {"boolean": "true or false", "string": "text", "object": "table of texts"}
    return words.get(value["type"]) or _number(value)


def _quantity(pattern: str) -> str:
    """Return the dimension of a quantity, told by one of its units."""
    dimensions = {"|ps|": "time", "|KiB|": "size", "|Mbit/s|": "rate", "|GHz|": "frequency"}
    dimensions["|ns/B|"] = "time per byte"
    units = "|" + pattern.rpartition("(")[2].partition(")")[0] + "|"
    return next(word for unit, word in dimensions.items() if unit in units)


def _number(value: Schema) -> str:
    word = "whole number" if value["type"] == "integer" else "number"
    low, high = value.get("minimum"), value.get("maximum")
    above, below = value.get("exclusiveMinimum"), value.get("exclusiveMaximum")
    if word == "whole number" and below is not None:
        high, below = f"2^{below.bit_length() - 1} - 1", None
    if low is not None and high is not None:
        return f"{word}, {low} to {high}"
    limits = {"from": low, "to": high, "above": above, "below": below}
    said = " and ".join(f"{how} {limit}" for how, limit in limits.items() if limit is not None)
    return f"{word} {said}".strip()


def main(arguments: Sequence[str]) -> None:
    """Rewrite the documents given, or all."""
    PICTURES.mkdir(exist_ok=True)
    given = [argument for argument in arguments if not argument.startswith("--")]
    paths = [Path(argument).resolve() for argument in given] or DOCUMENTS
    # The time goes into commands, which are processes of their own.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for changed in pool.map(_rewrite, paths):
            for file in changed:
                print(f"{file.relative_to(ROOT)} has changed", flush=True)


def _rewrite(path: Path) -> list[Path]:
    """Rewrite a document and its pictures; return which files have changed."""
    old = path.read_text(encoding="utf-8")
    new, pictures = filled(old)
    contents = {path: new.encode()}
    contents |= {PICTURES / name: content for name, content in pictures.items()}
    changed = [
        file
        for file, content in contents.items()
        if not file.exists() or file.read_bytes() != content
    ]
    for file in changed:
        file.write_bytes(contents[file])
    return changed


if __name__ == "__main__":
    main(sys.argv[1:])
