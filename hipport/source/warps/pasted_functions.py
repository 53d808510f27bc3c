"""Names of warp functions that a macro pastes together, and what its uses show of them."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences, skip
from hipport.source.text.directives import Directive
from hipport.source.warps.kept_warps import is_native

DEFINITION = regex(r"\s*(\w+)\(([^()]*)\)")
PASTED = regex(
    r"(?<![\w#])(?P<stem>\w+)\s*##\s*(?P<parameter>\w+)(?:\s*##\s*(?P<end>\w+))?\b(?!\s*##)"
)
_NAME = regex(r"[A-Za-z_]\w*")
_RESERVED = "__"


class Pasting(msgspec.Struct, frozen=True):
    """Where names are built; `first` takes the place of what is before `end`, "" if unknown."""

    whole: Span
    end: int
    first: str


def arguments_given(unit: Unit, name: str, index: int, own: Directive) -> Iterator[str | None]:
    """What each use of the macro in the file passes there; None for what is no plain name."""
    text = unit.code.code
    for start in occurrences(text, name):
        end = start + len(name)
        directive = unit.code.directive_at(start)
        if directive is own or (directive and _is_about(text, directive, start)):
            continue
        opened = skip(text, end)
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        pieces = text[opened + 1 : closed].split(",") if closed else []
        argument = pieces[index].strip() if index < len(pieces) else ""
        is_given = directive is None or argument not in _parameters(unit, directive)
        yield argument if is_given and _NAME.fullmatch(argument) else None


def _is_about(text: str, directive: Directive, name: int) -> bool:
    """Whether a directive tests for the macro, or is another definition of it."""
    is_head = directive.keyword == "define" and not text[directive.body.start : name].strip()
    return is_head or directive.keyword in ("undef", "ifdef", "ifndef")


def _parameters(unit: Unit, directive: Directive) -> list[str]:
    """The parameters of a macro: what its body passes on by these names is not known."""
    head = DEFINITION.match(unit.code.code, directive.body.start)
    return [each.strip() for each in head[2].split(",")] if head else []


def pastings(unit: Unit, directive: Directive) -> Iterator[Pasting]:
    body = unit.code.slice(directive.body)
    if "##" not in body:
        return
    helpers: dict[str, str] = unit.rules.warps.helpers
    head = DEFINITION.match(body)
    for match in PASTED.finditer(body):
        stem, end = match["stem"], match["end"] or ""
        names: list[str] = [
            name for name in helpers if name.startswith(stem) and name.endswith(end)
        ]
        is_certain = True
        if len(stem) <= len(_RESERVED):
            # Other names may begin like this: the file must show what they are.
            parameters = _parameters(unit, directive)
            if head is None or match["parameter"] not in parameters:
                continue
            index = parameters.index(match["parameter"])
            passed = list(arguments_given(unit, head[1], index, directive))
            built = [f"{stem}{each}{end}" for each in passed if each]
            shown = [name for name in built if name in helpers]
            if not shown and not (stem == _RESERVED and end.startswith("_") and names):
                continue
            is_certain = not unit.is_header and bool(shown) and len(shown) == len(passed)
            names = shown
        known = {helpers[name].removesuffix(name.removeprefix(stem)) for name in names}
        start = directive.body.start + match.start()
        if (not names and is_certain) or is_native(unit, start):
            continue
        new = known.pop() if len(known) == 1 and is_certain else ""
        # Nothing can be pasted to the end of `warp32::`: another name begins after it.
        is_word = new and _NAME.search(new[-1])
        behind = match.end("stem") if is_word else match.start("parameter")
        whole = Span(start, start + len(match[0]))
        yield Pasting(whole, directive.body.start + behind, new)
