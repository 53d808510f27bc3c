"""Renames namespaces of libraries, such as `cub`."""

from __future__ import annotations

from hipport.source.names.qualified_names import is_namespace
from hipport.source.names.uses import Use
from hipport.source.source_file import Unit
from hipport.source.text.brackets import skip, word_before


def is_namespace_of_library(unit: Unit, use: Use) -> bool:
    """Whether a library has the namespace: in `thrust::cuda`, whatever else is called `cuda`."""
    if not unit.is_own(use):
        return True
    outer = use.qualifier.partition("::")[0] if use.qualifier else ""
    if not outer or outer in unit.declared or use.span.start in unit.meanings.own:
        return False
    text = unit.code.code
    uses = unit.uses.get(outer, ())
    return bool(uses) and not any(text.startswith("{", skip(text, each.span.end)) for each in uses)


def rename_namespace(unit: Unit, use: Use) -> None:
    """Give a namespace of CUDA's libraries its name in HIP, where it is used or opened."""
    full = f"{use.qualifier}::{use.name}" if use.qualifier else use.name
    is_known = full in unit.rules.namespaces[use.name]
    if not is_known or not (is_namespace(unit.code.code, use.span) or _is_definition(unit, use)):
        return
    rule = unit.rules.api(full)
    assert rule is not None
    policy = unit.rules.libraries[rule.library].policy
    if policy == "report" or rule.status != "supported":
        return
    unit.counts[rule.library, True] += 1
    new = rule.hip.rpartition("::")[2]
    if new != use.name:
        unit.edit(use.span.start, use.span.end, new, f"api:{full}")


def _is_definition(unit: Unit, use: Use) -> bool:
    """Whether this is `namespace cub {`."""
    text = unit.code.code
    is_opened = text.startswith("{", skip(text, use.span.end))
    return is_opened and text[slice(*word_before(text, use.span.start))] == "namespace"
