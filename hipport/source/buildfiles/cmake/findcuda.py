"""Converts the commands of FindCUDA, CMake's old module, to plain commands for HIP."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.model import Span
from hipport.rulebook.cmake_rules import CMakeRule
from hipport.source.buildfiles.build_file import LEFT
from hipport.source.buildfiles.cmake.cmake_file import RULE, CMakeFile, Need
from hipport.source.buildfiles.cmake.cuda_names import convert_names
from hipport.source.buildfiles.cmake.flag_arguments import convert_flags
from hipport.source.languages.cmake_syntax import Argument, Command


def convert_old_command(cmake: CMakeFile, command: Command, rule: CMakeRule) -> bool:
    """Convert a command of FindCUDA; returns whether that is all."""
    file = cmake.file
    libs = file.choices.libs
    target = command.arguments[0] if command.arguments else None
    if rule.action == "report" or target is None:
        is_old = command.name.startswith(cmake.words.cmake.old_prefix)
        words = {"reason": rule.note}
        file.report("HP-CMAKE-003" if is_old else LEFT, command.name_span, words)
        return False
    if rule.action == "rename":
        file.edit(command.name_span, rule.hip, RULE)
        return False
    if rule.action == "architectures":
        values = " ".join(rule.hip.format(target=each) for each in file.choices.targets)
        file.drop_edits(command.span)
        file.edit(command.span, f'set({target.text} "{values}")', RULE)
        if not values:
            file.report("HP-BUILD-001", command.span)
        return True
    if rule.action == "link":
        scope = scope_of(cmake, target.text)
        new = f"target_link_libraries({target.text} {scope}{rule.becomes(libs)})"
        file.edit(command.span, new, RULE)
        cmake.needs += [Need(package, command) for package in rule.packages(libs)]
        return True
    file.edit(command.name_span, rule.hip, RULE)
    cmake.sources.see(command, as_name=rule.hip)
    _type_first(cmake, command, target)
    _options(cmake, command, target)
    scope = scope_of(cmake, target.text)
    runtime = cmake.words.cmake.hip_runtime_target
    file.insert_after(
        command.span, [f"target_link_libraries({target.text} {scope}{runtime})"], RULE
    )
    cmake.needs.append(Need(cmake.words.cmake.hip_package, command))
    convert_names(cmake, command)
    return True


def _type_first(cmake: CMakeFile, command: Command, target: Argument) -> None:
    """Move the library's type: FindCUDA takes it anywhere, add_library only after the name."""
    types = cmake.words.cmake.library_types
    for argument in command.arguments[2:]:
        if argument.text in types:
            at = target.whole.end
            cmake.file.edit(Span(at, at), f" {argument.text}", RULE)
            start = argument.whole.start
            while cmake.file.text[start - 1] in " \t":
                start -= 1
            cmake.file.edit(Span(start, argument.whole.end), "", RULE)


def _options(cmake: CMakeFile, command: Command, target: Argument) -> None:
    """Convert `OPTIONS -O3` of cuda_add_executable to options for the target's HIP sources."""
    texts = [argument.text for argument in command.arguments]
    if "OPTIONS" not in texts:
        return
    at = texts.index("OPTIONS")
    convert_flags(cmake.file, command, at + 1, len(texts), lambda: True)
    span = Span(command.arguments[at].whole.start, command.arguments[-1].whole.end)
    own = cmake.file.edits[cmake.first_edit :]
    kept = [each for each in own if span.start <= each.span.start < span.end]
    options = _without_marks(cmake, command, at + 1)
    for edit in sorted(kept, key=lambda each: each.span, reverse=True):
        start = max(0, edit.span.start - command.arguments[at].whole.end)
        stop = edit.span.end - command.arguments[at].whole.end
        options = options[:start] + edit.new.decode("latin-1") + options[stop:]
    while cmake.file.text[span.start - 1] in " \t":
        span = Span(span.start - 1, span.end)
    cmake.file.remove_line(span, RULE)
    lines = []
    for configuration, words in _by_configuration(options.split(), cmake):
        condition = f"$<COMPILE_LANGUAGE:{cmake.words.cmake.hip_language}>"
        if configuration:
            condition = f"$<AND:{condition},$<CONFIG:{configuration}>>"
        line = f'target_compile_options({target.text} PRIVATE "$<{condition}:{";".join(words)}>")'
        lines.append(line)
    if lines:
        cmake.file.insert_after(command.span, lines, RULE)


def _without_marks(cmake: CMakeFile, command: Command, at: int) -> str:
    """The arguments from one on, with blanks in place of quotation marks, comments, and `;`."""
    start = command.arguments[at - 1].whole.end
    text = [" "] * (command.arguments[-1].whole.end - start)
    for argument in command.arguments[at:]:
        words = argument.text.replace(";", " ")
        text[argument.span.start - start : argument.span.end - start] = words
    return "".join(text)


def _by_configuration(options: list[str], cmake: CMakeFile) -> Iterator[tuple[str, list[str]]]:
    """Options for all configurations, and those behind the name of one: `DEBUG -g`."""
    configuration, words = "", list[str]()
    for word in options:
        if word in cmake.words.cmake.configurations:
            if words:
                yield configuration, words
            configuration, words = word, []
        else:
            words.append(word)
    if words:
        yield configuration, words


def scope_of(cmake: CMakeFile, target: str) -> str:
    """The keyword that the file's target_link_libraries use for a target: all must, or none."""
    return "PUBLIC " if cmake.scopes.get(target) in cmake.words.cmake.scopes else ""
