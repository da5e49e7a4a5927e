"""Where files that an experiment needs lie in the folder that is kept.

Names stay as they are, relative to the experiment file, so that files which name each other still
find each other. What lies elsewhere, or too far above, is put beside the experiment file.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath

#: So many folders above that of the experiment file are kept.
_MOST_ABOVE = 3
_ELSEWHERE = re.compile(r"^(elsewhere\d*/)+")


class Layout:
    """Places of files, relative to that of the experiment file."""

    def __init__(self, folder: Path) -> None:
        """``folder``: of the experiment file."""
        self.folder = os.path.abspath(folder)
        self._elsewhere: dict[str, str] = {}
        self._sources: dict[str, str] = {}
        self.above = 0
        """How many folders above the experiment file there are files."""

    def place(self, path: str | Path) -> str:
        """Return where a file is kept; those of one folder stay together."""
        source = os.path.abspath(path)
        name = os.path.relpath(source, self.folder).replace(os.sep, "/")
        above = PurePosixPath(name).parts.count("..")
        if above > _MOST_ABOVE:
            folder, base = os.path.split(source)
            name = self._beside(folder, base)
        elif above:
            self.above = max(self.above, above)
        self._sources[name] = source
        return name

    def put(self, path: str | Path, name: str) -> str:
        """Place a file under a name of its own, unless another has it; return its place."""
        return name if self._takes(name, os.path.abspath(path)) else self.place(path)

    def _beside(self, folder: str, base: str) -> str:
        """Return a place for a file from elsewhere: the first folder's beside the experiment."""
        count = len(self._elsewhere)
        own = self._elsewhere.setdefault(folder, f"elsewhere{count}/" if count else "")
        name = own + base
        is_taken = os.path.exists(os.path.join(self.folder, name))
        return f"elsewhere/{name}" if is_taken else name

    def _takes(self, name: str, source: str) -> bool:
        if self._sources.get(name, source) != source:
            return False
        self._sources[name] = source
        return True


def public_name(path: str, folder: Path) -> str:
    """Return the name of a file as results have it: the same wherever their folder is."""
    name = Layout(folder).place(path)
    return _ELSEWHERE.sub("", name)
