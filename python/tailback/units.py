"""Quantities with units: ``"16 us"``, ``"32 B"``, ``"100 Mbit/s"``.

Values are exact: whole picoseconds, bytes, bits per second. A bare number is
refused, except 0.

Not pint: importing it takes 0.27 s, nearly all of what the command line may
take to start, and it knows hundreds of units, most of which are mistakes in an
experiment file. Three short tables do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from tailback.since311 import Self

from .errors import UserError, listed, nearest, shown

_NUMBER_AND_UNIT = re.compile(
    r"\s*(?P<sign>[+-]?)(?P<number>[0-9]{1,20}(\.[0-9]{1,20})?([eE][+-]?[0-9]{1,2})?)"
    r"\s*(?P<unit>[^\s0-9][^\s]*)?\s*"
)
#: Other spellings of units. ``Gbps`` is Gbit/s: nearness of letters would suggest a rate that
#: is wrong by 8.
_SPELLINGS = {
    "µs": "us",
    "μs": "us",
    "byte": "B",
    "bytes": "B",
    "bits": "bit",
    "bps": "bit/s",
    "kbps": "kbit/s",
    "Kbps": "kbit/s",
    "Mbps": "Mbit/s",
    "Gbps": "Gbit/s",
    "Tbps": "Tbit/s",
    "b/s": "bit/s",
    "kb/s": "kbit/s",
    "Kb/s": "kbit/s",
    "Mb/s": "Mbit/s",
    "Gb/s": "Gbit/s",
    "Tb/s": "Tbit/s",
    "Ghz": "GHz",
    "Mhz": "MHz",
    "KHz": "kHz",
}


@dataclass(frozen=True, order=True, repr=False)
class Quantity:
    """A whole, non-negative number of the smallest unit of one dimension."""

    amount: int

    dimension: ClassVar[str]
    article: ClassVar[str] = "a"
    units: ClassVar[dict[str, Fraction]]
    smallest: ClassVar[str]
    example: ClassVar[str]
    largest: ClassVar[int]
    least: ClassVar[int] = 0
    """What is less is refused: nothing would ever arrive, or a clock would stand still."""
    counted: ClassVar[tuple[str, ...]] = ()
    """Further units, of no fixed size."""

    @classmethod
    def parse(cls, value: object) -> Self:
        """Return ``value`` (text with a unit, 0, or such a quantity) as this quantity.

        Raises `UserError` with an empty field: the caller knows the place.
        """
        found = cls._parsed(value)
        if found.amount < cls.least:
            raise cls._refused(value, f"must be at least {cls(cls.least)}")
        return found

    @classmethod
    def _parsed(cls, value: object) -> Self:
        if isinstance(value, cls):
            return value._checked()
        if isinstance(value, str):
            return cls._from_text(value)
        if type(value) in (int, float):
            if value == 0:
                return cls(0)
            unit = cls.example.split()[1]
            raise cls._refused(value, f'needs a unit: write "{value} {unit}" if that is meant')
        raise cls._refused(value, f'must be {cls.article} {cls.dimension}, such as "{cls.example}"')

    def _checked(self) -> Self:
        """Return it, if it is as large as texts may say: one made of a number may be any."""
        if type(self.amount) is not int:
            raise self._refused(self.amount, f"must be a whole number of {self.smallest}")
        if self.amount < 0:
            raise self._refused(self.amount, "must not be negative")
        if self.amount > self.largest:
            raise self._refused(str(self), f"must be at most {type(self)(self.largest)}")
        return self

    @classmethod
    def _from_text(cls, text: str) -> Self:
        match = _NUMBER_AND_UNIT.fullmatch(text)
        if match is None:
            needed = f'must be a number and a unit, such as "{cls.example}"'
            raise cls._refused(text, needed)
        if match["sign"] == "-":
            raise cls._refused(text, "must not be negative")
        number = Fraction(match["number"])
        if match["unit"] is None and number == 0:
            return cls(0)
        amount = number * cls._factor(text, match["unit"])
        if amount.denominator != 1:
            raise cls._refused(text, f"must be a whole number of {cls.smallest}")
        if amount > cls.largest:
            raise cls._refused(text, f"must be at most {cls(cls.largest)}")
        return cls(int(amount))

    @classmethod
    def _factor(cls, text: str, unit: str | None) -> Fraction:
        """Return the size of ``unit`` in the smallest unit."""
        if unit is None:
            raise cls._refused(text, f'needs a unit, such as "{cls.example}"')
        factor = cls.units.get(_SPELLINGS.get(unit, unit))
        if factor is not None:
            return factor
        for other in (Time, Size, Rate, Frequency, TimePerByte):
            if unit in other.units:
                problem = f"is {other.article} {other.dimension}; {cls.article} {cls.dimension}"
                raise cls._refused(text, f'{problem} is needed, such as "{cls.example}"')
        known = f"unknown unit; {cls.article} {cls.dimension} is in {listed(cls.units)}"
        raise cls._refused(text, known, _meant(unit, cls.units))

    @classmethod
    def _refused(cls, given: object, allowed: str, meant: str | None = None) -> UserError:
        return UserError("", shown(given), allowed, meant)

    def __str__(self) -> str:
        """Return the exact value in the largest unit that keeps it at or above one."""
        units = self._printed()
        fitting = [item for item in units if item[1] <= self.amount]
        unit, factor = (fitting or units)[-1]
        return f"{_decimal(self.amount / factor)} {unit}"

    def __repr__(self) -> str:
        """Return the class and the text."""
        return f"{type(self).__name__}.parse({str(self)!r})"

    @classmethod
    def _printed(cls) -> list[tuple[str, Fraction]]:
        """Return the units used for printing, smallest first."""
        return list(cls.units.items())

    @classmethod
    def __get_pydantic_core_schema__(
        cls, source: type[Any], handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        """Validate with `parse`, serialise as text."""
        text = core_schema.plain_serializer_function_ser_schema(str)
        return core_schema.no_info_plain_validator_function(cls.parse, serialization=text)

    @classmethod
    def __get_pydantic_json_schema__(
        cls, schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        """Describe the quantity as text, or 0."""
        spellings = [word for word, unit in _SPELLINGS.items() if unit in cls.units]
        units = "|".join((*cls.units, *cls.counted, *spellings))
        pattern = rf"^\s*\+?[0-9.]+([eE][+-]?[0-9]+)?\s*({units})\s*$"
        text = {"type": "string", "pattern": pattern, "examples": [cls.example]}
        return {"anyOf": [text, {"const": 0}]}


def _meant(unit: str, known: Iterable[str]) -> str | None:
    """Return the known unit that was probably meant: bits for bits, bytes for bytes.

    So a suggestion is never wrong by 8.
    """
    lower = unit.lower()
    of_bits = "bit" in lower or ("b" in unit and "byte" not in lower)
    of_bytes = "byte" in lower or ("B" in unit and not of_bits)
    if of_bits or of_bytes:
        known = [word for word in known if ("bit" if of_bits else "B") in word]
    return nearest(unit, known)


def counted(number: int, one: str, many: str | None = None) -> str:
    """Return so many of something, for readers: ``1 rank``, ``2,000 ranks``."""
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def _decimal(number: Fraction) -> str:
    """Return a number in decimals, exactly if it has at most 18."""
    whole, rest = divmod(number, 1)
    decimals = f"{int(rest * 10**18):018d}".rstrip("0")
    return f"{whole}.{decimals}" if decimals else str(whole)


@dataclass(frozen=True, order=True, repr=False)
class Time(Quantity):
    """A length of simulated time, exact to the picosecond; or a number of cycles, or of flits.

    Times in cycles (``"3 cycles"``) mean something on a machine with a clock, those in flits
    (``"22 flits"``) where a link says how long a flit takes: see `at`.
    """

    cycles: Fraction | None = None
    of: str = "cycle"

    dimension = "time"
    units: ClassVar[dict[str, Fraction]] = {
        "ps": Fraction(1),
        "ns": Fraction(10**3),
        "us": Fraction(10**6),
        "ms": Fraction(10**9),
        "s": Fraction(10**12),
    }
    smallest = "picoseconds"
    example = "16 us"
    largest = 10**17
    counted = ("cycle", "cycles", "flit", "flits")

    @classmethod
    def _from_text(cls, text: str) -> Self:
        match = _NUMBER_AND_UNIT.fullmatch(text)
        if match is None or match["unit"] not in cls.counted:
            return super()._from_text(text)
        if match["sign"] == "-":
            raise cls._refused(text, "must not be negative")
        cycles = Fraction(match["number"])
        if cycles > cls.largest:
            raise cls._refused(text, f"must be at most {cls.largest} {match['unit']}")
        return cls(0, cycles, match["unit"].removesuffix("s"))

    @property
    def ps(self) -> int:
        """Picoseconds; raises `UserError` if it is in cycles or flits."""
        return self.at(None).amount

    def at(self, cycle: Time | None, flit: Time | None = None) -> Time:
        """Return the time of so many cycles of length ``cycle``, or flits; other times as they are.

        Raises `UserError` with an empty field if it is in cycles and there is no clock, or in flits
        where nobody says how long they take.
        """
        if self.cycles is None:
            return self
        length = flit if self.of == "flit" else cycle
        if length is None:
            allowed = 'is in cycles; give machine.clock, such as "1 GHz"'
            if self.of == "flit":
                allowed = "is in flits; only links, switches and interfaces have such times"
            raise self._refused(str(self), allowed)
        amount = round(self.cycles * length.ps)
        if amount > self.largest:
            raise self._refused(str(self), f"must be at most {Time(self.largest)}")
        return Time(amount)

    def __str__(self) -> str:
        """Return the exact value with its unit."""
        if self.cycles is None:
            return super().__str__()
        return f"{_decimal(self.cycles)} {self.of}{'' if self.cycles == 1 else 's'}"


class Size(Quantity):
    """A number of bytes."""

    dimension = "number of bytes"
    units: ClassVar[dict[str, Fraction]] = {
        "bit": Fraction(1, 8),
        "B": Fraction(1),
        "kB": Fraction(10**3),
        "KiB": Fraction(2**10),
        "MB": Fraction(10**6),
        "MiB": Fraction(2**20),
        "GB": Fraction(10**9),
        "GiB": Fraction(2**30),
    }
    smallest = "bytes"
    example = "32 B"
    largest = 10**15

    @property
    def bytes(self) -> int:
        """Bytes."""
        return self.amount

    @classmethod
    def _printed(cls) -> list[tuple[str, Fraction]]:
        return [("B", Fraction(1))]


class Memory(Size):
    """A number of bytes of the computer that simulates."""

    example = "1 GB"

    @classmethod
    def parse(cls, value: object) -> Self:
        """Return ``value`` (text with a unit, 0, or a number of bytes) as this quantity."""
        return cls(value.bytes) if isinstance(value, Size) else super().parse(value)

    @classmethod
    def _printed(cls) -> list[tuple[str, Fraction]]:
        return [(unit, cls.units[unit]) for unit in ("B", "kB", "MB", "GB")]


class Rate(Quantity):
    """A number of bits per second."""

    dimension = "rate"
    units: ClassVar[dict[str, Fraction]] = {
        "bit/s": Fraction(1),
        "kbit/s": Fraction(10**3),
        "Mbit/s": Fraction(10**6),
        "Gbit/s": Fraction(10**9),
        "Tbit/s": Fraction(10**12),
        "B/s": Fraction(8),
        "kB/s": Fraction(8 * 10**3),
        "MB/s": Fraction(8 * 10**6),
        "GB/s": Fraction(8 * 10**9),
        "TB/s": Fraction(8 * 10**12),
    }
    smallest = "bits per second"
    example = "100 Gbit/s"
    largest = 10**14
    least = 1000

    @property
    def bit_ps(self) -> Fraction:
        """Time of one bit in picoseconds, exactly."""
        return Fraction(10**12, self.amount)

    @classmethod
    def _printed(cls) -> list[tuple[str, Fraction]]:
        return [item for item in cls.units.items() if "bit" in item[0]]


class TimePerByte(Quantity):
    """A length of time for each byte, exact to the femtosecond."""

    dimension = "time per byte"
    units: ClassVar[dict[str, Fraction]] = {
        "fs/B": Fraction(1),
        "ps/B": Fraction(10**3),
        "ns/B": Fraction(10**6),
        "us/B": Fraction(10**9),
    }
    smallest = "femtoseconds per byte"
    example = "22 ns/B"
    largest = 10**9

    @property
    def fs(self) -> int:
        """Femtoseconds per byte."""
        return self.amount

    def of(self, size: Size) -> Time:
        """Return the time of so many bytes, in whole picoseconds."""
        return Time((self.amount * size.bytes + 500) // 1000)


class Frequency(Quantity):
    """The cycles of a clock per second."""

    dimension = "frequency"
    units: ClassVar[dict[str, Fraction]] = {
        "Hz": Fraction(1),
        "kHz": Fraction(10**3),
        "MHz": Fraction(10**6),
        "GHz": Fraction(10**9),
    }
    smallest = "hertz"
    example = "1 GHz"
    largest = 10**11
    least = 1000

    @property
    def cycle(self) -> Time:
        """The time of one cycle, rounded to the nearest picosecond."""
        return Time(whole_ps(Fraction(10**12, self.amount), "one cycle", str(self)))


#: Largest relative error of a time that is rounded to whole picoseconds.
ROUNDING = Fraction(1, 1000)


def is_nearly_whole(exact: Fraction) -> bool:
    """Tell whether a time above 0 is a whole number of picoseconds from 1, to within 0.1 %."""
    rounded = round(exact)
    return rounded > 0 and abs(rounded - exact) <= ROUNDING * exact


def whole_ps(exact: Fraction, what: str, given: str) -> int:
    """Return ``exact`` picoseconds, the time of ``what``, rounded to the nearest whole number.

    Raises `UserError` with an empty field if that is more than 0.1 % off.
    """
    rounded = round(exact)
    if not is_nearly_whole(exact):
        allowed = (
            f"{what} takes {float(exact):.6g} ps; must be a whole number of ps, or nearly (0.1 %)"
        )
        raise UserError("", shown(given), allowed)
    return rounded


def quantity(text: str) -> Quantity | None:
    """Return the time, size or rate that ``text`` writes; None if it is no number with a unit.

    Raises `UserError` with an empty field for a quantity that is not possible, and for a
    unit that is nearly one of ours.
    """
    match = _NUMBER_AND_UNIT.fullmatch(text)
    if match is None or match["unit"] is None:
        return None
    unit = _SPELLINGS.get(match["unit"], match["unit"])
    kinds = (Time, Size, Rate, Frequency)
    for kind in kinds:
        if unit in kind.units:
            return kind._from_text(text)
    meant = _meant(unit, [known for kind in kinds for known in kind.units])
    if meant is not None:
        raise UserError("", shown(text), "unknown unit", meant)
    return None
