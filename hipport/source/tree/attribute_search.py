"""The definitions in a file that lack attributes which a header declares them with."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath

from hipport.rulebook.rules import RuleSet
from hipport.source.names.declared_functions import DeclaredFunction, functions_named
from hipport.source.names.declared_names import Declarations
from hipport.source.names.device_declarations import Attributeless, may_define
from hipport.source.patterns.functions.missing_attributes import attributes, lacking
from hipport.source.text.tree_texts import TreeTexts


class AttributeSearch:
    """Looks for the definitions of what headers of a tree declare."""

    def __init__(self, root: str, texts: TreeTexts, rules: RuleSet) -> None:
        self._root, self._texts, self._rules = root, texts, rules
        self._functions: dict[tuple[str, str], list[DeclaredFunction]] = {}
        self._declarations: dict[str, Declarations] = {}

    def lacking(self, header: str, user: str, names: list[str]) -> Iterator[Attributeless]:
        """The definitions in a file that a header declares with attributes which they lack."""
        data, words = self._texts.read(user), self._rules.device_code
        for name in names:
            if name.encode() not in data:
                continue
            code = self._texts.code(user).code
            if not may_define(code, name):
                continue
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

    def _named(self, path: str, name: str) -> list[DeclaredFunction]:
        if (path, name) not in self._functions:
            if path not in self._declarations:
                self._declarations[path] = Declarations(self._texts.code(path))
            self._functions[path, name] = functions_named(self._declarations[path], name)
        return self._functions[path, name]


def _may_be(definition: DeclaredFunction, declared: DeclaredFunction) -> bool:
    """Whether a member may be the declared one, its namespace being used."""
    path = definition.path
    is_member = len(path) > 0 and declared.path[-len(path) :] == path
    return is_member and len(declared.signature.types) == len(definition.signature.types)
