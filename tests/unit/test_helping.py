"""Help texts of public classes fit on a page."""

from __future__ import annotations

import inspect
import pydoc

import pytest

import tailback as tb

LINES = 70
#: Instructions of a process, each with what it does: the page is a reference.
LONGER = {"Node": 100, "Switch": 71}

PUBLIC = [name for name in tb.__all__ if not isinstance(getattr(tb, name), str)]


@pytest.mark.parametrize("name", PUBLIC)
def test_the_help_text_fits_on_a_page(name: str) -> None:
    text = pydoc.render_doc(getattr(tb, name), renderer=pydoc.plaintext)
    assert len(text.splitlines()) <= LONGER.get(name, LINES)


def test_what_help_leaves_out_is_still_there() -> None:
    assert "engine_keys" not in dir(tb.Machine)
    assert callable(tb.Machine.engine_keys)
    assert "Return the switch of every node" in pydoc.render_doc(tb.Machine.homes)
    # What objects have is completed as ever.
    assert "engine_keys" in dir(tb.Machine())


def test_names_that_help_shows_are_there_and_described() -> None:
    for name in PUBLIC:
        shown = getattr(tb, name)
        if not isinstance(shown, type):
            continue
        for base in shown.__mro__:
            for word in vars(base).get("helpful", ()):
                assert hasattr(shown, word), f"{name} has no {word}"
                assert word in dir(shown)


def test_a_signature_shows_defaults_as_users_write_them() -> None:
    assert "switch=Switch()," in str(inspect.signature(tb.Machine))
    assert "rate='100 Gbit/s'" in str(inspect.signature(tb.Link))
