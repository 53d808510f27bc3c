"""Names of HIP and CUDA that a tree declares itself: there, the tree decides what they mean."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from hipport.lazy_regex import regex
from hipport.model import Finding
from hipport.rulebook.rules import RuleSet
from hipport.source.buildfiles.build_kinds import is_build_file
from hipport.source.names.hip_branches import is_in_port, is_left_out_of_hip
from hipport.source.names.scanned_declarations import macros_defined, names_declared
from hipport.source.text.required_texts import is_found
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.cython_headers import of_cython
from hipport.source.tree.file_task import Task

_BUILDS = ("cmake", "make", "autoconf")
_HINTS = (b"hip", b"roc")
_OF_BRANCHES = (b"HIP", b"ROCM")
_BUILD_MACROS = regex(r"-D[ \t]*(\w+)|definitions[ \t]*\(([^()]{0,2000})\)")
# What a configuration in Python defines for the compiler: a macro of HIP's that it has lost.
_RESERVED_OF_PYTHON = regex(r"[(\[][ \t]*[\"'](__\w+)[\"'][ \t]*,|[\"']-D[ \t]*(__\w+)")
_MACROS_OF_PYTHON = regex(
    r"\(\s*[\"'](\w*CUDA\w*)[\"']\s*,\s*(?:[\"']?1[\"']?|None|True)\s*\)"
    r"|[\"']-D(\w*CUDA\w*)(?:=1)?[\"']"
)
_WORDS = regex(r"(?:(?<!\w)-D[ \t]*)?(\w+)")
_TARGETS = regex(
    r"\badd_(?:library|executable|custom_target)\s*\(\s*(\w+(?:::\w+)*)", re.IGNORECASE
)
# What is set to a library that was looked for is that library still.
_VARIABLES = regex(
    r"^[ \t]*set\s*\(\s*(CUDA_[A-Z0-9]+_\w*(?:LIBRARY|LIBRARIES|INCLUDE_DIRS?))\s+"
    r"(?!\"?\$\{\w*LIBRAR|\"\"|-l)[^\s()]",
    re.MULTILINE | re.IGNORECASE,
)
# A header that the build writes.
_WRITTEN = regex(r"#[ \t]*(?:cmake)?define(?:01)?[ \t]+(\w+)")
# What has `bind` is an interface to a function of C.
_OF_FORTRAN = regex(
    r"^[ \t]*(?:[\w()=*:,]+[ \t]+)*?(?:function|subroutine)[ \t]+(cu\w+)[ \t]*\([^()]*\)"
    r"(?![^\n&]*(?:&\s*[^\n]*)?\bbind\b)",
    re.MULTILINE | re.IGNORECASE,
)
_WITH_VALUE = regex(r"(?:-D[ \t]*|\b)(\w+)=(?!1\b)")
_FUNCTIONS = regex(rb"^\w[\w \t*]*[ \t*](hip[A-Z]\w*)[ \t]*\([^;{}]{0,2000}\)\s*\{", re.MULTILINE)
_FOR_HIP = (
    r"^[ \t]*#[ \t]*include[ \t]*[<\"](?:hip|roc|rccl|miopen)",
    r"\b(?:hip[A-Z]|roc[a-z]+_)\w*\(",
)
_OF_AMD = regex(r"(?:hip|HIP|roc|ROC|rccl|miopen)\w*")


def own_names(
    trees: Mapping[str, list[str]], tasks: Iterable[Task], texts: TreeTexts, rules: RuleSet
) -> dict[str, frozenset[str]]:
    """Tree -> the names that moved in HIP, or are CUDA's, and that its headers or build define.

    Of CUDA's those count that a branch for AMD defines, and in a tree that implements HIP those
    that HIP has too. `trees` has the C and C++ sources of each tree.
    """
    implemented = {root: _implemented(paths, texts, rules) for root, paths in trees.items()}
    found = {root: names for root, names in implemented.items() if names}
    shape: re.Pattern[str] | None = None
    for root, path in ((root, path) for root, sources in trees.items() for path in sources):
        if path.endswith(rules.file_kinds.translation_units):
            continue
        data = texts.read(path)
        if any(hint in data for hint in _HINTS):
            shape = shape or _known_names(rules)
            names = set(filter(shape.fullmatch, names_declared(data.decode("latin-1"))))
            if names:  # Seldom: most headers need not be blanked to know that they have none.
                names.intersection_update(names_declared(texts.code(path).code))
            found.setdefault(root, set()).update(names)
        if any(hint in data for hint in _OF_BRANCHES):
            text = data.decode("latin-1")
            found.setdefault(root, set()).update(_for_amd(text, path, texts, rules))
    if shape:
        for root, name in _defined_by_builds(tasks, found, texts):
            if shape.fullmatch(name):
                found[root].add(name)
    return {root: frozenset(names) for root, names in found.items()}


def functions_of_hip(data: bytes, _: RuleSet) -> frozenset[bytes]:
    """The functions that a file defines and calls as HIP's are: a question about each file."""
    return frozenset(_FUNCTIONS.findall(data)) if b" hip" in data else frozenset()


def _implemented(paths: Iterable[str], texts: TreeTexts, rules: RuleSet) -> set[str]:
    """The names that rules are about and HIP has, where these sources define HIP's functions."""
    defined = {name.decode() for path in paths for name in texts.answer(functions_of_hip, path)}
    if len(defined) < _FEWEST_OF_RUNTIME or len(defined & rules.hip_names()) < _FEWEST_OF_RUNTIME:
        return set()
    named = rules.watched
    shared = {each for each in named if (known := rules.api(each)) and known.hip == each}
    return shared.union(filter(_OF_AMD.fullmatch, (*_moved_parts(rules), *named)))


_FEWEST_OF_RUNTIME = 100
"""Of the 450 functions of HIP's runtime; tests and tracers define a few in its place."""


def _known_names(rules: RuleSet) -> re.Pattern[str]:
    """A pattern for the HIP names that rules are about, and for the parts of qualified ones."""
    every = [*_moved_parts(rules), *filter(_OF_AMD.fullmatch, sorted(rules.watched))]
    return re.compile("|".join(dict.fromkeys(every)))


def _moved_parts(rules: RuleSet) -> list[str]:
    """The names that moved in HIP, and of qualified ones each part."""
    moved = (each.name for each in rules.moves if not each.name.startswith("<"))
    return [part for name in moved for part in name.split("::")]


def _for_amd(text: str, path: str, texts: TreeTexts, rules: RuleSet) -> Iterator[str]:
    """The CUDA names to which a header gives another meaning in a branch for AMD.

    What it gives HIP's name there is HIP's, with all that differs from CUDA.
    """
    for name, value, at in macros_defined(text):
        is_known = name in rules.names or name in rules.watched
        if is_known and not _OF_AMD.fullmatch(value):
            code = texts.code(path)
            if is_in_port(code, rules, at) and not is_left_out_of_hip(code, rules, at):
                yield name


def gives_names_of_cuda(data: bytes, rules: RuleSet) -> bool:
    """Whether a header does little but give CUDA's names to what HIP has."""
    if b"__global__" in data or b"hip" not in data:
        return False
    text = data.decode("latin-1")
    macros = [(name, value) for name, value, _ in macros_defined(text) if value]
    ours = [name for name, value in macros if name in rules.names and _OF_AMD.fullmatch(value)]
    return len(ours) >= _FEWEST and 2 * len(ours) > len(macros)


_FEWEST = 3
"""From this many names on, a header is one for HIP; one or two are a makeshift in any file."""


def names_built(
    trees: Mapping[str, list[str]], tasks: Iterable[Task], texts: TreeTexts, rules: RuleSet
) -> dict[str, frozenset[str]]:
    """Tree -> the targets and variables (`${NAME}`) that its CMake files have, and the switches.

    A macro with another value than 1 may hold what depends on the GPU; one that Python defines is
    a switch where a source of the tree tests it. `trees` has the C and C++ sources of each tree.
    Also the functions that Fortran defines, the macros of headers that CMake writes, CUDA's
    names that a header for HIP declares, and those that Cython takes from such headers.
    """
    found = {root: set(_given(paths, texts, rules)) for root, paths in trees.items()}
    of_python: dict[str, set[str]] = {}
    for task in tasks:
        if not task.is_link and task.source_path.endswith(".py"):
            data = texts.read(task.source_path)
            if b"CUDA" in data:
                macros = _MACROS_OF_PYTHON.findall(data.decode("latin-1"))
                ours = of_python.setdefault(task.root_path, set())
                ours.update(one or two for one, two in macros)
    for root, names in of_python.items():
        tested = _tested(names, trees.get(root, ()), texts)
        found.setdefault(root, set()).update(tested, (f"-D{each}" for each in tested))
    for task in _builds(tasks, _BUILDS):
        text = texts.read(task.source_path).decode("latin-1")
        switches = {*_macros_of_build(text)}
        if switches:
            switches.difference_update(_WITH_VALUE.findall(text))
        variables = (f"${{{each}}}" for each in _VARIABLES.findall(text))
        own = found.setdefault(task.root_path, set())
        own.update(switches, _TARGETS.findall(text), _WRITTEN.findall(text), variables)
    for root, names in of_cython(trees, tasks, texts, rules).items():
        found.setdefault(root, set()).update(names)
    for task in _builds(tasks, ("fortran",)):
        text = texts.read(task.source_path).decode("latin-1")
        if functions := _OF_FORTRAN.findall(text):
            found.setdefault(task.root_path, set()).update(functions)
    return {root: frozenset(names) for root, names in found.items()}


def _given(paths: Iterable[str], texts: TreeTexts, rules: RuleSet) -> Iterator[str]:
    """CUDA's names that headers declare which include HIP's, or call what it has."""
    for path in paths:
        if path.endswith(rules.file_kinds.translation_units):
            continue
        data = texts.read(path)
        if b"cu" in data and any(hint in data for hint in _HINTS):
            text = data.decode("latin-1")
            if any(is_found(each, text) for each in _FOR_HIP):
                yield from filter(rules.unknown.fullmatch, names_declared(text))


def _tested(names: set[str], sources: Iterable[str], texts: TreeTexts) -> set[str]:
    """Those of the names that conditions of the preprocessor in a tree's sources have."""
    if not names:
        return set()
    shape = re.compile(
        rf"^[ \t]*#[ \t]*(?:el)?if[^\n]*?\b({'|'.join(sorted(names))})\b", re.MULTILINE
    )
    having = (path for path in sources if texts.has(path, names))
    return {name for path in having for name in shape.findall(texts.read(path).decode("latin-1"))}


def _defined_by_builds(
    tasks: Iterable[Task], roots: Iterable[str], texts: TreeTexts
) -> Iterator[tuple[str, str]]:
    """The macros that the build files of trees define for the compiler."""
    wanted = set(roots)
    for task in _builds(tasks, _BUILDS):
        if task.root_path in wanted:
            text = texts.read(task.source_path).decode("latin-1")
            for name in _macros_of_build(text):
                yield task.root_path, name
    for task in tasks:
        if task.root_path in wanted and task.source_path.endswith(".py") and not task.is_link:
            data = texts.read(task.source_path)
            if any(hint in data for hint in _OF_BRANCHES):
                for names in _RESERVED_OF_PYTHON.findall(data.decode("latin-1")):
                    yield task.root_path, "".join(names)


def _builds(tasks: Iterable[Task], kinds: tuple[str, ...]) -> Iterator[Task]:
    for task in tasks:
        if not task.is_link and is_build_file(task.source_path.rpartition("/")[2], kinds):
            yield task


def _macros_of_build(text: str) -> Iterator[str]:
    for name, several in _BUILD_MACROS.findall(text):
        yield from filter(None, (name, *_WORDS.findall(several)))


def is_own_name(task: Task, finding: Finding, rules: RuleSet) -> bool:
    """Whether a finding is about a name that the tree defines."""
    of_others = rules.finding(finding.code).of_others or finding.symbol.startswith("${")
    if of_others and finding.symbol in task.names_built:
        return True
    return bool(task.own_names) and task.own_names.issuperset(finding.symbol.split("::"))


def is_of_amd(name: str) -> bool:
    """Whether a name is one of AMD's libraries."""
    return _OF_AMD.fullmatch(name) is not None
