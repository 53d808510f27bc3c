"""One file on its way through the converter: its code, its edits, its findings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import msgspec

from hipport.model import Edit, Finding, Fix, Position, Replacement, Severity, Span
from hipport.rulebook.rules import RuleSet
from hipport.source.names.counterparts import Decisions
from hipport.source.names.hip_branches import is_left_out_of_hip
from hipport.source.names.semantics import Meanings, Semantics
from hipport.source.names.uses import Use
from hipport.source.options import Options
from hipport.source.text.edit_list import EditList
from hipport.source.text.source_text import Code
from hipport.source.text.span_set import SpanSet
from hipport.source.tree_warps import NO_WARPS, TreeWarps

if TYPE_CHECKING:
    from hipport.source.names.declared_names import Declarations
    from hipport.source.names.scanned_declarations import Attributeless

_LATER: Any = None
"""The value of a field until __post_init__ sets it."""


class Unit(msgspec.Struct):
    """A file being converted."""

    path: str
    language: str
    code: Code
    decisions: Decisions
    is_beside: Callable[[str], bool]
    """Whether a quoted include names a file of the tree."""
    in_tree: frozenset[str] = frozenset()
    """CUDA headers, and what is named like them, of which the tree has a file in some folder."""
    is_embedded: bool = False
    """Whether it is a kernel in a string, which is compiled at run time."""
    is_native: bool = False
    """Whether all of its warps are HIP's wavefronts: it is HIP already."""
    warps: TreeWarps = NO_WARPS
    """What the tree has for warps: code that uses its names for AMD was ported."""
    up: str | None = ""
    """The path from the file's folder to that of the headers of helpers; None for a text that
    has no folder."""
    runtime_first: bool = False
    """Whether headers of the tree that it includes need the runtime header before them."""
    own_api: dict[str, str] = msgspec.field(default_factory=dict)
    """Libraries whose names stay, as the tree declares them, and the header that does."""
    brought: tuple[str, ...] = ()
    """CUDA headers that it has through headers of the tree, and would not have in HIP."""
    attributeless: tuple[Attributeless, ...] = ()
    """Definitions that lack attributes which headers of the tree declare them with."""
    helpers: set[str] = msgspec.field(default_factory=set)
    """The headers of helpers whose functions edits call."""
    hints: frozenset[str] = frozenset()
    """Texts in the file that findings and rewrites look for."""
    uses: dict[str, list[Use]] = msgspec.field(default_factory=dict)
    edits: EditList = msgspec.field(default_factory=EditList)
    findings: list[Finding] = msgspec.field(default_factory=list)
    passes_over: Callable[[int], bool] | None = None
    """Whether nothing is reported at an offset but what is about ports (`in_ports`)."""
    leaves_out: Callable[[int], bool] | None = None
    """Whether no build for AMD has what is at an offset: nothing is reported there."""
    keeps_warps: Callable[[int], bool] | None = None
    """Whether conversion keeps the warps of 32 lanes at an offset."""
    changes_warps: Callable[[int], bool] | None = None
    """Whether a person has to change these warps all the same."""
    is_copy: bool = False
    """Whether the file is a copy of one of NVIDIA's: nobody ports what is in it."""
    wholes: dict[Position, Position] = msgspec.field(default_factory=dict)
    """Place of a finding about a part of a statement -> where the statement begins."""
    counts: Counter[tuple[str, bool]] = msgspec.field(default_factory=Counter)
    """(library, mapped) -> uses of its API."""
    declared: set[str] = msgspec.field(default_factory=set)
    """CUDA-looking names that this file declares itself."""
    withheld: frozenset[str] = frozenset()
    """Libraries with the policy `whole` whose names stay, because one has no counterpart."""
    scopes: dict[str, SpanSet] = msgspec.field(default_factory=dict)
    """Name -> where the file's own declarations of it reach."""
    answered: SpanSet = msgspec.field(default_factory=SpanSet)
    """Places that a rewrite has answered: no finding is reported there."""
    fixes: list[tuple[Span, str, str, list[Edit]]] = msgspec.field(default_factory=list)
    """(place of a finding, rule, safety, edits) of rewrites that are only suggested."""
    semantics: Semantics | None = None
    """What a compiler found out about the names; None where none was asked."""
    rules: RuleSet = _LATER
    options: Options = _LATER
    meanings: Meanings = _LATER
    declarations: Declarations = _LATER

    def __post_init__(self) -> None:
        # Loads the parser, which a file that nothing is to be done with does not need.
        from hipport.source.names.declared_names import Declarations

        self.rules, self.options = self.decisions.rules, self.decisions.options
        self.meanings = Meanings(self.semantics)
        self.declarations = Declarations(
            self.code,
            self.meanings,
            partial(is_left_out_of_hip, self.code, self.rules),
            self.decisions.is_type,
        )

    @property
    def contains_helpers(self) -> bool:
        """Whether the text of a header of helpers is written into the file."""
        return self.options.inline_helpers or self.up is None

    def edit(self, start: int, end: int, new: str, rule: str, *, is_known: bool = False) -> None:
        """Make an edit; `is_known` says that a compiler confirmed it."""
        evidence = "semantic" if is_known or self.meanings.confirm(start, end) else "syntax"
        self.edits.append(Edit(Span(start, end), new.encode("latin-1"), rule, evidence))

    def take_edits(self, span: Span) -> list[Edit]:
        """Remove and return the edits inside a span that is about to be moved or dropped."""
        return self.edits.take(span)

    def report(
        self,
        code: str,
        span: Span,
        symbol: str,
        words: Mapping[str, str] = MappingProxyType({}),
        *,
        severity: Severity | None = None,
        part_of: Span | None = None,
        of: int | None = None,
        may_keep: bool = True,
    ) -> None:
        """Record a finding; its texts come from rules/checks with `words` filled in.

        `of` is where the kernel is whose warps it is about, if that is elsewhere; `may_keep`
        whether what a conversion keeps at 32 lanes is among it.
        """
        start = self.code.position(span.start)
        if part_of:
            self.wholes[start] = self.code.position(part_of.start)
        if self.answered.overlap(span):
            return
        rule = self.rules.finding(code)
        passes_over = self.leaves_out if rule.in_ports else self.passes_over
        if passes_over and passes_over(span.start):
            return
        is_once = rule.once_per_converted_file and not self.rules.is_audit
        if is_once and any(each.code == code for each in self.findings):
            return
        advice = None
        is_kept = bool(may_keep and rule.kept and self.keeps_warps and self.keeps_warps(span.start))
        if is_kept and not self.rules.is_audit:
            # The conversion keeps it: only an audit, which may come before, says so.
            return
        if is_kept and self.changes_warps and self.changes_warps(of or span.start):
            is_kept = False
            severity = min(rule.severity if severity is None else severity, Severity.MANUAL)
            advice = f"{self.rules.warps.kept_at_first} {rule.suggestion}"
        if is_kept:
            severity, advice = Severity.INFO, self.rules.warps.kept
        self.findings.append(
            rule.finding(
                self.path,
                symbol.encode("latin-1").decode("utf-8", "replace"),
                start,
                self.code.position(span.end),
                words,
                severity=severity,
                advice=advice,
                fix=self._fix(span),
                is_kept=is_kept,
            )
        )

    def _fix(self, span: Span) -> Fix | None:
        """The rewrite that is suggested at the place of a finding."""
        for place, rule, safety, edits in self.fixes:
            if place.start < span.end and span.start < place.end:
                position = self.code.position
                replacements = tuple(
                    Replacement(
                        position(edit.span.start),
                        position(edit.span.end),
                        edit.new.decode("utf-8", "replace"),
                    )
                    for edit in edits
                )
                return Fix(rule, safety, replacements)
        return None

    def of(self, names: Iterable[str]) -> list[Use]:
        """The uses of any of the names, in order, without those that the file declares."""
        found = [use for name in names for use in self.uses.get(name, ())]
        return sorted((use for use in found if not self.is_own(use)), key=lambda use: use.span)

    def is_own(self, use: Use) -> bool:
        """Whether a use names something that the project, not CUDA, declares."""
        if use.is_member or use.span.start in self.meanings.own or self.is_declared(use.name):
            return True
        if use.span.start in self.meanings.vendor:
            return False
        if use.qualifier == "":
            return False
        scopes = self.scopes.get(use.name)
        return scopes is not None and scopes.overlap(use.span)

    def is_declared(self, name: str) -> bool:
        """Whether a name is of a library that the tree declares, with all its names."""
        return bool(self.own_api) and self.rules.names.get(name) in self.own_api

    @property
    def is_header(self) -> bool:
        """Whether other files may use what it defines: anything but a translation unit."""
        return not self.path.endswith(self.rules.file_kinds.translation_units)

    @property
    def newline(self) -> str:
        return self.code.newline
