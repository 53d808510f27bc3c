"""Which functions a text declares for devices, without parsing it."""

from __future__ import annotations

import re
from typing import NamedTuple

from hipport.model import Span
from hipport.rulebook.words import DeviceCode


class Attributeless(NamedTuple):
    """A definition in CUDA code without attributes that a header of the tree declares it with."""

    name: Span
    start: int
    """Where the definition begins."""
    words: str
    """The attributes to write there; "" where it is not certain that the header means it."""
    header: str


def declared_names(text: str, words: DeviceCode) -> list[str]:
    """The names of functions that a text declares for the device: few files define them apart."""
    shape = rf"{device_keyword(words)}[^;{{}}()=]*?(\w+)\s*\([^;{{}}]*\)[^;{{}}()]*;"
    return sorted(set(re.findall(shape, text)))


def device_keyword(words: DeviceCode) -> str:
    """The keyword of functions that run on devices and are called there."""
    return next(each for each in words.function_keywords if "device" in each)
