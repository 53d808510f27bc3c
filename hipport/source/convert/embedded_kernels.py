"""The text of a kernel that is in literals: converted, reported where it stays, or audited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hipport.lazy_regex import regex
from hipport.model import Edit, Finding, Span
from hipport.source.source_file import Unit
from hipport.source.text.embedded_code import EmbeddedCode, Piece
from hipport.source.text.place_set import PlaceSet
from hipport.source.text.source_text import Code

_LEFT = "HP-RTC-007"
_HERE = ("", "place", "symbol")
_OF_STRINGS = "literal"
_CALLED = regex(r"\b(__\w+)\s*\(")

Convert = Callable[[Code], Unit]
"""Converts a text as a separate file."""


def is_kernel(unit: Unit, text: str) -> bool:
    """Whether a text is code for a device: a message may name the keywords too."""
    keywords = unit.rules.device_code.function_keywords
    return any(word in text for word in keywords) and (";" in text or "{" in text)


def is_part(unit: Unit, text: str) -> bool:
    """Whether a text calls device functions: a part of a kernel that is put together elsewhere."""
    called = _CALLED.findall(text)
    return any(
        name in each.helpers
        for each in (unit.rules.warps, unit.rules.device_functions)
        for name in called
    )


def convert_text(unit: Unit, pieces: Sequence[Piece], convert: Convert) -> bool:
    """Convert the text of some pieces; False if their literals cannot hold the result."""
    embedded = EmbeddedCode(unit.code, pieces)
    inner = convert(embedded)
    edits: list[Edit] = []
    for edit in inner.edits:
        outside = embedded.outside(edit)
        if outside is None:
            return False
        edits.append(outside)
    unit.edits.extend(edits)
    unit.findings += inner.findings
    unit.counts += inner.counts
    return True


def report_text(unit: Unit, place: Span, pieces: Sequence[Piece], convert: Convert) -> None:
    """Report a kernel's text that stays, if a conversion would change it."""
    embedded = EmbeddedCode(unit.code, pieces)
    inner = convert(embedded)
    if inner.edits or inner.findings:
        # In the order of the text: that in which they were made is not the same in each run.
        edits = sorted(each.span for each in inner.edits)
        findings = sorted(inner.findings, key=lambda each: (each.start, each.code))
        changed = (embedded.slice(each).strip() for each in edits)
        shown = next(filter(None, changed), "") or next(
            (each.symbol for each in findings), "kernel"
        )
        unit.report(_LEFT, place, shown)


def find_in_texts(unit: Unit, texts: Iterable[Unit]) -> None:
    """Add what a person has to do in the texts of kernels, as an audit finds it in a file of CUDA.

    What a finding is about already is not told again, nor is its line, unless that finding stands
    for more than its place.
    """
    told: dict[int, list[Finding]] = {}
    for each in unit.findings:
        told.setdefault(each.start.line, []).append(each)
    for inner in texts:
        unit.findings += [
            each
            for each in inner.findings
            if each.needs_person
            and not any(_tells(unit, other, each) for other in told.get(each.start.line, ()))
        ]


def leave_to_conversion(unit: Unit, texts: Iterable[tuple[EmbeddedCode, Unit]]) -> None:
    """Withdraw what is said of texts as strings, where a conversion changes them like files."""
    places = PlaceSet(
        (embedded.position(0), embedded.position(len(embedded.text)))
        for embedded, inner in texts
        if all(embedded.outside(each) for each in inner.edits)
    )
    unit.findings = [
        each
        for each in unit.findings
        if unit.rules.finding(each.code).check != _OF_STRINGS or not places.overlap(each)
    ]


def _tells(unit: Unit, told: Finding, finding: Finding) -> bool:
    """Whether a finding in the same line says enough."""
    return unit.rules.finding(told.code).decided in _HERE or (
        told.start <= finding.start < told.end
    )
