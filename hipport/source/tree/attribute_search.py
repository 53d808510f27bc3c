"""The definitions in a file that lack attributes which a header declares them with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import PurePosixPath

from hipport.rulebook.rules import RuleSet
from hipport.source.names.declared_functions import DeclaredFunction, functions_named
from hipport.source.names.declared_names import Declarations
from hipport.source.names.scanned_declarations import (
    FEW,
    Attributeless,
    defined_in,
    is_before_parentheses,
)
from hipport.source.patterns.functions.missing_attributes import attributes, lacking
from hipport.source.text.source_text import Code
from hipport.source.text.tree_texts import TreeTexts


class AttributeSearch:
    """Looks for the definitions of what headers of a tree declare.

    `macros` are the names that headers of the tree give to attributes.
    """

    def __init__(self, root: str, texts: TreeTexts, rules: RuleSet, macros: frozenset[str]) -> None:
        self._root, self._texts, self._rules, self._macros = root, texts, rules, macros
        self._declarations: dict[str, Declarations] = {}

    def defined(self, path: str, names: frozenset[str]) -> set[str]:
        """Those of the names that a file may define functions of."""
        data = self._texts.read(path)
        if len(names) > FEW:
            words = Code(data).words
            called = [name for name in names if name in words or not name.isidentifier()]
        else:
            # First with comments, as most files only mention them.
            present = [name for name in names if name.encode() in data]
            text = data.decode("latin-1") if present else ""
            called = [name for name in present if is_before_parentheses(text, name)]
        return defined_in(self._texts.code(path).code, called) if called else set()

    def lacking(self, header: str, user: str, names: list[str]) -> Iterator[Attributeless]:
        """The definitions in a file that a header declares with attributes which they lack."""
        code = self._texts.code(user).code if names else ""
        for name in names:
            functions = self._named(user, name)
            declared = self._named(header, name)
            own = {each.signature for each in functions if not each.is_definition}
            for each in functions:
                found = self._attributes(code, each)
                if each.is_definition and each.signature not in own:
                    yield from self._judged(header, each, found, declared)

    def lacking_macros(self, path: str, names: list[str]) -> Iterator[Attributeless]:
        """The definitions in a file that it declares itself with macros which they lack."""
        code = self._texts.code(path).code if names else ""
        words = self._rules.device_code
        for name in names:
            functions = self._named(path, name)
            for each in (function for function in functions if function.is_definition):
                same = [f for f in functions if f.signature == each.signature and f != each]
                wanted = {self._attributes(code, f) for f in same if not f.is_definition}
                if all(declared <= self._macros for declared in wanted):
                    found = self._attributes(code, each)
                    new = lacking(found, wanted, words, self._macros)
                    if new:
                        yield Attributeless(each.name, each.start, new, "")

    def _attributes(self, code: str, function: DeclaredFunction) -> frozenset[str]:
        return attributes(code, function, self._rules.device_code, self._macros)

    def _judged(
        self,
        header: str,
        definition: DeclaredFunction,
        found: frozenset[str],
        declared: tuple[DeclaredFunction, ...],
    ) -> Iterator[Attributeless]:
        words, code = self._rules.device_code, self._texts.code(header).code
        types = definition.signature.types
        same = [each for each in declared if each.path == definition.path]
        exact = [each for each in same if each.signature.types == types]
        wanted = {self._attributes(code, each) for each in exact}
        new = lacking(found, wanted, words, self._macros)
        near = [each for each in same if len(each.signature.types) == len(types)]
        if not same and definition.signature.owner:
            near = [each for each in declared if _may_be(definition, each)]
        is_near = any(
            lacking(found, {self._attributes(code, each)}, words, self._macros) for each in near
        )
        if new or (not exact and is_near) or (len(wanted) > 1 and is_near):
            place = str(PurePosixPath(header).relative_to(self._root))
            yield Attributeless(definition.name, definition.start, new, place)

    def _named(self, path: str, name: str) -> tuple[DeclaredFunction, ...]:
        if path not in self._declarations:
            self._declarations[path] = Declarations(self._without_macros(path))
        return functions_named(self._declarations[path], name)

    def _without_macros(self, path: str) -> Code:
        """A text as the parser reads it best: to it the macros are types."""
        code = self._texts.code(path)
        if not self._macros:
            return code
        shape = rf"\b(?:{'|'.join(sorted(self._macros))})\b"
        data = code.data
        if not re.search(shape.encode(), data):
            return code
        return Code(re.sub(shape.encode(), lambda match: b" " * len(match[0]), data))


def _may_be(definition: DeclaredFunction, declared: DeclaredFunction) -> bool:
    """Whether a member may be the declared one, its namespace being used."""
    path = definition.path
    is_member = len(path) > 0 and declared.path[-len(path) :] == path
    return is_member and len(declared.signature.types) == len(definition.signature.types)
