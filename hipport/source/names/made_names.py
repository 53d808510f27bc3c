"""Names of which a macro makes other names: one that is renamed alone no longer fits them."""

from __future__ import annotations

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.names.uses import Use
from hipport.source.text.brackets import skip, skip_back, word_before
from hipport.source.text.source_text import Code

_DEFINITION = regex(r"\s*(\w+)\(([^()]*)\)")
_PASTING = regex(
    r"(?<![\w#])(?:(?P<stem>\w+)\s*##\s*)?(?P<parameter>\w+)(?:\s*##\s*(?P<end>\w+))?\b(?!\s*##)"
)
_USED = regex(r"(?P<member>(?:\.|->)\s*)?\b(?P<name>[A-Za-z_]\w*)")
_LONGEST_ARGUMENTS = 200
_TEXT = regex(r"(?<!#)#\s*(\w+)")
_Pasted = dict[str, list[tuple[int, str, str, bool]]]


def maker_of(code: Code, use: Use, *, is_function: bool) -> str:
    """The macro that gets the name as an argument and makes others of it; "" for none.

    It pastes the name into one that the file has, makes a text of it, too, by which the function is
    looked up, or takes it as that of a member. Or it is a parameter of the macro that the use is
    in, as in a list of functions: what it does with each is decided elsewhere.
    """
    given = _given_to(code, use.span)
    if given is None:
        return ""
    macro, index = given
    directive = code.directive_at(use.span.start)
    if directive and directive.keyword == "define":
        head = _DEFINITION.match(code.code, *directive.body)
        is_listed = head is not None and macro in _parameters(head[2])
        return macro if is_function and is_listed else ""
    pasted = code.once(_pasted, code, "").get(macro, ())
    is_made = any(
        is_text or f"{stem}{use.name}{end}" in code.words
        for at, stem, end, is_text in pasted
        if at == index
    )
    return macro if is_made or (macro, index) in code.once(_members, code, "").doubtful else ""


def is_member_by_macro(code: Code, use: Use) -> bool:
    """Whether a name is given to a macro that takes it as that of a member, and nothing else."""
    given = _given_to(code, use.span)
    return given is not None and given in code.once(_members, code, "").sure


def is_part_of_name(code: Code, name: Span) -> bool:
    """Whether a name is given to a macro that only pastes it: `OURS_NAME(init)`, `ours_ ## x`."""
    given = _given_to(code, name)
    return given is not None and given in code.once(_only_pasted, code, "")


def _only_pasted(code: Code, _: str) -> frozenset[tuple[str, int]]:
    """The parameters of macros that are pasted to something wherever they are, counted from 0."""
    found: set[tuple[str, int]] = set()
    for directive in code.directives if "##" in code.code else ():
        body = code.code[slice(*directive.body)]
        head = _DEFINITION.match(body) if directive.keyword == "define" and "##" in body else None
        if head is None:
            continue
        for index, name in enumerate(_parameters(head[2])):
            places = [each for each in _USED.finditer(body, head.end()) if each["name"] == name]
            if places and all(_is_pasted(body, Span(*each.span("name"))) for each in places):
                found.add((head[1], index))
    return frozenset(found)


def _is_pasted(body: str, name: Span) -> bool:
    return body[: name.start].rstrip().endswith("##") or body[name.end :].lstrip().startswith("##")


def _given_to(code: Code, name: Span) -> tuple[str, int] | None:
    """The macro or function that gets a name as a whole argument, and which, counted from 0."""
    text = code.code
    before, after = skip_back(text, name.start), skip(text, name.end)
    if text[before - 1 : before] not in ("(", ",") or text[after : after + 1] not in (")", ","):
        return None
    opened = text.rfind("(", max(0, before - _LONGEST_ARGUMENTS), before)
    given = text[opened + 1 : before]
    word = word_before(text, skip_back(text, max(opened, 0)))
    macro = text[word.start : word.end]
    if opened < 0 or not macro or any(each in given for each in ");{}"):
        return None
    return macro, given.count(",")


class _Members(msgspec.Struct, frozen=True):
    """The parameters of macros that are behind a `.` or `->`, with the macros' names."""

    sure: frozenset[tuple[str, int]]
    """Those of which the macro makes nothing else."""
    doubtful: frozenset[tuple[str, int]]
    """Those that it uses in another way, too: as the name of a function, or as a text."""


def _members(code: Code, _: str) -> _Members:
    sure: set[tuple[str, int]] = set()
    doubtful: set[tuple[str, int]] = set()
    for directive in code.directives:
        body = code.code[slice(*directive.body)]
        is_macro = directive.keyword == "define" and ("." in body or "->" in body)
        head = _DEFINITION.match(body) if is_macro else None
        used = list(_USED.finditer(body, head.end())) if head else []
        for index, name in enumerate(_parameters(head[2]) if head else ()):
            ways = {bool(each["member"]) for each in used if each["name"] == name}
            if True in ways:
                (doubtful if False in ways else sure).add((head[1] if head else "", index))
    return _Members(frozenset(sure), frozenset(doubtful))


def _pasted(code: Code, _: str) -> _Pasted:
    """Macro -> the parameters that it pastes, counted from 0, and what it adds to each.

    The last of each says whether the macro makes a text of the parameter, too.
    """
    found: _Pasted = {}
    for directive in code.directives if "##" in code.code else ():
        body = code.code[slice(*directive.body)]
        head = _DEFINITION.match(body) if directive.keyword == "define" and "##" in body else None
        if head is None:
            continue
        parameters = _parameters(head[2])
        texts = set(_TEXT.findall(body, head.end()))
        for match in _PASTING.finditer(body, head.end()):
            stem, end = match["stem"] or "", match["end"] or ""
            is_known = (stem or end) and not {stem, end}.intersection(parameters)
            if is_known and match["parameter"] in parameters:
                index = parameters.index(match["parameter"])
                is_text = match["parameter"] in texts
                found.setdefault(head[1], []).append((index, stem, end, is_text))
    return found


def _parameters(text: str) -> list[str]:
    return [each.strip() for each in text.split(",")]
