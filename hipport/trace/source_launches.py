"""The places in a source that launch kernels, or query launches."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from math import inf
from typing import Any

from msgspec.structs import replace

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.rules import RuleSet
from hipport.source.languages.cuda_syntax import launch_offsets, parse_call, parse_launch
from hipport.source.text.brackets import closing_bracket, occurrences, skip
from hipport.source.text.include_directives import include_guard
from hipport.source.text.source_text import Code
from hipport.trace.macros import Expanded
from hipport.trace.model import NOT_GIVEN, Launch, Name, Size
from hipport.trace.scopes import blocks_of, is_in_loop
from hipport.trace.sizes import Constants
from hipport.trace.trace_rules import Call, trace_rules
from hipport.trace.written_names import parse_name, split_list

_LITERAL = regex(r'\s*"((?:[^"\\]|\\.)*)"\s*\Z')
_GIVEN = regex(r"\)?\s*(?:\([^()]*\)\s*)?(?:=(?!=)\s*([^;]*);|\{([^;{}]*)\}\s*;)")
_TYPE_OF_PARAMETER = regex(r"[\w>*&)]\s*[*&\s]\s*\Z")
_PARAMETER_END = regex(r"\s*\)?\s*[,)=(]")
_TYPED = regex(r"([\w>*&]+)\s+[*&]?\Z")
_NO_TYPES = frozenset(("return", "else"))
_NEAR = 200
_VARIADIC = "__VA_ARGS__"


def launches_in(file: Expanded, path: str, rules: RuleSet) -> Iterator[Launch]:
    """The launches of a file in order; those of macros are where the macros are used.

    Launches in macros that the file does not use are left out.
    """
    found = [*_chevrons(file, path, rules), *_calls(file, path, rules)]
    yield from sorted(found, key=lambda each: each.start)


def _chevrons(file: Expanded, path: str, rules: RuleSet) -> Iterator[Launch]:
    code = file.code
    constants = Constants(code, rules)
    for chevron in launch_offsets(code):
        if code.directive_at(chevron) is not None:
            continue
        launch = parse_launch(code, chevron)
        if launch is None or not 2 <= len(launch.configuration) <= 4:
            continue
        start = launch.kernel.start
        texts = [code.text[slice(*each)] for each in launch.configuration]
        sizes = [constants.size(text, start) for text in texts[:3]]
        settings = {
            "grid": sizes[0],
            "block": sizes[1],
            "lds": sizes[2] if len(sizes) > 2 else Size("", (0,)),
            "stream": " ".join(texts[3].split()) if len(texts) > 3 else "",
            "count": _count(code.code[launch.opened + 1 : launch.closed]),
        }
        whole = Span(start, launch.closed + 1)
        yield _named(file, path, "<<<>>>", launch.kernel, whole, constants, **settings)


def _calls(file: Expanded, path: str, rules: RuleSet) -> Iterator[Launch]:
    code = file.code
    constants = Constants(code, rules)
    for name, call in trace_rules().calls.items():
        if not code.mentions((name,)):
            continue
        for at in occurrences(code.code, name):
            if code.directive_at(at) is not None:
                continue
            parsed = parse_call(code, Span(at, at + len(name)))
            place = call.handle if call.kernel is None else call.kernel
            if parsed is None or place is None or place >= len(parsed.arguments):
                continue
            arguments = parsed.arguments
            whole = Span(at, parsed.closed + 1)
            launch = _named(file, path, name, arguments[place], whole, constants)
            if call.handle is not None:
                launch = _looked_up(file, launch, at)
            yield _configured(launch, call, arguments, file, constants, at)


def _configured(
    launch: Launch,
    call: Call,
    arguments: list[Span],
    file: Expanded,
    constants: Constants,
    at: int,
) -> Launch:
    """The launch with the sizes that a call is given."""
    text = file.code.text

    def given(place: int | None) -> str:
        return (
            text[slice(*arguments[place])] if place is not None and place < len(arguments) else ""
        )

    def axes(places: tuple[int, ...]) -> Size:
        parts = [given(place) for place in places]
        if not any(parts):
            return NOT_GIVEN
        whole = parts[0] if len(parts) == 1 else f"{{{', '.join(parts)}}}"
        return constants.size(whole, at)

    if call.configuration is not None:
        sizes = _members(given(call.configuration), file, constants, at)
    else:
        lds = given(call.lds)
        sizes = {
            "grid": axes(call.grid),
            "block": axes(call.block),
            "lds": constants.size(lds, at) if lds else Size("", (0,)),
        }
    grid, block = sizes.get("grid", NOT_GIVEN), sizes.get("block", NOT_GIVEN)
    if call.work_items and grid.values and block.values and len(grid.values) == len(block.values):
        pairs = zip(grid.values, block.values, strict=True)
        grid = Size(grid.text, tuple(-(-one // max(1, two)) for one, two in pairs))
    elif call.work_items:
        grid = Size(grid.text)
    count = None
    if call.arguments is not None:
        rest = arguments[call.arguments :]
        count = _count(", ".join(text[slice(*each)] for each in rest)) if rest else 0
    return replace(
        launch,
        grid=grid,
        block=block,
        lds=sizes.get("lds", Size("", (0,))),
        stream=" ".join(given(call.stream).split()),
        count=count,
        is_query=call.is_query,
    )


def _members(text: str, file: Expanded, constants: Constants, at: int) -> dict[str, Size]:
    """The sizes in a structure that a function fills, member by member, before an offset."""
    variable = text.strip().removeprefix("&").strip()
    function = blocks_of(file.code).place(at).function
    if function is None or not variable.isidentifier():
        return {}
    found: dict[str, Size] = {}
    for member, what in trace_rules().configuration.items():
        shape = re.compile(rf"\b{variable}\s*\.\s*{member}\s*=(?!=)\s*([^;]*);")
        given = [match[1] for match in shape.finditer(file.code.code, function.opened, at)]
        if len(given) == 1 and what != "stream":
            found[what] = constants.size(given[0], at)
        elif given:
            found[what] = Size(" ".join(given[-1].split()))
    return found


def _named(
    file: Expanded,
    path: str,
    form: str,
    kernel: Span,
    whole: Span,
    constants: Constants,
    **settings: Any,
) -> Launch:
    """The launch with these settings."""
    code = file.code
    text = " ".join(code.text[slice(*kernel)].split())
    name, why = _resolved(code.code[slice(*kernel)], file, whole.start)
    branch = file.source.branch_at(file.source_offset(whole.start))
    arguments = (name.arguments if name else None) or ()
    values = {each: constants.number(each, whole.start) for each in arguments}
    place = blocks_of(code).place(whole.start)
    return Launch(
        path=path,
        start=file.position(whole.start),
        end=file.position(whole.end),
        form=form,
        kernel=text,
        name=name,
        scope=place.scope,
        dependent=place.dependent,
        in_loop=is_in_loop(code, whole.start),
        is_conditional=branch not in ((), include_guard(file.source) if branch else ()),
        values=tuple((each, value) for each, value in values.items() if value is not None),
        why_unknown=why,
        **settings,
    )


def _resolved(text: str, file: Expanded, offset: int) -> tuple[Name | None, str]:
    """The kernel that a text names, through one local variable; else why that is unknown."""
    name = parse_name(text)
    if name is None:
        return None, "the kernel is an expression"
    function = blocks_of(file.code).place(offset).function
    if function is None or name.scope or name.arguments is not None:
        return name, ""
    code, last = file.code.code, name.last
    if _is_parameter(code, last, function.head):
        return None, f"`{last}` is a parameter of the function"
    local = file.code.once(_local, file.code, (last, Span(function.opened, function.closed)))
    given = bisect_right(local.ends, offset)
    inner = parse_name(local.values[0]) if given == 1 else None
    if inner is not None and inner.last != last:
        return inner, ""
    if given or offset > local.declared:
        return None, f"`{last}` is a variable"
    return name, ""


class _Local(NamedTuple):
    """What a function does with a name, as to a variable of its own."""

    values: list[str]
    ends: list[int]
    """Behind each value."""
    declared: float
    """Where it is first declared without one."""


def _local(code: Code, asked: tuple[str, Span]) -> _Local:
    name, function = asked
    local = _Local([], [], inf)
    for at in occurrences(code.code, name, *function):
        given = _GIVEN.match(code.code, at + len(name), function.end)
        if given and code.code[at - 1] not in ".>":
            local.values.append(given[1] or given[2])
            local.ends.append(given.end())
        if local.declared == inf and _is_declared(code.code, Span(at, at + len(name))):
            local = local._replace(declared=at)
    return local


def _is_parameter(code: str, name: str, head: Span) -> bool:
    """Whether a function's head declares a parameter of that name: it ends in it."""
    return any(
        _TYPE_OF_PARAMETER.search(code[max(head.start, at - _NEAR) : at])
        and _PARAMETER_END.match(code, at + len(name), head.end)
        for at in occurrences(code, name, *head)
    )


def _is_declared(code: str, name: Span) -> bool:
    """Whether a declaration without a value declares the name."""
    typed = _TYPED.search(code[max(0, name.start - _NEAR) : name.start])
    is_type = typed is not None and typed[1] not in _NO_TYPES
    end = skip(code, name.end)
    return is_type and code[end : end + 1] in (";", ",", ")")


def _looked_up(file: Expanded, launch: Launch, at: int) -> Launch:
    """The launch of a handle, with the name of the symbol that the file looks up for it."""
    handle = re.sub(r"\W", " ", launch.kernel).split()
    if not handle:
        return replace(launch, name=None, why_unknown="the kernel is an expression")
    code, symbols = file.code, set[str]()
    for name, lookup in trace_rules().lookups.items():
        for found in occurrences(code.code, name) if code.mentions((name,)) else ():
            opened = skip(code.code, found + len(name))
            closed = closing_bracket(code.code, opened) if code.code[opened] == "(" else None
            if closed is None:
                continue
            arguments = split_list(code.uncommented[opened + 1 : closed])
            if len(arguments) <= max(lookup.handle, lookup.name):
                continue
            if re.sub(r"\W", " ", arguments[lookup.handle]).split()[-1:] == handle[-1:]:
                literal = _LITERAL.match(arguments[lookup.name])
                symbols.add(literal[1] if literal else "")
    if len(symbols) == 1 and "" not in symbols:
        return replace(launch, name=Name((), symbols.pop()), is_symbol=True, why_unknown="")
    return replace(launch, name=None, why_unknown=f"`{handle[-1]}` is looked up at run time")


def _count(text: str) -> int | None:
    """How many arguments there are; None where a macro or a pack hides that."""
    if _VARIADIC in text or "..." in text:
        return None
    return len(split_list(text))
