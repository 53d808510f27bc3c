"""Converts a CMake file from the CUDA language, FindCUDA and CUDAToolkit to HIP."""

from __future__ import annotations

import re

from hipport.lazy_regex import regex
from hipport.model import Severity, Span
from hipport.rulebook.build_words import build_words
from hipport.rulebook.cmake_rules import CMakeRule, cmake_rules
from hipport.source.buildfiles.build_file import LEFT, BuildFile
from hipport.source.buildfiles.cmake.cmake_file import RULE, CMakeFile
from hipport.source.buildfiles.cmake.cuda_names import (
    ASSIGNING,
    CONDITIONS,
    convert_names,
    convert_plain_libraries,
)
from hipport.source.buildfiles.cmake.find_package import (
    convert_language,
    convert_package,
    find_packages,
    raise_minimum,
)
from hipport.source.buildfiles.cmake.findcuda import convert_old_command
from hipport.source.buildfiles.cmake.flag_arguments import (
    PROPERTY_COMMANDS,
    convert_flags,
    drop_argument,
)
from hipport.source.buildfiles.cmake.precompiled_headers import convert_headers
from hipport.source.buildfiles.cmake.property_values import (
    NO_TARGETS,
    OFF,
    architectures,
    convert_flag_list,
    convert_properties,
    separable_everywhere,
    separable_link_options,
)
from hipport.source.buildfiles.cmake.target_sources import Sources
from hipport.source.languages.cmake_syntax import Argument, Command, commands

_ADDING = {"list": ("APPEND", "PREPEND", "INSERT"), "string": ("APPEND", "PREPEND", "CONCAT")}
_DEFINITION = regex(r"-D(\w+)(?::\w+)?=")
_LINKER = "LINKER_LANGUAGE"
_HOST_LINKER = "HIP's compiler has to link relocatable device code, no other does"
_LINKED = regex(r"^target_link_options\((\S+) PUBLIC ", re.MULTILINE)
_TAKEN = regex(r"\$<TARGET_OBJECTS:([^<>\s;]+)>")
_TAKING = frozenset(("add_library", "add_executable", "target_sources"))
_OBJECTS = "OBJECT"
_LOOP = "foreach"
_NUMBER = regex(r"(?<![\w.])\d{2,3}[af]?(?![\w.])")
_VALUE_ENDS = ("CACHE", "PARENT_SCOPE")


def convert_cmake(file: BuildFile) -> None:
    """Add the edits and findings of a CMake file."""
    words = build_words(file.rules)
    parsed = commands(file.data)
    cmake = CMakeFile(file, cmake_rules(file.rules), words, parsed, Sources(file, words, parsed))
    for command in parsed:
        _convert(cmake, command)
    _link_taken_objects(cmake)
    cmake.sources.mark()
    find_packages(cmake)
    if cmake.speaks_hip:
        raise_minimum(cmake)
    _report_static(cmake)


def _convert(cmake: CMakeFile, command: Command) -> None:
    """Convert one command: first as its name requires, then the names in its arguments."""
    cmake.first_edit = len(cmake.file.edits)
    rule = cmake.rules.commands.get(command.name)
    if rule is not None and convert_old_command(cmake, command, rule):
        return
    _numbers_expected(cmake, command)
    words = cmake.words.cmake
    if command.name == "project" or command.name in words.language_commands:
        convert_language(cmake, command)
    elif command.name in words.package_commands:
        convert_package(cmake, command)
        return
    elif command.name == "include" and command.arguments:
        if command.arguments[0].text in cmake.rules.of("module"):
            cmake.file.remove_line(command.span, RULE)
            return
    elif command.name in ASSIGNING and _assignment(cmake, command):
        return
    elif command.name in PROPERTY_COMMANDS:
        if convert_properties(cmake.file, command, cmake.rules, words):
            return
    elif command.name in words.flag_commands:
        _flags(cmake, command)
        if command.name.endswith("link_libraries"):
            convert_plain_libraries(cmake, command)
    elif command.name in words.header_commands:
        convert_headers(cmake, command)
    else:
        _passed_values(cmake, command)
    cmake.sources.see(command)
    convert_names(cmake, command)


def _numbers_expected(cmake: CMakeFile, command: Command) -> None:
    """Report a loop over architectures, and a comparison of them with a number."""
    if command.name not in (_LOOP, *CONDITIONS):
        return
    rules = cmake.rules.variables
    texts = [argument.text.removeprefix("${").removesuffix("}") for argument in command.arguments]
    if command.name != _LOOP and not any(_NUMBER.search(text) for text in texts):
        return
    for argument, text in zip(command.arguments, texts, strict=True):
        if text in rules and rules[text].action == "targets":
            cmake.file.report("HP-CMAKE-005", argument.whole, severity=Severity.REVIEW)


def _passed_values(cmake: CMakeFile, command: Command) -> None:
    """Convert the values in `"-DCMAKE_CUDA_FLAGS=..."`, which another run of CMake gets."""
    for argument in command.arguments:
        match = _DEFINITION.match(argument.text) if argument.quote != "[" else None
        rule = cmake.rules.variables.get(match[1]) if match else None
        if match is None or rule is None:
            continue
        if rule.action == "targets":
            _passed_targets(cmake.file, argument, match, rule)
        if rule.action != "flags" or not argument.quote:
            continue
        span = Span(argument.span.start + match.end(), argument.span.end)
        flags = Argument(argument.text[match.end() :], span, span, argument.quote)
        convert_flags(cmake.file, command._replace(arguments=(flags,)), 0, 1, lambda: True)


def _passed_targets(
    file: BuildFile, argument: Argument, match: re.Match[str], rule: CMakeRule
) -> None:
    """Convert `-DCMAKE_CUDA_ARCHITECTURES=80`; a list would be split on its way."""
    value, targets = argument.text[match.end() :], file.choices.targets
    if value == f"${{{match[1]}}}" or value.upper() in OFF:
        return
    is_known = "$" not in value
    if is_known and len(targets) == 1:
        start = argument.span.start + match.start(1)
        name = match[0][len("-D") :].replace(match[1], rule.hip)
        file.edit(Span(start, argument.span.end), name + targets[0], RULE)
    elif is_known and not targets:
        file.report(NO_TARGETS, argument.whole)
        drop_argument(file, argument)
    else:
        file.report("HP-CMAKE-005", argument.whole)


def _flags(cmake: CMakeFile, command: Command) -> None:
    text = cmake.file.text[command.span.start : command.span.end]
    convert_flags(
        cmake.file,
        command,
        0,
        len(command.arguments),
        lambda: cmake.words.nvcc_flag.search(text) is not None,
    )


def _assignment(cmake: CMakeFile, command: Command) -> bool:
    """Convert `set(CMAKE_CUDA_FLAGS ...)` and the like; returns whether that is all."""
    texts = [argument.text for argument in command.arguments]
    at = 0 if command.name in ("set", "unset") else 1
    if len(texts) <= at:
        return False
    name = texts[at]
    rule = cmake.rules.variables.get(name)
    action = rule.action if rule else ""
    if action == "drop":
        cmake.file.remove_line(command.span, RULE)
        return True
    if rule and action == "targets":
        return architectures(cmake.file, command, at, rule)
    if rule and action == "list_flags":
        return convert_flag_list(cmake.file, command, at, rule)
    if action == "separable":
        return separable_everywhere(cmake.file, command, cmake.words.cmake)
    if command.name in _ADDING and texts[0] not in _ADDING[command.name]:
        return False
    last = next((n for n, text in enumerate(texts) if text in _VALUE_ENDS), len(texts))
    if action == "flags" or cmake.words.holds_flags(name):
        is_nvcc = True
    else:
        is_nvcc = cmake.words.nvcc_flag.search(" ".join(texts[at + 1 : last])) is not None
    is_empty = convert_flags(cmake.file, command, at + 1, last, lambda: is_nvcc)
    if is_empty and command.name in _ADDING:
        cmake.file.remove_line(command.span, RULE)
        return True
    return False


def _report_static(cmake: CMakeFile) -> None:
    """Report static libraries of relocatable device code: CMake links archives by path.

    clang 15 links device code from an archive only if it is given as -L and -l.
    """
    flag = cmake.words.cmake.separable_flag.encode()
    if not any(flag in edit.new for edit in cmake.file.edits):
        return
    for command in cmake.commands:
        texts = [argument.text for argument in command.arguments]
        if command.name in PROPERTY_COMMANDS and _LINKER in texts:
            _report_host_linker(cmake, command.arguments[texts.index(_LINKER) + 1 :][:1])
        if command.name == "add_library" and texts[1:2] == ["STATIC"]:
            span = Span(command.arguments[0].span.start, command.arguments[1].span.end)
            cmake.file.report("HP-MAKE-012", span, severity=Severity.REVIEW)


def _link_taken_objects(cmake: CMakeFile) -> None:
    """Give link options to targets that take relocatable objects of another, which bring none."""
    new = b"\n".join(edit.new for edit in cmake.file.edits).decode("latin-1")
    linked = set(_LINKED.findall(new))
    for command in cmake.commands if linked else ():
        texts = [argument.text for argument in command.arguments]
        taken = {name for text in texts[1:] for name in _TAKEN.findall(text)}
        is_linked = command.name in _TAKING and texts[1:2] != [_OBJECTS]
        if is_linked and taken & linked and texts[0] not in linked:
            linked.add(texts[0])
            line = separable_link_options(texts[0], cmake.words.cmake)
            cmake.file.insert_after(command.span, [line], RULE)


def _report_host_linker(cmake: CMakeFile, value: tuple[Argument, ...]) -> None:
    """Report `LINKER_LANGUAGE CXX` where device code is relocatable: HIP's compiler links that."""
    languages = (cmake.words.cmake.language, cmake.words.cmake.hip_language)
    for argument in value:
        if argument.text not in languages:
            cmake.file.report(LEFT, argument.whole, {"reason": _HOST_LINKER})
