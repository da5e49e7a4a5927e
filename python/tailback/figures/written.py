"""Pictures of networks as files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tailback.errors import UserError
from tailback.files import check_named, write_named

from . import picture, picture_svg

_MAKERS = {".html": picture.page, ".svg": picture_svg.svg}


def check_picture(path: Path) -> None:
    """Raise `UserError` if no picture can be written there."""
    if path.suffix.lower() not in _MAKERS:
        raise UserError("--plot", str(path), "must end in .html or .svg")
    check_named("--plot", path)


def write_picture(path: Path, seen: Callable[[], picture.Picture]) -> None:
    """Write a picture as a page of HTML or as SVG; raise `UserError` if that fails."""
    check_picture(path)
    write_named("--plot", path, _MAKERS[path.suffix.lower()](seen()).encode())
