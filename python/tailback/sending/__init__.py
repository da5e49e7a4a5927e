"""Results that can be sent on: what was asked for, kept with them, and packs of one file."""

from __future__ import annotations

from .asked import Description, Kept, keep, kept_in
from .packs import is_pack, pack, unpack, unpacked

__all__ = ["Description", "Kept", "is_pack", "keep", "kept_in", "pack", "unpack", "unpacked"]
