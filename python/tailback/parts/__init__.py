"""What descriptions are made of: keys with meanings and limits, whose mistakes are one line."""

from __future__ import annotations

from .description import Description
from .part import (
    FrequencyKey,
    MaybeFrequency,
    MaybeRate,
    MaybeSize,
    MaybeTime,
    MaybeTimePerByte,
    Part,
    RateKey,
    SizeKey,
    TimeKey,
    fields_of,
    key,
    kinds,
    model_of,
    plain,
)

__all__ = [
    "Description",
    "FrequencyKey",
    "MaybeFrequency",
    "MaybeRate",
    "MaybeSize",
    "MaybeTime",
    "MaybeTimePerByte",
    "Part",
    "RateKey",
    "SizeKey",
    "TimeKey",
    "fields_of",
    "key",
    "kinds",
    "model_of",
    "plain",
]
