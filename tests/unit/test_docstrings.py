"""The examples in docstrings of public names print what they say, and every name has its page."""

from __future__ import annotations

import doctest
import importlib.util
import re
from pathlib import Path

import pytest

import tailback as tb

ROOT = Path(__file__).resolve().parents[2]
#: What a program begins with. Others may have examples, too.
USUAL = {
    *("load", "run", "cost", "blame", "describe", "explain", "interference", "saturate"),
    *("Machine", "Experiment", "Sweep", "Estimate"),
}
NAMES = [name for name in tb.__all__ if name != "__version__"]
WITH_EXAMPLES = [name for name in NAMES if ">>> " in (getattr(tb, name).__doc__ or "")]


def test_the_usual_names_have_examples() -> None:
    assert sorted(USUAL - set(WITH_EXAMPLES)) == []


@pytest.mark.parametrize("name", WITH_EXAMPLES)
def test_examples_print_what_they_say(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    example = doctest.DocTestParser().get_doctest(getattr(tb, name).__doc__, {}, name, None, None)
    told: list[str] = []
    doctest.DocTestRunner(verbose=False).run(example, out=told.append)
    assert not told, "".join(told)


def test_every_public_name_has_a_place_on_the_site() -> None:
    file = ROOT / "docs" / "site" / "classes.py"
    spec = importlib.util.spec_from_file_location("classes", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    headings = re.findall(r"(?m)^## (\w+)$", "\n".join(module.pages().values()))
    assert sorted(headings) == sorted(NAMES)
