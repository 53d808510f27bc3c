"""Converts a CMake file from the CUDA language, FindCUDA and CUDAToolkit to HIP."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from hipport.model import Severity, Span
from hipport.source.build.buildfile import LEFT, BuildFile
from hipport.source.build.cmakeflags import convert_flags
from hipport.source.build.cmakerules import CMakeRule, CMakeRules, cmake_rules
from hipport.source.build.cmakesources import Sources
from hipport.source.build.cmakevalues import (
    architectures,
    convert_flag_list,
    convert_properties,
    separable_everywhere,
)
from hipport.source.build.words import BuildWords, build_words
from hipport.source.flags import flag_rules
from hipport.source.languages.cmake import Argument, Command, commands

RULE = "cmake.tsv"
_GENERATOR = re.compile(
    r"\$<(?:COMPILE_LANGUAGE|LINK_LANGUAGE|(?:COMPILE|LINK)_LANG_AND_ID|CUDA_COMPILER_ID):[^<>]*>"
)
_OPENING = frozenset(("if", "foreach", "while", "function", "macro", "block"))
_DEEPEST = 100
_ASSIGNING = ("set", "list", "string", "unset")
_ADDING = {"list": ("APPEND", "PREPEND", "INSERT"), "string": ("APPEND", "PREPEND", "CONCAT")}
_VALUE_ENDS = ("CACHE", "PARENT_SCOPE")


@dataclass(slots=True)
class CMakeFile:
    """A CMake file with what its commands share while they are converted."""

    file: BuildFile
    rules: CMakeRules
    words: BuildWords
    commands: list[Command]
    sources: Sources
    packages: list[tuple[str, Command]] = field(default_factory=list)
    """Packages that converted targets need, each with the command that names the target."""
    found: dict[str, list[Command]] = field(default_factory=dict)
    """Package -> the commands that will find it."""
    blocks: dict[int, tuple[int, ...]] = field(default_factory=dict)
    """Where a command begins -> where the blocks round it begin, outermost first."""
    speaks_hip: bool = False
    first_edit: int = 0
    """The number of edits before the command that is being converted."""
    scopes: dict[str, str] = field(default_factory=dict)
    """Target -> the keyword of the first target_link_libraries of it, "" for none."""
    own_targets: set[str] = field(default_factory=set)
    enables_language: bool = False

    def __post_init__(self) -> None:
        self.own_targets = {each.arguments[0].text for each in self.commands if each.arguments}
        self.enables_language = any(each.name == "enable_language" for each in self.commands)
        for command in self.commands:
            texts = [argument.text for argument in command.arguments[:2]]
            if command.name == "target_link_libraries" and texts:
                keyword = texts[1] if texts[1:] else ""
                self.scopes.setdefault(texts[0], keyword)

    def reaches(self, finder: Command, user: Command) -> bool:
        """Whether what one command finds is found wherever the other one is run."""
        outer = self.blocks[finder.span.start]
        return finder.span.start <= user.span.start and (
            self.blocks[user.span.start][: len(outer)] == outer
        )


def convert_cmake(file: BuildFile) -> None:
    """Add the edits and findings of a CMake file."""
    words = build_words(file.rules)
    parsed = commands(file.data)
    self = CMakeFile(file, cmake_rules(file.rules), words, parsed, Sources(file, words, parsed))
    self.blocks = _blocks(parsed)
    for command in parsed:
        _convert(self, command)
    self.sources.mark()
    _find_packages(self)
    if self.speaks_hip:
        _raise_minimum(self)
    _tell_static(self)


def _convert(self: CMakeFile, command: Command) -> None:
    """One command; what its name asks for first, then the names in its arguments."""
    self.first_edit = len(self.file.edits)
    rule = self.rules.commands.get(command.name)
    if rule is not None and _old_command(self, command, rule):
        return
    cmake = self.words.cmake
    if command.name == "project" or command.name in cmake["language_commands"]:
        _language(self, command)
    elif command.name in cmake["package_commands"]:
        _package(self, command)
        return
    elif command.name == "include" and command.arguments:
        if command.arguments[0].text in self.rules.of("module"):
            self.file.remove_line(command.span, RULE)
            return
    elif command.name in _ASSIGNING and _assignment(self, command):
        return
    elif command.name in ("set_target_properties", "set_property", "set_source_files_properties"):
        if convert_properties(self.file, command, self.rules, cmake):
            return
    elif command.name in cmake["flag_commands"]:
        _flags(self, command)
        if command.name.endswith("link_libraries"):
            _plain_libraries(self, command)
    self.sources.see(command)
    _names(self, command)


def _flags(self: CMakeFile, command: Command) -> None:
    text = self.file.text[command.span.start : command.span.end]
    convert_flags(
        self.file,
        command,
        0,
        len(command.arguments),
        lambda: self.words.nvcc_flag.search(text) is not None,
    )


def _language(self: CMakeFile, command: Command) -> None:
    """`project(name LANGUAGES CUDA)`, `enable_language(CUDA)`, `check_language(CUDA)`."""
    cmake = self.words.cmake
    texts = [argument.text for argument in command.arguments]
    first = 0
    if command.name == "project":
        keywords = [texts.index(each) for each in cmake["project_keywords"] if each in texts]
        if keywords and "LANGUAGES" not in texts:
            return
        first = texts.index("LANGUAGES") + 1 if keywords else 1
    for argument in command.arguments[first:]:
        if argument.text == cmake["language"] and argument.quote != "[":
            self.file.edit(argument.span, cmake["hip_language"], RULE)
            self.speaks_hip = True


def _package(self: CMakeFile, command: Command) -> None:
    """`find_package(CUDAToolkit 11 REQUIRED)`: another package, whose versions differ."""
    if not command.arguments:
        return
    rule = self.rules.packages.get(command.arguments[0].text)
    if rule is None:
        return
    libs = self.file.choices.libs
    uses_target = any(
        name.partition("::")[0] == rule.cuda and name in self.file.text
        for name in self.rules.of("target")
    )
    new = rule.becomes(libs)
    if not new or rule.action == "report" or (rule.action == "target" and not uses_target):
        return
    options = [
        argument.text
        for argument in command.arguments[1:]
        if argument.text in self.words.cmake["package_options"]
    ]
    span = Span(command.arguments[0].whole.start, command.arguments[-1].whole.end)
    self.file.edit(span, " ".join([new, *options]), RULE)
    self.found.setdefault(new, []).append(command)
    if rule.action == "findcuda" and command.name == "find_package":
        _enable_hip(self, command, is_required="REQUIRED" in options)


def _enable_hip(self: CMakeFile, command: Command, *, is_required: bool) -> None:
    """FindCUDA needed no language; what takes its place does."""
    cmake = self.words.cmake
    if command.in_function or self.enables_language:
        return
    self.speaks_hip = True
    line = f"enable_language({cmake['hip_language']})"
    if is_required:
        self.file.insert_before(command.span.start, [line], RULE)
    else:
        lines = [f"if({cmake['hip_found']})", f"  {line}", "endif()"]
        self.file.insert_after(command.span, lines, RULE)


def _old_command(self: CMakeFile, command: Command, rule: CMakeRule) -> bool:
    """Convert a command of FindCUDA; whether nothing more is to be done with it."""
    file = self.file
    libs = file.choices.libs
    target = command.arguments[0] if command.arguments else None
    if rule.action == "report" or target is None:
        is_old = command.name.startswith(self.words.cmake["old_prefix"])
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
        scope = _scope_of(self, target.text)
        new = f"target_link_libraries({target.text} {scope}{rule.becomes(libs)})"
        file.edit(command.span, new, RULE)
        self.packages += [(package, command) for package in rule.packages(libs)]
        return True
    file.edit(command.name_span, rule.hip, RULE)
    self.sources.see(command, as_name=rule.hip)
    _options(self, command, target)
    scope = _scope_of(self, target.text)
    runtime = self.words.cmake["hip_runtime_target"]
    file.insert_after(
        command.span, [f"target_link_libraries({target.text} {scope}{runtime})"], RULE
    )
    self.packages.append((self.words.cmake["hip_package"], command))
    _names(self, command)
    return True


def _options(self: CMakeFile, command: Command, target: Argument) -> None:
    """`OPTIONS -O3` of cuda_add_executable: options of the target's HIP sources."""
    texts = [argument.text for argument in command.arguments]
    if "OPTIONS" not in texts:
        return
    at = texts.index("OPTIONS")
    convert_flags(self.file, command, at + 1, len(texts), lambda: True)
    span = Span(command.arguments[at].whole.start, command.arguments[-1].whole.end)
    own = self.file.edits[self.first_edit :]
    kept = [each for each in own if span.start <= each.span.start < span.end]
    options = self.file.text[command.arguments[at].whole.end : span.end]
    for edit in sorted(kept, key=lambda each: each.span, reverse=True):
        start = max(0, edit.span.start - command.arguments[at].whole.end)
        stop = edit.span.end - command.arguments[at].whole.end
        options = options[:start] + edit.new.decode("latin-1") + options[stop:]
    while self.file.text[span.start - 1] in " \t":
        span = Span(span.start - 1, span.end)
    self.file.remove_line(span, RULE)
    if options.split():
        words = ";".join(options.split())
        language = self.words.cmake["hip_language"]
        line = f'target_compile_options({target.text} PRIVATE "$<$<COMPILE_LANGUAGE:{language}>:'
        self.file.insert_after(command.span, [f'{line}{words}>")'], RULE)


def _scope_of(self: CMakeFile, target: str) -> str:
    """The keyword that the file's own target_link_libraries of a target use: all or none must."""
    return "PUBLIC " if self.scopes.get(target) in self.words.cmake["scopes"] else ""


def _assignment(self: CMakeFile, command: Command) -> bool:
    """`set(CMAKE_CUDA_FLAGS ...)` and its like; whether nothing more is to be done with it."""
    texts = [argument.text for argument in command.arguments]
    at = 0 if command.name in ("set", "unset") else 1
    if len(texts) <= at:
        return False
    name = texts[at]
    rule = self.rules.variables.get(name)
    action = rule.action if rule else ""
    if action == "drop":
        self.file.remove_line(command.span, RULE)
        return True
    if rule and action == "targets":
        return architectures(self.file, command, at, rule)
    if rule and action == "list_flags":
        return convert_flag_list(self.file, command, at, rule)
    if action == "separable":
        return separable_everywhere(self.file, command, self.words.cmake)
    if command.name in _ADDING and texts[0] not in _ADDING[command.name]:
        return False
    last = next((n for n, text in enumerate(texts) if text in _VALUE_ENDS), len(texts))
    if action == "flags" or self.words.holds_flags(name):
        is_nvcc = True
    else:
        is_nvcc = self.words.nvcc_flag.search(" ".join(texts[at + 1 : last])) is not None
    is_empty = convert_flags(self.file, command, at + 1, last, lambda: is_nvcc)
    if is_empty and command.name in _ADDING:
        self.file.remove_line(command.span, RULE)
        return True
    return False


def _names(self: CMakeFile, command: Command) -> None:
    """Rename targets, variables, features and languages wherever arguments name them."""
    taken = [edit.span for edit in self.file.edits[self.first_edit :]]
    for argument in command.arguments:
        if argument.quote == "[" or any(
            span.start < argument.span.end
            and argument.span.start < span.end
            and span.end - span.start >= len(argument.text)
            for span in taken
        ):
            continue
        for match in _GENERATOR.finditer(argument.text):
            _generator(self, argument, match)
        for match in self.rules.name.finditer(argument.text):
            _name(self, command, argument, match)
    _compiler_id(self, command)
    _platform(self, command)


def _platform(self: CMakeFile, command: Command) -> None:
    """Who is given HIP's headers without its target must be told the platform as well."""
    names = ("include_directories", "target_include_directories", "cuda_include_directories")
    new = self.words.cmake["include_variable"].encode()
    if command.name not in names:
        return
    if not any(new in each.new for each in self.file.edits[self.first_edit :]):
        return
    macro = self.words.cmake["platform_macro"]
    line = f"add_compile_definitions({macro})"
    if command.name == "target_include_directories":
        texts = [argument.text for argument in command.arguments]
        scope = next((each for each in texts if each in self.words.cmake["scopes"]), "PRIVATE")
        line = f"target_compile_definitions({texts[0]} {scope} {macro})"
    self.file.insert_after(command.span, [line], RULE)


def _name(self: CMakeFile, command: Command, argument: Argument, match: re.Match[str]) -> None:
    rule = self.rules.names[match[0]]
    libs = self.file.choices.libs
    start = argument.span.start
    span = Span(start + match.start(), start + match.end())
    new = rule.becomes(libs)
    if rule.action == "drop":
        # What it held is gone with it; asking for it does no harm.
        self.file.handled.append(span)
    if rule.action == "report" or not new:
        if rule.note:
            self.file.report(LEFT, span, {"reason": rule.note})
        return
    if rule.action == "compiler" and command.name in _ASSIGNING:
        return
    if rule.kind == "library":
        # `${CUDA_LIBRARIES}` names libraries; elsewhere it is only a variable.
        if argument.text[match.start() - 2 : match.start()] != "${":
            return
        span = Span(span.start - 2, span.end + 1)
    if rule.kind in ("library", "target"):
        separator = ";" if argument.quote else " "
        new = separator.join(new.split())
    self.file.edit(span, new, RULE)
    self.packages += [(package, command) for package in rule.packages(libs)]


def _generator(self: CMakeFile, argument: Argument, match: re.Match[str]) -> None:
    """`$<COMPILE_LANGUAGE:CUDA>` and its kin."""
    cmake = self.words.cmake
    language, hip = cmake["language"], cmake["hip_language"]
    if not re.search(rf"\b{language}\b|{language}_", match[0]):
        return
    new = re.sub(rf"(?<![A-Za-z]){language}(?=[,>_])", hip, match[0])
    for name, becomes in cmake["compiler_ids"].items():
        new = re.sub(rf"(?<=[:,]){name}(?=[,>])", becomes, new)
    start = argument.span.start
    self.file.edit(Span(start + match.start(), start + match.end()), new, RULE)


def _compiler_id(self: CMakeFile, command: Command) -> None:
    """`CMAKE_CUDA_COMPILER_ID STREQUAL "NVIDIA"`: the name of the other compiler."""
    identity = "_COMPILER_ID"
    for one, two in zip(command.arguments, command.arguments[2:], strict=False):
        is_ours = self.rules.name.search(one.text) and identity in one.text
        if is_ours and two.text in self.words.cmake["compiler_ids"]:
            self.file.edit(two.span, self.words.cmake["compiler_ids"][two.text], RULE)


def _plain_libraries(self: CMakeFile, command: Command) -> None:
    """`target_link_libraries(app cudart cublas)`: libraries by their bare names."""
    known = flag_rules(self.file.rules)
    for argument in command.arguments[1:]:
        rules = known.get(f"-l{argument.text}", [])
        if (
            argument.quote
            or not rules
            or rules[0].clang != "link error"
            or argument.text in self.own_targets
        ):
            continue
        rule = rules[0]
        if rule.action == "report":
            self.file.report(rule.finding, argument.whole)
            continue
        libs = rule.roc if self.file.choices.libs == "roc" and rule.roc else rule.hip
        names = " ".join(each.removeprefix("-l") for each in libs.split())
        if names:
            self.file.edit(argument.span, names, RULE)
        else:
            start = argument.whole.start
            while self.file.text[start - 1] in " \t":
                start -= 1
            self.file.edit(Span(start, argument.whole.end), "", RULE)


def _blocks(parsed: list[Command]) -> dict[int, tuple[int, ...]]:
    """Where each command begins -> where the open blocks begin; an else begins another one."""
    blocks: dict[int, tuple[int, ...]] = {}
    stack: list[int] = []
    for command in parsed:
        if command.name.startswith(("end", "else")) and stack:
            stack.pop()
        blocks[command.span.start] = tuple(stack[:_DEEPEST])
        if command.name in _OPENING or command.name.startswith("else"):
            stack.append(command.span.start)
    return blocks


def _find_packages(self: CMakeFile) -> None:
    """Have the packages found whose targets are named now, once for each block."""
    after: dict[int, list[str]] = {}
    toolkits = self.found.get(self.words.cmake["hip_package"], [])
    for package, user in self.packages:
        if any(self.reaches(finder, user) for finder in self.found.get(package, ())):
            continue
        toolkit = next((each for each in toolkits if self.reaches(each, user)), None)
        if toolkit:
            words = self.file.text[toolkit.span.start : toolkit.span.end].split()
            required = any(word.startswith("REQUIRED") for word in words)
            line = f"{toolkit.name}({package}{' REQUIRED' if required else ''})"
            after.setdefault(toolkit.span.start, []).append(line)
        else:
            line = f"find_package({package} REQUIRED)"
            self.file.insert_before(user.span.start, [line], RULE)
        self.found.setdefault(package, []).append(toolkit or user)
    for toolkit in toolkits:
        if lines := after.get(toolkit.span.start):
            self.file.insert_after(toolkit.span, lines, RULE)


def _tell_static(self: CMakeFile) -> None:
    """Report libraries of relocatable device code: CMake links archives by their paths.

    clang 15 links device code across files out of an archive given as -L and -l only.
    """
    flag = self.words.cmake["separable_flag"].encode()
    if not any(flag in edit.new for edit in self.file.edits):
        return
    for command in self.commands:
        texts = [argument.text for argument in command.arguments]
        if command.name == "add_library" and texts[1:2] == ["STATIC"]:
            span = Span(command.arguments[0].span.start, command.arguments[1].span.end)
            self.file.report("HP-MAKE-012", span, severity=Severity.REVIEW)


def _raise_minimum(self: CMakeFile) -> None:
    """The HIP language needs a newer CMake than most files that use CUDA ask for."""
    minimum = self.words.cmake["minimum"]
    wanted = tuple(map(int, minimum.split(".")))
    for command in self.commands:
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
            self.file.edit(Span(start, start + end), minimum, RULE)
