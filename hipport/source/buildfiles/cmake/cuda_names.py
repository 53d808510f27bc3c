"""Renames CMake's CUDA targets, variables and languages wherever they are arguments."""

from __future__ import annotations

import re
from functools import lru_cache

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.rulebook.nvcc_flags import flag_rules
from hipport.source.buildfiles.build_file import LEFT
from hipport.source.buildfiles.cmake.cmake_file import RULE, CMakeFile, Need
from hipport.source.buildfiles.cmake.flag_arguments import PROPERTY_COMMANDS
from hipport.source.languages.cmake_syntax import Argument, Command

MACRO = "HP-LAUNCH-014"
"""What a macro that is renamed leaves to a person."""
ASSIGNING = ("set", "list", "string", "unset")
_DEFINING = ("-D", "/D")
_NEVER_MACROS = ("library", "target", "macro")
_JOINING = ("AND", "OR", "(", ")")
_NOT = "NOT"
CONDITIONS = ("if", "elseif", "while")
_TARGET, _TRUE = "TARGET", "TRUE"
_PATH_COMMANDS = ("get_filename_component", "cmake_path", "file")
_NO_PATH = "{0} is a target, which has no path to take apart: ask for the folder of ROCm instead"
_TWICE = (
    "the file tests for {0}, too: both tests hold for HIP's compiler, look which branch is right"
)
_OF_TARGET = regex(r"\$<TARGET_\w+:\Z")
_LOCATION = regex(r"(?:,|\"?(?:\s|#[^\n]*\n)++\"?)(IMPORTED_)LOCATION\b")
_GENERATOR = regex(
    r"\$<(?:COMPILE_LANGUAGE|LINK_LANGUAGE|(?:COMPILE|LINK)_LANG_AND_ID|CUDA_COMPILER_ID):[^<>]*>"
    r"|\$<STREQUAL:(?:\$<CUDA_COMPILER_ID>,[^<>,]*|[^<>,]*,\$<CUDA_COMPILER_ID>)>|\$<CUDA_COMPILER_ID>"
)


def convert_names(cmake: CMakeFile, command: Command) -> None:
    """Rename targets, variables, features and languages wherever arguments name them."""
    taken = [edit.span for edit in cmake.file.edits[cmake.first_edit :]]
    for argument in command.arguments:
        if argument.quote == "[" or any(
            span.start < argument.span.end
            and argument.span.start < span.end
            and span.end - span.start >= len(argument.text)
            for span in taken
        ):
            continue
        for match in _GENERATOR.finditer(argument.text):
            _generator(cmake, argument, match)
        for match in cmake.rules.name.finditer(argument.text):
            _name(cmake, command, argument, match)
    _compiler_id(cmake, command)
    _platform(cmake, command)


def _platform(cmake: CMakeFile, command: Command) -> None:
    """Define the platform macro for targets that use HIP's headers without its CMake target."""
    names = ("include_directories", "target_include_directories", "cuda_include_directories")
    new = cmake.words.cmake.include_variable.encode()
    if command.name not in names:
        return
    if not any(new in each.new for each in cmake.file.edits[cmake.first_edit :]):
        return
    macro = cmake.words.cmake.platform_macro
    line = f"add_compile_definitions({macro})"
    if command.name == "target_include_directories":
        texts = [argument.text for argument in command.arguments]
        scope = next((each for each in texts if each in cmake.words.cmake.scopes), "PRIVATE")
        line = f"target_compile_definitions({texts[0]} {scope} {macro})"
    cmake.file.insert_after(command.span, [line], RULE)


def _name(cmake: CMakeFile, command: Command, argument: Argument, match: re.Match[str]) -> None:
    rule = cmake.rules.names[match[0]]
    libs = cmake.file.choices.libs
    start = argument.span.start
    span = Span(start + match.start(), start + match.end())
    new = rule.becomes(libs)
    if rule.kind not in _NEVER_MACROS and _is_macro(cmake, command, argument, match):
        return
    if rule.action == "drop":
        # Its value is gone with it; testing the variable does no harm.
        cmake.file.handled.append(span)
    if rule.action == "report" or not new:
        if rule.note:
            cmake.file.report(LEFT, span, {"reason": rule.note})
        return
    # What a variable is set to may be nvcc; nothing is lost where it is only cleared.
    if rule.action == "compiler" and command.name in ASSIGNING and command.name != "unset":
        return
    packages = rule.packages(libs)
    is_alone = rule.kind == "library" and _is_tested_alone(command, argument, match[0])
    finders = cmake.found.get(cmake.words.cmake.hip_package, ())
    if is_alone and packages and any(cmake.reaches(each, command) for each in finders):
        # Whether the library was found, beside the toolkit.
        cmake.file.edit(span, f"{packages[0]}_FOUND", RULE)
        cmake.needs += [Need(package, command, is_variable=True) for package in packages[:1]]
        return
    if rule.kind == "library":
        # `${CUDA_LIBRARIES}` stands for libraries; elsewhere the name is just a variable.
        if argument.text[match.start() - 2 : match.start()] != "${" or command.name == "message":
            return
        if command.name in _PATH_COMMANDS:
            cmake.file.report(LEFT, span, {"reason": _NO_PATH.format(new.split()[0])})
            return
        span = Span(span.start - 2, span.end + 1)
    if rule.kind == "target" and (test := _test_for_target(command, argument)):
        # What has no package is a library of ROCm by its name, of which CMake knows no target.
        span, new = (span, new.split()[0]) if packages else (test, _TRUE)
    elif rule.kind == "target" and _is_alias(command, argument):
        new = new.split()[0]
    elif rule.kind == "target" and _is_asked(command, argument, match.start()):
        new = cmake.words.cmake.libraries_of.get(new, new.split()[0])
        _location(cmake, span.end)
    elif rule.kind in ("library", "target"):
        separator = ";" if argument.quote else " "
        new = separator.join(new.split())
    cmake.file.edit(span, new, RULE)
    if rule.kind == "macro":
        cmake.file.report(MACRO, span)
    is_variable = rule.kind not in ("library", "target")
    cmake.needs += [Need(package, command, is_variable) for package in packages]


def _is_tested_alone(command: Command, argument: Argument, name: str) -> bool:
    """Whether a condition asks only whether a variable is set to something."""
    if command.name not in CONDITIONS or argument.text != name:
        return False
    at = command.arguments.index(argument)
    before = [each.text for each in command.arguments[:at]]
    after = [each.text for each in command.arguments[at + 1 :]]
    starts = not before or before[-1] in (*_JOINING, _NOT)
    return starts and (not after or after[0] in _JOINING)


def _test_for_target(command: Command, argument: Argument) -> Span | None:
    """`TARGET name` in a condition, where the argument is that name alone; else None."""
    at = command.arguments.index(argument)
    before = command.arguments[at - 1] if at else argument
    if command.name not in CONDITIONS or before.text != _TARGET:
        return None
    return Span(before.whole.start, argument.whole.end)


def _is_alias(command: Command, argument: Argument) -> bool:
    """Whether the argument is the one target that another name is made for."""
    at = command.arguments.index(argument)
    return command.name == "add_library" and at > 0 and command.arguments[at - 1].text == "ALIAS"


def _is_asked(command: Command, argument: Argument, at: int) -> bool:
    """Whether the build asks for a property or the file of the one target there."""
    if _OF_TARGET.search(argument.text, 0, at):
        return True
    return command.name == "get_target_property" and command.arguments.index(argument) == 1


def _location(cmake: CMakeFile, at: int) -> None:
    """Ask for LOCATION: targets of ROCm's packages have IMPORTED_LOCATION for a configuration."""
    if match := _LOCATION.match(cmake.file.text, at):
        cmake.file.edit(Span(match.start(1), match.end(1)), "", RULE)


def _is_macro(cmake: CMakeFile, command: Command, argument: Argument, match: re.Match[str]) -> bool:
    """Whether the name is that of a macro for sources, as in `add_definitions(-DCUDA_FOUND)`."""
    words = cmake.words.cmake
    before = argument.text[: match.start()]
    if before.endswith("{"):
        return False
    if command.name in words.defining_commands:
        return True
    if before.endswith(_DEFINING):
        return not match[0].startswith(words.own_variable)
    texts = [each.text for each in command.arguments[: command.arguments.index(argument)]]
    places = texts[-1:] if command.name == "set_target_properties" else texts
    return command.name in PROPERTY_COMMANDS and any(each in words.definitions for each in places)


def _generator(cmake: CMakeFile, argument: Argument, match: re.Match[str]) -> None:
    """Convert `$<COMPILE_LANGUAGE:CUDA>` and similar expressions."""
    words = cmake.words.cmake
    language, hip = words.language, words.hip_language
    if not re.search(rf"\b{language}\b|{language}_", match[0]):
        return
    new = re.sub(rf"(?<![A-Za-z]){language}(?=[,>_])", hip, match[0])
    for name, becomes in words.compiler_ids.items():
        new = re.sub(rf"(?<=[:,]){name}(?=[,>])", becomes, new)
    start = argument.span.start
    cmake.file.edit(Span(start + match.start(), start + match.end()), new, RULE)


def _compiler_id(cmake: CMakeFile, command: Command) -> None:
    """Convert the compiler's name in `CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA"`."""
    identity, names = "_COMPILER_ID", cmake.words.cmake.compiler_ids
    language = cmake.words.cmake.language
    pairs = [*zip(command.arguments, command.arguments[2:], strict=False)]
    for one, two in [*pairs, *((two, one) for one, two in pairs)]:
        if not (cmake.rules.name.search(one.text) and identity in one.text):
            continue
        for match in re.finditer(rf"\b(?:{'|'.join(names)})\b", two.text):
            start = two.span.start
            span = Span(start + match.start(), start + match.end())
            new = names[match[0]]
            cmake.file.edit(span, new, RULE)
            if match[0] != new and _is_tested(cmake.file.text, f"{language}{identity}", new):
                cmake.file.report(LEFT, span, {"reason": _TWICE.format(new)})


@lru_cache(maxsize=1)
def _is_tested(text: str, variable: str, name: str) -> bool:
    """Whether a condition compares a variable with a name anywhere in a file."""
    return re.search(rf"{variable}\b[^()\n]*\b{name}\b", text) is not None


def convert_plain_libraries(cmake: CMakeFile, command: Command) -> None:
    """Convert `target_link_libraries(app cudart cublas)`: libraries by their bare names."""
    known = flag_rules(cmake.file.rules)
    for argument in command.arguments[1:]:
        rules = known.get(f"-l{argument.text}", [])
        if (
            argument.quote
            or not rules
            or rules[0].clang != "link error"
            or argument.text in cmake.own_targets
        ):
            continue
        rule = rules[0]
        if rule.action == "report":
            cmake.file.report(rule.finding, argument.whole)
            continue
        libs = rule.roc if cmake.file.choices.libs == "roc" and rule.roc else rule.hip
        names = " ".join(each.removeprefix("-l") for each in libs.split())
        if names:
            cmake.file.edit(argument.span, names, RULE)
        else:
            start = argument.whole.start
            while cmake.file.text[start - 1] in " \t":
                start -= 1
            cmake.file.edit(Span(start, argument.whole.end), "", RULE)
