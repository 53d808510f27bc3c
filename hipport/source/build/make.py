"""Converts a makefile: nvcc and its flags, CUDA's libraries and folders."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from hipport.model import Span
from hipport.source.build.buildfile import BuildFile
from hipport.source.build.folders import rocm_folder, rocm_text, root_variables
from hipport.source.build.makewords import Line, Word, lines_of, words_of
from hipport.source.build.words import BuildWords, build_words
from hipport.source.flags import Flag, translate
from hipport.source.rules import RuleSet

RULE = "flags.tsv"
_REFERENCE = re.compile(r"\$[({](\w+)[)}]")
_LONGEST = 100_000


def convert_make(file: BuildFile) -> None:
    """Add the edits and findings of a makefile."""
    words = build_words(file.rules)
    for line in lines_of(file.text):
        if line.kind == "comment" or line.span.end - line.span.start > _LONGEST:
            continue
        text = file.text[line.body.start : line.body.end]
        _root_variable(file, line)
        _rename_sources(file, line)
        if words.libtool.search(text):
            continue
        for run in words_of(file.text, line.body):
            _run(file, line, run, words)
        if line.kind == "other":
            # hipcc takes sources of CUDA's ending as well.
            file.handled += [Span(*match.span()) for match in _pattern_rules(file, line)]


def _run(file: BuildFile, line: Line, run: list[Word], words: BuildWords) -> None:
    """One command line, or the words of a variable."""
    holds_nvcc = line.kind == "assignment" and words.holds_flags(line.name)
    starts = [index for index, word in enumerate(run) if _is_compiler(word.text, words)]
    texts = [word.text for word in run]
    is_nvcc = holds_nvcc or bool(starts) or words.nvcc_flag.search(" ".join(texts)) is not None
    for index in starts:
        _compiler(file, run[index], words)
        file.handled.append(Span(line.span.start, line.body.start))
    for flag in translate(texts, file.choices, file.rules, rocm_folder(file.rules)):
        if is_nvcc or flag.is_library_or_folder:
            _edit(file, run, flag)
    for word in run:
        _folders(file, word)


def _pattern_rules(file: BuildFile, line: Line) -> Iterator[re.Match[str]]:
    return re.compile(r"[%*\w.]*\.cu\b\S*").finditer(file.text, *line.body)


def _is_compiler(text: str, words: BuildWords) -> bool:
    return re.fullmatch(words.table["compiler"], text) is not None


def _compiler(file: BuildFile, word: Word, words: BuildWords) -> None:
    """The compiler by its own name becomes hipcc; a variable for it keeps its name."""
    text = file.text[word.span.start : word.span.end]
    name, new = words.table["compiler_name"], words.table["hip_compiler"]
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
    """A word that goes, with the blanks before it, or after it if it begins its line."""
    text = file.text
    start, end = span
    while text[start - 1] in " \t" and start > 0:
        start -= 1
    if start > 0 and text[start - 1] != "\n":
        return Span(start, end)
    start = span.start
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return Span(start, end)


@cache
def _roots(rules: RuleSet) -> dict[str, str]:
    return root_variables(rules)


def _root_variable(file: BuildFile, line: Line) -> None:
    """`CUDA_HOME ?= /usr/local/cuda`, and every `$(CUDA_HOME)`: the variable of ROCm's folder."""
    roots = _roots(file.rules)
    if line.kind == "assignment" and line.name in roots:
        value = file.text[line.body.start : line.body.end].strip()
        name = roots[line.name]
        reference = _REFERENCE.fullmatch(value)
        if reference and roots.get(reference[1]) == name:
            # The same variable twice, now that both have one name.
            file.remove_line(Span(line.span.start, line.body.end), RULE)
            return
        start = file.text.index(line.name, line.span.start)
        file.edit(Span(start, start + len(line.name)), name, RULE)
    for match in re.finditer(r"\b\w+\b", file.text[line.span.start : line.span.end]):
        before = file.text[: line.span.start + match.start()][-2:]
        if match[0] not in roots:
            continue
        start = line.span.start + match.start()
        is_conditional = re.match(
            r"[ \t]*(?:ifn?def|undefine|export)[ \t]", file.text[line.span.start : start]
        )
        if before in ("$(", "${") or is_conditional:
            file.edit(Span(start, start + len(match[0])), roots[match[0]], RULE)


def _folders(file: BuildFile, word: Word) -> None:
    """`/usr/local/cuda/lib64` and `$(CUDA_HOME)/bin` anywhere in a word."""
    start = word.span.start
    text = file.text[start : word.span.end]
    for span, new in rocm_text(file.rules, text):
        file.edit(Span(start + span.start, start + span.end), new, "environment.tsv")


def _rename_sources(file: BuildFile, line: Line) -> None:
    """Give sources their new ending, where the conversion renames them."""
    text = file.text[line.span.start : line.body.end]
    for old, new in file.endings:
        for match in re.finditer(rf"(?<=[\w)}}%*+-]){re.escape(old)}(?![\w.])", text):
            start = line.span.start + match.start()
            file.edit(Span(start, start + len(old)), new, RULE)
