"""Descriptions that are pydantic models themselves: of workloads and of runs."""

from __future__ import annotations

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict, ValidationError

from ..errors import UserError, joined
from ..since311 import Self
from .mistakes import first_mistake


class Description(BaseModel):
    """Base of everything a user describes: frozen, complete, no unknown keys.

    A mistake raises `UserError`, whether the object is made from a file or in
    Python. ``section`` is the table of the experiment file it stands for.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)
    section: ClassVar[str] = ""

    def __init_subclass__(cls, *, init: bool = False, **values: Any) -> None:
        """Take the class keyword ``init``.

        ``init=False`` tells type checkers (PEP 681) to use this class' constructor:
        users write ``compute_period="1 us"``, not the `Time` that comes of it.
        """
        super().__init_subclass__(**values)

    def __init__(self, **values: Any) -> None:
        """Validate ``values``; their names are the keys of the experiment file."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            known = list(type(self).model_fields)
            raise first_mistake(error, self.section, known) from None

    def with_clock(self, cycle: Any, place: str | None = None) -> Self:
        """Return the same with times in cycles of length ``cycle`` (none: no clock) as times.

        ``place`` is where it stands, if not in its own table. Raises `UserError` if there are
        such times and no clock.
        """
        path = self.section if place is None else place
        fields = [name for name in type(self).model_fields if name in self.model_fields_set]
        given = {name: getattr(self, name) for name in fields}
        timed = {name: _timed(value, cycle, joined(path, name)) for name, value in given.items()}
        if all(timed[name] is value for name, value in given.items()):
            return self
        return type(self)(**timed)


def _timed(value: Any, cycle: Any, place: str) -> Any:
    """Return a value, and all in it, with times in cycles as times; itself if there are none."""
    if isinstance(value, Description):
        return value.with_clock(cycle, place)
    if isinstance(value, tuple):
        made = tuple(_timed(one, cycle, f"{place}[{n}]") for n, one in enumerate(value))
        return made if any(a is not b for a, b in zip(made, value, strict=True)) else value
    if getattr(value, "cycles", None) is None:
        return value
    try:
        return value.at(cycle)
    except UserError as error:
        raise error.inside(place) from None
