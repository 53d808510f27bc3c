"""Kernels in Python whose 32 columns are a tile: they wait at barriers, and know no warps."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.branch_words import PythonBranches

_TEXT = regex(r"#[^\n\"']*$|\"\"\".*?(?:\"\"\"|\Z)|'''.*?(?:'''|\Z)", re.DOTALL | re.MULTILINE)


def tile_spans(data: bytes, words: PythonBranches) -> list[Span]:
    """The whole file, if no text in it knows warps, or the texts of several lines that do not."""
    text = data.decode("latin-1")
    if not re.search(words.barrier, text):
        return []
    if not re.search(words.of_warps, text):
        return [Span(0, len(text))]
    return [
        Span(*each.span())
        for each in _TEXT.finditer(text)
        if re.search(words.barrier, each[0]) and not re.search(words.of_warps, each[0])
    ]
