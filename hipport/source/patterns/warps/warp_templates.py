"""CUB's templates and functions for a warp, which count on the wavefront in hipCUB."""

from __future__ import annotations

from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.rulebook.words import WarpTemplate
from hipport.source.names.qualified_names import aliases_of, is_used, qualified
from hipport.source.patterns.rewriting import replace, rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import (
    closing_bracket,
    occurrences,
    skip,
    skip_back,
    word_before,
)
from hipport.source.warps.kept_warps import is_native

_OPENING, _CLOSING = "<([{", ">)]}"
_LONGEST = 1_000


def fix(unit: Unit, rule: RewriteRule) -> None:
    """`cub::WarpReduce<T>` becomes `hipcub::WarpReduce<T, 32>`, and `cub::LaneId()` a helper."""
    _rewrite_functions(unit)
    _rewrite_macros(unit)
    words = unit.rules.warps.templates
    text = unit.code.code
    for name, template in words.items():
        if not unit.code.mentions((name,)):
            continue
        for at in occurrences(text, name):
            opened = skip(text, at + len(name))
            if text.startswith("<", opened) and _is_cub(unit, at) and not is_native(unit, at):
                _rewrite(unit, opened, template)


def _rewrite_functions(unit: Unit) -> None:
    """`cub::LaneId()` becomes `warp32::lane_id()`."""
    text = unit.code.code
    for name, new in unit.rules.warps.functions.items():
        if not unit.code.mentions((name,)):
            continue
        for at in occurrences(text, name):
            whole = qualified(text, Span(at, at + len(name)))
            is_call = text.startswith("(", skip(text, at + len(name)))
            if not is_call or whole.start == at or not _is_cub(unit, at) or is_native(unit, at):
                continue
            if replace(unit, "warp-template", whole, new):
                unit.helpers.add(unit.rules.warps.header)


def _rewrite_macros(unit: Unit) -> None:
    """`CUB_PTX_WARP_THREADS` becomes 32, except where it is asked whether it is defined."""
    written = set()
    for name, new in unit.rules.warps.macros.items():
        for use in unit.of([name]) if unit.code.mentions((name,)) else ():
            directive = unit.code.directive_at(use.span.start)
            is_value = directive is None or directive.keyword in ("define", "if", "elif")
            if _is_asked_for(unit.code.code, use.span.start) or use.is_pasted or not is_value:
                continue
            if not is_native(unit, use.span.start) and replace(
                unit, "warp-template", _with_argument(unit, use.span), new
            ):
                written.add(unit.code.position(use.span.start))
    # Those without a counterpart were reported when names were looked at: they were to stay.
    unit.findings = [each for each in unit.findings if each.start not in written]


def _with_argument(unit: Unit, name: Span) -> Span:
    """A macro with the architecture that it is asked for, as in `CUB_WARP_THREADS(0)`."""
    text = unit.code.code
    closed = closing_bracket(text, name.end) if text.startswith("(", name.end) else None
    return Span(name.start, closed + 1) if closed else name


def _is_asked_for(text: str, offset: int) -> bool:
    """Whether `defined` comes before a macro."""
    end = skip_back(text, offset)
    return text[slice(*word_before(text, end - text.startswith("(", end - 1)))] == "defined"


def _is_cub(unit: Unit, offset: int) -> bool:
    """Whether the name is qualified by CUB's namespace, an alias of it, or its use is declared."""
    text = unit.code.code
    spaces = "|".join(unit.rules.warps.cub_namespaces)
    end = skip_back(text, offset)
    if text[end - 2 : end] != "::":
        return is_used(text, spaces)
    owner = text[slice(*word_before(text, end - 2))]
    return owner in {
        *unit.rules.warps.cub_namespaces,
        *aliases_of(text, rf"(?:\w+::)*(?:{spaces})"),
    }


def _rewrite(unit: Unit, opened: int, template: WarpTemplate) -> None:
    """Write out the argument for the lanes, if it is left to its default."""
    arguments = _arguments(unit.code.code, opened)
    if arguments is None:
        return
    count, closed = arguments
    place, lanes = template.place, unit.rules.warps.lanes
    missing = {place: [lanes], place - 1: [template.before, lanes] if template.before else []}
    if new := missing.get(count):
        at = skip_back(unit.code.code, closed)
        rewrite(unit, "warp-template", [(Span(at, at), "".join(f", {each}" for each in new))], [])


def _arguments(text: str, opened: int) -> tuple[int, int] | None:
    """How many arguments a template has, and where its list ends; None if that is not certain."""
    depth, count = 0, 1
    for at in range(opened, min(len(text), opened + _LONGEST)):
        if text[at] in _OPENING:
            depth += 1
        elif text[at] in _CLOSING:
            depth -= 1
            if depth == 0:
                return (count, at) if text[opened + 1 : at].strip() else None
        elif text[at] == "," and depth == 1:
            count += 1
        elif text[at] in ";":
            return None
    return None
