"""Calls that differ by the type of what their first argument points to."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import lru_cache
from itertools import islice

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.typed import Regex, RuleKeys
from hipport.source.flow.device_code import counts
from hipport.source.flow.device_functions import Function, functions
from hipport.source.flow.operands import expression_at
from hipport.source.flow.template_arguments import arguments_for
from hipport.source.names.aliased_types import aliases_of
from hipport.source.names.declared_types import is_declared_with, member_like, type_like
from hipport.source.names.variables import variable, variables_named
from hipport.source.patterns.pattern_matches import pattern_matches
from hipport.source.source_file import Unit
from hipport.source.text.brackets import closing_bracket, occurrences, skip
from hipport.source.text.source_text import Code

_VARIABLE = regex(r"\(*\s*&?\s*\(*\s*(?P<name>[A-Za-z_]\w*)\s*(?=[\[+)-]|\Z)")
_ADDRESS = regex(r"\(*\s*&\s*\(*\s*(?P<name>[A-Za-z_]\w*)")
_OWNER = regex(r"\(*\s*(?P<address>&)?\s*\(*\s*(?P<name>[A-Za-z_]\w*)")
_MEMBER = regex(
    r"\s*(?:\.|->)\s*(?P<member>[A-Za-z_]\w*)\s*(?P<part>\[[^\[\]]*\]\s*)*(?:\)*\s*\Z|[+])"
)
_MACRO = regex(r"\s*(?P<name>\w+)\((?P<parameters>[\w\s,]*)\)")
_POINTED = regex(r"(?:\s*(?:\([\w\s]*\*\s*\)|\w+_cast\s*<[^<>;]*>))?[\s(&]*(?P<name>[A-Za-z_]\w*)")
_VALUE = regex(
    r"[-(\s]*(?P<name>[A-Za-z_]\w*)"
    r"(?P<part>\s*\.\s*[xyzw]\b|(?P<index>\s*\[[^\[\]]*\]))?(?!\s*[\w.(\[]|\s*->)"
)
_CAST_BY_MACRO = regex(r"[\s(&]*(?P<name>[A-Z_][A-Z\d_]*)\s*\(")
_CAST = regex(r"[\s(*]*(?:(?:reinterpret|static)_cast\s*<\s*|\(\s*)(?P<type>[\w:]+)\s*\*\s*[>)]")
_ROOT = regex(r"[\s(&]*(?P<name>[A-Za-z_]\w*)")
_CALL = regex(r"\s*(?:<(?!<)[^<>;{}()]*>\s*)?\(")
_INDEX = regex(r"\[[^\[\]]*\]")
_ELEMENT = regex(r"[\s)]*(?:(?:\.|->)\s*(?:[xyzw]|re|im|real|imag)\b[\s)]*|[+-].*)?", re.DOTALL)
"""What follows an array of numbers, or of structures whose members are of one kind."""
_MOST_POINTERS = 16
_MOST_NAMED = 100
_LONGEST = 4_000
"""The longest function that is looked through for a call."""
_ALIGNED = r"\s+\w+\s*\((?:[^();]|\([^();]*\)){1,80}\)[\w\s:]{1,80}\b"
"""What stands between `__shared__` and a name that is aligned, which the parser cannot read."""
_STRUCTURE = r"(?:const )?(?:volatile )?\w+(?:\*|\[\].*)?"
_OF_PARAMETER = r"(?:volatile )?[A-Za-z_]\w*\*"


class Keys(RuleKeys, frozen=True):
    functions: tuple[str, ...]
    types: Regex
    """The type of the variable that is pointed to, with its `*` or `[]`."""
    memory: str = ""
    """A word, such as `__shared__`: what is declared with it and `types_there` does not count."""
    types_there: Regex = Regex("")
    pointers_there: Regex = Regex("")
    """The type of a pointer that is given an address in that memory: it does not count either."""
    values_there: Regex = Regex("")
    """What returns an address in that memory, by its name."""
    arrays: Regex = Regex("")
    """A class of the toolkit's whose elements are of its `parameter`."""
    vectors: Regex = Regex("")
    """Structures of the toolkit all of whose members are of the kind that is looked for."""
    values: Regex = Regex("")
    """The type of a variable that is passed next, where what is pointed to is not known."""
    integers: Regex = Regex("")
    """The type of what is pointed to where it is known to be another."""
    instantiated: Regex = Regex("")
    """How the file instantiates its templates: the type of a value may be their parameter then."""
    asserted: Regex = Regex("")
    """What says in a function that a `parameter` of its template is such a type."""
    members: Regex = Regex("")
    """The type of a member whose address is passed, of a structure that the file defines."""
    whole_numbers: Regex = Regex("")
    """A value that is passed next, by which what is pointed to is no such type."""
    instantiated_otherwise: Regex = Regex("")
    """How the file instantiates its templates for whole numbers."""
    parameters_of_others: Regex = Regex("")
    """Parameters of templates that stand for other types, by their names, and functions too."""
    sure: str = ""
    """What the message says of the type where it is known; `perhaps` where a parameter is it."""
    perhaps: str = ""


def find(unit: Unit, rule: FindingRule) -> None:
    """Report each call with such an argument, and each that a pattern of the rule matches."""
    keys, text = rule.read(Keys), unit.code.code
    found, perhaps = set(pattern_matches(unit, rule)), dict[Span, str]()
    shapes = (rf"(?<![\w.>])(?P<symbol>{name})\s*\(" for name in keys.functions)
    calls = [call for shape in shapes for call in unit.code.finditer(shape)]
    keys = _with_aliases(unit, keys) if calls else keys
    for call in calls:
        argument = expression_at(text, call.end(), len(text))
        pointed = _VARIABLE.match(text, skip(text, argument.start), argument.end)
        span = Span(*call.span("symbol"))
        if pointed and _is_there(unit, keys, pointed):
            found.discard(span)
        elif (
            (pointed and _is_of_type(unit, keys, pointed))
            or _is_member_of_type(unit, keys, argument)
            or _is_cast(unit, keys, argument)
        ):
            found.add(span)
        elif keys.values and text.startswith(",", argument.end):
            value = _VALUE.match(text, skip(text, argument.end + 1))
            address = pointed or _ADDRESS.match(text, argument.start, argument.end)
            if value and _is_of_values(unit, keys, address, value):
                found.add(span)
            elif keys.perhaps and (parameter := _perhaps_pointed_to(unit, keys, argument)):
                perhaps[span] = parameter
    for span in sorted({*found, *perhaps}):
        if counts(unit, rule, span.start):
            numbers = keys.sure if span in found else keys.perhaps.format(parameter=perhaps[span])
            unit.report(rule.id, span, unit.code.slice(span), {"numbers": numbers})


def _with_aliases(unit: Unit, keys: Keys) -> Keys:
    """The keys, whose types have the names too that the file gives them."""
    names = "|".join(sorted(aliases_of(unit.code, keys.values))) if keys.values else ""
    if not names:
        return keys
    shape = rf"(?:const )?(?:volatile )?(?:{names})"
    return msgspec.structs.replace(
        keys,
        types=Regex(rf"(?:{keys.types})|{shape}(?:\*|\[\].*)"),
        values=Regex(rf"(?:{keys.values})|{shape}"),
        members=Regex(rf"(?:{keys.members})|{shape}(?:\[\])*"),
    )


def _is_there(unit: Unit, keys: Keys, pointed: re.Match[str]) -> bool:
    """Whether a variable is in the memory where such types do not count, or points there."""
    code = unit.code
    if keys.memory not in code.words and not (
        keys.values_there and code.once(Code.matches, code, keys.values_there)
    ):
        return False
    name, at = pointed["name"], pointed.start("name")
    if is_declared_with(unit.declarations, name, at, keys.memory):
        return _has_type(unit, pointed, keys.types_there)
    return _has_type(unit, pointed, keys.pointers_there) and (
        _points_there(unit, keys, name, at) or _is_passed_from_there(unit, keys, name, at)
    )


def _is_passed_from_there(unit: Unit, keys: Keys, name: str, at: int) -> bool:
    """Whether a function has a pointer as parameter that gets such addresses in all its calls.

    Nobody knows the calls of a header's function; and one whose own address is taken has others.
    """
    function = _function_around(unit, at)
    names = [each.name for each in function.parameters] if function else []
    if function is None or unit.is_header or name not in names:
        return False
    text, found = unit.code.code, False
    for use in islice(occurrences(text, function.name), _MOST_NAMED):
        if function.head.start <= use < function.head.end:
            continue
        call = _CALL.match(text, use + len(function.name))
        given = _argument(text, call.end() - 1, names.index(name)) if call else None
        pointer = _POINTED.match(text, *given) if given else None
        if pointer is None:
            return False
        place = pointer["name"], pointer.start("name")
        is_there = is_declared_with(unit.declarations, *place, keys.memory)
        if not (is_there or _points_there(unit, keys, *place)):
            return False
        found = True
    return found


def _points_there(unit: Unit, keys: Keys, name: str, at: int) -> bool:
    """Whether a pointer is declared with the address of a part of that memory."""
    for _ in range(_MOST_POINTERS):
        found = variable(unit.declarations, name, at)
        value = _POINTED.match(unit.code.code, *found.value) if found and found.value else None
        if found is None or found.value is None or value is None:
            return False
        if re.fullmatch(keys.values_there, unit.code.code[slice(*found.value)].strip()):
            return True
        name, at = value["name"], value.start("name")
        if is_declared_with(unit.declarations, name, at, keys.memory):
            return True
        before = unit.code.code[max(at - _LONGEST, 0) : at]
        if re.search(rf"\b{keys.memory}{_ALIGNED}{name}\s*\[", before):
            return True
    return False


def _is_of_type(unit: Unit, keys: Keys, pointed: re.Match[str]) -> bool:
    """Whether a variable points to such a type, by its declaration or by what it is given."""
    return (
        _has_type(unit, pointed, keys.types)
        or _is_given(unit, pointed, keys.types)
        or _is_parameter(unit, keys, pointed)
        or _is_given_to_macro(unit, keys, pointed)
    )


def _has_type(unit: Unit, pointed: re.Match[str], types: str) -> bool:
    return type_like(unit.declarations, pointed["name"], pointed.start("name"), types) != ""


def _is_given(unit: Unit, pointed: re.Match[str], types: str) -> bool:
    """Whether a pointer of such a type and of the name is where the template is called."""
    if not _has_type(unit, pointed, r"[A-Z]\w?\*"):
        return False
    text = unit.code.code
    function = _function_around(unit, pointed.start("name"))
    if function is None:
        return False
    named = variables_named(unit.declarations, pointed["name"])[:_MOST_NAMED]
    ends = (each.name.end for each in named if re.fullmatch(types, each.type))
    bodies = (text[end : end + _LONGEST].partition("\n}")[0] for end in ends)
    call = re.compile(rf"\b{function.name}\s*[<(]")
    return any(call.search(body) for body in bodies)


def _function_around(unit: Unit, at: int) -> Function | None:
    """The function on the device whose body an offset is in."""
    every = functions(unit.code, unit.rules)
    index = bisect_right(every, at, key=lambda each: each.body.start) - 1
    return every[index] if index >= 0 and at < every[index].body.end else None


def _is_parameter(unit: Unit, keys: Keys, pointed: re.Match[str]) -> bool:
    """Whether a parameter of the template is pointed to that stands for such a type."""
    name, at = pointed["name"], pointed.start("name")
    function = _function_around(unit, at)
    if function is None or is_declared_with(unit.declarations, name, at, keys.memory):
        return False
    kind = type_like(unit.declarations, name, at, _OF_PARAMETER)
    # A macro such as RESTRICT is no declarator to the parser.
    head = unit.code.code[slice(*function.head)]
    written = re.search(rf"\b(\w+)\s*\*\s*[A-Z_]+\s+{name}\s*[,)]", head) if not kind else None
    parameter = written[1] if written else kind.removeprefix("volatile ").rstrip("*")
    body = unit.code.code[slice(*function.body)]
    if keys.asserted and any(
        each["parameter"] == parameter for each in re.finditer(keys.asserted, body)
    ):
        return True
    given = arguments_for(unit.code, function, parameter)
    if any(re.fullmatch(keys.values, each) for each in given):
        return True
    # Given by another template, which the file instantiates.
    is_passed = any(re.fullmatch(r"[A-Z]\w?", each) for each in given)
    return is_passed and bool(keys.instantiated) and unit.code.matches(keys.instantiated)


def _is_of_values(
    unit: Unit, keys: Keys, pointed: re.Match[str] | None, value: re.Match[str]
) -> bool:
    """Whether a variable of such a type is passed for something that may be of that type."""
    if pointed:
        place = pointed["name"], pointed.start("name")
        is_known = _has_type(unit, pointed, keys.integers)
        if is_known or is_declared_with(unit.declarations, *place, keys.memory):
            return False
    if value["index"]:
        return _is_instantiated(unit, value, r"(?:const )?[A-Z]\w?\*", keys)
    if value["part"]:
        return _has_type(unit, value, rf"(?:const )?(?:{keys.vectors})")
    if _has_type(unit, value, keys.values):
        return True
    return _is_instantiated(unit, value, r"(?:const )?[A-Z]\w?", keys)


def _perhaps_pointed_to(unit: Unit, keys: Keys, argument: Span) -> str:
    """The parameter of a template that an argument points to, if it may be such a type; or ""."""
    text = unit.code.code
    root = _ROOT.match(text, argument.start, argument.end)
    if root is None or not _ELEMENT.fullmatch(_without_indices(text[root.end() : argument.end])):
        return ""
    name, at = root["name"], root.start("name")
    parameter = _element_of(unit, keys, name, at)
    if not (parameter and re.search(rf"\b(?:typename|class)\s+{parameter}\b", text[:at])):
        return ""
    function = _function_around(unit, at)
    given = arguments_for(unit.code, function, parameter) if function else set()
    is_other = (
        is_declared_with(unit.declarations, name, at, keys.memory)
        or _points_there(unit, keys, name, at)
        or re.fullmatch(keys.parameters_of_others, parameter)
        or re.fullmatch(keys.parameters_of_others, function.name if function else "")
        or (given and all(re.fullmatch(keys.integers, f"{each}*") for each in given))
        or unit.code.matches(keys.instantiated_otherwise)
        or _is_whole_number(unit, keys, argument.end + 1)
    )
    return "" if is_other else parameter


def _element_of(unit: Unit, keys: Keys, name: str, at: int) -> str:
    """What a variable points to, or is an array of."""
    kind = type_like(unit.declarations, name, at, rf"{_OF_PARAMETER}|{keys.arrays}")
    array = re.fullmatch(keys.arrays, kind) if kind else None
    return array["parameter"] if array else kind.removeprefix("volatile ").rstrip("*")


def _without_indices(text: str) -> str:
    while (shorter := _INDEX.sub("", text)) != text:
        text = shorter
    return text


def _is_whole_number(unit: Unit, keys: Keys, start: int) -> bool:
    """Whether the argument that begins at an offset is a whole number, by its text or its type."""
    text = unit.code.code
    argument = expression_at(text, start, len(text))
    if re.fullmatch(keys.whole_numbers, text[slice(*argument)].strip()):
        return True
    value = _VALUE.match(text, argument.start, argument.end)
    kind = type_like(unit.declarations, value["name"], value.start("name"), ".+") if value else ""
    return any(re.fullmatch(keys.integers, each) for each in (kind, f"{kind}*"))


def _is_instantiated(unit: Unit, value: re.Match[str], shape: str, keys: Keys) -> bool:
    """Whether a variable has a parameter of a template for type, and the file says which."""
    return _has_type(unit, value, shape) and unit.code.matches(keys.instantiated)


def _is_cast(unit: Unit, keys: Keys, argument: Span) -> bool:
    """Whether the argument is what a macro of the file casts to a pointer to such a type."""
    text = unit.code.code
    used = _CAST_BY_MACRO.match(text, argument.start, argument.end)
    body = _macros(unit.code).get(used["name"]) if used else None
    cast = _CAST.match(text, *body) if body else None
    return cast is not None and re.fullmatch(keys.types, f"{cast['type']}*") is not None


@lru_cache(maxsize=2)
def _macros(code: Code) -> dict[str, Span]:
    """What the macros with parameters of a file stand for, by the first definition of each."""
    found: dict[str, Span] = {}
    for directive in code.directives:
        macro = _MACRO.match(code.code, *directive.body) if directive.keyword == "define" else None
        if macro:
            found.setdefault(macro["name"], Span(macro.end(), directive.body.end))
    return found


def _is_given_to_macro(unit: Unit, keys: Keys, pointed: re.Match[str]) -> bool:
    """Whether a macro calls the function with its parameter, and is given such a pointer."""
    text, at = unit.code.code, pointed.start("name")
    directive = unit.code.directive_at(at)
    macro = _MACRO.match(text, directive.body.start) if directive else None
    parameters = [each.strip() for each in macro["parameters"].split(",")] if macro else []
    if directive is None or macro is None or pointed["name"] not in parameters:
        return False
    place = parameters.index(pointed["name"])
    for use in islice(occurrences(text, macro["name"], directive.span.end), _MOST_NAMED):
        given = _argument(text, skip(text, use + len(macro["name"])), place)
        variable = _VARIABLE.match(text, given.start, given.end) if given else None
        if (
            variable
            and _has_type(unit, variable, keys.types)
            and not _is_there(unit, keys, variable)
        ):
            return True
    return False


def _argument(text: str, opened: int, place: int) -> Span | None:
    """One of the arguments in parentheses, by its place."""
    given = expression_at(text, opened + 1, len(text)) if text.startswith("(", opened) else None
    for _ in range(place):
        if given is None or not text.startswith(",", given.end):
            return None
        given = expression_at(text, given.end + 1, len(text))
    return given


def _is_member_of_type(unit: Unit, keys: Keys, argument: Span) -> bool:
    """Whether the argument points to such a member: `&(p->x)`, `&sums[i].y`, `p->sums + 1`."""
    text = unit.code.code
    match = _OWNER.match(text, skip(text, argument.start), argument.end)
    if match is None or not keys.members:
        return False
    end = skip(text, match.end())
    while text.startswith("[", end) and end < argument.end:
        end = skip(text, (closing_bracket(text, end) or argument.end) + 1)
    member = _MEMBER.match(text, end, argument.end)
    name, at = match["name"], match.start("name")
    owner = type_like(unit.declarations, name, at, _STRUCTURE) if member else ""
    if not (member and owner) or is_declared_with(unit.declarations, name, at, keys.memory):
        return False
    structure = owner.removeprefix("const ").removeprefix("volatile ").rstrip("*[]")
    place = Span(*member.span("member"))
    is_value = match["address"] and not member["part"]
    if is_value and re.fullmatch(keys.vectors, structure):
        return True
    kind = member_like(unit.declarations, place, structure, rf"(?:{keys.members})\*?")
    return bool(kind) and (is_value or kind.endswith(("*", "]")))
