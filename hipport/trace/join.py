"""Joins what sources say with what binaries hold."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from hipport.trace.binary_kernels import BinaryKernels, without_suffix
from hipport.trace.exact_names import NO_NAMES, ExactNames
from hipport.trace.matching import Matcher
from hipport.trace.model import Certainty, Match, Trace
from hipport.trace.source_tree import Tree


def wanted_names(tree: Tree) -> frozenset[str]:
    """The last parts of the names of kernels that the sources define or launch."""
    defined = {each.name.last for each in tree.definitions}
    return frozenset(defined | {each.name.last for each in tree.launches if each.name})


def _doubted(match: Match, binaries: BinaryKernels) -> Match:
    """The match, likely at most where code objects for one target have different kernels of the
    name: those of unnamed namespaces in several files are called alike."""
    if match.certainty is not Certainty.CERTAIN:
        return match
    seen: dict[str, dict[str, int | None]] = {}
    for each in binaries.named[match.kernels[0]]:
        if seen.setdefault(each.target, each.resources) != each.resources:
            reason = f"code objects for {each.target} have different kernels of that name"
            return replace(match, certainty=Certainty.LIKELY, reason=reason)
    return match


def _exact(match: Match, names: tuple[str, ...], suffixed: dict[str, list[str]]) -> Match:
    """The match with the kernels of these mangled names, which the compiler gave."""
    if not names:
        return match
    kernels = tuple(kernel for name in names for kernel in suffixed.get(name, ()))
    if not kernels:
        reason = f"no code object has `{names[0]}`, which libclang says it names"
        return replace(match, kernels=(), certainty=Certainty.NONE, reason=reason)
    number = max(len(names), len(kernels))
    doubt = f"one of {number} kernels that libclang says it names" if number > 1 else ""
    certainty = Certainty.LIKELY if doubt else Certainty.CERTAIN
    return replace(match, kernels=kernels, certainty=certainty, reason=doubt)


def join(
    tree: Tree,
    binaries: BinaryKernels,
    targets: Iterable[str] = (),
    exact: ExactNames = NO_NAMES,
) -> Trace:
    """One match for each launch, and where every kernel comes from.

    `targets` are the devices that code is wanted for; by default those that some code is for.
    `exact` is what libclang says about launches, which counts for more than their names.
    """
    readable = binaries.readable()
    matcher = Matcher(tree.definitions, readable, tree.aliases)
    suffixed: dict[str, list[str]] = defaultdict(list)
    for kernel in binaries.named:
        suffixed[without_suffix(kernel)].append(kernel)
    matches = (_exact(matcher.match(each), exact.of(each), suffixed) for each in tree.launches)
    trace = Trace(
        definitions=tree.definitions,
        mentioned=tree.mentioned,
        matches=[_doubted(match, binaries) for match in matches],
        kernels=binaries.named,
        readable=readable,
        others=dict(binaries.others),
        targets=tuple(targets) or tuple(binaries.targets),
    )
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
