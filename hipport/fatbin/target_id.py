"""Entry IDs and target IDs, as clang's offload bundler and the AMDGPU usage guide define them."""

from __future__ import annotations

from hipport.lazy_regex import regex
from hipport.named_tuples import NamedTuple

# LLVM, AMDGPUUsage, "Target ID": processor (":" feature ("+" | "-"))*. A generic processor's
# name contains dashes, so the ID is found from its start and never by counting fields.
_TARGET = regex(
    r"(?:^|-)((?:gfx[0-9][0-9a-z]*(?:-[0-9]+)*(?:-generic)?|amdgcnspirv|sm_[0-9]+[a-z]?|generic)"
    r"(?::[A-Za-z0-9_]+[+-])*)$"
)
_SUFFIX = {True: "+", False: "-"}
SPIRV = "amdgcnspirv"
"""The processor of SPIR-V, which the runtime compiles for any device."""


class TargetId(NamedTuple):
    """A processor with its two features; None means "any" or "not supported"."""

    processor: str
    xnack: bool | None = None
    sramecc: bool | None = None

    def __str__(self) -> str:
        text = self.processor
        if self.sramecc is not None:
            text += f":sramecc{_SUFFIX[self.sramecc]}"
        if self.xnack is not None:
            text += f":xnack{_SUFFIX[self.xnack]}"
        return text


def parse_target(text: str) -> TargetId:
    """The target ID of that text, for instance `gfx90a:sramecc+:xnack-`; unknown features
    stay part of the processor's name, so that nothing is taken for something it is not."""
    processor, *features = text.split(":")
    known: dict[str, bool] = {}
    for feature in features:
        name, sign = feature[:-1], feature[-1:]
        if name not in ("xnack", "sramecc") or sign not in ("+", "-") or name in known:
            processor += f":{feature}"
        else:
            known[name] = sign == "+"
    return TargetId(processor, known.get("xnack"), known.get("sramecc"))


class EntryId(NamedTuple):
    """A bundle entry's ID taken apart: offload kind, triple, target ID."""

    kind: str
    triple: str
    target: TargetId | None


def parse_entry_id(text: str) -> EntryId:
    """`<kind>-<triple>[-<target id>]`, with the triple of three or of four fields."""
    kind, _, rest = text.partition("-")
    match = _TARGET.search(rest)
    if match is None or kind == "host":
        return EntryId(kind, rest.rstrip("-"), None)
    return EntryId(kind, rest[: match.start()].rstrip("-"), parse_target(match.group(1)))
