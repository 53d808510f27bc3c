"""Baselines: findings that a project knows, identified by their text, not by line number.

A finding is identified by its code, its file, the text of its line without blanks at both ends,
and its number among such findings.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import groupby
from pathlib import Path

from hipport.errors import HipportError
from hipport.files import read, write
from hipport.model import Finding
from hipport.named_tuples import NamedTuple
from hipport.source.tree.source_lines import Lines

_SCHEMA = "hipport-baseline/1"
_LARGEST = 256 << 20
_HASH_DIGITS = 16


class Fingerprint(NamedTuple):
    """What a finding is known by; `number` counts those of the same text from 1."""

    path: str
    code: str
    line: str
    """The first digits of the SHA-256 of the trimmed line."""
    number: int

    @property
    def digest(self) -> str:
        """The whole fingerprint as one text, for other tools."""
        return _sha256("\0".join(map(str, self)))


def fingerprints(findings: Iterable[Finding], lines: Lines) -> Iterator[Fingerprint]:
    """The fingerprint of each finding, in their order; those of one file follow one another."""
    for path, in_file in groupby(findings, key=lambda each: each.path):
        seen: Counter[tuple[str, str]] = Counter()
        for each in in_file:
            text = lines.at(path, each.start.line).strip()
            key = (each.code, _sha256(text)[:_HASH_DIGITS])
            seen[key] += 1
            yield Fingerprint(path, *key, seen[key])


def _sha256(text: str) -> str:
    from hashlib import sha256  # Takes long to load, and most runs need no fingerprint.

    return sha256(text.encode()).hexdigest()


def write_baseline(path: Path, known: Iterable[Fingerprint]) -> None:
    """Write a baseline, one finding a line, sorted, so that version control shows the change."""
    rows = ",\n".join(f"  {json.dumps(each)}" for each in sorted(known))
    text = f'{{\n "schema": "{_SCHEMA}",\n "findings": [\n{rows}\n ]\n}}\n'
    write(path, text.encode())


def read_baseline(path: Path) -> frozenset[Fingerprint]:
    """The findings of a baseline; raises HipportError for any other file."""
    try:
        content = json.loads(read(path, _LARGEST))
        if content["schema"] != _SCHEMA:
            raise ValueError
        return frozenset(_fingerprint(row) for row in content["findings"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise HipportError(
            f"{path}: not a baseline of schema {_SCHEMA}", remedy="write it with --write-baseline"
        ) from error


def _fingerprint(row: object) -> Fingerprint:
    match row:
        case [str(path), str(code), str(line), int(number)]:
            return Fingerprint(path, code, line, number)
    raise ValueError
