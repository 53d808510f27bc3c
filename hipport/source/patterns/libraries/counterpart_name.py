"""Names of libraries that have others for AMD GPUs: a backend, a memory space, a device type."""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.names.hip_branches import names_port
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences, skip
from hipport.source.text.directives import Directive
from hipport.source.text.source_text import Code

_VALUE = regex(r"\s*=\s*\d")
_NUMBER = regex(r"[ \t]+\(?(?:0[xX])?[0-9]")
_TOLD = regex(r"\s*:\s*(?:case\s+[\w:]+\s*:\s*)*(?:return\b\s*|\w+\s*=\s*)?\"")
"""What follows a label of a `switch` that only finds a name to show."""
_BEHIND_PROTOTYPE = regex(r"\s*[(;]")
_NAME = regex(r"[A-Za-z_][\w:]*(?=,|\Z)")
"""A name alone, not the first word of a sentence."""


class Keys(RuleKeys, frozen=True):
    counterparts: dict[str, str]
    """Name, or its beginning with `*` behind it -> the name for AMD, or what else to do."""
    owners: Regex = Regex("")
    """What may stand before a name, `::` included, and stays."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each use of such a name, with the one for AMD, unless the file has that beside it."""
    keys = rule.read(Keys)
    counterparts = keys.counterparts
    mentioned = tuple(each for each in counterparts if unit.code.mentions((each.rstrip("*"),)))
    if not mentioned:
        return
    matches = list(unit.code.finditer(_shape(mentioned, keys.owners)))
    own = {each["name"] for each in matches if _is_own(unit, Span(*each.span("name")))}
    for match in matches:
        span, name = Span(*match.span("name")), match["name"]
        if name in own or _VALUE.match(unit.code.code, span.end) or _is_declared(unit, span):
            continue  # The library's own list of its names, or the library itself.
        if _TOLD.match(unit.code.text, span.end):
            continue
        instead = next(text for each, text in counterparts.items() if _fits(each, name))
        if not _is_beside(unit, counterparts, name, instead) and counts(unit, rule, span.start):
            unit.report(rule.id, span, name, {"instead": instead})


def _is_beside(unit: Unit, counterparts: dict[str, str], name: str, instead: str) -> bool:
    """Whether the file has the same for AMD; where AMD has nothing, what the name begins with."""
    if names_port(unit.code, unit.rules, name) or _names(unit.code, instead):
        return True
    wider = (text for each, text in counterparts.items() if name.startswith(each))
    return not _NAME.match(instead) and any(_names(unit.code, each) for each in wider)


def _is_own(unit: Unit, name: Span) -> bool:
    """Whether a function, a variable, or a macro of that name is defined here, and no number.

    What other programs define in place of the library's own list are numbers, too.
    """
    directive = unit.code.directive_at(name.start)
    if directive is not None:
        is_macro = directive.keyword == "define" and _begins(unit.code, directive, name)
        return is_macro and not _NUMBER.match(unit.code.code, name.end)
    if _has_body(unit.code.code, name.end):
        return True
    declared = unit.declarations.declaration_at(name) if _is_declared(unit, name) else None
    is_prototype = _BEHIND_PROTOTYPE.match(unit.code.code, name.end) is not None
    return declared is not None and declared.type == "declaration" and not is_prototype


def _has_body(text: str, end: int) -> bool:
    """Whether parameters and a body are behind a name, however the result's type is written."""
    opened = skip(text, end)
    closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
    return closed is not None and text.startswith("{", skip(text, closed + 1))


def _is_declared(unit: Unit, name: Span) -> bool:
    """Whether the name is declared here, or a line asks whether it is a macro."""
    directive = unit.code.directive_at(name.start)
    if directive is None:
        return unit.declarations.scope(name) is not None
    is_asked = directive.keyword in ("define", "ifdef", "ifndef", "undef")
    return is_asked and _begins(unit.code, directive, name)


def _begins(code: Code, directive: Directive, name: Span) -> bool:
    """Whether a name is the first word behind the keyword of a directive."""
    return not code.code[directive.body.start : name.start].strip()


@lru_cache(maxsize=64)
def _names(code: Code, instead: str) -> bool:
    """Whether code has the name for AMD that a text begins with."""
    name = _NAME.match(instead)
    return name is not None and any(True for _ in occurrences(code.code, name[0]))


def _fits(name: str, found: str) -> bool:
    return found == name or (name.endswith("*") and found.startswith(name[:-1]))


def _shape(names: tuple[str, ...], owners: str) -> str:
    longest_first = sorted(names, key=len, reverse=True)
    every = "|".join(re.escape(each).replace(r"\*", r"\w*") for each in longest_first)
    return rf"(?<![\w.:>])(?:::)?(?:{owners})?(?P<name>{every})(?!\w)"
