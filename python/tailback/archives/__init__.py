"""OTF2 archives: traces that Score-P and others record, and viewers such as Vampir show.

* `library`: the library that reads and writes them, if it is installed.
* `communicators`, `collectives`, `rank`: what MPI processes did, as actions of SimGrid's traces.
* `reading`: all events of an archive.
* `apart`: the same in a process of its own, which the library may print in and fall over in.
"""

from __future__ import annotations

from .apart import actions_of
from .library import otf2

__all__ = ["actions_of", "otf2"]
