"""Converts shell and batch scripts: MPI, NCCL and CUDA variables, compilers, modules, cmake."""

from __future__ import annotations

import re
from collections.abc import Iterator

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.toolkit_folders import environment_rules
from hipport.source.buildfiles.build_file import BuildFile
from hipport.source.buildfiles.flag_lists import translated
from hipport.source.buildfiles.makefile import convert_line, sought_in
from hipport.source.buildfiles.makefile_words import Line, logical_lines
from hipport.source.patterns.line_files import without_comments
from hipport.source.text.quick_search import matches

RULE = "environment.tsv"
_ASSIGNMENT = regex(r"[ \t]*(?:export[ \t]+|setenv[ \t]+)?(?P<name>\w+)(?:=|[ \t]+(?=[\w/$\"']))")
_CONTINUED = regex(r"\\\r?\n")
_VALUE = r"(?P<value>\"[^\"\n]*\"|'[^'\n]*'|[^\s;|&\"']*)"


def convert_shell(file: BuildFile) -> None:
    """Add the edits and findings of a script."""
    readable = without_comments(file.text, "shell")
    # Batch files of Windows end lines with folders.
    is_unix = not file.path.lower().endswith((".bat", ".cmd"))
    joined = _CONTINUED.sub(_blanks, readable) if is_unix else readable
    _variables(file, joined)
    _values(file, joined)
    _words(file, joined)
    sought = sought_in(file, readable)
    for line in _lines(readable):
        convert_line(file, line, sought)


def _blanks(match: re.Match[str]) -> str:
    return " " * len(match[0])


def _lines(text: str) -> Iterator[Line]:
    """The logical lines; the body of an assignment is its value."""
    for at, end in logical_lines(text):
        assignment = _ASSIGNMENT.match(text, at, end)
        is_assignment = assignment and (
            text[assignment.end() - 1] == "=" or "setenv" in assignment[0]
        )
        if assignment and is_assignment:
            yield Line("assignment", assignment["name"], Span(at, end), Span(assignment.end(), end))
        else:
            yield Line("recipe", "", Span(at, end), Span(at, end))


def _variables(file: BuildFile, text: str) -> None:
    """Rename variables where they are set, read, passed on or given to cmake."""
    names = environment_rules(file.rules, "variable")
    pattern = "|".join(map(re.escape, names))
    for match in matches(rf"(?<![\w-])(?P<before>\$\{{?|-D|-x[ \t]+)?(?P<name>{pattern})\b", text):
        is_set = text[match.end() : match.end() + 1] in ("=", ":")
        is_setenv = re.search(r"(?:setenv|unset|export)[ \t]+\Z", text[: match.start()][-20:])
        if match["before"] or is_set or is_setenv:
            file.edit(Span(*match.span("name")), names[match["name"]], RULE)


def _values(file: BuildFile, text: str) -> None:
    """Convert variables whose values change as well."""
    for name, words in environment_rules(file.rules, "value").items():
        becomes = dict(each.split("=") for each in words.split())
        for match in matches(rf"(?<!\w){name}(?:=|[ \t]+){_VALUE}", text):
            start = match.start("value")
            for word in re.finditer(r"\w+", match["value"]):
                if word[0] in becomes:
                    span = Span(start + word.start(), start + word.end())
                    file.edit(span, becomes[word[0]], RULE)
    for name, new in environment_rules(file.rules, "targets").items():
        first = len(file.edits)
        for set_by in (
            rf"(?<!\w)(?:-D)?(?P<name>{name})(?::\w+)?=?{_VALUE}",
            rf"\bsetenv[ \t]+(?P<name>{name})[ \t]+{_VALUE}",
        ):
            for match in matches(set_by, text):
                _targets(file, match, new)
        if len(file.edits) > first:
            for match in matches(rf"\b(?:export|unset)[ \t]+(?P<name>{name})(?![\w=])", text):
                file.edit(Span(*match.span("name")), new, RULE)
    for name, new in environment_rules(file.rules, "flags").items():
        for match in matches(
            rf"(?<![\w-])(?:-D)?(?P<name>{name}(?:_[A-Z]+)?)(?::\w+)?={_VALUE}", text
        ):
            suffix = match["name"].removeprefix(name)
            file.edit(Span(*match.span("name")), new + suffix, RULE)
            span = Span(*match.span("value"))
            plain = match["value"].strip("\"'")
            flags = " ".join(translated(file, plain.split(), span))
            file.edit(span, f'"{flags}"' if " " in flags else flags, RULE)


def _targets(file: BuildFile, match: re.Match[str], new: str) -> None:
    """Convert a variable of architectures if it has a value and the value has a counterpart."""
    targets = ";".join(file.choices.targets)
    if not (match["value"] and targets):
        return
    file.edit(Span(*match.span("name")), new, RULE)
    file.edit(Span(*match.span("value")), f'"{targets}"', RULE)


def _words(file: BuildFile, text: str) -> None:
    """Convert modules to load, and options of container runtimes."""
    modules = environment_rules(file.rules, "module")
    for line in matches(r"^[ \t]*(?:module|ml)\b[^\n]*", text):
        for match in re.finditer(
            r"(?<![\w/-])(?P<name>[\w-]+)(?P<version>/[\w.-]+)?(?![\w/-])", line[0]
        ):
            new = modules.get(match["name"])
            target = (new or "").rpartition("-")[2]
            if new and (not target.startswith("gfx") or target in file.choices.targets):
                start = line.start()
                file.edit(Span(start + match.start(), start + match.end()), new, RULE)
    for option, new in environment_rules(file.rules, "runner").items():
        pattern = (
            rf"^[^\n]*\b(?:singularity|apptainer)[ \t][^\n]*?(?<!\S)(?P<option>{option})(?!\S)"
        )
        for match in matches(pattern, text):
            file.edit(Span(*match.span("option")), new, RULE)
