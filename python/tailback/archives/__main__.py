"""`python -m tailback.archives ARCHIVE FOLDER`: what `apart` starts. Answers in JSON."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tailback.errors import UserError

from .library import otf2
from .reading import write_actions


def main(source: str, folder: str) -> None:
    """Print a list of notes, or what is wrong."""
    try:
        answer = {"notes": write_actions(otf2("", source), Path(source), Path(folder))}
    except UserError as error:
        answer = {"mistake": [error.allowed]}
    print(json.dumps(answer))


if __name__ == "__main__":
    main(*sys.argv[1:])
