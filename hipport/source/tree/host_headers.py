"""Finds host sources whose compiler no build file will tell of HIP's headers.

CUDA's headers lie where the modules of a cluster, or a distribution, let any compiler find them;
HIP's need a macro besides, which hipcc and CMake's target hip::host define.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.named_tuples import NamedTuple
from hipport.rulebook.rules import RuleSet
from hipport.source.names.hip_branches import is_for_device_compiler
from hipport.source.text.include_directives import includes
from hipport.source.text.include_graph import IncludeGraph, include_graph, included
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import Task, Untold, language_of

# What keeps make from showing a command: `@`, `$(Q)`.
_QUIET = regex(r"\A[@+-]*(?:\$[({]\w*[)}](?=[\w$]))?")
_FINDING = "HP-BUILD-310"


class _Build(NamedTuple):
    """A build file that conversion may change."""

    task: Task
    text: str
    """Its text once it is converted, without comments."""
    is_converted: bool
    """Whether something in it is about CUDA."""
    is_for_devices: bool
    """Whether it has sources of C++ compiled for the device."""
    gives: bool
    """Whether it gives HIP's headers to host compilers."""

    @property
    def folder(self) -> str:
        return self.task.below.rpartition("/")[0]

    def is_project(self, rules: RuleSet) -> bool:
        names = rules.build_files.host_headers.projects[self.task.language]
        return self.task.below.rpartition("/")[2] in names


def untold_compilers(
    trees: Mapping[str, list[str]],
    tasks: Iterable[Task],
    texts: TreeTexts,
    rules: RuleSet,
    is_ported: Callable[[Task], bool],
) -> dict[str, Untold]:
    """Host source -> what is reported there, one source for each tree.

    `trees` has the C and C++ sources of each tree.
    """
    kinds = rules.build_files.host_headers.kinds
    files: dict[str, list[Task]] = {}
    for task in tasks:
        if task.is_build_file and task.language in kinds and not task.is_link:
            files.setdefault(task.root_path, []).append(task)
    found: dict[str, Untold] = {}
    for root, every in files.items():
        leading = _leading_includes(trees.get(root, ()), texts, rules)
        builds = []
        for task in every if leading else ():
            builds.append(_build(task._replace(is_ported=is_ported(task)), texts, rules))
        for source, include in leading.items():
            below = source[len(root) :].lstrip("/")
            build = _untold_by(below, builds, rules)
            if build:
                found[source] = Untold(include, build.task.below)
                break
    return found


def untold_findings(data: bytes, task: Task, rules: RuleSet) -> Iterator[Finding]:
    """The finding of a source, at its include."""
    if task.untold is None:
        return
    code = Code(data)
    rule = rules.findings[_FINDING]
    for name, line in includes(code):
        if name == task.untold.include:
            start, end = code.position(line.body.start), code.position(line.body.end)
            yield rule.finding(task.name, name, start, end, {"build": task.untold.build})
            return


def _leading_includes(paths: Iterable[str], texts: TreeTexts, rules: RuleSet) -> dict[str, str]:
    """Host source -> the first include that leads to a header of HIP's, through others too."""
    header = re.compile(rules.build_files.host_headers.header)
    endings = rules.file_kinds.translation_units
    leading: dict[str, str] = {}
    for path in paths:
        names = {
            name
            for name in texts.answer(included, path)
            if (rule := rules.headers.get(name)) and header.match(rule.hip)
        }
        for name in _seen_by_host(path, names, texts, rules) if names else ():
            leading.setdefault(path, name)
    if leading:
        _hand_on(leading, include_graph(tuple(paths), texts), texts, rules)
    hosts = (each for each in paths if each in leading and each.endswith(endings))
    return {each: leading[each] for each in hosts if language_of(each) != "cuda"}


def _hand_on(
    leading: dict[str, str], graph: IncludeGraph, texts: TreeTexts, rules: RuleSet
) -> None:
    """Add what includes such files."""
    pending = list(leading)
    while pending:
        header = pending.pop()
        for user in graph.users(header):
            if user in leading:
                continue
            names = {
                name
                for name in texts.answer(included, user)
                if (node := graph.node(name, user)) and header in graph.files(node)
            }
            for name in _seen_by_host(user, names, texts, rules):
                leading[user] = name
                pending.append(user)
                break


def _seen_by_host(path: str, names: set[str], texts: TreeTexts, rules: RuleSet) -> Iterator[str]:
    """Those of a file's includes that host compilers do not leave out, in their order."""
    code = texts.code(path)
    for name, line in includes(code):
        if name in names and not is_for_device_compiler(code, rules, line.span.start):
            yield name


def _build(task: Task, texts: TreeTexts, rules: RuleSet) -> _Build:
    from hipport.rulebook.nvcc_flags import Choices
    from hipport.source.buildfiles.build_conversion import convert_build
    from hipport.source.patterns.line_files import without_comments

    words = rules.build_files.host_headers
    data = texts.read(task.source_path)
    made = convert_build(data, task.name, task.language, rules, Choices(), (), task.is_ported)
    before = without_comments(data.decode("latin-1"), task.language)
    text = without_comments(made.data.decode("latin-1"), task.language)
    return _Build(
        task,
        text,
        made.edits > 0,
        re.search(words.as_device_code, before) is not None,
        re.search(words.given, text) is not None,
    )


def _untold_by(source: str, builds: list[_Build], rules: RuleSet) -> _Build | None:
    """The project's build file that compiles a source and gives no compiler HIP's headers."""
    for kind in rules.build_files.host_headers.kinds:
        own = [each for each in builds if each.task.language == kind]
        project = _project_of(source, own, rules)
        if project is None:
            continue
        around = [each for each in own if _counts(each, project, source, rules)]
        if any(each.gives for each in around) or not any(each.is_converted for each in around):
            continue
        compiles = _in_cmake if kind == "cmake" else _in_make
        if compiles(source, around, rules):
            return project
    return None


def _project_of(source: str, builds: list[_Build], rules: RuleSet) -> _Build | None:
    """The project's file around a source: of make the nearest, of CMake the outermost."""
    around = [each for each in builds if each.is_project(rules) and _is_in(source, each.folder)]
    around.sort(key=lambda each: len(each.folder))
    if not around:
        return None
    return around[0] if around[0].task.language == "cmake" else around[-1]


def _counts(build: _Build, project: _Build, source: str, rules: RuleSet) -> bool:
    """Whether what a build file gives may be for a source.

    Another makefile does not count unless it is in a folder around; what makefiles include does.
    """
    if build.task.language == "cmake":
        return _is_in(build.task.below, project.folder) or not build.is_project(rules)
    return not build.is_project(rules) or _is_in(source, build.folder)


def _is_in(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _in_cmake(source: str, builds: list[_Build], rules: RuleSet) -> bool:
    """Whether CMake compiles a source for the host: it is named, or found by its ending."""
    name = source.rpartition("/")[2]
    ending = name.rpartition(".")[2]
    named = re.compile(rf"(?<![\w.-]){re.escape(name)}(?![\w.])|\*\.{re.escape(ending)}(?!\w)")
    if any(each.is_for_devices for each in builds):
        return False
    return any(named.search(each.text) for each in builds)


def _in_make(source: str, builds: list[_Build], rules: RuleSet) -> bool:
    """Whether make compiles a source with a host compiler, by a rule of its own or of make's."""
    from hipport.rulebook.build_words import build_words
    from hipport.source.buildfiles.makefile_words import lines_of

    words = build_words(rules)
    name = source.rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    named = re.compile(
        rf"(?<![\w.-]){re.escape(name)}(?!\w)|(?:%|\*)\.{re.escape(ending)}(?!\w)"
        rf"|^[ \t]*\.{re.escape(ending)}\.\w+[ \t]*:"
    )
    is_compiled = has_rule = False
    for build in builds:
        is_about = False
        for line in lines_of(build.text):
            body = build.text[line.body.start : line.body.end]
            if line.kind == "other":
                is_about = ":" in body and named.search(body) is not None
            if line.kind != "recipe" or not (is_about or named.search(body)):
                continue
            has_rule = True
            first, _, rest = _QUIET.sub("", body.strip()).partition(" ")
            if words.compiler.search(body) or words.table.hip_compiler in body:
                return False
            is_host = re.fullmatch(words.table.host_linker, first) is not None
            compiling = words.table.host_headers.compiling
            is_compiled |= is_host and re.search(compiling, rest) is not None
    made = re.compile(rf"(?<![\w.-]){re.escape(stem)}\.o(?!\w)|[%.]{re.escape(ending)}[ \t]*[=,]")
    is_made = not has_rule and any(made.search(each.text) for each in builds)
    return is_compiled or is_made
