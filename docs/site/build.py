"""Build the documents as a site: `make docs`, or `python docs/site/build.py`.

The pages are those of docs/README.md, in its order and parts; pages of the Python classes are
added. Sphinx reads them from a folder of copies, so that the documents stay plain Markdown. A link
that leads nowhere, a page that is not listed, and a malformed docstring end the build.
"""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from sphinx.cmd.build import build_main

ROOT = Path(__file__).resolve().parents[2]
SOURCE, SITE = ROOT / "build" / "site", ROOT / "site"
INDEX = ROOT / "docs" / "README.md"
_MADE = ("build", "demo", "dist", "site", "target")

sys.path.insert(0, str(Path(__file__).parent))

from classes import pages  # noqa: E402 - beside this script


def parts() -> Iterator[tuple[str, list[str]]]:
    """Yield the parts of the index of the documents, each with the pages it lists, once."""
    listed: set[str] = set()
    for section in re.split(r"(?m)^## ", INDEX.read_text(encoding="utf-8"))[1:]:
        title, _, text = section.partition("\n")
        found = []
        for target in re.findall(r"\]\(([^)#]+\.md)\)", text):
            name = str((INDEX.parent / target).resolve().relative_to(ROOT))
            if name not in listed:
                listed.add(name)
                found.append(name)
        yield title, found


def prepare() -> None:
    """Fill the folder that Sphinx reads: documents are copied, other files are linked to."""
    shutil.rmtree(SOURCE, ignore_errors=True)
    (SOURCE / "api").mkdir(parents=True)
    for path in ROOT.iterdir():
        if path.suffix == ".md":
            shutil.copy(path, SOURCE)
        elif path.name in ("docs", "studies"):
            shutil.copytree(path, SOURCE / path.name, ignore=shutil.ignore_patterns("stores"))
        elif not path.name.startswith(".") and path.name not in _MADE:
            (SOURCE / path.name).symlink_to(path)
    for name, text in pages().items():
        (SOURCE / "api" / f"{name}.md").write_text(text, encoding="utf-8")
    with (SOURCE / "README.md").open("a", encoding="utf-8") as file:
        file.write(contents())
    for folder in ("docs/cookbook", "studies"):
        _list_all_below(SOURCE / folder)
    for path in SOURCE.glob("studies/*/*.md"):
        # A forge shows what is in a folder, a site has pages only.
        text = re.sub(r"(\]\([\w/]+/)\)", r"\1README.md)", path.read_text(encoding="utf-8"))
        path.write_text(text, encoding="utf-8")
    for path in SOURCE.glob("studies/*/published/README.md"):
        text = path.read_text(encoding="utf-8")
        path.write_text(f"# Published numbers\n\n{text}", encoding="utf-8")


def _list_all_below(folder: Path) -> None:
    """Put all pages of a folder behind its first one in the contents of the site."""
    first = folder / "README.md"
    paths = [path.relative_to(folder) for path in sorted(folder.rglob("*.md"))]
    names = [str(path) for path in paths if path != Path("README.md")]
    with first.open("a", encoding="utf-8") as file:
        file.write(f"\n{_tree('', names)}\n")


def contents() -> str:
    """Return the contents of the site, part by part, for the end of its first page."""
    trees = [_tree("", [str(INDEX.relative_to(ROOT))])]
    for title, names in parts():
        classes = ["api/index.md"] if title == "Reference" else []
        trees.append(_tree(title, [*names, *classes]))
    return "\n\n".join(["", *trees, ""])


def _tree(title: str, names: list[str]) -> str:
    caption = [f":caption: {title}"] if title else []
    return "\n".join(["```{toctree}", ":hidden:", *caption, "", *names, "```"])


def main() -> int:
    """Build the site; 0 if nothing is wrong with it."""
    prepare()
    folders = [str(SOURCE), str(SITE)]
    options = ["-b", "html", "-q", "-W", "--keep-going", "-c", str(Path(__file__).parent)]
    wrong = build_main([*options, "-d", str(ROOT / "build" / "doctrees"), *folders])
    if not wrong:
        shutil.copy(SITE / "README.html", SITE / "index.html")
    return int(wrong)


if __name__ == "__main__":
    sys.exit(main())
