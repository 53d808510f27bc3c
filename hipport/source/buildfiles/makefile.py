"""Converts a makefile: nvcc and its flags, CUDA's libraries and folders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

from hipport.lazy_regex import regex
from hipport.model import Edit, Span
from hipport.rulebook.build_words import BuildWords, build_words
from hipport.rulebook.nvcc_flags import Choices, Flag, flag_rules, translate
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.toolkit_folders import may_have_folder, rocm_folder, rocm_text, root_variables
from hipport.source.buildfiles.build_file import LEFT, BuildFile
from hipport.source.buildfiles.makefile_links import link_relocatable_code
from hipport.source.buildfiles.makefile_words import (
    SHORT,
    Line,
    Word,
    lines_of,
    reference_end,
    words_of,
)

RULE = "flags.tsv"
_REFERENCE = regex(r"\$[({](\w+)[)}]")
# Text after a word that is not the last of its logical line, and before the next line.
_CONTINUED = regex(r"[ \t]*\\\r?\n")
_CONTINUES = regex(r"[ \t]*\\\r?\n\Z")
_LIBRARY_VARIABLE = regex(r"-l\$[({](\w+)[)}]")
_LOOK_BACK = 200
_LONGEST = 100_000


def convert_make(file: BuildFile) -> None:
    """Add the edits and findings of a makefile."""
    words = build_words(file.rules)
    lines = list(lines_of(file.text))
    own = _own_roots(file, lines)
    libraries = set(_LIBRARY_VARIABLE.findall(file.text))
    for line in lines:
        if line.kind == "comment" or line.span.end - line.span.start > _LONGEST:
            continue
        _unwrap(file, line, words)
        if line.name in libraries:
            _library(file, line)
        convert_line(file, line, words, own, file.text)
        if line.kind == "other":
            # hipcc compiles `.cu` files as well.
            file.handled += [Span(*match.span()) for match in _pattern_rules(file, line)]
    link_relocatable_code(file, lines, words)


def convert_line(
    file: BuildFile, line: Line, words: BuildWords, own: frozenset[str], text: str
) -> None:
    """Convert one line of a makefile or script; `text` is the file without its comments."""
    first = len(file.edits)
    _root_variable(file, line, text)
    _rename_sources(file, line, text)
    if words.libtool.search(text, *line.body):
        return
    runs = list(words_of(text, line.body))
    if any(word.is_open for run in runs for word in run):
        _report_open(file, line, words)
        return
    for run in runs:
        _run(file, line, run, words, own)
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
        and folder(file.text[line.body.start : line.body.end].strip()) is not None
        and "/" not in line.name
    )


def _run(
    file: BuildFile, line: Line, run: list[Word], words: BuildWords, own: frozenset[str]
) -> None:
    """Convert one command line, or the words of a variable."""
    holds_nvcc = line.kind == "assignment" and words.holds_flags(line.name)
    is_talk = bool(run) and words.talk.match(run[0].text) is not None
    starts = [] if is_talk else [n for n, word in enumerate(run) if _is_compiler(word.text, words)]
    texts = [word.text for word in run]
    is_nvcc = holds_nvcc or bool(starts) or words.nvcc_flag.search(" ".join(texts)) is not None
    for index in starts:
        _compiler(file, run[index], words)
        file.handled.append(Span(line.span.start, line.body.start))
    is_short = line.body.end - line.body.start <= SHORT
    flags = (remembered_flags if is_short else _flags)(tuple(texts), file.choices, file.rules, own)
    for flag in flags:
        takes_compiler = any(flag.start <= index < flag.end for index in starts)
        if (is_nvcc or flag.is_library_or_folder) and not takes_compiler:
            _edit(file, run, flag)
    names = [text for text in texts[:3] if text not in ("sudo", "if", "then", "!")]
    may_be_folder = may_have_folder(file.rules, file.text[slice(*line.body)], own)
    is_about_files = bool(names[:1]) and names[0] in words.table.file_commands
    if may_be_folder and (line.kind == "assignment" or (names and not is_about_files)):
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
    return re.compile(r"[%*\w.]*\.cu\b\S*").finditer(file.text, *line.body)


def _is_compiler(text: str, words: BuildWords) -> bool:
    return words.compiler.fullmatch(text) is not None


def _compiler(file: BuildFile, word: Word, words: BuildWords) -> None:
    """Replace nvcc with hipcc; a variable that holds it keeps its name."""
    text = file.text[word.span.start : word.span.end]
    name, new = words.table.compiler_name, words.table.hip_compiler
    if (at := text.rfind(name)) >= 0 and not text.startswith("$(" + name.upper()):
        start = word.span.start + at
        file.edit(Span(start, start + len(name)), new, RULE)


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
    value = file.text[line.body.start : line.body.end].strip()
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


@lru_cache(maxsize=1)
def _roots_in(text: str, rules: RuleSet) -> dict[str, str]:
    """The variables for the toolkit's folder that a text has."""
    return {name: new for name, new in _roots(rules).items() if name in text}


def _root_variable(file: BuildFile, line: Line, text: str) -> None:
    """Convert `CUDA_HOME ?= /usr/local/cuda`, and every `$(CUDA_HOME)`, to ROCm's variable."""
    roots = _roots_in(text, file.rules)
    if not roots:
        return
    if line.kind == "assignment" and line.name in roots:
        value = file.text[line.body.start : line.body.end].strip()
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
            r"[ \t]*(?:ifn?def|undefine|export)[ \t]", file.text[line.span.start : start]
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
