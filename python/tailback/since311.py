"""What Python has from 3.11 on, for 3.10 as well."""

from __future__ import annotations

import sys

if sys.version_info >= (3, 11):
    from enum import StrEnum
    from typing import Self, dataclass_transform

    import tomllib
else:
    from enum import Enum

    import tomli as tomllib
    from typing_extensions import Self, dataclass_transform

    class StrEnum(str, Enum):
        """Names that are texts."""

        __str__ = str.__str__


__all__ = ["Self", "StrEnum", "dataclass_transform", "tomllib"]
