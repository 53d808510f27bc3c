"""Converts nvcc flags in CMake arguments: in generator expressions and in flag variables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.build_words import build_words
from hipport.rulebook.nvcc_flags import Flag, Folder, translate
from hipport.rulebook.toolkit_folders import rocm_folder
from hipport.source.buildfiles.build_file import BuildFile
from hipport.source.buildfiles.cmake.argument_words import SHELL, Word, Words, words_of
from hipport.source.languages.cmake_syntax import Argument, Command, commands

RULE = "flags.tsv"
_LANGUAGE = regex(r"\$<(?:COMPILE_LANGUAGE|COMPILE_LANG_AND_ID):([^<>]*)")
_LONGEST = 20_000
PROPERTY_COMMANDS = ("set_target_properties", "set_property", "set_source_files_properties")


def convert_flags(
    file: BuildFile, command: Command, first: int, last: int, is_nvcc: Callable[[], bool]
) -> bool:
    """Convert the flags in the arguments from `first` up to `last`; returns whether none is left.

    Words under the CUDA language are nvcc flags. Other words are if `is_nvcc` says so; else only
    libraries and toolkit folders are converted.
    """
    chosen = [
        (number, argument)
        for number, argument in enumerate(command.arguments[first:last], start=first)
        if argument.quote != "[" and len(argument.text) < _LONGEST
    ]
    if "-" not in file.text[command.span.start : command.span.end]:
        return False
    words = words_of(file.text, chosen)
    dropped: set[int] = set()
    for run in words.runs():
        nvcc = _is_nvcc(words.conditions(run[0].scope), is_nvcc)
        texts = [word.text for word in run]
        for flag in translate(texts, file.choices, file.rules, _folder(file)):
            if nvcc or flag.is_library_or_folder:
                _edit(file, command, run, flag, dropped)
        _remove(file, command, run, dropped)
    _tidy(file, command, words, dropped)
    return bool(words.words) and all(word.span.start in dropped for word in words.words)


def _folder(file: BuildFile) -> Folder:
    """Like rocm_folder; CMake's variable is named differently from the environment variable."""
    folder = rocm_folder(file.rules)
    return lambda path: None if path.startswith("${") else folder(path)


def _is_nvcc(conditions: Iterable[str], otherwise: Callable[[], bool]) -> bool:
    """Whether words under these conditions are nvcc flags; under other languages they are not."""
    languages = [match[1] for each in conditions for match in _LANGUAGE.finditer(each)]
    if languages:
        return any("CUDA" in each.split(",") for each in languages)
    return otherwise()


def _edit(
    file: BuildFile, command: Command, run: Sequence[Word], flag: Flag, dropped: set[int]
) -> None:
    """Change each word of a flag separately, as there may be comments between them."""
    words = run[flag.start : flag.end]
    span = Span(words[0].span.start, words[-1].span.end)
    file.report_flag(flag, span)
    if flag.is_left or flag.new == tuple(word.text for word in words):
        file.handled += [word.span for word in words] if not flag.finding or flag.is_left else []
        return
    separator = ";" if _has_semicolons(file, command, words[0]) else " "
    for index, word in enumerate(words):
        new = separator.join(flag.new) if index == 0 else ""
        if new:
            file.edit(word.span, new, RULE)
        else:
            dropped.add(word.span.start)


def _has_semicolons(file: BuildFile, command: Command, word: Word) -> bool:
    """Whether several words that replace this one must be separated by semicolons."""
    start, end = word.span
    argument = command.arguments[word.argument]
    if word.scope >= 0:
        return SHELL not in file.text[argument.span.start : start]
    if file.text[start - 1] == ";" or file.text[end : end + 1] == ";":
        return True
    if SHELL in file.text[argument.span.start : start] or " " in argument.text.strip():
        return False
    return _takes_list(file, command, word.argument)


def _takes_list(file: BuildFile, command: Command, at: int) -> bool:
    """Whether an argument is a list of options, each of which reaches the compiler whole."""
    cmake = build_words(file.rules).cmake
    argument = command.arguments[at]
    texts = [each.text for each in command.arguments]
    if command.name in cmake.option_commands:
        return argument.quote == '"'
    if command.name in PROPERTY_COMMANDS:
        key = texts.index("PROPERTY") + 1 if "PROPERTY" in texts[:at] else at - 1
        return texts[key] in cmake.option_properties
    if command.name not in ("set", "list"):
        return False
    name = texts[1 if command.name == "list" else 0]
    return argument.quote == '"' and _is_list_of_options(file, name)


def _is_list_of_options(file: BuildFile, name: str) -> bool:
    """Whether a file uses a variable for lists of options alone."""
    cmake = build_words(file.rules).cmake
    found = False
    for command in commands(file.data):
        for argument in command.arguments:
            if f"${{{name}}}" not in argument.text or SHELL in argument.text:
                continue
            if command.name not in cmake.option_commands or " " in argument.text.strip():
                return False
            found = True
    return found


def _remove(file: BuildFile, command: Command, run: list[Word], dropped: set[int]) -> None:
    """Remove dropped words, each with the separator before it, else with the one after it."""
    for index, word in enumerate(run):
        if word.span.start not in dropped:
            continue
        argument = command.arguments[word.argument]
        before = run[index - 1] if index else None
        after = run[index + 1] if index + 1 < len(run) else None
        start, end = word.span
        if word.span == argument.whole:
            file.edit(_whole_arguments(file, argument.whole), "", RULE)
            continue
        if before and before.argument == word.argument:
            start = before.span.end
        elif start == argument.whole.start:
            # The end of an expression moves to the argument before it.
            while file.text[start - 1] in " \t":
                start -= 1
        leads = start == word.span.start or _is_first(run, index, dropped)
        is_followed = after and after.argument == word.argument
        if leads and after and is_followed and after.span.start not in dropped:
            end = after.span.start
        if not file.text[start : word.span.start].strip(" \t\r\n;"):
            file.edit(Span(start, end), "", RULE)


def _is_first(run: list[Word], index: int, dropped: set[int]) -> bool:
    """Whether all words before this one in its argument are dropped."""
    return all(
        word.span.start in dropped for word in run[:index] if word.argument == run[index].argument
    )


def drop_argument(file: BuildFile, argument: Argument) -> None:
    """Remove an argument, with its line if it fills that."""
    file.edit(_whole_arguments(file, argument.whole), "", RULE)


def _whole_arguments(file: BuildFile, span: Span) -> Span:
    """Whole arguments with the blanks before them, or with their lines if they fill them."""
    start, end = span
    while file.text[start - 1] in " \t":
        start -= 1
    if file.text[start - 1] == "\n":
        # A closing parenthesis on the line moves up to the place of the arguments.
        line = file.whole_lines(span)
        return line if line.end > end else span
    return Span(start, end)


def _tidy(file: BuildFile, command: Command, words: Words, dropped: set[int]) -> None:
    """Remove an expression with no words left, and its argument."""
    if not dropped:
        return
    for index, scope in enumerate(words.scopes):
        inside = [word for word in words.words if word.scope == index]
        has_parts = any(other.parent == index for other in words.scopes)
        if scope.end < 0 or has_parts or not inside:
            continue
        if any(word.span.start not in dropped for word in inside):
            continue
        first = next(
            number
            for number, argument in enumerate(command.arguments)
            if argument.span.start <= scope.start < argument.span.end
        )
        last = next(
            number
            for number, argument in enumerate(command.arguments)
            if argument.span.start <= scope.end < argument.span.end
        )
        begin, end = command.arguments[first], command.arguments[last]
        if begin.span.start == scope.start and end.span.end == scope.end + 1:
            span = _whole_arguments(file, Span(begin.whole.start, end.whole.end))
        else:
            span = Span(scope.start, scope.end + 1)
        file.drop_edits(span)
        file.edit(span, "", RULE)
