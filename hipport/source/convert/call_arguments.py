"""Changes the arguments of a call as rules/transforms.tsv says.

Indices count the arguments of the CUDA call from 0:

- "move 8+2 to 13" moves the two arguments from index 8 to before what was index 13.
- "retype 17 Old A=B": argument 17 is a constant of another type in HIP, so A becomes B. A variable
  declared as an Old cannot be passed.
- "mutable 2 float**" takes `const` away where argument 2 is cast to pointers to constants, or is
  declared so, as a float** alone will do.
- "omit 3" drops argument 3 if it is null or the address of an empty structure. Otherwise the call
  stays.
- "choose 3 Name A B" calls `Name` if argument 3 is an A, and the rulebook's function if it is a B
  or a number. With `[\\s\\S]*` as B, that function is called whatever else argument 3 is.
"""

from __future__ import annotations

import re
from itertools import pairwise

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.model import TransformRule, parse_version
from hipport.source.convert.counted_arguments import counted
from hipport.source.convert.empty_arguments import forget_variable, says_nothing
from hipport.source.languages.cuda_syntax import Call, parse_call
from hipport.source.names.counterparts import Decision
from hipport.source.names.declared_types import type_like
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip
from hipport.source.text.edits import apply

_VOID_POINTER = r"(?:const\s+void|void(?:\s+const)?)\s*(?:const\s*)?\*\s*"
_VOID_CAST = regex(rf"\(\s*{_VOID_POINTER}\)|(?:reinterpret|static)_cast\s*<\s*{_VOID_POINTER}>")
_CAST = regex(r"reinterpret_cast<([^<>]+)>\(\{\}\)\Z")
_STARS = r"\s*\*\s*(?:const\s*)?\*\s*(?:const\s*)?[)>]"
_TO_CONSTANTS = regex(
    rf"(?:\(|const_cast\s*<)\s*(?:(?P<ahead>const\s+)[\w:]+|[\w:]+(?P<behind>\s+const)){_STARS}"
)
_NULL = ("nullptr", "NULL", "0")
_ADDING = ("insert", "default")
_OR_ANYTHING = r" [\s\S]*"
_REMOVING = ("remove", "omit")


class Refusal(msgspec.Struct, frozen=True):
    """Why a call stays as it is: the finding's code, and the words it needs."""

    code: str
    words: dict[str, str]


def change_call(unit: Unit, use: Use, decision: Decision) -> Refusal | None:
    """Rename the callee and change its arguments; or refuse, and change nothing."""
    rule = f"api:{use.name}"
    after = skip(unit.code.code, use.span.end)
    is_call = unit.code.code[after : after + 1] in ("(", "<")
    if not is_call or all(each.operation == "differs" for each in decision.transforms):
        unit.edit(use.span.start, use.span.end, decision.new, rule)
        renamed_only = all(each.operation in ("rename", "differs") for each in decision.transforms)
        if not is_call and not decision.finding and not renamed_only:
            reason = "calls through this name need other arguments than CUDA's"
            unit.report("HP-API-003", use.span, use.name, {**decision.words, "reason": reason})
        return None
    call = parse_call(unit.code, use.span)
    if call is None:
        return _refuse("its arguments cannot be separated with certainty here")
    planned = _plan(unit, use, call, decision)
    if isinstance(planned, Refusal):
        return planned
    name, transforms = planned
    unit.edit(use.span.start, use.span.end, name, rule)
    if any(each.operation in ("move", "copy") for each in transforms):
        _rebuild(unit, call, transforms, rule)
    else:
        for transform in transforms:
            _change_in_place(unit, call, transform, rule)
    return None


def _refuse(reason: str) -> Refusal:
    return Refusal("HP-API-007", {"reason": reason})


def _plan(
    unit: Unit, use: Use, call: Call, decision: Decision
) -> tuple[str, list[TransformRule]] | Refusal:
    """The name and the transforms that fit the number of a call's arguments."""
    count, uncounted, is_known = counted(unit, call)
    name = decision.new
    transforms: list[TransformRule] = []
    for each in decision.transforms:
        if each.arguments and not is_known:
            return _refuse("the number of its arguments is not known here")
        fits = not each.arguments or str(count) in each.arguments.split()
        if each.operation == "accept" and not fits:
            return _refuse(each.note)
        if not fits or each.operation in ("accept", "differs"):
            continue
        if each.operation == "retype" and parse_version(each.hip_added) > unit.options.rocm:
            continue
        if each.operation == "rename":
            if parse_version(each.hip_added) > unit.options.rocm:
                words = {"hip": each.value, "reason": f"it came with {each.hip_added}"}
                return Refusal("HP-API-006", words)
            name = each.value
        elif _arguments_needed(each) > uncounted and each.value.endswith(_OR_ANYTHING):
            continue
        elif _arguments_needed(each) > uncounted and not _is_added_last(each, count, call):
            if not is_known:
                return _refuse("the number of its arguments is not known here")
            if uncounted < len(call.arguments):
                return _refuse("the argument that changes comes from a macro")
            return _refuse(f"it is called with {count} arguments, not as documented")
        elif _has_no_place(unit, call, each):
            return _refuse(each.note)
        elif each.operation == "choose":
            chosen = _chosen(unit, use, call, decision, each)
            if isinstance(chosen, Refusal):
                return chosen
            name = chosen or name
        else:
            transforms.append(each)
    return name, transforms


def _has_no_place(unit: Unit, call: Call, transform: TransformRule) -> bool:
    """Whether HIP's function does not take an argument."""
    if transform.operation == "omit":
        return not says_nothing(unit, call.arguments[int(transform.index)])
    return transform.operation == "retype" and _is_of_old_type(unit, call, transform)


def _chosen(
    unit: Unit, use: Use, call: Call, decision: Decision, transform: TransformRule
) -> str | Refusal:
    """The function that takes an argument of this type; "" for the rulebook's."""
    name, new, old = transform.value.split()
    place = call.arguments[int(transform.index)]
    argument = unit.code.slice(place)
    is_new = re.match(rf"(?:{new})?\s*\{{", argument) is not None
    if is_new or type_like(unit.declarations, argument, place.start, new):
        if parse_version(transform.hip_added) > unit.options.rocm:
            words = {"hip": name, "reason": f"it came with {transform.hip_added}"}
            return Refusal("HP-API-006", words)
        return name
    is_old = argument.isdigit() or re.fullmatch(old, argument)
    if not is_old and not type_like(unit.declarations, argument, place.start, old):
        words = {"hip": decision.new, "reason": transform.note}
        unit.report("HP-API-003", use.span, use.name, words)
        return ""
    for move in unit.rules.moves:
        is_reached = parse_version(move.release) <= unit.options.rocm
        if (move.name, move.change) == (decision.new, "changed") and is_reached:
            return _refuse(f"ROCm {move.release} changed that. {move.advice.rstrip('.')}")
    return ""


def _is_of_old_type(unit: Unit, call: Call, transform: TransformRule) -> bool:
    """Whether an argument is a variable of a type that HIP does not take there."""
    place = call.arguments[int(transform.index)]
    types = "|".join(each for each in transform.value.split() if "=" not in each)
    return bool(type_like(unit.declarations, unit.code.slice(place), place.start, types))


def _arguments_needed(transform: TransformRule) -> int:
    """How many arguments a call must have for the transform to apply."""
    first, _, length = transform.index.partition("+")
    if transform.operation in _ADDING:
        return int(first)
    needed = int(first) + int(length or 1)
    return max(needed, int(transform.value)) if transform.operation == "move" else needed


def _is_added_last(transform: TransformRule, count: int, call: Call) -> bool:
    """Whether an argument is added behind all others, of which macros may hold several."""
    is_added = transform.operation in _ADDING
    return is_added and len(call.arguments) <= int(transform.index) == count


def _wrapped(unit: Unit, transform: TransformRule, argument: str, place: int) -> tuple[str, str]:
    """What goes before and after an argument that is wrapped or cast; nothing for an address.

    `place` is where it begins.
    """
    template, what = transform.value, unit.meanings.arguments.get(place)
    if what == "address":
        return "", ""
    if transform.operation == "cast":
        if _VOID_CAST.match(argument):
            return "", ""
        spellings = unit.rules.spellings
        is_c = unit.language == "c"
        template = spellings.void_pointer_cast_c if is_c else spellings.void_pointer_cast
    elif cast := _CAST.match(template):
        is_cast = argument.replace(" ", "").startswith(f"({cast[1]})")
        if is_cast or argument in _NULL or _is_of(unit, argument, place, cast[1]):
            return "", ""
        template = f"({cast[1]})({{}})" if unit.language == "c" else template
    before, _, behind = template.partition("{}")
    return before, behind


def _is_of(unit: Unit, argument: str, place: int, type_: str) -> bool:
    """Whether an argument, or what it is the address of, is declared with the type."""
    name = argument.removeprefix("&").lstrip()
    wanted = [type_, type_.removeprefix("const ")]
    if name != argument:
        wanted = [each.removesuffix("*") for each in wanted if not each.startswith("const ")]
    else:
        wanted += [f"{each.removesuffix('*')}[]" for each in wanted]
    shape = "|".join(map(re.escape, wanted))
    return bool(type_like(unit.declarations, name, place + len(argument) - len(name), shape))


def _change_in_place(unit: Unit, call: Call, transform: TransformRule, rule: str) -> None:
    arguments = call.arguments
    index = int(transform.index)
    if transform.operation in _ADDING:
        if index < len(arguments):
            unit.edit(arguments[index].start, arguments[index].start, f"{transform.value}, ", rule)
        else:
            end = arguments[-1].end if arguments else call.opened + 1
            unit.edit(end, end, f", {transform.value}" if arguments else transform.value, rule)
        return
    if index >= len(arguments):
        return
    span = arguments[index]
    if transform.operation in ("wrap", "cast"):
        argument = unit.code.slice(span)
        is_known = span.start in unit.meanings.arguments
        before, behind = _wrapped(unit, transform, argument, span.start)
        if before and not argument.startswith(before):
            unit.edit(span.start, span.start, before, rule, is_known=is_known)
            unit.edit(span.end, span.end, behind, rule, is_known=is_known)
    elif transform.operation == "mutable":
        _take_const(unit, span, transform, rule)
    elif transform.operation in ("replace", "retype"):
        new = transform.value
        if transform.operation == "retype":
            argument = unit.code.slice(span)
            pairs = dict(each.split("=") for each in transform.value.split() if "=" in each)
            new = pairs.get(argument, "")
        if new:
            unit.take_edits(span)
            unit.edit(span.start, span.end, new, rule)
    elif transform.operation in _REMOVING:
        if transform.operation == "omit":
            forget_variable(unit, span, rule)
        unit.take_edits(span)
        if index + 1 < len(arguments):
            unit.edit(span.start, arguments[index + 1].start, "", rule)
        else:
            unit.edit(arguments[index - 1].end if index else span.start, span.end, "", rule)


def _take_const(unit: Unit, span: Span, transform: TransformRule, rule: str) -> None:
    """Make pointers to constants, as a cast or a declaration says, what HIP's function takes."""
    argument = unit.code.slice(span)
    if cast := _TO_CONSTANTS.match(argument):
        start, end = cast.span("ahead" if cast["ahead"] else "behind")
        unit.edit(span.start + start, span.start + end, "", rule)
    elif type_like(unit.declarations, argument, span.start, r"const \w+ ?\*(?: ?const)? ?\*"):
        before = (
            f"({transform.value})" if unit.language == "c" else f"const_cast<{transform.value}>("
        )
        unit.edit(span.start, span.start, before, rule)
        unit.edit(span.end, span.end, "" if unit.language == "c" else ")", rule)


def _rebuild(unit: Unit, call: Call, transforms: list[TransformRule], rule: str) -> None:
    """Write the whole argument list again; the separators keep their places."""
    spans = call.arguments
    texts = [_converted(unit, span) for span in spans]
    separators = [unit.code.slice(Span(a.end, b.start)) for a, b in pairwise(spans)]
    before: list[list[str]] = [[] for _ in range(len(texts) + 1)]
    kept: list[str | None] = list(texts)
    for transform in transforms:
        first, _, length = transform.index.partition("+")
        index = int(first)
        if transform.operation == "move":
            for each in range(index, index + int(length)):
                before[int(transform.value)].append(texts[each])
                kept[each] = None
        elif transform.operation == "copy":
            before[int(transform.value)].append(texts[index])
        elif transform.operation in _ADDING:
            before[min(index, len(texts))].append(transform.value)
        elif transform.operation in _REMOVING:
            kept[index] = None
        elif transform.operation == "replace":
            kept[index] = transform.value
        else:
            opening, closing = _wrapped(unit, transform, texts[index], spans[index].start)
            kept[index] = f"{opening}{texts[index]}{closing}"
    result = [
        text
        for index in range(len(texts) + 1)
        for text in [*before[index], *([kept[index]] if index < len(texts) else [])]
        if text is not None
    ]
    separators += [", "] * (len(result) - 1 - len(separators))
    joined = result[0] + "".join(
        separator + text for separator, text in zip(separators, result[1:], strict=False)
    )
    unit.edit(spans[0].start, spans[-1].end, joined, rule)


def _converted(unit: Unit, span: Span) -> str:
    """An argument's text with the edits inside it applied; they are consumed."""
    return apply(unit.code.data, unit.take_edits(span), span).decode("latin-1")
