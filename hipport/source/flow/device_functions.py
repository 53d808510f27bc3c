"""The functions of a file that run on the device, with their names, parameters and bodies."""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import lru_cache

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.rules import RuleSet
from hipport.source.flow.function_marks import marks
from hipport.source.text.brackets import closing_brace, closing_bracket, word_before
from hipport.source.text.source_text import Code

_TOKEN = regex(r"[(){};=]")
_MARK = regex(r"[()\[\]{},]")
_LINE_END = regex(r"[ \t\r]*(?:\n|\Z)")
_DIRECTIVE = regex(r"[ \t]*#")
_NEXT_MACRO = regex(r"\n[ \t]*#[ \t]*define\b")
_MACRO = regex(r"[A-Z][A-Z\d_]*")
_TO_NAME = regex(r"\s+(?:[A-Za-z_*&][\w:<>*&]*\s+)*[*&]*")
_LONGEST_PARAMETERS = 4_000


class Parameter(NamedTuple):
    name: str
    default: str


class Function(msgspec.Struct, frozen=True):
    """A function. `head` reaches from its keyword to its body."""

    name: str
    head: Span
    body: Span
    inside: str
    """What its parentheses hold."""
    is_kernel: bool

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        return parameters_in(self.inside)


@lru_cache(maxsize=2)
def functions(code: Code, rules: RuleSet) -> list[Function]:
    """All functions that run on the device, including those that also run on the host, in order."""
    found: list[Function] = []
    done = 0
    kernel = rules.lanes.kernel
    for mark in marks(code, rules):
        if mark.span.start < done:
            continue  # A lambda of a function.
        defined = definition(code.code, mark.span.end, rules.lanes.attributes)
        if defined:
            head = Span(mark.span.start, defined.body.start)
            inside = code.code[slice(*defined.inside)]
            is_kernel = kernel in mark.keywords or kernel in code.code[slice(*head)]
            found.append(Function(defined.name, head, defined.body, inside, is_kernel))
            done = defined.body.end
    return found


class Definition(msgspec.Struct, frozen=True):
    """What follows the keywords of a function: its name, what its parentheses hold, its body."""

    name: str
    inside: Span
    body: Span


def definition(text: str, at: int, attributes: Collection[str]) -> Definition | None:
    """The function that goes on at an offset behind its keyword; None for anything else.

    `text` is that of a whole file.
    `__launch_bounds__(256)` and other `attributes` have parentheses, but no parameters; nor has
    a macro with arguments that a function's name and parameters follow.
    """
    name, inside, start = "", Span(0, 0), at
    is_macro = _DIRECTIVE.match(text, text.rfind("\n", 0, at) + 1) is not None
    if is_macro and _LINE_END.match(text, at):
        return None  # `#define KERNEL __global__`
    while match := _TOKEN.search(text, at):
        at = match.end()
        if match[0] == "(":
            closed = closing_bracket(text, match.start())
            if closed is None:
                return None
            before = word_before(text, match.start())
            word = text[slice(*before)]
            is_name = not name or (
                _MACRO.fullmatch(name)
                and inside.start < inside.end
                and word
                and not _MACRO.fullmatch(word)
                and _TO_NAME.fullmatch(text, inside.end + 1, before.start)
            )
            if is_name and word not in attributes:
                name, inside = word or "(", Span(match.end(), closed)
            at = closed + 1
        elif match[0] == "{" and name:
            closed = closing_brace(text, match.start())
            if is_macro and _NEXT_MACRO.search(text, start, match.start()):
                return None  # `#define INLINE __device__ inline`, and the body of another macro.
            return Definition(name, inside, Span(at - 1, closed)) if closed else None
        else:
            return None
    return None


@lru_cache(maxsize=512)
def parameters_in(text: str) -> tuple[Parameter, ...]:
    """The parameters that a list declares."""
    if len(text) > _LONGEST_PARAMETERS:
        return ()
    # Loads the parser, which a file without device code does not need.
    from hipport.source.names.variables import parameters

    return tuple(
        Parameter(text[slice(*each.name)], text[slice(*each.value)] if each.value else "")
        for each in parameters(text)
    )


def arguments_in(text: str) -> list[str]:
    """What the commas outside brackets separate; `<` counts as a bracket where it is closed."""
    pieces: list[str] = []
    depth = start = 0
    for match in _MARK.finditer(text):
        mark, at = match[0], match.start()
        if mark in "([{":
            depth += 1
        elif mark in ")]}":
            depth -= 1
        elif depth == 0 and not _in_template(text[start:at]):
            pieces.append(text[start:at].strip())
            start = at + 1
    last = text[start:].strip()
    return [*pieces, last] if last or pieces else []


def _in_template(piece: str) -> bool:
    return re.search(r"\w<[\w\s:,*]*\Z", piece) is not None
