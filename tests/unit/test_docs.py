"""The documents say what is so: commands, outputs, links, words, sources, quoted code."""

from __future__ import annotations

import ast
import importlib.util
import re
import shlex
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType

import pytest
from typer.core import TyperGroup
from typer.main import get_command

from tailback.cli.commands import app
from tailback.door import TRACE_FORMATS
from tailback.experiment import Experiment
from tailback.machines import PRESETS, ROUTINGS, TOPOLOGIES
from tailback.metrics import METRICS
from tailback.since311 import tomllib
from tailback.workloads import KINDS
from tests.commands import tailback

ROOT = Path(__file__).resolve().parents[2]
DOCUMENTS = [
    path
    for folder in (
        ROOT,
        ROOT / "docs",
        ROOT / "docs" / "cookbook",
        ROOT / "studies",
        *(ROOT / "studies").glob("*"),
    )
    for path in sorted(folder.glob("*.md"))
]
CODE = [
    path
    for folder in ("crates", "python", "examples", "tests", "studies", "benches")
    for kind in ("rs", "py", "toml")
    for path in sorted((ROOT / folder).rglob(f"*.{kind}"))
]

#: Formats of traces but our own, and that which is found out.
FORMATS = set(TRACE_FORMATS) - {"auto", "tailback"}


def commands() -> list[str]:
    """Return the commands that there are, by name."""
    found = get_command(app)
    assert isinstance(found, TyperGroup)
    return sorted(found.commands)


#: Words that must be in the glossary.
WORDS = """
    message, packet, flit, token, phit, channel, hunt group, link, virtual link, virtual
    channel, head, tail, hop, injection channel, internal channel, ejection channel, external
    channel, direct channel, credit, offered load, accepted load, zero-load latency, saturation,
    saturation failure, lifetime, network lifetime, routed lifetime, message latency,
    throttling, internal contention, contention, contention mode, full, baseline, endpoints,
    throttled, free, ideal, theta_t, theta_r, theta_c, completion time, fidelity, head-of-line
    blocking, arbiter, switching, integrated, acknowledgement, acknowledgement priority,
    busy, held, warm-up, batch means, window, interval, deadlock, process, node, switch,
    topology, routing, seed, stream, sent, delivered, acknowledged, socket, flow-control token,
    worm, open loop, run, point, sweep, merging, settled, actual load
"""


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def none_of(failures: Iterable[str]) -> None:
    """Fail if there are any, and tell all."""
    told = list(failures)
    assert not told, "\n".join(["", *told])


def blocks(path: Path, language: str) -> list[str]:
    """Return the fenced blocks of a document in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```", path.read_text(), re.DOTALL | re.MULTILINE)


def prose(path: Path) -> str:
    """Return a document without its blocks of code."""
    return re.sub(r"^```.*?^```", "", path.read_text(), flags=re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    """The script that fills in the documents."""
    spec = importlib.util.spec_from_file_location("generate", ROOT / "docs" / "generate.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    by_a_shell = module._output

    def output(command: list[str], folder: Path) -> str:
        """Carry out our own commands without the time that Python takes to start."""
        line = command[-1].replace("\\\n", " ")
        words, rest = words_of(line) if command[0] == "bash" else ([], "")
        if not words:
            return str(by_a_shell(command, folder))
        variables = {"COLUMNS": "80", "NO_COLOR": "1"}
        done = tailback(*words, cwd=folder, env=variables, together=not rest)
        if not rest:
            return str(module._told(done.stdout))
        # What the command has printed goes where the line sends it.
        with TemporaryDirectory() as place:
            out, err = (Path(place) / name for name in ("out", "err"))
            out.write_text(done.stdout)
            err.write_text(done.stderr)
            told = f"told() {{ cat {err} >&2; cat {out}; return {done.returncode}; }}"
            return str(by_a_shell(["bash", "-c", f"{told}\ntold {rest}"], folder))

    vars(module)["_output"] = output
    return module


def words_of(line: str) -> tuple[list[str], str]:
    """Return the words of one command of ours, which a line begins with, and the rest of the line.

    None if the shell has to read them first.
    """
    own, operator, rest = re.fullmatch(
        r"""((?:[^|;<>&"'\d]|\d(?!>)|"[^"$`]*"|'[^']*')*)(\d?[|;<>&]?)(.*)""", line, re.DOTALL
    ).groups()
    if not own.startswith("tailback ") or re.search(r"[$`*?~{]", own) or "tailback" in rest:
        return [], ""
    return shlex.split(own)[1:], operator + rest


#: Documents whose commands take much more than one second of CPU.
LONG = {
    *("README", "command-line", "counters", "failures", "jobs", "plots", "saturation"),
    *("sending-results", "switching", "tutorial"),
    *("all_reduce", "dragonfly", "killed_sweep", "permutations", "slim_fly", "star"),
}


def documents_with_parts() -> Iterator[object]:
    """Yield the documents that have generated parts; those whose commands take long are marked."""
    folders = (ROOT / "docs", ROOT / "docs" / "cookbook")
    pages = (path for folder in folders for path in sorted(folder.glob("*.md")))
    for path in [ROOT / "README.md", *pages]:
        is_long = path.stem in LONG
        yield pytest.param(path, marks=[pytest.mark.verify] if is_long else [], id=name_of(path))


@pytest.mark.parametrize("path", list(documents_with_parts()))
def test_tables_and_outputs_are_up_to_date(path: Path, generate: ModuleType) -> None:
    """If not, run: .venv/bin/python docs/generate.py, and look at what has changed."""
    text = path.read_text()
    new, pictures = generate.filled(text)
    assert new == text
    for name, content in pictures.items():
        assert (generate.PICTURES / name).read_bytes() == content, name


def test_pictures_of_the_answer_are_as_drawn() -> None:
    """If not, run: .venv/bin/python docs/answer/draw.py."""
    folder = ROOT / "docs" / "answer"
    spec = importlib.util.spec_from_file_location("draw", folder / "draw.py")
    assert spec is not None
    assert spec.loader is not None
    draw = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(draw)
    made = draw.pictures()
    assert {path.name: path.read_text() for path in folder.glob("*.svg")} == made
    text = (ROOT / "docs" / "answer.md").read_text()
    assert all(f"(answer/{name})" in text for name in made)


def test_every_picture_is_made_and_shown(generate: ModuleType) -> None:
    """Photographs of pages (.png) are taken by hand."""
    texts = [path.read_text() for path in generate.DOCUMENTS]
    made = [name for text in texts for name, _ in generate._PICTURE.findall(text)]
    names = sorted(path.name for path in generate.PICTURES.iterdir())
    assert sorted(made) == [name for name in names if not name.endswith(".png")]
    assert all(any(f"pictures/{name})" in text for text in texts) for name in names)


def test_the_index_lists_every_document() -> None:
    text = (ROOT / "docs" / "README.md").read_text()
    names = [path.name for path in sorted((ROOT / "docs").glob("*.md"))]
    assert [name for name in names if name != "README.md" and f"]({name})" not in text] == []


def test_the_readme_is_short() -> None:
    assert len((ROOT / "README.md").read_text().splitlines()) <= 150


#: What documents count, by the words behind the number.
COUNTED = {
    "topologies": len(TOPOLOGIES),
    "routing algorithms": len(ROUTINGS),
    "kinds": len(KINDS),
    "formats": len(FORMATS),
    "commands": len(commands()),
    "presets": len(PRESETS),
}


@pytest.mark.parametrize("words", COUNTED)
def test_documents_count_what_there_is(words: str) -> None:
    told = {
        name: re.findall(rf"(\d+) {words}\b", prose(ROOT / name))
        for name in ("README.md", "CHANGELOG.md")
    }
    assert told["README.md"]
    assert {count for counts in told.values() for count in counts} == {str(COUNTED[words])}


def test_commands_that_documents_name_exist() -> None:
    known = commands()
    named = [
        (path, command)
        for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
        for command in re.findall(r"(?:`|^\$ |^)tailback ([a-z]+)", path.read_text(), re.MULTILINE)
    ]
    assert {command for _, command in named} >= {"run", "cost", "blame", "explain"}
    none_of(f"{name_of(path)}: tailback {word}" for path, word in named if word not in known)


def test_the_readme_shows_the_example() -> None:
    (shown,) = blocks(ROOT / "README.md", "toml")
    example = (ROOT / "examples" / "two_jobs.toml").read_text()
    assert tomllib.loads(shown) == tomllib.loads(example)


def test_the_answer_of_the_readme_is_what_is_printed() -> None:
    printed = " ".join(blocks(ROOT / "README.md", "console")[0].split())
    text = prose(ROOT / "README.md")
    answer = re.search(r"\*\*The answer\.\*\* (.*?)\n\n", text, re.DOTALL)
    assert answer is not None
    much, where, who = re.split(r"(?<=[.]) (?=[A-Z])", " ".join(answer[1].split()))
    (share,) = re.findall(r"([\d.]+) % longer than without contention", printed)
    assert f"{float(share):.0f} % longer" in much
    channels = re.findall(r"`([^`]+)`", where)
    assert channels == re.findall(r"(\w+->\w+) \(", printed)[: len(channels)]
    culprits = re.findall(r"Job (\w+) causes", printed)
    assert culprits
    assert all(f"the {name}'s" in who for name in culprits)


def test_the_cookbook_lists_every_page() -> None:
    text = (ROOT / "docs" / "cookbook" / "README.md").read_text()
    names = [path.name for path in sorted((ROOT / "docs" / "cookbook").glob("*.md"))]
    assert [name for name in names if name != "README.md" and f"]({name})" not in text] == []


def test_every_example_says_what_it_shows() -> None:
    examples = sorted((ROOT / "examples").glob("*.toml"))
    assert examples
    says_nothing = [path for path in examples if not path.read_text().startswith("# ")]
    none_of(name_of(path) for path in says_nothing)


def test_what_is_generated_is_found(generate: ModuleType) -> None:
    assert len(blocks(ROOT / "README.md", "console")) == 2
    texts = [path.read_text() for path in sorted((ROOT / "docs").glob("*.md"))]
    begun = [name for text in texts for name in re.findall("<!-- generated: (.*?) -->", text)]
    assert sorted(begun) == sorted(generate._PARTS)


def test_experiments_in_documents_are_valid() -> None:
    none_of(f"{name_of(path)}: {mistake}" for path in DOCUMENTS for mistake in mistakes_in(path))


def mistakes_in(path: Path) -> Iterator[str]:
    """Yield what is wrong with the experiments of a document."""
    for block in blocks(path, "toml"):
        try:
            description = tomllib.loads(block)
            if "workload" in description:
                Experiment.from_dict(description)
        except Exception as error:
            yield f"{error!r} in\n{block}"


def test_links_lead_somewhere() -> None:
    none_of(f"{name_of(path)}: {target}" for path in DOCUMENTS for target in dead_links(path))


def dead_links(path: Path) -> Iterator[str]:
    for target in re.findall(r"\]\(([^)\s]+)\)", prose(path)):
        file, _, anchor = target.partition("#")
        if "://" in target:
            continue
        found = path.parent / file if file else path
        if not found.exists() or not has_anchor(found, anchor):
            yield target


def has_anchor(path: Path, anchor: str) -> bool:
    return not anchor or anchor in {anchor_of(heading) for heading in headings(path)}


def headings(path: Path) -> list[str]:
    return re.findall(r"^#+ (.*)$", prose(path), re.MULTILINE)


def anchor_of(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def test_every_word_is_in_the_glossary_once() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text()
    found = [w for line in re.findall(r"^### (.*)$", text, re.MULTILINE) for w in line.split(", ")]
    assert sorted(found) == sorted(set(found))
    wanted = {word.strip() for word in WORDS.replace("\n", " ").split(",")}
    wanted = {re.sub(r"\s+", " ", word) for word in wanted}
    assert sorted(wanted - set(found)) == []


def test_every_kernel_is_in_the_glossary() -> None:
    registry = (ROOT / "crates/engine/src/fabric/registry.rs").read_text()
    kernels = re.findall(r'(?m)^    \w+: \w+, "(\w+)";$', registry)
    assert "packet" in kernels
    entry = (ROOT / "docs" / "glossary.md").read_text().partition("\n### kernel\n")[2]
    entry = entry.partition("\n#")[0]
    assert [name for name in kernels if f"`{name}`" not in entry] == []


def test_every_metric_is_documented() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text()
    assert [name for name in METRICS if f"`{name}`" not in text] == []


def test_every_option_is_documented() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text()
    commands = sorted((ROOT / "python/tailback/cli").glob("*.py"))
    declared = {o for path in commands for o in re.findall(r'"(--[a-z]+)"', path.read_text())}
    assert declared
    assert [option for option in sorted(declared) if option not in text] == []


def test_every_command_is_in_the_table_of_commands() -> None:
    text = (ROOT / "docs" / "command-line.md").read_text()
    table = text.partition("\n| command |")[2].partition("\n\n")[0]
    names = re.findall(r"(?m)^  (\w+) ", tailback("--help").stdout.partition("Commands:")[2])
    assert "cost" in names
    assert [name for name in names if f"`tailback {name}" not in table] == []


def test_make_targets_exist() -> None:
    known = re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = [
        (path, target)
        for path in DOCUMENTS
        for target in re.findall(r"(?:^|`)make ([a-z]+)", path.read_text(), re.MULTILINE)
    ]
    assert named
    none_of(f"{name_of(path)}: make {target}" for path, target in named if target not in known)


def quotations() -> Iterator[tuple[str, str]]:
    """Yield files and what the documents for developers quote from them."""
    for name in ("extending.md", "plugins.md"):
        for language, mark in (("rust", "//"), ("python", "#")):
            for block in blocks(ROOT / "docs" / name, language):
                first, rest = block.split("\n", 1)
                yield first.removeprefix(mark).strip(), rest


def test_quoted_code_is_in_the_code() -> None:
    quoted = list(quotations())
    assert quoted
    none_of(f"{file}: {line}" for file, text in quoted for line in not_in_code(file, text))


def not_in_code(file: str, text: str) -> Iterator[str]:
    """Yield the lines of a quotation that are not in the file, in their order."""
    if not (ROOT / file).exists():
        yield "there is no such file"
        return
    code = [line.strip() for line in (ROOT / file).read_text().splitlines()]
    at = 0
    for line in filter(None, map(str.strip, text.splitlines())):
        if line == "…":
            continue
        if line in code[at:]:
            at = code.index(line, at) + 1
        else:
            yield line


def statements(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the statements below a node, and what is between them."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.stmt | ast.excepthandler | ast.match_case):
            yield child
            yield from statements(child)


def may_cite(text: str) -> bool:
    """Whether anything in quotes as docstrings are has the beginning of a citation."""
    quoted = text.split('"""')
    return len(quoted) % 2 == 0 or any(
        re.search(r"\[(?:as\s|[A-ZÖ`])", one) for one in quoted[1::2]
    )


def comments(path: Path) -> Iterator[str]:
    """Yield runs of comment lines of a file, joined; in Python also docstrings, if any cites."""
    text = path.read_text()
    mark = "//+!?" if path.suffix == ".rs" else "#:?"
    for run in re.findall(rf"(?:^[ \t]*{mark}(?: .*)?\n)+", text, re.MULTILINE):
        yield re.sub(rf"\s*^[ \t]*{mark}", " ", run, flags=re.MULTILINE)
    if path.suffix == ".py" and may_cite(text):
        for node in statements(ast.parse(text)):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                yield str(node.value.value)


def citations(text: str) -> Iterator[str]:
    """Yield what stands in brackets like a citation: `[Lemire 2019]`, `[Tweedie, …; Law, …]`."""
    text = re.sub(r"\s+", " ", text)
    text = re.sub(r"`\[[^`]*\]`|\[`[^\]]*`\](?!`)", "", text)  # code, and links to code
    for found in re.findall(r"\[((?:as in )?[A-ZÖ`][^\[\]]*[a-z0-9)`][^\[\]]*)\](?![(\w])", text):
        yield from (part.strip() for part in found.split(";"))


@cache
def citations_of(path: Path) -> list[str]:
    """Return all citations of a document, or of the comments of a file of code."""
    texts = [prose(path)] if path.suffix == ".md" else comments(path)
    return [citation for text in texts for citation in citations(text)]


@cache
def known_keys() -> tuple[str, ...]:
    keys = re.findall(r"^\*\*(.+?)\*\*:", (ROOT / "REFERENCES.md").read_text(), re.MULTILINE)
    assert keys
    return tuple(keys)


@cache
def starting_with(keys: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(map(re.escape, keys))})(?:$|[,: ])")


def is_known(citation: str, keys: tuple[str, ...]) -> bool:
    citation = citation.removeprefix("as in ").replace("`", "")
    return starting_with(keys).match(citation) is not None


def test_every_citation_is_in_the_references() -> None:
    keys = known_keys()
    cited = [(path, key) for path in [*DOCUMENTS, *CODE] for key in citations_of(path)]
    assert cited
    none_of(f"{name_of(path)}: [{key}]" for path, key in cited if not is_known(key, keys))


def test_every_reference_is_cited() -> None:
    files = [path for path in [*DOCUMENTS, *CODE] if path.name != "REFERENCES.md"]
    cited = {citation for path in files for citation in citations_of(path)}
    unused = [key for key in known_keys() if not any(is_known(c, (key,)) for c in cited)]
    assert unused == []


def test_citations_are_understood() -> None:
    text = "rule [White 1997; White, Cobb &\n Spratt 2000], [`NodeId`], [Law, ch. 9], a[i], [x](y)"
    assert list(citations(text)) == ["White 1997", "White, Cobb & Spratt 2000", "Law, ch. 9"]
    keys = ("White 1997", "Law")
    assert is_known("White 1997", keys)
    assert is_known("Law, ch. 9", keys)
    assert not is_known("Lawson 1999", keys)
    assert not is_known("White 1998", keys)
