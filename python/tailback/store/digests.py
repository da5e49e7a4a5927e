"""Digests of files: whether their bytes are still those that were written."""

from __future__ import annotations

from pathlib import Path

from tailback.contents import sha256_read


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file, which need not fit into memory; raise `OSError`."""
    with path.open("rb") as file:
        return sha256_read(file)


class Verified:
    """Remembers which files were found to have their digests, so that each is hashed once."""

    def __init__(self) -> None:
        self._seen: dict[Path, tuple[str, int, int, int]] = {}

    def has(self, path: Path, digest: str) -> bool:
        """Whether the SHA-256 of a file begins with `digest`; raise `OSError`."""
        state = path.stat()
        seen = (digest, state.st_ino, state.st_size, state.st_mtime_ns)
        if self._seen.get(path) != seen:
            if not digest_of(path).startswith(digest):
                return False
            self._seen[path] = seen
        return True
