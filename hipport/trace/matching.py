"""Finds the kernel of a launch: first among the definitions in the sources, then in the binaries.

A match is certain where nothing else is possible: one definition that the launch's place sees
under that name, and one kernel of the binaries that the definition and the template arguments
allow. Otherwise it is likely, with a reason.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from hipport.trace.model import Certainty, Definition, Launch, Match, Name, Parameter
from hipport.trace.readable_names import ReadableName, parse_readable
from hipport.trace.trace_rules import trace_rules
from hipport.trace.type_fit import Argument, Fit, Spelling, argument, canonical

_UNKNOWN: Mapping[str, Collection[Definition]] = {}


_Candidate = tuple[str, ReadableName]
"""A kernel's mangled name, and the parts of its readable one."""


class Matcher:
    """Matches launches of a tree with the kernels of binaries."""

    def __init__(
        self,
        definitions: Iterable[Definition],
        readable: Mapping[str, str],
        aliases: Mapping[str, str],
        opened: frozenset[str] = frozenset(),
        compiled_from: Mapping[str, Collection[Definition]] = _UNKNOWN,
    ) -> None:
        """`opened` are the namespaces and names that using brings into other scopes.
        `compiled_from` are the definitions that debug information gives a kernel; they count for
        more than its name."""
        self._opened = opened
        self._aliases = aliases
        self._compiled_from = compiled_from
        self._definitions: dict[str, list[Definition]] = defaultdict(list)
        for each in definitions:
            self._definitions[each.name.last].append(each)
        self._kernels: dict[str, list[_Candidate]] = defaultdict(list)
        for kernel, text in readable.items():
            parts = parse_readable(text)
            self._kernels[parts.name.last].append((kernel, parts))
        self._of_definition: dict[int, list[_Candidate]] = {}
        self._by_arguments: dict[int, dict[tuple[Argument | None, ...], list[str]]] = {}

    def match(self, launch: Launch) -> Match:
        """The kernels that a launch can be of."""
        name = launch.name
        if name is None:
            return _none(launch, None, launch.why_unknown)
        if launch.is_symbol:
            return self._symbol(launch, name.last)
        every = self._definitions.get(name.last, [])
        seen, doubt = _visible(launch, every, self._opened)
        seen = [each for each in seen if _takes(each, launch)]
        if not seen:
            if every:
                return _none(launch, None, f"no definition of `{name.last}` fits the launch")
            return self._foreign(launch)
        groups = _signatures(seen)
        if len(groups) > 1:
            doubt = doubt or f"{len(groups)} overloads of `{name.last}` fit"
        found: dict[str, tuple[Definition, bool]] = {}
        for group in groups:
            for definition in group if self._compiled_from else group[:1]:
                for kernel, is_sure in self._instances(launch, definition):
                    found.setdefault(kernel, (self._source(group, launch, kernel), is_sure))
        definition = _nearest(groups[0], launch)
        doubt = doubt or self._doubt_of_place(groups[0], launch, found)
        if not found:
            return _none(launch, definition, _absence(definition))
        if len(found) > 1:
            doubt = doubt or f"one of {len(found)} kernels of that name"
        first, is_sure = next(iter(found.values()))
        if not doubt and not is_sure:
            doubt = "its template arguments are not known"
        certainty = Certainty.LIKELY if doubt else Certainty.CERTAIN
        return Match(launch, first, tuple(found), certainty, doubt)

    def origin(self, definition: Definition) -> list[str]:
        """The kernels of the binaries that come from a definition."""
        return [kernel for kernel, _ in self._from(definition)]

    def _symbol(self, launch: Launch, symbol: str) -> Match:
        """A kernel that is looked up by its symbol, mangled or not."""
        every = (kernel for found in self._kernels.values() for kernel, _ in found)
        found = [kernel for kernel in every if kernel == symbol]
        if not found:
            return _none(launch, None, f"no code object has a kernel `{symbol}`")
        own = [each for each in self._definitions.get(symbol, ()) if each.is_c]
        definition = own[0] if own else None
        reason = "looked up by name: the module may be another file"
        return Match(launch, definition, tuple(found), Certainty.LIKELY, reason)

    def _foreign(self, launch: Launch) -> Match:
        """A kernel whose definition is in none of the sources."""
        name = launch.name
        assert name is not None
        found = [
            kernel
            for kernel, readable in self._kernels.get(name.last, ())
            if _ends_in(_bare(readable.name.scope), name.scope)
            and launch.count in (None, len(readable.parameters or ()))
        ]
        if not found:
            return _none(launch, None, f"no source defines `{name.last}`")
        reason = f"no source defines `{name.last}`; found by its name"
        return Match(launch, None, tuple(found), Certainty.LIKELY, reason)

    def _from(self, definition: Definition) -> list[_Candidate]:
        """The kernels whose name and parameters are a definition's."""
        found = self._of_definition.get(id(definition))
        if found is None:
            spelling = Spelling(self._aliases, _names(definition.template))
            alike: dict[object, bool] = {}  # Most instances differ in their arguments.
            found = []
            for each in self._kernels.get(definition.name.last, ()):
                name, parameters = each[1]
                shape = (name.scope, name.arguments is None, parameters)
                is_alike = alike.get(shape)
                if is_alike is None:
                    is_alike = _is_named(definition, name)
                    is_alike = is_alike and _takes_types(definition, parameters, spelling)
                    alike[shape] = is_alike
                if self._is_of(each[0], definition, is_alike) if self._compiled_from else is_alike:
                    found.append(each)
            self._of_definition[id(definition)] = found
        return found

    def _is_of(self, kernel: str, definition: Definition, is_alike: bool) -> bool:
        """Whether a kernel is a definition's, by its debug information, else by its name. A
        declaration has the kernels of its name, as its definition is elsewhere."""
        known = self._compiled_from.get(kernel)
        if known is None or not definition.has_body:
            return is_alike
        return bool(_among([definition], known))

    def _source(self, group: list[Definition], launch: Launch, kernel: str) -> Definition:
        """Which definition of a function a launch's kernel comes from."""
        known = self._compiled_from.get(kernel, ())
        return _nearest(_among(group, known) or group, launch)

    def _doubt_of_place(
        self, group: list[Definition], launch: Launch, kernels: Iterable[str]
    ) -> str:
        """Why the one definition that fits may not be that of the binary's kernel."""
        files = {each.path for each in group if each.has_body}
        if len(files) < 2:
            return ""
        own = [each for each in group if each.path == launch.path]
        known = [self._compiled_from.get(kernel, ()) for kernel in kernels]
        # A launch means the definition in its own file, else the only one with code.
        is_clear = known and all(_among(own, each) or len(each) == 1 for each in known)
        return "" if is_clear else f"{len(files)} files define it"

    def _instances(self, launch: Launch, definition: Definition) -> list[tuple[str, bool]]:
        """The kernels of a definition that the launch's template arguments allow, and whether
        nothing was left open about each."""
        candidates = self._from(definition)
        if definition.template is None:
            return [(kernel, True) for kernel, _ in candidates]
        assert launch.name is not None
        given, is_whole = _arguments(definition, launch.name.arguments or ())
        spelling = Spelling(self._aliases, launch.dependent, dict(launch.values))
        exact = tuple(map(spelling.plain_argument, given)) if is_whole else (None,)
        if None not in exact and (same := self._instances_by(definition, candidates).get(exact)):
            return [(each, True) for each in same]
        found: list[tuple[str, bool]] = []
        for kernel, readable in candidates:
            actual = readable.name.arguments or ()
            fits = [spelling.argument_fit(*pair) for pair in zip(given, actual, strict=False)]
            if Fit.DIFFERENT not in fits and len(given) <= len(actual):
                is_sure = is_whole and all(fit is Fit.SAME for fit in fits)
                found.append((kernel, is_sure))
        # An exact spelling matches, whatever aliases other names may be.
        return [each for each in found if each[1]] or found

    def _instances_by(
        self, definition: Definition, candidates: list[_Candidate]
    ) -> Mapping[tuple[Argument | None, ...], list[str]]:
        """The kernels of a definition by their template arguments."""
        found = self._by_arguments.get(id(definition))
        if found is None:
            found = self._by_arguments[id(definition)] = defaultdict(list)
            for kernel, readable in candidates:
                found[tuple(map(argument, readable.name.arguments or ()))].append(kernel)
        return found


def _is_named(definition: Definition, name: Name) -> bool:
    """Whether a kernel's name is a definition's, apart from template arguments."""
    is_template = definition.template is not None
    is_same = definition.name.scope == name.scope and is_template == (name.arguments is not None)
    return definition.is_c or is_same


def _takes_types(
    definition: Definition, parameters: tuple[str, ...] | None, spelling: Spelling
) -> bool:
    """Whether a kernel's parameters, None where its name is not mangled, are a definition's."""
    if parameters is None or definition.is_c:
        return parameters is None and definition.is_c
    if not _takes_number(definition, len(parameters)):
        return False
    pairs = zip(definition.parameters, parameters, strict=False)
    return all(each.endswith("...") or spelling.type_fit(each, other) for each, other in pairs)


def _none(launch: Launch, definition: Definition | None, reason: str) -> Match:
    return Match(launch, definition, (), Certainty.NONE, reason)


def _absence(definition: Definition) -> str:
    what = "instance of it" if definition.template else "kernel of that name and parameters"
    return f"no code object has {'an' if definition.template else 'a'} {what}"


def _visible(
    launch: Launch, every: list[Definition], opened: frozenset[str]
) -> tuple[list[Definition], str]:
    """The definitions that the name means where the launch is: those of the innermost scope, and
    those that using may bring into it.

    Where none is in a scope around it, those that a using directive or an alias may bring, and
    why that is not certain ([basic.lookup])."""
    assert launch.name is not None
    scope, wanted = _bare(launch.scope), launch.name.scope
    if launch.name.is_global:
        scope = ()
    for depth in range(len(scope), -1, -1):
        place = (*scope[:depth], *wanted)
        found = [each for each in every if _bare(each.name.scope) == place]
        if found:
            found += [each for each in every if _is_opened(each, place, opened)]
            others = [] if wanted or launch.name.is_global else every
            by_type = [each for each in others if each not in found and _may_be_found(each, launch)]
            if not by_type:
                return found, ""
            name = "::".join(_bare(by_type[0].name.scope))
            return found + by_type, f"the types of its arguments may mean that of `{name}`"
    found = [each for each in every if _ends_in(_bare(each.name.scope), wanted)] or every
    reason = "its namespace is not named at the launch"
    return found, reason


def _may_be_found(definition: Definition, launch: Launch) -> bool:
    """Whether the types of a launch's arguments may bring a definition into view: functions in the
    namespaces of classes and enumerations are found by arguments of them ([basic.lookup.argdep]).
    clang 22 does not look there for `k<<<...>>>(x)`; whether nvcc does is not known."""
    if not _bare(definition.name.scope) or not _takes(definition, launch):
        return False
    builtin = trace_rules().sizes
    return any(canonical(each)[0] not in builtin for each in definition.parameters)


def _is_opened(definition: Definition, place: tuple[str, ...], opened: frozenset[str]) -> bool:
    """Whether using may bring a definition into a scope around its own ([namespace.udir])."""
    scope = _bare(definition.name.scope)
    is_inside = len(scope) > len(place) and scope[: len(place)] == place
    return is_inside and not opened.isdisjoint((scope[-1], definition.name.last))


def _takes(definition: Definition, launch: Launch) -> bool:
    """Whether a launch's arguments are as many as a definition has parameters."""
    assert launch.name is not None
    if launch.name.arguments:
        template = definition.template
        if template is None:
            return False
        if len(launch.name.arguments) > len(template) and not any(e.is_pack for e in template):
            return False
    return launch.count is None or _takes_number(definition, launch.count)


def _takes_number(definition: Definition, count: int) -> bool:
    has_pack = any("..." in each for each in definition.parameters)
    return definition.needed <= count and (has_pack or count <= len(definition.parameters))


def _signatures(definitions: list[Definition]) -> list[list[Definition]]:
    """The definitions, those of one function together; specializations with their template."""
    groups: dict[object, list[Definition]] = {}
    for each in definitions:
        if each.name.arguments is not None:
            continue
        types = tuple(map(canonical, each.parameters))
        template = None
        if each.template is not None:
            template = tuple((one.is_type, one.is_pack) for one in each.template)
        groups.setdefault((_bare(each.name.scope), types, template), []).append(each)
    return list(groups.values()) or [definitions]


def _among(group: list[Definition], known: Collection[Definition]) -> list[Definition]:
    return [each for each in group if any(each is other for other in known)]


def _nearest(group: list[Definition], launch: Launch) -> Definition:
    """The definition in the launch's own file, else one with a body, else the first."""
    return min(group, key=lambda each: (each.path != launch.path, not each.has_body))


def _arguments(definition: Definition, given: tuple[str, ...]) -> tuple[list[str], bool]:
    """The template arguments that a launch states or leaves to defaults, as far as they follow one
    another, and whether these are all."""
    found = list(given)
    template = definition.template or ()
    if any(each.is_pack for each in template):
        return found, False
    for parameter in template[len(found) :]:
        if not parameter.default or _is_deduced(parameter, definition):
            return found, False
        found.append(_with_arguments(parameter.default, template, found))
    return found, True


def _is_deduced(parameter: Parameter, definition: Definition) -> bool:
    return any(re.search(rf"\b{parameter.name}\b", each) for each in definition.parameters)


def _with_arguments(default: str, template: tuple[Parameter, ...], given: list[str]) -> str:
    """A default argument, with the parameters before it replaced."""
    values = {each.name: text for each, text in zip(template, given, strict=False)}
    return re.sub(r"[A-Za-z_]\w*", lambda match: values.get(match[0], match[0]), default)


def _names(template: tuple[Parameter, ...] | None) -> frozenset[str]:
    return frozenset(each.name for each in template or () if each.name)


def _bare(scope: tuple[str, ...]) -> tuple[str, ...]:
    """A scope without its unnamed namespaces, which names do not mention."""
    return tuple(each for each in scope if each)


def _ends_in(scope: tuple[str, ...], wanted: tuple[str, ...]) -> bool:
    return not wanted or scope[-len(wanted) :] == wanted
