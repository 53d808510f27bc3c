"""Sizes in bytes, as expressions of numbers, constants, and `sizeof` give them."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple
from hipport.rulebook.rules import RuleSet
from hipport.source.names.constants import number
from hipport.source.names.declared_names import Declarations
from hipport.source.names.variables import variable
from hipport.source.text.source_text import Code

_SIZEOF = regex(r"\bsizeof\s*\(\s*(\w+)\s*\)")
_NAME = regex(r"\b[A-Za-z_]\w*")
_INTEGER = r"\s*(?:std::)?(?:(?:unsigned|signed|int|long|size_t|u?int\d\d_t)\b\s*)+"
_CAST = regex(rf"\({_INTEGER}\)(?=\s*[\w(])|\bstatic_cast\s*<{_INTEGER}>")
_QUALIFIED = regex(r"\b(?:\w+\s*::\s*)*(?P<owner>\w+)\s*::\s*(?P<name>\w+)")
_DEEPEST = 3
_LONGEST = 120
_NOTHING: Mapping[str, int] = {}
_CONSTANT = frozenset(("const", "constexpr"))
_CALL = regex(r"\b(?P<name>[A-Za-z_]\w*)\s?\((?P<given>[^()]*)\)")
_MACRO = regex(r"\s*(?P<name>\w+)\((?P<parameters>[\w\s,]*)\)(?P<body>.*)", re.DOTALL)
_SUM = regex(r"[\w\s:.*/+()]+")


class _Macro(NamedTuple):
    parameters: tuple[str, ...]
    body: str


def without_casts(size: str) -> str:
    """A size without casts to integers, and without brackets around a name."""
    plain = _CAST.sub("", size).strip()
    return name if (name := plain.strip("() ")).isidentifier() else plain


def plain_size(sizes: Mapping[str, int], text: str) -> str:
    """A size with the bytes of types for `sizeof`, and without casts."""
    sized = _SIZEOF.sub(lambda match: str(sizes.get(match[1], match[0])), text)
    return _CAST.sub("", " ".join(sized.split()))


def least(text: str, value_of: Callable[[str], int | None]) -> int:
    """What a plain size is at least: its terms that have values, as no other is less than zero."""
    if not _SUM.fullmatch(text):
        return 0
    terms = _split(text, "+")
    return sum(_least_term(each, value_of) for each in terms) if terms else 0


def _least_term(text: str, value_of: Callable[[str], int | None]) -> int:
    value = value_of(text)
    if value is not None:
        return max(value, 0)
    product = 1
    factors = _split(text, "*")
    for factor in factors:
        value = value_of(factor)
        if value is None:
            inner = factor.strip()
            is_sum = inner.startswith("(") and inner.endswith(")") and "+" in inner
            value = least(inner[1:-1], value_of) if is_sum else 0
        product *= max(value, 0)
    return product if factors else 0


def _split(text: str, mark: str) -> list[str]:
    """The parts of an expression between marks outside brackets; none if brackets are open."""
    parts, depth = [""], 0
    for each in text:
        depth += (each == "(") - (each == ")")
        if depth < 0:
            return []
        if each == mark and not depth:
            parts.append("")
        else:
            parts[-1] += each
    return [] if depth else parts


def bytes_in(
    declarations: Declarations,
    rules: RuleSet,
    sizes: Mapping[str, int],
    text: str,
    offset: int,
    depth: int = _DEEPEST,
    given: Mapping[str, int] = _NOTHING,
) -> int | None:
    """The value of an expression at an offset, where a name is what its scope has by that name.

    None for constants of constants beyond a depth. `sizes` are the bytes of types, `given` what
    headers have.
    """
    code = declarations.code
    sized = plain_size(sizes, _without_macros(code, text))
    if given:
        sized = _QUALIFIED.sub(lambda each: _of_header(code, each, given), sized)
    known: dict[str, int | None] = {**given}
    for name in dict.fromkeys(_NAME.findall(sized)):
        declared = variable(declarations, name, offset)
        if declared is None or declared.name.start >= offset:
            continue
        place = None if _CONSTANT.isdisjoint(declared.words) else declared.value
        value = code.code[place.start : place.end].strip("{} \n") if place else ""
        is_followed = value and depth
        at = declared.name.start
        known[name] = (
            bytes_in(declarations, rules, sizes, value, at, depth - 1, given)
            if is_followed
            else None
        )
    return number(code, rules, sized, known)


def _without_macros(code: Code, text: str) -> str:
    """A size with what macros of the file stand for in place of their calls."""
    if len(text) > _LONGEST or not _CALL.search(text):
        return text
    return _CALL.sub(lambda call: _of_macro(code, call), text)


def _of_macro(code: Code, call: re.Match[str]) -> str:
    """What a call of a macro stands for; the call where the file has no such macro, or several."""
    defined = [*dict.fromkeys(_macros(code).get(call["name"], ()))]
    given = [each.strip() for each in call["given"].split(",")]
    if len(defined) != 1 or len(defined[0].parameters) != len(given):
        return call[0]
    values = dict(zip(defined[0].parameters, given, strict=True))
    body = _NAME.sub(lambda name: values.get(name[0], name[0]), defined[0].body)
    return f"({body})"


@lru_cache(maxsize=2)
def _macros(code: Code) -> dict[str, list[_Macro]]:
    """The macros with parameters that a file defines, by name."""
    found: dict[str, list[_Macro]] = {}
    for directive in code.directives:
        macro = _MACRO.match(code.code, *directive.body) if directive.keyword == "define" else None
        if macro and len(macro["body"]) <= _LONGEST:
            parameters = tuple(each.strip() for each in macro["parameters"].split(","))
            found.setdefault(macro["name"], []).append(_Macro(parameters, macro["body"].strip()))
    return found


def _of_header(code: Code, qualified: re.Match[str], given: Mapping[str, int]) -> str:
    """A constant of a header without its namespace; as it is where the file names a type so."""
    if qualified["name"] not in given:
        return qualified[0]
    owner = qualified["owner"]
    is_type = re.search(rf"\b(?:typename|class|struct|using)\s+{owner}\b", code.code)
    return qualified[0] if is_type else qualified["name"]
