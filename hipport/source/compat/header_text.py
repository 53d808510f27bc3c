"""Writes the header that gives CUDA's names their HIP meaning, and stand-ins of CUDA's headers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from hipport import __version__
from hipport.errors import printable
from hipport.model import Finding
from hipport.source.compat.used_names import MARK, Needed, Survey, call_form, operations
from hipport.source.names.counterparts import Decisions

_IS_HIP = "#if defined(__HIP_PLATFORM_AMD__) || (defined(__clang__) && defined(__HIP__))"
# HIP's functions take a kernel as const void*, CUDA's also as what it is. The other parameters are
# taken from HIP's declaration, so that 0 stays a null pointer where one is meant.
_KERNEL_CALLS = """\
namespace hipport {
template <typename T> struct plain { typedef T type; };
template <typename R, typename K, typename... P>
inline R kernel_first(R (*call)(const void *, P...), K *kernel, typename plain<P>::type... rest)
{
    return call(reinterpret_cast<const void *>(kernel), rest...);
}
template <typename R, typename A, typename K>
inline R kernel_second(R (*call)(A, const void *), typename plain<A>::type first, K *kernel)
{
    return call(first, reinterpret_cast<const void *>(kernel));
}
}"""
_PUSH, _POP = '#pragma push_macro("{}")', '#pragma pop_macro("{}")'
# The number of arguments picks the macro: NAME_2(a0, a1) for NAME(x, y).
_FEWEST_COUNTED = 12
_COUNT = """\
#define HIPPORT_COUNT_({parameters}, N, ...) N
#define HIPPORT_COUNT(...) HIPPORT_COUNT_(__VA_ARGS__, {numbers}, 0)
#define HIPPORT_PASTE_(a, b) a##b
#define HIPPORT_PASTE(a, b) HIPPORT_PASTE_(a, b)
#define HIPPORT_CALL(name, ...) HIPPORT_PASTE(name, HIPPORT_COUNT(__VA_ARGS__))(__VA_ARGS__)"""
_LONGEST_MESSAGE = 160


def header(survey: Survey, decisions: Decisions, name: str, *, has_stand_ins: bool) -> str:
    """The text of the header, to be written under a file name."""
    guard = re.sub(r"\W", "_", name).upper()
    body = list(_body(survey, decisions))
    included = _includes(survey, decisions, has_stand_ins=has_stand_ins)
    rocm = ".".join(map(str, decisions.options.rocm))
    return "\n".join(
        [
            f"{MARK} {__version__} for ROCm {rocm}; write it anew when other names are used.",
            "//",
            "// Compiled as HIP, it gives the CUDA names that the code uses their HIP meaning;",
            "// otherwise it includes CUDA's headers and does nothing else.",
            *_limits(survey),
            f"#ifndef {guard}",
            f"#define {guard}",
            "",
            _IS_HIP,
            *included,
            *body,
            "",
            *([] if has_stand_ins else ["#else", *_each(survey, "cuda", ())]),
            "#endif",
            "",
            "#endif",
            "",
        ]
    )


def stand_ins(survey: Survey, decisions: Decisions, name: str) -> dict[str, str]:
    """CUDA header -> the file that replaces it, in a folder beside the header `name`.

    A name that leads out of the folder has none: user rules may have any name.
    """
    return {
        cuda: _stand_in(need, name, survey, decisions)
        for cuda, need in sorted(survey.headers.items())
        if not PurePosixPath(cuda).is_absolute() and ".." not in PurePosixPath(cuda).parts
    }


def _limits(survey: Survey) -> Iterator[str]:
    """What the header cannot do, one line for each name."""
    first: dict[tuple[str, str], Finding] = {}
    counts: dict[tuple[str, str], int] = {}
    for each in survey.findings:
        key = each.code, each.symbol
        first.setdefault(key, each)
        counts[key] = counts.get(key, 0) + 1
    if not first:
        return
    yield "//"
    yield "// What it cannot do; such code needs a person:"
    for key, each in sorted(first.items(), key=lambda item: (item[1].path, item[1].start, item[0])):
        more = f" (and {counts[key] - 1} more)" if counts[key] > 1 else ""
        message = each.message
        if len(message) > _LONGEST_MESSAGE:
            message = message[:_LONGEST_MESSAGE] + "..."
        text = f"{each.path}:{each.start.line}{more}: {each.code} {message}"
        # A backslash at the end would continue the comment.
        yield f"//   {printable(text)}".rstrip("\\")


def _includes(survey: Survey, decisions: Decisions, *, has_stand_ins: bool) -> Iterator[str]:
    """The lines that include HIP's headers; with stand-ins, only the runtime's."""
    runtime = decisions.rules.runtime_header
    plus, plain = runtime.header, runtime.header_c
    yield from ("#ifdef __cplusplus", f"#include <{plus}>", "#else", f"#include <{plain}>")
    yield "#endif"
    if not has_stand_ins:
        yield from _each(survey, "hip", (plus, plain))
        libraries = {each.library for each in survey.headers.values()}
        names = [_alias(name, decisions) for name in _namespaces(survey, decisions, libraries)]
        yield from ["#ifdef __cplusplus", *names, "#endif"] if names else []


def _each(survey: Survey, vendor: str, known: tuple[str, ...]) -> Iterator[str]:
    """An include of each vendor's header, C++ only where no C file of the tree includes it."""
    found: dict[str, bool] = {}
    for _, each in sorted(survey.headers.items()):
        header = getattr(each, vendor)
        if each.hip and header not in known:
            found[header] = found.get(header, False) or each.in_c
    for header, in_c in found.items():
        line = f"#include <{header}>"
        yield from [line] if in_c else ["#ifdef __cplusplus", line, "#endif"]


def _namespaces(survey: Survey, decisions: Decisions, libraries: set[str]) -> list[str]:
    """The namespaces of these libraries that the tree uses, by their full names."""
    rules = {name: decisions.rules.api(name) for name in sorted(survey.names)}
    return [
        name
        for name, rule in rules.items()
        if rule and rule.kind == "namespace" and rule.library in libraries
    ]


def _alias(name: str, decisions: Decisions) -> str:
    """The line that gives a namespace of HIP the name of CUDA's."""
    rule = decisions.rules.api(name)
    assert rule is not None
    outer, _, inner = name.rpartition("::")
    alias = f"namespace {inner} = {rule.hip};"
    return f"namespace {outer} {{ {alias} }}" if outer else alias


def _body(survey: Survey, decisions: Decisions) -> Iterator[str]:
    """The lines that define CUDA's names."""
    lines: list[str] = []
    helpers: list[str] = []
    for name in sorted(survey.names):
        if decisions.of(name):
            lines += _define(name, survey, decisions)
    text = "\n".join(lines)
    if "hipport::kernel_" in text:
        helpers.append(_KERNEL_CALLS)
    if survey.helpers:
        path = decisions.rules.helper(decisions.rules.warps.header)
        helpers.append(path.read_text(encoding="utf-8").rstrip("\n"))
    if helpers:
        yield from ("", "#ifdef __cplusplus", *helpers, "#endif")
    if "HIPPORT_CALL" in text:
        yield ""
        most = max(_FEWEST_COUNTED, *(max(each, default=0) for each in survey.calls.values()))
        yield _COUNT.format(
            parameters=", ".join(f"a{each}" for each in range(most)),
            numbers=", ".join(str(each) for each in range(most, 0, -1)),
        )
    if lines:
        yield ""
        yield from lines


def _define(name: str, survey: Survey, decisions: Decisions) -> list[str]:
    """The lines for one name."""
    decision = decisions.of(name)
    assert decision is not None
    done = operations(decision)
    plain = f"#define {name} {decision.new}".rstrip()
    takes_kernels = decision.new in decisions.rules.spellings.takes_kernels
    if done <= {"wrap"} or (done == {"cast"} and takes_kernels):
        # HIP_SYMBOL(x) is x on AMD: HIP, amd_detail/amd_hip_runtime.h.
        return [plain] if decision.new != name else []
    if done == {"cast"}:
        helper = "kernel_first" if decision.transforms[0].index == "0" else "kernel_second"
        call = f"hipport::{helper}({decision.new}, __VA_ARGS__)"
        return ["#ifdef __cplusplus", f"#define {name}(...) {call}", "#else", plain, "#endif"]
    lines = [f"#define {name}(...) HIPPORT_CALL({name}_, __VA_ARGS__)"]
    for count in sorted(survey.calls[name]):
        form = call_form(decisions, name, count, "c")
        if form:
            parameters = ", ".join(f"a{number}" for number in range(count))
            lines.append(f"#define {name}_{count}({parameters}) {form}")
    return lines if len(lines) > 1 else []


def _stand_in(need: Needed, name: str, survey: Survey, decisions: Decisions) -> str:
    up = "../" * len(PurePosixPath(need.cuda).parts)
    lines = [f"{MARK}: stands in for CUDA's header where code is compiled as HIP.", _IS_HIP]
    if need.fault:
        lines.append(f'#error "{need.cuda} has no counterpart: {_quoted(need.fault)}"')
    lines.append(f'#include "{up}{name}"')
    if need.hip:
        # HIP's own headers call these functions too, and mean the wavefront.
        runtime = decisions.rules.runtime_header
        is_read = need.hip in (runtime.header, runtime.header_c)
        hidden = [] if is_read else sorted(survey.helpers)
        lines += [line for each in hidden for line in (_PUSH.format(each), f"#undef {each}")]
        lines.append(f"#include <{need.hip}>")
        lines += [_POP.format(each) for each in hidden]
        spaces = _namespaces(survey, decisions, {need.library})
        lines += [_alias(each, decisions) for each in spaces]
    return "\n".join([*lines, "#else", f"#include_next <{need.cuda}>", "#endif", ""])


def _quoted(text: str) -> str:
    return text.replace("\\", "/").replace('"', "'").replace("\n", " ")
