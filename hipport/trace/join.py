"""Joins the launches in sources with the kernels in binaries."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from msgspec.structs import replace

from hipport.trace.binary_kernels import BinaryKernels, demangle_whole, without_suffix
from hipport.trace.compiled_lines import compiled_from, definitions_by_name
from hipport.trace.exact_names import NO_NAMES, ExactNames, Reference
from hipport.trace.matching import Matcher
from hipport.trace.model import Certainty, Definition, Match, Trace
from hipport.trace.source_tree import Tree


def wanted_names(tree: Tree) -> frozenset[str]:
    """The last parts of the names of kernels that the sources define or launch."""
    defined = {each.name.last for each in tree.definitions}
    return frozenset(defined | {each.name.last for each in tree.launches if each.name})


def _doubted(match: Match, trace: Trace) -> Match:
    """The match, at most likely where code objects for one target have different kernels of the
    name, and no debug information to distinguish them: those of unnamed namespaces in several
    files share a name."""
    if match.certainty is not Certainty.CERTAIN:
        return match
    seen: dict[str, dict[str, int | None]] = {}
    for each in trace.of_launch(match, match.kernels[0]):
        if seen.setdefault(each.target, each.resources) != each.resources:
            reason = f"code objects for {each.target} have different kernels of that name"
            return replace(match, certainty=Certainty.LIKELY, reason=reason)
    return match


def _exact(
    match: Match,
    references: tuple[Reference, ...],
    suffixed: dict[str, list[str]],
    compiled: dict[str, list[Definition]],
) -> Match:
    """The match with the kernels of these mangled names, which the compiler gave."""
    if not references:
        return match
    names = dict.fromkeys(each.kernel for each in references)
    kernels = tuple(kernel for name in names for kernel in suffixed.get(name, ()))
    if not kernels:
        reason = f"no code object has `{references[0].kernel}`, which libclang says it names"
        if references[0].is_cuda and match.kernels:
            # The kernels of a port may take HIP's types.
            reason += " in CUDA; found by its name"
            return replace(match, certainty=Certainty.LIKELY, reason=reason)
        return replace(match, kernels=(), certainty=Certainty.NONE, reason=reason)
    sources = {id(each): each for name in kernels for each in compiled.get(name, ())}
    definition = next(iter(sources.values())) if len(sources) == 1 else match.definition
    number = max(len(names), len(kernels))
    doubt = f"one of {number} kernels that libclang says it names" if number > 1 else ""
    certainty = Certainty.LIKELY if doubt else Certainty.CERTAIN
    return Match(match.launch, definition, kernels, certainty, doubt)


def _by_bare_name(
    tree: Tree, exact: ExactNames, binaries: BinaryKernels, readable: dict[str, str]
) -> dict[str, list[str]]:
    """Mangled name as libclang has it -> the kernels of that name, with a suffix or without, and
    those of one file alone, whose names nvcc mangles in its own way."""
    suffixed: dict[str, list[str]] = defaultdict(list)
    for kernel in binaries.named:
        suffixed[without_suffix(kernel)].append(kernel)
    asked = {each.kernel for launch in tree.launches for each in exact.of(launch) if each.is_cuda}
    by_readable: dict[str, list[str]] = defaultdict(list)
    for name, kernels in binaries.named.items() if asked else ():
        if any(each.is_nvidia for each in kernels):
            by_readable[readable.get(name, name)].append(name)
    for name, text in demangle_whole(sorted(asked - suffixed.keys())).items():
        suffixed[name] += by_readable.get(text, ())
    return suffixed


def _elsewhere(match: Match, trace: Trace) -> Match:
    """The match, at most likely where the compiler saw its kernel in another place than these
    sources have it."""
    if match.certainty is not Certainty.CERTAIN or match.definition is None:
        return match
    for each in trace.of_launch(match, match.kernels[0]):
        if each.declared and id(each) not in trace.compiled_from:
            place = f"{each.declared.path}:{each.declared.line}"
            reason = f"it was compiled from {place}, where these sources do not have it"
            return replace(match, certainty=Certainty.LIKELY, reason=reason)
    return match


def join(
    tree: Tree,
    binaries: BinaryKernels,
    targets: Iterable[str] = (),
    exact: ExactNames = NO_NAMES,
) -> Trace:
    """One match for each launch, and where every kernel comes from.

    `targets` are the devices to check; by default those that some code is for.
    `exact` is what libclang found about launches, which outweighs their names.
    """
    readable = binaries.readable()
    sources = compiled_from(tree.definitions, binaries.named)
    compiled = definitions_by_name(binaries.named, sources)
    matcher = Matcher(tree.definitions, readable, tree.aliases, tree.opened, compiled)
    matches = [matcher.match(each) for each in tree.launches]
    if exact is not NO_NAMES:
        suffixed = _by_bare_name(tree, exact, binaries, readable)
        matches = [_exact(each, exact.of(each.launch), suffixed, compiled) for each in matches]
    trace = Trace(
        definitions=tree.definitions,
        mentioned=tree.mentioned,
        kernels=binaries.named,
        readable=readable,
        others=dict(binaries.others),
        targets=tuple(targets) or tuple(binaries.targets),
        compiled_from=sources,
    )
    trace.matches = [_doubted(_elsewhere(match, trace), trace) for match in matches]
    for definition in sorted(tree.definitions, key=lambda each: each.has_body, reverse=True):
        for kernel in matcher.origin(definition):
            trace.origins.setdefault(kernel, definition)
    for match in trace.matches:
        for kernel in match.kernels:
            if match.definition is not None:
                trace.origins.setdefault(kernel, match.definition)
    launched = {kernel for match in trace.matches for kernel in match.kernels}
    for name, kernels in binaries.named.items():
        if name not in trace.origins and name not in launched:
            trace.others[name] = tuple(dict.fromkeys(each.target for each in kernels))
    return trace
