"""Reads the sources of a tree: kernels, launches, and what names mean in them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from hipport.lazy_regex import regex
from hipport.rulebook.rules import RuleSet
from hipport.source.names.constants import every_definition
from hipport.source.text.brackets import occurrences
from hipport.source.text.source_text import Code
from hipport.trace.macros import Macro, expand, macros_in, that_reach
from hipport.trace.model import Definition, Launch
from hipport.trace.scopes import blocks_of
from hipport.trace.source_kernels import kernels_in
from hipport.trace.source_launches import launches_in
from hipport.trace.trace_rules import trace_rules
from hipport.trace.type_aliases import agreed, aliases_in

_MOST_KEPT = 8 << 20
"""Bytes of source texts that are kept until they are read again."""
_CHEVRONS = ("<<<", "<< <")
_USING = regex(r"\busing\s+(?:namespace\s+)?[\w:\s]*?(\w+)\s*;")


class Tree(msgspec.Struct):
    """The kernels, launches, and names in the sources of a tree."""

    definitions: list[Definition] = msgspec.field(default_factory=list)
    launches: list[Launch] = msgspec.field(default_factory=list)
    aliases: dict[str, str] = msgspec.field(default_factory=dict)
    """Name of a type -> what it stands for, where the tree agrees on it."""
    mentioned: frozenset[str] = frozenset()
    """The names of kernels that are elsewhere than where they are defined or launched."""
    opened: frozenset[str] = frozenset()
    """The last parts of what using directives and using declarations bring into other scopes."""


def read_tree(files: Iterable[tuple[str, bytes]], rules: RuleSet) -> Tree:
    """The kernels and launches of C and C++ files, given by path and content."""
    seen = list(files)
    codes: dict[str, Code] = {}
    kept = 0
    constants: dict[str, set[str]] = {}
    macros: dict[str, Macro] = {}
    opened: set[str] = set()
    aliases: list[tuple[str, str]] = []
    words = (*_CHEVRONS, rules.lanes.kernel, *trace_rules().calls)
    for path, data in seen:
        is_unit = path.endswith(rules.file_kinds.translation_units)
        if is_unit and not any(each.encode() in data for each in words):
            continue  # Its definitions are used only there.
        code = Code(data)
        if kept + len(data) <= _MOST_KEPT:
            kept += len(data)
            codes[path] = code
        aliases += aliases_in(code)
        if code.mentions(("using",)):
            opened.update(match[1] for match in _USING.finditer(code.code))
        for macro in macros_in(code):
            macros.setdefault(macro.name, macro)
        if not is_unit:
            for name, texts in _shared_constants(code).items():
                constants.setdefault(name, set()).update(texts)
    macros = that_reach(macros, words)
    shared = {name: sorted(texts) for name, texts in constants.items()}
    tree = Tree(aliases=agreed(aliases), opened=frozenset(opened))
    for path, data in seen:
        code = codes.pop(path) if path in codes else Code(data)
        code.constants = shared
        if code.mentions((*words, *macros)):
            own = {**macros, **that_reach({m.name: m for m in macros_in(code)}, (*words, *macros))}
            file = expand(code, own)
            tree.definitions += kernels_in(file, path, rules)
            tree.launches += launches_in(file, path, rules)
    tree.mentioned = _mentioned(tree, seen)
    return tree


def _mentioned(tree: Tree, files: list[tuple[str, bytes]]) -> frozenset[str]:
    """The names of kernels that nothing launches by name, but that are mentioned: as a pointer,
    an argument of a macro, or in a string."""
    defined = Counter(each.name.last for each in tree.definitions)
    for each in tree.launches:
        if each.name:
            defined.pop(each.name.last, None)
    found: Counter[str] = Counter()
    for _, data in files if defined else ():
        code = Code(data)
        for name in defined:
            if code.mentions((name,)):
                found[name] += sum(1 for _ in occurrences(code.uncommented, name))
    return frozenset(name for name, number in defined.items() if found[name] > number)


def _shared_constants(code: Code) -> dict[str, list[str]]:
    """The constants of a header that other files see by their name: those of classes are not."""
    blocks = blocks_of(code)
    return {
        name: [
            each.text
            for each in every
            if code.directive_at(each.offset)
            or all(
                around.kind not in ("class", "function")
                for around in blocks.place(each.offset).blocks
            )
        ]
        for name, every in every_definition(code).items()
    }
