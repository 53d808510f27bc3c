"""Converts values of CMake variables and properties: architectures, relocatable code, flags."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from itertools import pairwise

from hipport.model import Severity, Span
from hipport.rulebook.build_file_words import CMakeWords
from hipport.rulebook.build_words import build_words
from hipport.rulebook.cmake_rules import CMakeRule, CMakeRules
from hipport.source.buildfiles.build_file import LEFT, BuildFile
from hipport.source.buildfiles.cmake.flag_arguments import convert_flags
from hipport.source.buildfiles.flag_lists import translated
from hipport.source.languages.cmake_syntax import Argument, Command, commands

RULE = "cmake.tsv"
NO_TARGETS = "HP-BUILD-001"
_ON = frozenset(("ON", "TRUE", "YES", "1"))
OFF = frozenset(("OFF", "FALSE", "NO", "0"))
_VALUE_ENDS = ("CACHE", "PARENT_SCOPE")
_OBJECT = "OBJ"
_LANGUAGES = ("LANGUAGE", "LINKER_LANGUAGE")
_FLAG_PROPERTIES = ("COMPILE_FLAGS", "COMPILE_OPTIONS", "LINK_FLAGS", "LINK_OPTIONS")
_REWRITING = frozenset(("TRANSFORM", "FILTER"))
_ADDING = frozenset(("APPEND", "PREPEND", "INSERT", "REMOVE_ITEM"))


def architectures(file: BuildFile, command: Command, at: int, rule: CMakeRule) -> bool:
    """Convert `set(CMAKE_CUDA_ARCHITECTURES 70 80)`; returns whether that is all."""
    texts = [argument.text for argument in command.arguments]
    if command.name == "list" and texts[0] in _REWRITING:
        # Such commands would treat processor names as they treat numbers.
        file.report("HP-CMAKE-005", command.span, severity=Severity.REVIEW)
        file.remove_line(command.span, RULE)
        return True
    if command.name == "string" or (command.name == "list" and texts[0] not in _ADDING):
        return False
    last = next((n for n, text in enumerate(texts) if text in _VALUE_ENDS), len(texts))
    values = command.arguments[at + 1 : last]
    if not values or (len(values) == 1 and values[0].text in (*OFF, f"${{{rule.cuda}}}")):
        return False
    is_set_elsewhere = command.name == "list" and any(
        each.name == "set" and each.arguments and each.arguments[0].text == rule.cuda
        for each in commands(file.data)
    )
    if file.choices.targets and not is_set_elsewhere:
        file.edit(command.arguments[at].span, rule.hip, RULE)
        _set_targets(file, values)
        return True
    if not file.choices.targets:
        file.report(NO_TARGETS, command.span)
    file.remove_line(command.span, RULE)
    return True


def _set_targets(file: BuildFile, values: tuple[Argument, ...]) -> None:
    """Replace compute capabilities with the targets, in the style of the list."""
    separator = ";" if values[0].quote or ";" in values[0].text else " "
    span = Span(values[0].span.start, values[-1].span.end)
    if values[0].quote and len(values) > 1:
        span, separator = Span(values[0].whole.start, values[-1].whole.end), " "
    file.edit(span, separator.join(file.choices.targets), RULE)


def separable_everywhere(file: BuildFile, command: Command, cmake: CMakeWords) -> bool:
    """Convert `set(CMAKE_CUDA_SEPARABLE_COMPILATION ON)` to options for the targets that follow."""
    value = command.arguments[1].text.upper() if len(command.arguments) > 1 else ""
    if value in _ON:
        indent = file.indent_at(command.span.start)
        lines = [
            f'add_compile_options("{_under_compile(cmake)}")',
            f'add_link_options("{_under_link(cmake)}")',
        ]
        file.edit(command.span, (file.newline + indent).join(lines), RULE)
    elif value in OFF or command.name == "unset":
        file.remove_line(command.span, RULE)
    else:
        file.report(LEFT, command.span, {"reason": "CMake has no HIP variable of that kind"})
    return True


def _under_compile(cmake: CMakeWords) -> str:
    return f"$<$<COMPILE_LANGUAGE:{cmake.hip_language}>:{cmake.separable_flag}>"


def _under_link(cmake: CMakeWords) -> str:
    flags = ";".join(cmake.separable_link_flags)
    return f"$<$<LINK_LANGUAGE:{cmake.hip_language}>:{flags}>"


def convert_flag_list(file: BuildFile, command: Command, at: int, rule: CMakeRule) -> bool:
    """Convert FindCUDA's list of flags to CMake's string; returns whether that was possible."""
    texts = [argument.text for argument in command.arguments]
    is_append = command.name == "list" and texts[0] == "APPEND"
    is_known = command.name == "set" or is_append
    body = file.text[command.span.start : command.span.end]
    last = next((n for n, text in enumerate(texts) if text in _VALUE_ENDS), len(texts))
    if (
        not is_known
        or "#" in body
        or "$<" in body
        or any(a.quote == "[" for a in command.arguments)
    ):
        file.report(LEFT, command.span, {"reason": "a list of flags that becomes a text"})
        return True
    try:
        words = shlex.split(" ".join(texts[at + 1 : last]).replace(";", " ").replace('\\"', '"'))
    except ValueError:
        file.report(LEFT, command.span, {"reason": "quotes that do not match"})
        return True
    new = translated(file, words, command.span)
    # A list in another variable would put semicolons into the string.
    if any("$" in each and rule.cuda not in each for each in new):
        line = f'string(REPLACE ";" " " {rule.hip} "${{{rule.hip}}}")'
        file.insert_after(command.span, [line], RULE)
    quoted = (f'\\"{each}\\"' if " " in each else each for each in new)
    value = " ".join(quoted).replace("${" + rule.cuda + "}", "${" + rule.hip + "}")
    if is_append:
        file.edit(command.span, f'string(APPEND {rule.hip} " {value}")' if value else "", RULE)
        if not value:
            file.remove_line(command.span, RULE)
        return True
    rest = file.text[command.arguments[last - 1].whole.end : command.span.end]
    file.edit(command.span, f'set({rule.hip} "{value}"{rest}', RULE)
    return True


def convert_properties(
    file: BuildFile, command: Command, rules: CMakeRules, cmake: CMakeWords
) -> bool:
    """Convert properties of targets and sources; returns whether the command was removed."""
    pairs = list(_pairs(command))
    lines: list[str] = []
    dropped = [
        (key, values)
        for key, values in pairs
        if _property(file, command, key, values, rules, cmake, lines)
    ]
    if dropped and len(dropped) == len(pairs):
        if lines:
            separator = file.newline + file.indent_at(command.span.start)
            file.drop_edits(command.span)
            file.edit(command.span, separator.join(lines), RULE)
        else:
            file.remove_line(command.span, RULE)
        return True
    if lines:
        file.insert_after(command.span, lines, RULE)
    for key, values in dropped:
        start = command.arguments[key].whole.start
        while file.text[start - 1] in " \t\r\n":
            start -= 1
        end = command.arguments[values[-1] if values else key].whole.end
        file.drop_edits(Span(start, end))
        if "#" not in file.text[start:end]:
            file.edit(Span(start, end), "", RULE)
            continue
        for index in (key, *values):
            file.edit(command.arguments[index].whole, "", RULE)
    return False


def _pairs(command: Command) -> Iterator[tuple[int, list[int]]]:
    """The index of each property's name, with the indices of its values."""
    texts = [argument.text for argument in command.arguments]
    count = len(texts)
    if "PROPERTIES" in texts:
        for key in range(texts.index("PROPERTIES") + 1, count - 1, 2):
            yield key, [key + 1]
    elif "PROPERTY" in texts and texts.index("PROPERTY") + 1 < count:
        key = texts.index("PROPERTY") + 1
        yield key, list(range(key + 1, count))


def _property(
    file: BuildFile,
    command: Command,
    key: int,
    values: list[int],
    rules: CMakeRules,
    cmake: CMakeWords,
    lines: list[str],
) -> bool:
    """Convert one property; returns whether to remove it. Adds its replacements to `lines`."""
    argument = command.arguments[key]
    given = tuple(command.arguments[value] for value in values)
    if argument.text in _LANGUAGES and [each.text for each in given] == [cmake.language]:
        file.edit(given[0].span, cmake.hip_language, RULE)
    if argument.text in _FLAG_PROPERTIES and given:
        text = " ".join(each.text for each in given)
        is_nvcc = build_words(file.rules).nvcc_flag.search(text) is not None
        convert_flags(file, command, values[0], values[-1] + 1, lambda: is_nvcc)
    rule = rules.properties.get(argument.text)
    if rule is None:
        return False
    value = given[0].text.upper() if given else ""
    match rule.action:
        case "rename":
            file.edit(argument.span, rule.hip, RULE)
        case "drop":
            return True
        case "source_format" if value == _OBJECT:
            file.edit(argument.span, rule.hip, RULE)
            file.edit(given[0].span, cmake.hip_language, RULE)
        case "targets":
            return _target_property(file, argument, given, rule)
        case "separable" | "resolve" if value in OFF:
            return True
        case "separable" if value in _ON:
            lines += _separable_targets(command, cmake)
            return True
        case "resolve" if _is_separable(file, value):
            return True
        case _:
            file.report("HP-CMAKE-007", argument.span)
            file.handled.append(argument.span)
    return False


def _is_separable(file: BuildFile, value: str) -> bool:
    """Whether some property or variable of the file has separable compilation at a value."""
    return any(
        first.text.endswith("SEPARABLE_COMPILATION") and second.text.upper() == value
        for each in commands(file.data)
        for first, second in pairwise(each.arguments)
    )


def _target_property(
    file: BuildFile, argument: Argument, values: tuple[Argument, ...], rule: CMakeRule
) -> bool:
    """Convert `CUDA_ARCHITECTURES "70;80"` of a target; returns whether to remove it."""
    if values and values[0].text in OFF:
        file.edit(argument.span, rule.hip, RULE)
        return False
    if not values or not file.choices.targets:
        file.report(NO_TARGETS, argument.span)
        return True
    file.edit(argument.span, rule.hip, RULE)
    if len(values) == 1 and not values[0].quote and len(file.choices.targets) > 1:
        # A property takes one value, so a longer list must be quoted.
        file.edit(values[0].whole, f'"{";".join(file.choices.targets)}"', RULE)
    else:
        _set_targets(file, values)
    return False


def _separable_targets(command: Command, cmake: CMakeWords) -> list[str]:
    """The options that replace CUDA_SEPARABLE_COMPILATION, for each target named."""
    texts = [argument.text for argument in command.arguments]
    names = texts[: texts.index("PROPERTIES")] if "PROPERTIES" in texts else texts[1:-3]
    if "PROPERTY" in texts:
        names = [each for each in texts[1 : texts.index("PROPERTY")] if each != "APPEND"]
    lines = []
    for name in names:
        lines.append(f'target_compile_options({name} PRIVATE "{_under_compile(cmake)}")')
        lines.append(separable_link_options(name, cmake))
    return lines


def separable_link_options(target: str, cmake: CMakeWords) -> str:
    """What links a target of relocatable device code."""
    return f'target_link_options({target} PUBLIC "{_under_link(cmake)}")'
