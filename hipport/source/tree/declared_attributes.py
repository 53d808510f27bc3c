"""Which files define functions without the attributes that headers of their tree declare them with.

nvcc takes them from the declaration; clang does not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath

from hipport.graph import reached, turned
from hipport.rulebook.rules import RuleSet
from hipport.source.names.declared_functions import (
    Attributeless,
    DeclaredFunction,
    functions_named,
)
from hipport.source.names.declared_names import Declarations
from hipport.source.patterns.functions.missing_attributes import (
    attributes,
    declared_names,
    lacking,
)
from hipport.source.text.brackets import occurrences, skip
from hipport.source.text.include_graph import included_headers
from hipport.source.text.tree_texts import TreeTexts
from hipport.source.tree.file_task import language_of

_BEFORE_NAMES = ":*&>~"


def missing_attributes(
    files: Iterable[tuple[Path, Path]], texts: TreeTexts, rules: RuleSet
) -> dict[str, tuple[Attributeless, ...]]:
    """File -> the definitions in it that lack attributes.

    `files` are the C and C++ sources, each after its tree; what is found are POSIX paths.
    """
    trees: dict[Path, list[str]] = {}
    for root, path in files:
        trees.setdefault(root, []).append(path.as_posix())
    found: dict[str, tuple[Attributeless, ...]] = {}
    for root, paths in trees.items():
        search = _Search(root.as_posix(), texts, rules)
        declaring = {path: names for path in paths if (names := search.declared(path))}
        users = turned(included_headers(paths, texts)) if declaring else {}
        for header, names in declaring.items():
            for user in sorted(reached(users, (header,)) - {header}):
                if search.is_for_devices(user):
                    more = tuple(search.lacking(header, user, names))
                    found[user] = (
                        _joined(found.get(user, ()), more) if more else found.get(user, ())
                    )
    return {path: each for path, each in found.items() if each}


def _joined(
    found: tuple[Attributeless, ...], more: tuple[Attributeless, ...]
) -> tuple[Attributeless, ...]:
    """One answer a definition: that of a header that certainly means it, else the first."""
    every: dict[int, Attributeless] = {}
    for each in (*found, *more):
        if each.start not in every or (each.words and not every[each.start].words):
            every[each.start] = each
    return tuple(every[start] for start in sorted(every))


class _Search:
    """Looks for the definitions of what headers of a tree declare."""

    def __init__(self, root: str, texts: TreeTexts, rules: RuleSet) -> None:
        self._root, self._texts, self._rules = root, texts, rules
        self._functions: dict[tuple[str, str], list[DeclaredFunction]] = {}
        self._declarations: dict[str, Declarations] = {}

    def declared(self, path: str) -> list[str]:
        """The names that a header declares for devices."""
        words, data = self._rules.device_code, self._texts.read(path)
        if path.endswith(self._rules.file_kinds.translation_units):
            return []
        if not any(each.encode() in data for each in words.function_keywords):
            return []
        # First with comments, as most headers have none such at all.
        if not declared_names(data.decode("latin-1"), words):
            return []
        return declared_names(self._texts.code(path).code, words)

    def is_for_devices(self, path: str) -> bool:
        """Whether a compiler for devices reads a file: a CUDA file, or any header."""
        is_unit = path.endswith(self._rules.file_kinds.translation_units)
        return not is_unit or language_of(path.rpartition("/")[2]) == "cuda"

    def lacking(self, header: str, user: str, names: list[str]) -> Iterator[Attributeless]:
        """The definitions in a file that a header declares with attributes which they lack."""
        data, words = self._texts.read(user), self._rules.device_code
        for name in names:
            if name.encode() not in data or not self._may_define(user, name):
                continue
            code = self._texts.code(user).code
            functions = self._named(user, name)
            declared = self._named(header, name)
            own = {each.signature for each in functions if not each.is_definition}
            for each in functions:
                found = attributes(code, each, words)
                if each.is_definition and each.signature not in own:
                    yield from self._judged(header, each, found, declared)

    def _judged(
        self,
        header: str,
        definition: DeclaredFunction,
        found: frozenset[str],
        declared: list[DeclaredFunction],
    ) -> Iterator[Attributeless]:
        words, code = self._rules.device_code, self._texts.code(header).code
        types = definition.signature.types
        same = [each for each in declared if each.path == definition.path]
        exact = [each for each in same if each.signature.types == types]
        wanted = {attributes(code, each, words) for each in exact}
        new = lacking(found, wanted, words)
        near = [each for each in same if len(each.signature.types) == len(types)]
        if not same and definition.signature.owner:
            near = [each for each in declared if _may_be(definition, each)]
        is_near = any(lacking(found, {attributes(code, each, words)}, words) for each in near)
        if new or (not exact and is_near) or (len(wanted) > 1 and is_near):
            place = str(PurePosixPath(header).relative_to(self._root))
            yield Attributeless(definition.name, definition.start, new, place)

    def _may_define(self, path: str, name: str) -> bool:
        """Whether a name comes before parentheses and a body, as in no call."""
        code = self._texts.code(path).code
        for at in occurrences(code, name):
            before = code[:at].rstrip()[-1:] if at < 256 else code[at - 256 : at].rstrip()[-1:]
            if not (before.isalnum() or before in (*_BEFORE_NAMES, "_")):
                continue
            opened = skip(code, at + len(name))
            closed = code.find(")", opened)
            if (
                code.startswith("(", opened)
                and "{" in code[closed : closed + 256].partition(";")[0]
            ):
                return True
        return False

    def _named(self, path: str, name: str) -> list[DeclaredFunction]:
        if (path, name) not in self._functions:
            if path not in self._declarations:
                self._declarations[path] = Declarations(self._texts.code(path))
            found = functions_named(self._declarations[path], name)
            self._functions[path, name] = list(found)
        return self._functions[path, name]


def _may_be(definition: DeclaredFunction, declared: DeclaredFunction) -> bool:
    """Whether a member may be the declared one, its namespace being used."""
    path = definition.path
    is_member = len(path) > 0 and declared.path[-len(path) :] == path
    return is_member and len(declared.signature.types) == len(definition.signature.types)
