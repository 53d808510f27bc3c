"""Converts a makefile: nvcc and its flags, CUDA's libraries and folders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from hipport.lazy_regex import regex
from hipport.model import Edit, Span
from hipport.named_tuples import NamedTuple
from hipport.rulebook.build_words import BuildWords, build_words
from hipport.rulebook.nvcc_flags import Choices, Flag, flag_rules, translate
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.toolkit_folders import may_have_folder, rocm_folder, rocm_text, root_variables
from hipport.source.buildfiles.build_file import LEFT, BuildFile
from hipport.source.buildfiles.makefile_links import link_relocatable_code
from hipport.source.buildfiles.makefile_variables import NONE, NvccVariables, nvcc_variables
from hipport.source.buildfiles.makefile_words import (
    SHORT,
    Line,
    Word,
    lines_of,
    reference_end,
    value_of,
    words_of,
)

RULE = "flags.tsv"
_REFERENCE = regex(r"\$[({](\w+)[)}]")
# Text after a word that is not the last of its logical line, and before the next line.
_CONTINUED = regex(r"[ \t]*\\\r?\n")
_CONTINUES = regex(r"[ \t]*\\\r?\n\Z")
_LIBRARY_VARIABLE = regex(r"-l\$[({](\w+)[)}]")
_PATTERN_RULE = regex(r"[%*\w.]*\.cu\b\S*")
_LOOK_BACK = 200
_OTHER_OUTPUT = (
    "hipcc writes other lines than nvcc, and releases of ROCm are other numbers: hipconfig"
    " --version writes that alone, look what reads it"
)
_LONGEST = 100_000


def convert_make(file: BuildFile) -> None:
    """Add the edits and findings of a makefile."""
    lines = list(lines_of(file.text))
    words = build_words(file.rules)
    nvcc = nvcc_variables(file.text, lines, words)
    sought = sought_in(file, file.text, _own_roots(file, lines), nvcc)
    has_wrappers = words.wrapper.search(file.text) is not None
    libraries = set(_LIBRARY_VARIABLE.findall(file.text))
    for line in lines:
        if line.kind == "comment" or line.span.end - line.span.start > _LONGEST:
            continue
        if has_wrappers:
            _unwrap(file, line, words)
        if line.name in libraries:
            _library(file, line)
        convert_line(file, line, sought)
        if line.kind == "other":
            # hipcc compiles `.cu` files as well.
            file.handled += [Span(*match.span()) for match in _pattern_rules(file, line)]
    link_relocatable_code(file, lines, words)


class Sought(NamedTuple):
    """What the lines of a file are searched for: only what is in some line of it."""

    text: str
    """The file without its comments."""
    words: BuildWords
    own: frozenset[str]
    """The project's own variables for the toolkit's folder."""
    roots: dict[str, str]
    """The other variables for that folder, with their new names."""
    has_folders: bool
    has_libtool: bool
    nvcc: NvccVariables


def sought_in(
    file: BuildFile, text: str, own: frozenset[str] = frozenset(), nvcc: NvccVariables = NONE
) -> Sought:
    """What lines of a makefile or script are searched for; `text` is without comments."""
    words = build_words(file.rules)
    return Sought(
        text,
        words,
        own,
        {name: new for name, new in _roots(file.rules).items() if name in text},
        may_have_folder(file.rules, file.text, own),
        words.libtool.search(text) is not None,
        nvcc,
    )


def convert_line(file: BuildFile, line: Line, sought: Sought) -> None:
    """Convert one line of a makefile or script."""
    first = len(file.edits)
    if sought.roots:
        _root_variable(file, line, sought)
    _rename_sources(file, line, sought.text)
    if sought.has_libtool and sought.words.libtool.search(sought.text, *line.body):
        return
    runs = list(words_of(sought.text, line.body))
    if any(word.is_open for run in runs for word in run):
        _report_open(file, line, sought.words)
        return
    for run in runs:
        _run(file, line, run, sought)
    if len(file.edits) > first:
        _join_removed(file, first)


def _report_open(file: BuildFile, line: Line, words: BuildWords) -> None:
    """Leave a line with an unmatched quote; report it if it uses nvcc."""
    text = file.text[line.body.start : line.body.end]
    is_nvcc = line.kind == "assignment" and words.holds_flags(line.name)
    if (
        is_nvcc
        or words.nvcc_flag.search(text)
        or any(_is_compiler(each, words) for each in text.split())
    ):
        start = line.span.end - len(file.text[line.span.start : line.span.end].lstrip())
        file.report(LEFT, Span(start, line.body.end), {"reason": "quotes that do not match"})


def _own_roots(file: BuildFile, lines: list[Line]) -> frozenset[str]:
    """The project's own variables for the toolkit folder, which keep their names."""
    folder = rocm_folder(file.rules)
    roots = _roots(file.rules)
    return frozenset(
        line.name
        for line in lines
        if line.kind == "assignment"
        and line.name not in roots
        and folder(value_of(file.text, line)) is not None
        and "/" not in line.name
    )


def _run(file: BuildFile, line: Line, run: list[Word], sought: Sought) -> None:
    """Convert one command line, or the words of a variable."""
    words, own = sought.words, sought.own
    holds_nvcc = line.kind == "assignment" and words.holds_flags(line.name)
    texts = tuple(word.text for word in run)
    starts = [n for n, text in enumerate(texts) if _is_compiler(text, words)]
    if starts and words.talk.match(texts[0]):
        starts = []
    for index in starts:
        _compiler(file, run[index], words)
        _release(file, line, run[index : index + 2], words)
        file.handled.append(Span(line.span.start, line.body.start))
    is_short = line.body.end - line.body.start <= SHORT
    flags = (remembered_flags if is_short else _flags)(texts, file.choices, file.rules, own)
    is_nvcc = bool(flags) and (
        holds_nvcc
        or bool(starts)
        or (line.kind == "assignment" and line.name in sought.nvcc.flags)
        or any(sought.nvcc.calls_nvcc(text) for text in texts)
        or words.nvcc_flag.search(" ".join(texts)) is not None
    )
    for flag in flags:
        takes_compiler = any(flag.start <= index < flag.end for index in starts)
        if (is_nvcc or flag.is_library_or_folder) and not takes_compiler:
            _edit(file, run, flag)
    if sought.has_folders and may_have_folder(file.rules, file.text[slice(*line.body)], own):
        names = [text for text in texts[:3] if text not in ("sudo", "if", "then", "!")]
        is_about_files = bool(names) and names[0] in words.table.file_commands
        if line.kind == "assignment" or (names and not is_about_files):
            for word in run:
                _folders(file, word, own)
    if line.name in own or holds_nvcc:
        file.handled.append(Span(line.span.start, line.body.start))


def _flags(
    texts: tuple[str, ...], choices: Choices, rules: RuleSet, own: frozenset[str]
) -> list[Flag]:
    """What becomes of the flags among the words of a command."""
    return list(translate(texts, choices, rules, rocm_folder(rules, own)))


remembered_flags = lru_cache(maxsize=2048)(_flags)
"""For short commands, which many makefiles may have."""


def _pattern_rules(file: BuildFile, line: Line) -> Iterator[re.Match[str]]:
    return _PATTERN_RULE.finditer(file.text, *line.body)


def _is_compiler(text: str, words: BuildWords) -> bool:
    return words.compiler.fullmatch(text) is not None


def _compiler(file: BuildFile, word: Word, words: BuildWords) -> None:
    """Replace nvcc with hipcc; a variable that holds it keeps its name."""
    text = file.text[word.span.start : word.span.end]
    name, new = words.table.compiler_name, words.table.hip_compiler
    if (at := text.rfind(name)) >= 0 and not text.startswith("$(" + name.upper()):
        start = word.span.start + at
        file.edit(Span(start, start + len(name)), new, RULE)


def _release(file: BuildFile, line: Line, asking: Sequence[Word], words: BuildWords) -> None:
    """Report `nvcc --version` whose output something reads: hipcc writes other lines."""
    if len(asking) < 2 or re.fullmatch(words.table.version, asking[1].text) is None:
        return
    end = asking[1].span.end
    if line.kind == "assignment" or "|" in file.text[end : line.body.end]:
        file.report(LEFT, Span(asking[0].span.start, end), {"reason": _OTHER_OUTPUT})


def _edit(file: BuildFile, run: Sequence[Word], flag: Flag) -> None:
    words = run[flag.start : flag.end]
    file.report_flag(flag, Span(words[0].span.start, words[-1].span.end))
    if flag.is_left or flag.new == tuple(word.text for word in words):
        return
    between = file.text[words[0].span.end : words[-1].span.start]
    if not flag.new and len(words) == 2 and not between.strip(" \t"):
        words = [Word("", Span(words[0].span.start, words[1].span.end))]
    for index, word in enumerate(words):
        new = " ".join(flag.new) if index == 0 else ""
        file.edit(word.span if new else _with_blanks(file, word.span), new, RULE)


def _with_blanks(file: BuildFile, span: Span) -> Span:
    """A removed word with the blanks before it, or with its line if it is alone on it."""
    text = file.text
    start, end = span
    while start > 0 and text[start - 1] in " \t":
        start -= 1
    if start > 0 and text[start - 1] != "\n":
        return Span(start, end)
    if match := _CONTINUED.match(text, end):
        return Span(start, match.end())
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    is_last = not text[end : end + 1].strip()
    return Span(start if is_last else span.start, end)


def _join_removed(file: BuildFile, first: int) -> None:
    """Join adjacent removals into one; none may leave a line continued into the next."""
    made = sorted(file.edits[first:], key=lambda each: each.span)
    del file.edits[first:]
    for edit in made:
        last = file.edits[-1] if len(file.edits) > first else None
        if last and not last.new and last.span.start < edit.span.end <= last.span.end:
            continue  # Removed text needs no other change.
        if last and not (last.new or edit.new) and edit.span.start <= last.span.end:
            file.edits[-1] = Edit(Span(last.span.start, edit.span.end), b"", RULE)
        else:
            file.edits.append(edit)
    for index, edit in enumerate(file.edits[first:], start=first):
        start, end = edit.span
        before = _CONTINUES.search(file.text[max(0, start - _LOOK_BACK) : start])
        is_last = file.text[end - 1] != "\n" and not file.text[end : end + 1].strip()
        if not edit.new and before and is_last:
            file.edits[index] = Edit(Span(start - len(before[0]), end), b"", RULE)


def _library(file: BuildFile, line: Line) -> None:
    """Convert `LIB = cudart` in a file with `-l$(LIB)`: a library by its bare name."""
    value = value_of(file.text, line)
    rule = next(iter(flag_rules(file.rules).get(f"-l{value}", [])), None)
    if rule and rule.action == "map" and rule.clang == "link error":
        names = (rule.roc if file.choices.libs == "roc" and rule.roc else rule.hip).split()
        start = file.text.index(value, line.body.start)
        new = " ".join([names[0].removeprefix("-l"), *names[1:]])
        file.edit(Span(start, start + len(value)), new, RULE)


def _unwrap(file: BuildFile, line: Line, words: BuildWords) -> None:
    """Convert `$(addprefix -Xcompiler ,$(CFLAGS))`, flags for the host compiler, to `$(CFLAGS)`."""
    for match in words.wrapper.finditer(file.text, *line.body):
        start, end = match.span()
        stop = reference_end(file.text, start, line.body.end)
        file.edit(Span(start, end), "", RULE)
        file.edit(Span(stop - 1, stop), "", RULE)


@cache
def _roots(rules: RuleSet) -> dict[str, str]:
    return root_variables(rules)


def _root_variable(file: BuildFile, line: Line, sought: Sought) -> None:
    """Convert `CUDA_HOME ?= /usr/local/cuda`, and every `$(CUDA_HOME)`, to ROCm's variable."""
    text, roots = sought.text, sought.roots
    if line.kind == "assignment" and line.name in roots:
        value = value_of(file.text, line)
        name = roots[line.name]
        reference = _REFERENCE.fullmatch(value)
        if reference and roots.get(reference[1]) == name:
            # Both variables now have the same name.
            file.remove_line(Span(line.span.start, line.body.end), RULE)
            return
        start = file.text.index(line.name, line.span.start)
        file.edit(Span(start, start + len(line.name)), name, RULE)
    for match in re.finditer(r"\b\w+\b", text[line.span.start : line.body.end]):
        if match[0] not in roots:
            continue
        start = line.span.start + match.start()
        before = file.text[max(0, start - 2) : start]
        is_conditional = re.match(
            r"[ \t]*(?:ifn?def|undefine|export)[ \t]|[^\n]*[;&][ \t]*export[ \t]+\Z",
            file.text[line.span.start : start],
        )
        if before in ("$(", "${") or before.endswith("$") or is_conditional:
            file.edit(Span(start, start + len(match[0])), roots[match[0]], RULE)


def _folders(file: BuildFile, word: Word, own: frozenset[str]) -> None:
    """Convert `/usr/local/cuda/lib64` and `$(CUDA_HOME)/bin` anywhere in a word."""
    start = word.span.start
    text = file.text[start : word.span.end]
    for span, new in rocm_text(file.rules, text, own):
        file.edit(Span(start + span.start, start + span.end), new, "environment.tsv")


def _rename_sources(file: BuildFile, line: Line, readable: str) -> None:
    """Give sources their new ending if the conversion renames them."""
    text = readable[line.span.start : line.body.end]
    for old, new in file.endings:
        pattern = rf"(?:(?<=[\w)}}%*+:,(-])|(?<!\S)){re.escape(old)}(?!\w|\.(?:h|in)\b)"
        for match in re.finditer(pattern, text):
            start = line.span.start + match.start()
            file.edit(Span(start, start + len(old)), new, RULE)
