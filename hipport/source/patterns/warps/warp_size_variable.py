"""The warp size: 32 for kernels and for what the host asks of the device to launch them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.rewrite_rules import RewriteRule
from hipport.source.flow.device_code import in_device_code
from hipport.source.languages.cuda_syntax import parse_call
from hipport.source.names.declared_types import is_object_of
from hipport.source.names.qualified_names import qualified
from hipport.source.names.variables import (
    class_of_function,
    variable,
    variable_at,
    variables_named,
)
from hipport.source.patterns.rewriting import replace, rewrite
from hipport.source.source_file import Unit
from hipport.source.text.brackets import (
    NO_QUALIFIERS,
    is_member,
    occurrences,
    opening_bracket,
    skip,
    skip_back,
    word_before,
)
from hipport.source.warps.kept_warps import is_native_size, is_shown

_NAME = regex(r"[A-Za-z_]\w*")
_ASSIGNED = regex(r"\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)")
_SHIFT = regex(r"(?:<<|>>)\s*\(*\s*\Z")
_REACH = 40
_UNKNOWN, _SHIFTED = "HP-WARP-018", "HP-WARP-019"


def fix(unit: Unit, rule: RewriteRule) -> None:
    """Write 32 for the built-in variable and the member, and ask a helper for the attribute."""
    words, text = unit.rules.warps, unit.code.code
    owned: list[Span] = []
    found = [Span(at, at + len(words.variable)) for at in _all(unit, words.variable)]
    for name in found:
        if unit.code.directive_at(name.start) and variable_at(unit.declarations, name):
            owned.append(Span(0, len(unit.code.data)))
        elif not is_member(text, name.start):
            owned += unit.declarations.scope(name) or ()
    is_set = any(_is_set(unit, each, owned) for each in found)
    for name in found:
        if unit.code.directive_at(name.start) and _is_defined_there(unit, name):
            continue
        if is_native_size(unit, name.start):
            continue
        whole = _unqualified(text, name)
        if is_member(text, name.start):
            _rewrite_member(unit, name)
        elif whole is None:
            _report_member(unit, name)
        elif whole == name and (
            any(each.start <= name.start < each.end for each in owned)
            or _is_of_tree(unit, name, is_set=is_set)
        ):
            continue
        elif _SHIFT.search(*_before(unit, name)):
            unit.report(_SHIFTED, name, unit.code.slice(name))
        else:
            space = " " if text[whole.start - 1].isalnum() else ""
            rewrite(unit, "warp-size", [(whole, space + words.lanes)], [whole])
    for function in words.device.sizes:
        for at in _all(unit, function):
            _rewrite_size(unit, Span(at, at + len(function)))
    for attribute in words.device.attributes:
        for at in _all(unit, attribute):
            _rewrite_question(unit, Span(at, at + len(attribute)))


def _before(unit: Unit, name: Span) -> tuple[str, int, int]:
    return unit.code.code, max(0, name.start - _REACH), name.start


def _all(unit: Unit, name: str) -> Iterator[int]:
    return occurrences(unit.code.code, name) if unit.code.mentions((name,)) else iter(())


def _is_defined_there(unit: Unit, name: Span) -> bool:
    """Whether a directive defines, or tests for, a macro of that name."""
    directive = unit.code.directive_at(name.start)
    assert directive is not None
    before = unit.code.code[directive.body.start : name.start].strip()
    return directive.keyword != "define" or not before


def _is_set(unit: Unit, name: Span, owned: list[Span]) -> bool:
    """Whether something is made or given a value by that name, which CUDA's variable never is.

    Where the file declares the name, this says nothing about other places.
    """
    text = unit.code.code
    if _unqualified(text, name) != name or is_member(text, name.start):
        return False
    if unit.code.directive_at(name.start) or any(
        each.start <= name.start < each.end for each in owned
    ):
        return False
    at = skip_back(text, name.start) - 1
    is_made = text.startswith(("(", "{"), skip(text, name.end)) and text[at] in ":,"
    has_address = text[at] == "&" and text[skip_back(text, at) - 1] in "(,="
    return is_made or has_address or _ASSIGNED.match(text, name.end) is not None


def _is_of_tree(unit: Unit, name: Span, *, is_set: bool) -> bool:
    """Whether a name is a member of a class that another file defines, by the function around it.

    Also one that the file sets, outside of functions for the device alone.
    """
    if unit.code.directive_at(name.start):
        return False
    if is_set and not in_device_code(unit, name.start):
        return True
    return bool(unit.warps.sized) and _is_sized(
        unit, class_of_function(unit.declarations, name.start)
    )


def _is_sized(unit: Unit, kind: str) -> bool:
    """Whether a type is a structure of the tree's own with a member of that name."""
    name = _NAME.findall(re.sub(r"<[^<>]*>|\b(?:const|struct|volatile)\b", "", kind))[-1:]
    own = unit.warps.sized.difference(unit.rules.warps.device.structures)
    return not own.isdisjoint(name)


def _unqualified(text: str, name: Span) -> Span | None:
    """The name with the `::` before it, if there is one; None where a class or namespace is too."""
    end = skip_back(text, name.start)
    if text[end - 2 : end] != "::":
        return name
    owner = word_before(text, end - 2)
    is_owned = owner.start < owner.end and text[owner.start : owner.end] not in NO_QUALIFIERS
    return None if is_owned or text[end - 3] == ">" else Span(end - 2, name.end)


def _report_member(unit: Unit, name: Span) -> None:
    """Report `&cudaDeviceProp::warpSize`, with which the answer is read elsewhere."""
    text = unit.code.code
    owner = word_before(text, skip_back(text, name.start) - 2)
    if text[owner.start : owner.end] in unit.rules.warps.device.structures:
        unit.report(_UNKNOWN, name, unit.code.slice(name))


def _rewrite_member(unit: Unit, name: Span) -> None:
    """`prop.warpSize` of the device's properties: 32, but where it is only shown or is set."""
    text = unit.code.code
    owner = _owner(text, name)
    if _ASSIGNED.match(text, name.end) or is_shown(unit, name.start):
        return
    if owner is not None and _is_of_device(unit, text[owner.start : name.start]):
        replace(unit, "warp-size", Span(owner.start, name.end), unit.rules.warps.lanes)
    elif not _is_member_of_tree(unit, owner, name):
        unit.report(_UNKNOWN, name, unit.code.slice(name))


def _is_member_of_tree(unit: Unit, owner: Span | None, name: Span) -> bool:
    """Whether a member is one of the tree's own structures, whose values are told where they come.

    Where neither the file nor its headers name the device's properties, it can be no other.
    """
    if any(each.member_of for each in variables_named(unit.declarations, unit.code.slice(name))):
        return True
    sized = unit.warps.sized
    if sized and sized.isdisjoint(unit.rules.warps.device.structures):
        return True
    last = _NAME.fullmatch(unit.code.code, *owner) if owner else None
    if not sized or not owner or not last:
        return False
    if last[0] == "this":
        return _is_sized(unit, class_of_function(unit.declarations, name.start))
    found = variable(unit.declarations, last[0], owner.start)
    return found is not None and _is_sized(unit, found.type)


def _owner(text: str, name: Span) -> Span | None:
    """The object of a member: names, members and elements; None for anything else."""
    end = skip_back(text, name.start)
    end -= 1 if text[end - 1] == "." else 2
    start = end
    while True:
        at = skip_back(text, start)
        if text[at - 1 : at] in ("]", ")"):
            opened = opening_bracket(text, at - 1)
            if opened is None:
                return None
            at = skip_back(text, opened)
        word = word_before(text, at)
        if word.start == word.end or not _NAME.match(text, word.start):
            return None
        start = word.start
        before = skip_back(text, start)
        if text[before - 1 : before] == ".":
            start = before - 1
        elif text[before - 2 : before] in ("->", "::"):
            start = before - 2
        else:
            return Span(start, end)


def _is_of_device(unit: Unit, owner: str) -> bool:
    """Whether an object is a structure of the device's properties, by its name's declaration."""
    words = unit.rules.warps.device
    called = re.search(r"(\w+)\s*\(\s*[^()]*\)\s*(?:->|\.)\s*\Z", owner)
    if called:
        return called[1] in words.returning
    plain = re.sub(r"\[[^\]]*\]", "", owner).rstrip("->. \t\n")
    last = _NAME.findall(plain)[-1:] or [""]
    types = "|".join(map(re.escape, words.structures))
    functions = "|".join(map(re.escape, words.returning))
    return is_object_of(unit.declarations, types, functions, last[0])


def _rewrite_size(unit: Unit, name: Span) -> None:
    """`at::cuda::warp_size()`: 32 where the file's own kernels have warps of 32 lanes.

    Else kernels of a header may go by PyTorch's constant, which is the wavefront's size.
    """
    text, words = unit.code.code, unit.rules.warps
    opened = skip(text, name.end)
    closed = skip(text, opened + 1)
    if text[opened : opened + 1] != "(" or text[closed : closed + 1] != ")":
        return
    if is_native_size(unit, name.start) or is_shown(unit, name.start):
        return
    if unit.code.words.isdisjoint(words.helpers):
        unit.report(_UNKNOWN, name, unit.code.slice(name))
        return
    start = qualified(text, name).start
    start -= 2 * text.endswith("::", 0, start)
    space = " " if text[start - 1].isalnum() else ""
    replace(unit, "warp-size", Span(start, closed + 1), space + words.lanes)


def _rewrite_question(unit: Unit, attribute: Span) -> None:
    """`cudaDeviceGetAttribute(&n, cudaDevAttrWarpSize, d)`: asked of a helper that answers 32."""
    words = unit.rules.warps.device
    text = unit.code.code
    if is_native_size(unit, attribute.start):
        return
    for name in words.asking:
        at = text.rfind(name, 0, attribute.start)
        call = parse_call(unit.code, Span(at, at + len(name))) if at >= 0 else None
        if call is None or len(call.arguments) != 3 or call.arguments[1] != attribute:
            continue
        answer = _NAME.search(text, *call.arguments[0])
        if answer and _is_only_shown(unit, answer):
            return
        callee = Span(at, at + len(name))
        if unit.language == "c":
            break
        if replace(unit, "warp-size", callee, words.helper):
            unit.helpers.add(unit.rules.warps.header)
        return
    unit.report(_UNKNOWN, attribute, unit.code.slice(attribute))


def _is_only_shown(unit: Unit, answer: re.Match[str]) -> bool:
    """Whether all that a file does with the answer is to print it."""
    others = [at for at in occurrences(unit.code.code, answer[0]) if at > answer.end()]
    uses = [at for at in others if not unit.code.code.startswith(";", skip(unit.code.code, at))]
    return bool(uses) and all(is_shown(unit, at) for at in others)
