"""Kernels in Python strings: those that are certain to reach a compiler are converted like files.

A text counts when it is a literal, or a name with one value that is, in the argument of a function
that rules/kernel_strings.toml lists. Quotes and escapes stay as they are.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain

import msgspec

from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.words import PythonCompiler
from hipport.source.convert.embedded_kernels import (
    Convert,
    convert_text,
    find_in_texts,
    is_kernel,
    report_text,
)
from hipport.source.languages.python_read_back import python_errors
from hipport.source.languages.python_texts import Texts
from hipport.source.patterns.dead_branches import dead_spans
from hipport.source.source_file import Unit
from hipport.source.text.edit_list import EditList
from hipport.source.text.embedded_code import EmbeddedCode, Piece, surrounding
from hipport.source.text.literal_pieces import as_written, python_piece
from hipport.source.text.quick_search import places
from hipport.source.text.sound_edits import UNREADABLE, sound
from hipport.source.text.span_set import SpanSet

_UNKNOWN = "HP-RTC-008"
NO_PLACE = "HP-PY-300"
_BODY = ("__device__ void body() {\n", ";\n}\n")


class _Part(NamedTuple):
    """Literals that Python joins, and whether they are the statements of a function."""

    literals: tuple[Span, ...]
    is_body: bool = False


class _Kernel(msgspec.Struct, frozen=True):
    """A text that a call compiles; no parts where it is not known what they are."""

    parts: tuple[_Part, ...]
    call: Span

    @property
    def literals(self) -> tuple[Span, ...]:
        return tuple(each for part in self.parts for each in part.literals)


def convert_python_kernels(
    unit: Unit, compilers: Mapping[str, PythonCompiler], convert: Convert
) -> None:
    """Convert the texts that are certainly kernels; report the others that would change.

    `compilers` are those functions by name that the file may call.
    """
    words = unit.rules.kernel_strings.python
    texts = Texts(unit.code.data, words.same_functions, words.same_methods)
    kernels = [*_compiled(texts, compilers), *_named(unit, texts)]
    # A text that several kernels are made of would be converted for one of them alone.
    uses = Counter(
        span for each in {each.parts for each in kernels} for part in each for span in part.literals
    )
    is_ported = bool(kernels) and re.search(words.ported, unit.code.text) is not None
    done: set[Span] = set()
    for kernel in kernels:
        spans = kernel.literals
        if not spans:
            unit.report(_UNKNOWN, kernel.call, unit.code.slice(kernel.call))
        elif (
            not done.issuperset(spans) and not is_ported and all(uses[each] == 1 for each in spans)
        ):
            pieces = _pieces(unit, kernel)
            if pieces and convert_text(unit, pieces, convert):
                done.update(spans)
            elif pieces and any(each.is_body for each in kernel.parts):
                _report_statements(unit, pieces, convert)
    _read_back(unit)
    for group in _device_code(unit, texts):
        if done.isdisjoint(group):
            report_text(unit, group[0], [as_written(unit.code, each) for each in group], convert)


def find_in_python_kernels(
    unit: Unit, compilers: Mapping[str, PythonCompiler], convert: Convert
) -> None:
    """Add the findings of an audit in the texts of kernels, seen to be compiled or not.

    A file that serves AMD's GPUs already has none: which of its texts are CUDA's is not known. Nor
    has what runs on NVIDIA's GPUs only.
    """
    words = unit.rules.kernel_strings.python
    if re.search(words.ported, unit.code.text):
        return
    texts = Texts(unit.code.data, words.same_functions, words.same_methods)
    found: list[list[Piece]] = []
    known: set[Span] = set()
    for kernel in _compiled(texts, compilers):
        if pieces := _pieces(unit, kernel):
            found.append(pieces)
            known.update(kernel.literals)
    for group in _device_code(unit, texts):
        if known.isdisjoint(group):
            found.append([_as_far_as_known(unit, each) for each in group])
    dead = SpanSet(dead_spans(unit.code.data, "python", unit.rules) if found else ())
    alive = [
        each for each in found if not dead.overlap(Span(each[0].places[0], each[0].places[-1]))
    ]
    find_in_texts(unit, (convert(EmbeddedCode(unit.code, each)) for each in alive))


def _device_code(unit: Unit, texts: Texts) -> Iterator[list[Span]]:
    """The literals, joined ones together, that are code for a device."""
    keywords = unit.rules.device_code.function_keywords
    for group in texts.literals_at(places(keywords, unit.code.text)):
        if is_kernel(unit, "".join(map(unit.code.slice, group))):
            yield group


def _as_far_as_known(unit: Unit, literal: Span) -> Piece:
    try:
        return python_piece(unit.code, literal)
    except ValueError:
        return as_written(unit.code, literal)


def _compiled(texts: Texts, compilers: Mapping[str, PythonCompiler]) -> Iterator[_Kernel]:
    """What calls of the compilers are given, where all of it is certain."""
    for call in texts.calls(compilers) if compilers else ():
        nodes = [
            (call.argument(text.place, text.name), text.body)
            for text in compilers[call.function].texts
        ]
        parts = [
            [_Part(tuple(group), is_body) for group in texts.literals_of(node)]
            for node, is_body in nodes
            if node is not None
        ]
        if parts:
            yield _Kernel(tuple(chain.from_iterable(parts)) if all(parts) else (), call.span)


def _named(unit: Unit, texts: Texts) -> Iterator[_Kernel]:
    for name in unit.options.kernel_strings:
        for group in texts.named(name):
            yield _Kernel((_Part(tuple(group)),), group[0])


def _pieces(unit: Unit, kernel: _Kernel) -> list[Piece]:
    """The text of a kernel; nothing where a literal of it may be more than it says."""
    pieces: list[Piece] = []
    for literals, is_body in kernel.parts:
        before, after = _BODY if is_body else ("", "\n")
        try:
            texts = [python_piece(unit.code, each) for each in literals]
        except ValueError:
            return []
        pieces += [surrounding(before, literals[0].start)] if before else []
        pieces += [*texts, surrounding(after, literals[-1].end)]
    return pieces


def _report_statements(unit: Unit, pieces: list[Piece], convert: Convert) -> None:
    """Report the first place in statements whose conversion needs what they cannot hold."""
    embedded = EmbeddedCode(unit.code, pieces)
    inner = convert(embedded)
    inside = [each for each in map(embedded.outside, inner.edits) if each]
    place = min((each.span for each in inside), default=None)
    if place:
        unit.report(NO_PLACE, place, unit.code.slice(place).strip("( "))


def _read_back(unit: Unit) -> None:
    """Withdraw edits that would break the Python syntax."""
    if unit.edits:
        made, withdrawn = sound(unit.code.data, unit.edits, python_errors)
        unit.edits = EditList(made)
        for each in withdrawn:
            unit.report(UNREADABLE, each.span, unit.code.slice(each.span))
