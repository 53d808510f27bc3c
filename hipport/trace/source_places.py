"""Where sources define and launch the kernels of binaries, by kernel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from typing import NamedTuple

from hipport.trace.matching import Matcher
from hipport.trace.model import Definition, Launch
from hipport.trace.source_tree import Tree


class Places(NamedTuple):
    """What the sources have of one kernel."""

    definition: Definition | None
    launches: tuple[Launch, ...]
    """Those that certainly or likely run it, by file and line."""


def source_places(tree: Tree, readable: Mapping[str, str]) -> dict[str, Places]:
    """The kernels that the sources name; `readable` are all kernels, by mangled name."""
    matcher = Matcher(tree.definitions, readable, tree.aliases, tree.opened)
    definitions: dict[str, Definition] = {}
    for definition in sorted(tree.definitions, key=lambda each: not each.has_body):
        for kernel in matcher.origin(definition):
            definitions.setdefault(kernel, definition)
    launches: dict[str, list[Launch]] = defaultdict(list)
    for launch in tree.launches:
        for kernel in matcher.match(launch).kernels:
            launches[kernel].append(launch)
    return {
        kernel: Places(definitions.get(kernel), tuple(launches.get(kernel, ())))
        for kernel in {**definitions, **launches}
    }
