"""Where sources define and launch the kernels of binaries, by kernel."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from hipport.named_tuples import NamedTuple
from hipport.trace.compiled_lines import compiled_from, definitions_by_name
from hipport.trace.matching import Matcher
from hipport.trace.model import BinaryKernel, Definition, Launch
from hipport.trace.source_tree import Tree


class Places(NamedTuple):
    """The places in the sources for one kernel."""

    definition: Definition | None
    launches: tuple[Launch, ...]
    """The launches that certainly or likely run it, by file and line."""
    elsewhere: str = ""
    """`path:line` where debug information declares it and these sources do not."""


class SourcePlaces:
    """The places in the sources for the kernels of several code objects."""

    def __init__(
        self, tree: Tree, readable: Mapping[str, str], declared: Iterable[BinaryKernel] = ()
    ) -> None:
        """`readable` are all kernels by mangled name, `declared` those of them with debug
        information, which counts for more than their names."""
        named: dict[str, list[BinaryKernel]] = defaultdict(list)
        for kernel in declared:
            named[kernel.name].append(kernel)
        sources = compiled_from(tree.definitions, named)
        compiled = definitions_by_name(named, sources)
        matcher = Matcher(tree.definitions, readable, tree.aliases, tree.opened, compiled)
        definitions: dict[str, Definition] = {}
        for definition in sorted(tree.definitions, key=lambda each: not each.has_body):
            for name in matcher.origin(definition):
                definitions.setdefault(name, definition)
        launches: dict[str, list[tuple[Definition | None, Launch]]] = defaultdict(list)
        for launch in tree.launches:
            match = matcher.match(launch)
            for name in match.kernels:
                launches[name].append((match.definition, launch))
        self._by_name = {
            name: Places(definitions.get(name), tuple(each for _, each in launches.get(name, ())))
            for name in {**definitions, **launches}
        }
        self._declared = {
            _place(kernel): _declared_places(
                kernel,
                sources.get(id(kernel)),
                compiled.get(kernel.name, ()),
                launches.get(kernel.name, ()),
            )
            for every in named.values()
            for kernel in every
        }

    def of(self, name: str, path: str, bundle: int, target: str) -> Places | None:
        """The places in the sources for a kernel; None if there are none."""
        return self._declared.get((name, path, bundle, target)) or self._by_name.get(name)


def _place(kernel: BinaryKernel) -> tuple[str, str, int, str]:
    return kernel.name, kernel.path, kernel.bundle, kernel.target


def _declared_places(
    kernel: BinaryKernel,
    definition: Definition | None,
    compiled: Iterable[Definition],
    launches: Iterable[tuple[Definition | None, Launch]],
) -> Places:
    """The places of a kernel whose line is known: only launches of its definition."""
    place = kernel.declared
    if definition is None and place is not None:
        # A launch of another kernel's definition with the same name does not launch this one.
        others = {id(each) for each in compiled}
        own = tuple(launch for known, launch in launches if id(known) not in others)
        return Places(None, own, f"{place.path}:{place.line}")
    own = tuple(launch for known, launch in launches if known is None or known is definition)
    return Places(definition, own)
