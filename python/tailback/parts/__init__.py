"""What descriptions are made of: keys with meanings and limits, whose mistakes are one line."""

from __future__ import annotations

from .keys import (
    FrequencyKey,
    Key,
    MaybeFrequency,
    MaybeRate,
    MaybeSize,
    MaybeTime,
    MaybeTimePerByte,
    RateKey,
    Shown,
    SizeKey,
    TimeKey,
    key,
    nested,
    size_of_machine,
    up_to_packets,
)
from .part import Part, fields_of, kinds, meant_by, model_of, plain
from .presets import Presets

__all__ = [
    "FrequencyKey",
    "Key",
    "MaybeFrequency",
    "MaybeRate",
    "MaybeSize",
    "MaybeTime",
    "MaybeTimePerByte",
    "Part",
    "Presets",
    "RateKey",
    "Shown",
    "SizeKey",
    "TimeKey",
    "fields_of",
    "key",
    "kinds",
    "meant_by",
    "model_of",
    "nested",
    "plain",
    "size_of_machine",
    "up_to_packets",
]
