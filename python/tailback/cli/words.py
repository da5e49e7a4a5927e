"""The words of a command that are kept with its results, to carry it out again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from inspect import Parameter
from typing import Any

#: Options that say how it is run, not what.
_HOW = ("--jobs",)


def words_of(own: Iterable[Parameter], given: Mapping[str, Any]) -> Iterator[str]:
    """Yield the options of a command that say what is run: files to be written do not."""
    for option in own:
        value = given[option.name]
        name = option_name(option)
        if name is None or name in _HOW or value == option.default:
            continue
        yes, _, no = name.partition("/")
        for one in value if isinstance(value, list) else [value]:
            if one is False:
                yield no
                continue
            yield yes
            if one is not True:
                yield str(getattr(one, "value", one))


def option_name(option: Parameter) -> str | None:
    """Return the name of an option, such as `--modes` or `--slack/--no-slack`.

    None for those that name files.
    """
    # Of what is annotated Typer takes the first name for the default.
    told = list(getattr(option.annotation, "__metadata__", ()))
    names = [n for one in told for n in (one.default, *(one.param_decls or ()))]
    is_file = "Path" in str(getattr(option.annotation, "__origin__", ""))
    return None if is_file else next((n for n in names if str(n).startswith("--")), None)


def option_names(options: Iterable[Parameter]) -> set[str]:
    """Return the names of options that name no files."""
    both = (name for name in map(option_name, options) if name is not None)
    return {name for pair in both for name in pair.split("/")}
