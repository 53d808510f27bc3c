"""Variables in shared memory of classes whose default constructors do something."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.source_file import Unit
from hipport.source.text.brackets import (
    closing_brace,
    closing_bracket,
    occurrences,
    skip,
    word_before,
)
from hipport.source.text.quick_search import matches
from hipport.source.text.source_text import Code

_DECLARED = regex(
    r"(?:\s|\b(?:typename|volatile|const|static)\b|\b(?:__align__|alignas)\s*\([^()]*\))*"
    r"(?P<type>(?:::)?(?:\w+\s*::\s*)*(?P<name>[A-Za-z_]\w*))\s*(?:<[^;{}()]{0,100}>)?"
    r"\s+\w+\s*[;,\[]"
)
_ALIAS = (
    r"(?:\btypedef\s+(?:typename\s+)?(?P<type>[\w:]+)\s*(?:<[^;{{}}]{{0,100}}>)?\s+{0}\s*;"
    r"|\busing\s+{0}\s*=\s*(?:typename\s+)?(?P<of>[\w:]+)\s*(?:<[^;{{}}]{{0,100}}>)?\s*;)"
)
_CLASS = (
    r"\b(?:struct|class)\s+(?:\w+\s*\([^()]*\)\s*)?{}\s*(?:final\s*)?"
    r"(?::(?!:)(?P<bases>[^;{{}}()]*))?\{{"
)
_MACRO = r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+{}[ \t\r]*$"
_BEHIND = regex(r"\s*(?:noexcept\b\s*)?")
_INITIAL = regex(r"(?<![=!<>])=(?!=)|\w\s*\{")
_NO_MEMBER = regex(
    r"\s*(?:static|using|typedef|enum|template|friend|constexpr|struct|class|union)\b"
)
_LABEL = regex(r"\b(?:public|private|protected)\s*:(?!:)")
_NAME = regex(r"[A-Za-z_]\w*")
_MOST_PARTS = 3


class Keys(RuleKeys, frozen=True):
    memory: str
    dynamic: str
    """The word with which such a variable has no constructor to run."""
    library_classes: Regex
    """Those that have such a constructor, with their namespaces."""
    library_reason: str
    plain: Regex
    """Names of types without a constructor, for which no header is read."""
    reasons: Mapping[str, str]
    """What the message says: of `arguments`, of a `body`, of `members`, and of a `part`."""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each class of such a variable, if the file defines it or the rule knows it."""
    keys = rule.read(Keys)
    for declared in declarations_in(unit.code.code, keys):
        if not counts(unit, rule, declared.start()):
            continue
        named = unit.code.once(_meant, unit.code, declared["type"])
        if re.fullmatch(keys.library_classes, named):
            reason = keys.library_reason
        else:
            doing = unit.code.once(_doing, unit.code, named.rpartition(":")[2].strip())
            reason = keys.reasons.get(doing, "")
        if reason:
            span = Span(*declared.span("type"))
            unit.report(rule.id, span, unit.code.slice(span), {"reason": reason})


def declarations_in(text: str, keys: Keys, macros: Iterable[str] = ()) -> Iterator[re.Match[str]]:
    """The variables in shared memory whose size is known, each from its `type` to its name.

    `macros` are those of headers that are the keyword.
    """
    for word in dict.fromkeys((keys.memory, *macros_in(text, keys), *macros)):
        for at in occurrences(text, word):
            declared = _DECLARED.match(text, at + len(word))
            if declared and text[slice(*word_before(text, at))] != keys.dynamic:
                yield declared


def macros_in(text: str, keys: Keys) -> list[str]:
    """The macros of a text that are the keyword of shared memory and nothing else."""
    return [each[1] for each in matches(_MACRO.format(keys.memory), text)]


def meant_by(text: str, name: str) -> str:
    """The class, without its arguments, that a text gives another name; or the name itself."""
    if not _NAME.fullmatch(name):
        return name
    alias = next(matches(_ALIAS.format(name), text, re.NOFLAG), None)
    return (alias["type"] or alias["of"]) if alias else name


def _meant(code: Code, name: str) -> str:
    return meant_by(code.code, name)


def defines(text: str, name: str) -> bool:
    """Whether a text defines a class of that name."""
    return re.search(_CLASS.format(name), text) is not None


def doing_of(code: Code, name: str) -> str:
    """What the default constructor of a class of a file does, as a key of the reasons; or ""."""
    return _doing(code, name)


def _doing(code: Code, name: str, depth: int = 0) -> str:
    """What the default constructor of a class of the file does, as a key of the reasons; or ""."""
    text = code.code
    found = [*code.finditer(_CLASS.format(name))] if depth < _MOST_PARTS else []
    closed = closing_brace(text, found[0].end() - 1) if len(found) == 1 else None
    if closed is None:
        return ""
    inside = Span(found[0].end(), closed)
    constructors = [*_constructors(text, name, inside)]
    defaults = {*constructors} - {"other"}
    if constructors and not defaults:
        return ""  # Such a variable is an error for all compilers.
    if doing := defaults & {"arguments", "body"}:
        return min(doing)
    members = [*_members(text[slice(*inside)])]
    if any(_INITIAL.search(each) for each in members):
        return "members"
    types = {word for each in members for word in _NAME.findall(each)[:1]}
    types.update(_NAME.findall(found[0]["bases"] or ""))
    return "part" if any(_doing(code, each, depth + 1) for each in types - {name}) else ""


def _constructors(text: str, name: str, inside: Span) -> Iterator[str]:
    """Of each constructor of a class what it does: `arguments`, `body`, `nothing`, or `other`."""
    for at in occurrences(text, name, *inside):
        opened = skip(text, at + len(name))
        closed = closing_bracket(text, opened) if text.startswith("(", opened) else None
        if closed is None or not _is_of_class(text, inside, at):
            continue
        given = text[opened + 1 : closed].strip()
        behind = _BEHIND.match(text, closed + 1)
        after = text[behind.end() :][:100] if behind else ""
        if given not in ("", "void"):
            first = given.split(",")[0]
            yield "arguments" if "=" in first else "other"
        elif re.match(r":(?!:)|\{\s*[^\s}]", after):
            yield "body"
        else:
            yield "nothing"


def _is_of_class(text: str, inside: Span, at: int) -> bool:
    """Whether what is named at an offset is a member function of the class itself."""
    before = text[inside.start : at].rstrip()
    return (
        before.count("{") == before.count("}")
        and not before.endswith(("~", "return", "new", ",", "(", ":", "=", "<", "&", "*"))
    ) or before.endswith(("public:", "private:", "protected:"))


def _members(text: str) -> Iterator[str]:
    """The declarations of a class that are not static, without functions and nested types."""
    for part in _statements(_LABEL.sub(";", text)):
        if part.strip() and "(" not in part and not _NO_MEMBER.match(part):
            yield part


def _statements(text: str) -> Iterator[str]:
    """What the declarations of a class are, those of functions without their bodies."""
    depth = start = 0
    for match in re.finditer(r"[{};]", text):
        depth += {"{": 1, "}": -1, ";": 0}[match[0]]
        ends = match[0] == ";" or re.search(r"\)[^;=]*\{", text[start : match.end()])
        if depth == 0 and ends and match[0] != "{":
            yield text[start : match.start()]
            start = match.end()
