"""Converts the languages and packages of a CMake file: HIP for CUDA, and ROCm's libraries."""

from __future__ import annotations

import re

from hipport.model import Span
from hipport.source.buildfiles.cmake.cmake_file import RULE, CMakeFile
from hipport.source.languages.cmake_syntax import Command


def convert_language(cmake: CMakeFile, command: Command) -> None:
    """Convert `project(name LANGUAGES CUDA)`, `enable_language(CUDA)`, `check_language(CUDA)`."""
    words = cmake.words.cmake
    texts = [argument.text for argument in command.arguments]
    first = 0
    if command.name == "project":
        keywords = [texts.index(each) for each in words.project_keywords if each in texts]
        if keywords and "LANGUAGES" not in texts:
            return
        first = texts.index("LANGUAGES") + 1 if keywords else 1
    for argument in command.arguments[first:]:
        if argument.text == words.language and argument.quote != "[":
            cmake.file.edit(argument.span, words.hip_language, RULE)
            cmake.speaks_hip = True


def convert_package(cmake: CMakeFile, command: Command) -> None:
    """Convert `find_package(CUDAToolkit 11 REQUIRED)`; the new package has other versions."""
    if not command.arguments:
        return
    rule = cmake.rules.packages.get(command.arguments[0].text)
    if rule is None:
        return
    libs = cmake.file.choices.libs
    uses_target = any(
        name.partition("::")[0] == rule.cuda and name in cmake.file.text
        for name in cmake.rules.of("target")
    )
    new = rule.becomes(libs)
    if not new or rule.action == "report" or (rule.action == "target" and not uses_target):
        return
    options = [
        argument.text
        for argument in command.arguments[1:]
        if argument.text in cmake.words.cmake.package_options
    ]
    span = Span(command.arguments[0].whole.start, command.arguments[-1].whole.end)
    cmake.file.edit(span, " ".join([new, *options]), RULE)
    cmake.found.setdefault(new, []).append(command)
    if rule.action == "findcuda" and command.name == "find_package":
        _enable_hip(cmake, command, is_required="REQUIRED" in options)


def _enable_hip(cmake: CMakeFile, command: Command, *, is_required: bool) -> None:
    """Enable HIP: FindCUDA needed no language, but its replacement does."""
    words = cmake.words.cmake
    if command.in_function or cmake.enables_language:
        return
    cmake.speaks_hip = True
    line = f"enable_language({words.hip_language})"
    if is_required:
        cmake.file.insert_before(command.span.start, [line], RULE)
    else:
        lines = [f"if({words.hip_package}_FOUND)", f"  {line}", "endif()"]
        cmake.file.insert_after(command.span, lines, RULE)


def find_packages(cmake: CMakeFile) -> None:
    """Find the packages whose targets the file now names, once per block."""
    after: dict[int, list[str]] = {}
    toolkits = [*cmake.found.get(cmake.words.cmake.hip_package, ())]
    for package, user, is_variable in cmake.needs:
        if any(cmake.reaches(finder, user) for finder in cmake.found.get(package, ())):
            continue
        toolkit = next((each for each in toolkits if cmake.reaches(each, user)), None)
        if toolkit:
            words = cmake.file.text[toolkit.span.start : toolkit.span.end].split()
            required = any(word.startswith("REQUIRED") for word in words)
            line = f"{toolkit.name}({package}{' REQUIRED' if required else ''})"
            after.setdefault(toolkit.span.start, []).append(line)
        elif is_variable and any(each.span.start < user.span.start for each in toolkits):
            continue
        else:
            line = f"find_package({package} REQUIRED)"
            cmake.file.insert_before(user.span.start, [line], RULE)
        cmake.found.setdefault(package, []).append(toolkit or user)
    for toolkit in toolkits:
        if lines := after.get(toolkit.span.start):
            cmake.file.insert_after(toolkit.span, lines, RULE)


def raise_minimum(cmake: CMakeFile) -> None:
    """Raise the minimum version: HIP needs a newer CMake than most CUDA projects ask for."""
    minimum = cmake.words.cmake.minimum
    wanted = tuple(map(int, minimum.split(".")))
    for command in cmake.commands:
        texts = [argument.text for argument in command.arguments]
        if command.name != "cmake_minimum_required" or texts[:1] != ["VERSION"] or len(texts) < 2:
            continue
        match = re.match(r"\d+(?:\.\d+)*", texts[1])
        if match and tuple(map(int, match[0].split("."))) < wanted:
            start = command.arguments[1].span.start
            rest = texts[1][match.end() :]
            upper = re.match(r"\.\.\.(\d+(?:\.\d+)*)", rest)
            end = match.end()
            if upper and tuple(map(int, upper[1].split("."))) < wanted:
                end += upper.end()
            cmake.file.edit(Span(start, start + end), minimum, RULE)
