"""Leaves out findings in code that no build for AMD includes, and no AMD GPU runs."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache

from hipport.model import Finding, Position, Span
from hipport.rulebook.branch_words import CMakeBranches, PythonBranches
from hipport.rulebook.finding_rules import FindingRule
from hipport.rulebook.rules import RuleSet
from hipport.source.text.required_texts import has_any
from hipport.source.text.source_text import Code

_Idle = tuple[Callable[[Finding], bool], Callable[[bytes], list[Span]]]


def alive(found: list[Finding], data: bytes, kind: str, rules: RuleSet) -> list[Finding]:
    """The findings in a file of Python or of lines but those in branches for NVIDIA's GPUs.

    Nor has what decides nothing: an answer that is only shown to people, a variable that nobody
    reads, a look-up with a default, what an extra for NVIDIA requires in place of ROCm's own, a
    parameter of a function in CMake, what an option there is said to be for,
    or what a description in YAML says.
    """
    found = _outside(found, data, dead_spans(data, kind, rules) if found else [])
    for may_be_idle, spans in _idle(kind, rules):
        asking = [each for each in found if may_be_idle(each)]
        if asking:
            idle = {*map(id, asking)}.difference(map(id, _outside(asking, data, spans(data))))
            found = [each for each in found if id(each) not in idle]
    return found


def _idle(kind: str, rules: RuleSet) -> Iterator[_Idle]:
    """Which findings may be about what decides nothing in a file of a kind, and where that is."""
    words = rules.branches
    if kind == "python":
        yield from _idle_in_python(rules)
    elif kind == "template":
        yield _has_code_and_symbol(words.python.tiled), lambda data: _tiles(data, words.python)
    elif kind == "cmake":
        yield from _idle_in_cmake(words.cmake)
    elif kind == "requirements":
        from hipport.source.text import requirement_lists

        lists = words.lists
        yield (
            _has_code(lists.replacing),
            lambda data: requirement_lists.nvidia_spans(data.decode("latin-1"), lists),
        )
    elif kind == "yaml":
        from hipport.source.text import job_blocks

        yield (
            _has_code(words.yaml.chosen),
            lambda data: job_blocks.unread_spans(data.decode("latin-1")),
        )
        yield (
            _has_code(words.yaml.described),
            lambda data: list(job_blocks.description_spans(data.decode("latin-1"))),
        )
        yield (
            _has_code(words.yaml.elsewhere),
            lambda data: job_blocks.steps_with(words.yaml.elsewhere_if, data.decode("latin-1")),
        )
        yield (
            _has_code(words.yaml.installed),
            lambda data: job_blocks.steps_with(
                words.yaml.installing, data.decode("latin-1"), key="uses"
            ),
        )
    elif kind in ("make", "shell"):
        from hipport.source.text import unread_variables

        yield (
            lambda each: each.code in rules.findings and rules.findings[each.code].net,
            lambda data: unread_variables.unread_spans(data.decode("latin-1"), kind),
        )


def _idle_in_cmake(words: CMakeBranches) -> Iterator[_Idle]:
    from hipport.source.text import cmake_parameters

    yield (
        lambda each: re.fullmatch(r"(?:\$\{)?\w+\}?", each.symbol) is not None,
        lambda data: list(cmake_parameters.parameter_spans(data.decode("latin-1"))),
    )
    yield (
        _has_code_and_symbol(words.helped),
        lambda data: list(cmake_parameters.help_spans(data.decode("latin-1"))),
    )
    yield (
        _has_code(words.searched),
        lambda data: [
            Span(*each.span()) for each in re.finditer(words.search, data.decode("latin-1"))
        ],
    )


def _idle_in_python(rules: RuleSet) -> Iterator[_Idle]:
    words = rules.branches.python
    yield _has_code(words.shown), lambda data: _shown(data, words)
    yield _has_code(words.shown_lookup), lambda data: _looked_at(data, words)
    yield _has_code(words.printed), lambda data: _printed(data, words)
    yield _has_code(words.vendor), lambda data: _for_vendor(data, words)
    yield _has_code(words.given), _given
    yield _has_code(words.typed), lambda data: _typed(data, words)
    yield _has_code(words.unread), lambda data: _unread(data, words)
    yield _has_code(words.said), lambda data: _said(data, words)
    yield _has_code(words.excluded), lambda data: _excluded(data, words)
    yield _has_code(words.tried), lambda data: _skipped(data, words)
    yield _has_code(words.warmed), _warmed
    yield _has_code(words.found), lambda data: _for_amd(data, words)
    yield _has_code(words.probed), _absent
    yield _has_code(words.looked_up), lambda data: _spared(data, words)
    yield _has_code(words.compiled), lambda data: _plain(data, rules)
    yield _is_header(words), lambda data: _converted(data, rules)
    yield _has_code_and_symbol(words.kept), lambda data: _kept(data, rules)
    yield _has_code_and_symbol(words.tiled), lambda data: _tiles(data, words)
    yield _has_code(words.started), lambda data: _started(data, words.program)
    yield _has_code(words.assembled), lambda data: _started(data, words.assembler)
    yield _has_code(words.limits), lambda data: _of_one(data, words.one_gpu)
    yield _has_code(words.noted), _noted
    yield lambda _: True, _unreached
    yield _has_code(words.flagged), lambda data: _flags(data, words, is_choosing=True)
    yield _has_code(words.flag_given), lambda data: _flags(data, words, is_choosing=False)


# Each loads the parser, which most files do not need.
def _shown(data: bytes, words: PythonBranches) -> list[Span]:
    from hipport.source.languages import python_shown

    return python_shown.shown_spans(data, words)


def _looked_at(data: bytes, words: PythonBranches) -> list[Span]:
    from hipport.source.languages import python_shown

    return python_shown.looked_at_spans(data, words)


def _said(data: bytes, words: PythonBranches) -> list[Span]:
    from hipport.source.languages import python_sayings

    return python_sayings.said_spans(data, words)


def _excluded(data: bytes, words: PythonBranches) -> list[Span]:
    named = rf"^[ \t]*(?:self\.)?{words.excluding}[ :=]"
    if not re.search(named, data.decode("latin-1"), re.MULTILINE):
        return []
    from hipport.source.languages import python_sayings

    return python_sayings.excluded_spans(data, words)


def _noted(data: bytes) -> list[Span]:
    from hipport.source.languages import python_sayings

    return python_sayings.noted_spans(data)


def _for_vendor(data: bytes, words: PythonBranches) -> list[Span]:
    from hipport.source.languages import python_vendors

    return python_vendors.vendor_spans(data, words)


def _given(data: bytes) -> list[Span]:
    from hipport.source.languages import python_vendors

    return python_vendors.given_spans(data)


def _typed(data: bytes, words: PythonBranches) -> list[Span]:
    from hipport.source.languages import python_types

    return python_types.typed_spans(data, words)


def _unread(data: bytes, words: PythonBranches) -> list[Span]:
    from hipport.source.languages import python_shown

    return python_shown.unread_spans(data, words)


def _printed(data: bytes, words: PythonBranches) -> list[Span]:
    from hipport.source.languages import python_shown

    return python_shown.printed_spans(data, words)


def _skipped(data: bytes, words: PythonBranches) -> list[Span]:
    from hipport.source.languages import python_tries

    return python_tries.skipped_spans(data, words.tried_modules)


def _warmed(data: bytes) -> list[Span]:
    from hipport.source.languages import python_tries

    return python_tries.warmed_spans(data)


def _for_amd(data: bytes, words: PythonBranches) -> list[Span]:
    from hipport.source.languages import python_branches

    return python_branches.amd_spans(data, words)


def _absent(data: bytes) -> list[Span]:
    from hipport.source.languages import python_tries

    return python_tries.absent_spans(data)


def _spared(data: bytes, words: PythonBranches) -> list[Span]:
    from hipport.source.languages import python_lookups

    return python_lookups.spared_spans(data, words)


def _plain(data: bytes, rules: RuleSet) -> list[Span]:
    from hipport.source.languages import python_plain

    return python_plain.plain_spans(data, rules.branches.python, rules.kernel_strings.python)


def _is_header(words: PythonBranches) -> Callable[[Finding], bool]:
    has_code, header = _has_code(words.converted), re.compile(words.converted_headers)
    return lambda each: has_code(each) and header.fullmatch(each.symbol) is not None


def _converted(data: bytes, rules: RuleSet) -> list[Span]:
    from hipport.source.languages import python_plain

    return python_plain.converted_spans(data, rules.branches.python, rules.kernel_strings.python)


def _kept(data: bytes, rules: RuleSet) -> list[Span]:
    from hipport.source.languages import python_plain

    return python_plain.kept_spans(data, rules.kernel_strings.python)


def _tiles(data: bytes, words: PythonBranches) -> list[Span]:
    from hipport.source.languages import python_tiles

    return python_tiles.tile_spans(data, words)


def _started(data: bytes, program: str) -> list[Span]:
    from hipport.source.languages import python_commands

    return python_commands.command_spans(data, program)


def _unreached(data: bytes) -> list[Span]:
    from hipport.source.languages import python_unreached

    return python_unreached.unreached_spans(data)


def _flags(data: bytes, words: PythonBranches, *, is_choosing: bool) -> list[Span]:
    from hipport.source.languages import python_flags

    return python_flags.flag_spans(data, words, is_choosing=is_choosing)


def _of_one(data: bytes, gpu: str) -> list[Span]:
    from hipport.source.languages import python_syntax

    return python_syntax.table_spans(data, gpu)


def _has_code(pattern: str) -> Callable[[Finding], bool]:
    return lambda each: re.fullmatch(pattern, each.code) is not None


def _has_code_and_symbol(pattern: str) -> Callable[[Finding], bool]:
    return lambda each: re.fullmatch(pattern, f"{each.code} {each.symbol}") is not None


def _outside(found: list[Finding], data: bytes, spans: list[Span]) -> list[Finding]:
    """The findings that are in none of the spans."""
    if not spans:
        return found
    position = Code.of_lines(data, "").position
    joined: list[tuple[Position, Position]] = []
    for start, end in sorted((position(start), position(end)) for start, end in spans):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    starts = [start for start, _ in joined]
    at = [bisect_right(starts, each.start) - 1 for each in found]
    return [
        each
        for each, place in zip(found, at, strict=True)
        if place < 0 or each.start >= joined[place][1]
    ]


def once(found: Iterable[Finding], rules: Mapping[str, FindingRule]) -> Iterator[Finding]:
    """The findings in order, of rules that say so only the first of a line, or of the file."""
    seen: set[tuple[str, Position | int]] = set()
    for each in sorted(found, key=lambda each: (each.start, each.code)):
        rule = rules[each.code]
        place = 0 if rule.once_per_file else each.start.line if rule.once_per_line else each.start
        if (each.code, place) not in seen:
            seen.add((each.code, place))
            yield each


# Asked about the findings of nets after those of other rules.
@lru_cache(maxsize=1)
def dead_spans(data: bytes, kind: str, rules: RuleSet) -> list[Span]:
    """What is for NVIDIA's GPUs only in a file of a kind."""
    words = rules.branches
    text = data.decode("latin-1")
    # Each loads a parser, which a file without such conditions does not need.
    if kind == "python" and has_any(text, words.python.hints):
        from hipport.source.languages import python_branches

        return python_branches.dead_spans(data, words.python, rules.file_kinds.port_parts)
    if kind == "cmake" and has_any(text, words.cmake.hints):
        from hipport.source.languages import cmake_branches

        return cmake_branches.dead_spans(data, words.cmake)
    if kind == "fortran" and has_any(text, words.fortran.hints):
        from hipport.source.text import fortran_branches

        return fortran_branches.dead_spans(
            text,
            words.fortran.undefined,
            rules.device_code.macros_set_for_amd,
            rules.file_kinds.port_parts,
        )
    if kind == "autoconf":
        from hipport.source.text import configure_blocks

        return configure_blocks.dead_spans(text, rules.file_kinds.port_parts)
    if kind == "make":
        from hipport.source.text import configure_blocks

        parts = rules.file_kinds.port_parts
        return configure_blocks.dead_in_makefile(text, parts, words.make.elsewhere)
    if kind in ("shell", "docker") and has_any(text, words.shell.hints):
        from hipport.source.text import shell_branches

        return shell_branches.dead_spans(text, words.shell, rules.file_kinds.port_parts)
    if kind == "yaml" and has_any(text, words.yaml.hints):
        from hipport.source.text import job_blocks, shell_branches

        parts = rules.file_kinds.port_parts
        of_scripts = shell_branches.dead_spans(text, words.shell, parts)
        return [*job_blocks.dead_spans(text, words.yaml), *of_scripts]
    if kind == "requirements" and has_any(text, words.lists.hints):
        from hipport.source.text import requirement_lists

        return requirement_lists.dead_spans(text, words.lists)
    return []
