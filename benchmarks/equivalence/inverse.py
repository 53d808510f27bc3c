"""The rulebook read backwards: a header under which nvcc takes a converted program for CUDA.

It speaks of one program: only of the HIP names that conversion put into it, and where several CUDA
names have become one HIP name, of those that the original uses.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.source.text.source_text import Code

_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_INCLUDE = re.compile(r"^[ \t]*#[ \t]*include[ \t]*[<\"]([^>\"\n]+)[>\"].*$", re.MULTILINE)
_TAGGED = re.compile(r"\b(struct|enum|union)\s+(\w+)")
# C++ standard, [headers]: no header of a library of HIP's has such a name.
_STANDARD = re.compile(r"\w+")
HEADER = "hip_to_cuda.h"
# What HIP's libraries have in place of types of their own in CUDA's: no other name for those.
_TYPES = frozenset(("char", "double", "float", "int", "long", "short", "unsigned", "void"))


_COMPARISONS = (
    "inline bool operator{equals}({name} a, {name} b) {{ return a.value {equals} b.value; }}",
    "template <typename T> bool operator{equals}(T a, {name} b) {{ return {name}(a) {equals} b; }}",
    "template <typename T> bool operator{equals}({name} a, T b) {{ return a {equals} {name}(b); }}",
)


_SAME_FOR_CUDA = ("wrap", "cast", "accept", "default", "rename", "choose", "retype", "differs")
"""Operations after which a call still fits CUDA's declaration."""


class Candidate(NamedTuple):
    """A CUDA name that a HIP name may stand for; `changes` if its calls have other arguments."""

    cuda: str
    kind: str
    library: str
    changes: bool


@dataclass(frozen=True, slots=True)
class Inverse:
    """The header and the stand-ins of HIP's own headers, by the names they are included under."""

    header: str
    stand_ins: Mapping[str, str]


class _Words(NamedTuple):
    """What stands in a program's code: identifiers, headers, and the tags that types have in C."""

    names: Counter[str]
    includes: frozenset[str]
    tags: Mapping[str, str]


def invert(original: Iterable[bytes], converted: Iterable[bytes]) -> Inverse:
    """The header for a program, from the sources of it before and after conversion."""
    before, after = _words(original), _words(converted)
    rules = load()
    # What CUDA itself has under the name that HIP gives it needs no other meaning.
    added = (after.names - before.names).keys() - _TYPES - set(rules.device_code.keywords)
    new = sorted(name for name in added if name not in rules.names)
    used = {name: _used(name, before.names) for name in new}
    eithers = [name for name in new if _is_either(used[name]) and used[name][0].kind == "type"]
    lines = [line for name in eithers for line in _either(name, used[name])]
    for name in new:
        if used[name] and name not in eithers:
            lines += _define(name, used[name], eithers, before.tags, rules)
    lines += _dialect(after.names, rules)
    lines += _compiler_macros(after.names - before.names, rules)
    stand_ins = {
        header: _stand_in(header, before, after, rules)
        for header in sorted(after.includes & _headers().keys())
        if header not in load().headers and not _STANDARD.fullmatch(header)
    }
    return Inverse("#pragma once\n" + "\n".join(lines) + "\n", stand_ins)


def _words(sources: Iterable[bytes]) -> _Words:
    names: Counter[str] = Counter()
    includes: set[str] = set()
    tags: dict[str, str] = {}
    for data in sources:
        code = Code(data)
        includes.update(_INCLUDE.findall(code.text))
        names.update(_IDENTIFIER.findall(_INCLUDE.sub("", code.code)))
        tags.update((name, tag) for tag, name in _TAGGED.findall(code.code))
    return _Words(names, frozenset(includes), tags)


@cache
def _candidates() -> dict[str, list[Candidate]]:
    """HIP name -> the CUDA names for it, those that keep their arguments first."""
    rules = load()
    found: dict[str, list[Candidate]] = {}
    for rule in rules.every_api():
        changes = any(
            each.operation not in _SAME_FOR_CUDA for each in rules.transforms.of(rule.cuda, "hip")
        )
        if rule.hip and rule.hip != rule.cuda and rules.libraries[rule.library].policy == "map":
            candidate = Candidate(rule.cuda, rule.kind, rule.library, changes)
            found.setdefault(rule.hip, []).append(candidate)
    for (cuda, target), transforms in rules.transforms.every():
        for each in transforms:
            if target == "hip" and each.operation in ("rename", "choose"):
                name = each.value.split()[0]
                found.setdefault(name, []).append(Candidate(cuda, "function", "", True))
    return {hip: sorted(each, key=_preference) for hip, each in found.items()}


def _preference(candidate: Candidate) -> tuple[bool, bool]:
    """Names whose calls stay as they are first; of types, the typedef before its tag."""
    return candidate.changes, not candidate.cuda.endswith("_t")


def _used(name: str, original: Counter[str]) -> list[Candidate]:
    """What a HIP name stands for: the names that the original uses, else the likeliest one."""
    found = [each for each in _candidates().get(name, ()) if each.kind != "namespace"]
    return [each for each in found if each.cuda in original] or found[:1]


def _is_either(used: list[Candidate]) -> bool:
    """Whether names of several libraries, of types of their own, have become one."""
    return len({each.library for each in used}) > 1


def _define(
    name: str,
    used: list[Candidate],
    eithers: list[str],
    tags: Mapping[str, str],
    rules: RuleSet,
) -> list[str]:
    """The lines that give a HIP name its CUDA meaning."""
    first = used[0]
    inserted = _inserted(first, rules)
    if inserted is not None:
        kept = ", ".join(f"a{number}" for number in range(inserted))
        return [f"#define {name}({kept}, inserted) {first.cuda}({kept})"]
    if first.kind == "enum_value" and _is_either(used):
        return [f"#define {name} {each}({first.cuda})" for each in eithers[:1]]
    plain = f"#define {name} {first.cuda}"
    tag = tags.get(first.cuda) if first.kind == "type" else None
    if tag:
        return [
            "#ifdef __cplusplus",
            plain,
            "#else",
            f"#define {name} {tag} {first.cuda}",
            "#endif",
        ]
    return [plain]


def _inserted(candidate: Candidate, rules: RuleSet) -> int | None:
    """How many arguments stood before one that conversion put at the end; None if it put none."""
    for each in rules.transforms.of(candidate.cuda, "hip") if candidate.changes else ():
        if each.operation == "insert" and each.index == each.arguments:
            return int(each.index)
    return None


def _either(name: str, used: list[Candidate]) -> list[str]:
    """A class that is each of several CUDA types, as HIP has one type in their place."""
    return [
        "#include <cuda.h>",
        "#include <cuda_runtime_api.h>",
        f"struct {name} {{",
        "    int value = 0;",
        f"    {name}() = default;",
        f"    template <typename T> {name}(T given) : value(static_cast<int>(given)) {{}}",
        *(
            f"    operator {each.cuda}() const {{ return static_cast<{each.cuda}>(value); }}"
            for each in used
        ),
        "    operator int() const { return value; }",
        "};",
        *(
            line.format(name=name, equals=equals)
            for equals in ("==", "!=")
            for line in _COMPARISONS
        ),
    ]


def _dialect(names: Counter[str], rules: RuleSet) -> list[str]:
    """What HIP writes in another form: launches, template kernels, symbols."""
    launch, kernel_name = rules.spellings.launch_macro, rules.spellings.kernel_name_macro
    forms = {
        launch: f"#define {launch}(kernel, grid, block, shared, stream, ...)"
        " kernel<<<grid, block, shared, stream>>>(__VA_ARGS__)",
        kernel_name: f"#define {kernel_name}(...) __VA_ARGS__",
    }
    for _, transforms in rules.transforms.every():
        for each in transforms:
            macro, _, rest = each.value.partition("(")
            if each.operation == "wrap" and rest == "{})" and macro not in rules.names:
                forms.setdefault(macro, f"#define {macro}(symbol) symbol")
    return [line for name, line in forms.items() if name in names]


def _compiler_macros(new: Counter[str], rules: RuleSet) -> list[str]:
    """HIP's compiler defines these where CUDA's defines the macros that they have replaced."""
    return [
        f"#ifdef {cuda}\n#define {hip} 1\n#endif"
        for rule in rules.findings.values()
        for table in (rule.keys.get("existence", {}), rule.keys.get("rename", {}))
        for cuda, hip in table.items()
        if hip in new
    ]


@cache
def _headers() -> dict[str, list[str]]:
    """HIP header -> the CUDA headers that it stands for."""
    found: dict[str, list[str]] = {}
    for rule in load().headers.values():
        if rule.hip and rule.action == "map":
            found.setdefault(rule.hip, []).append(rule.cuda)
    runtime = load().runtime_header
    found.setdefault(runtime.header, []).append("cuda_runtime.h")
    found.setdefault(runtime.header_c, []).append("cuda_runtime_api.h")
    return found


def _stand_in(header: str, before: _Words, after: _Words, rules: RuleSet) -> str:
    """What a HIP header's name includes: the CUDA headers in whose place conversion put it."""
    known = _headers()[header]
    cuda = sorted(before.includes & set(known)) or known[-1:]
    libraries = {rules.headers[name].library for name in cuda if name in rules.headers}
    lines = ["#pragma once", *(f"#include <{name}>" for name in cuda)]
    for rule in rules.every_api():
        if rule.kind == "namespace" and rule.library in libraries and rule.hip != rule.cuda:
            outer, _, inner = rule.hip.rpartition("::")
            if inner in after.names - before.names and rule.status == "supported":
                alias = f"namespace {inner} = {rule.cuda};"
                lines.append(f"namespace {outer} {{ {alias} }}" if outer else alias)
    return "\n".join(lines) + "\n"
