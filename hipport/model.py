"""The nouns that pass between the parts."""

from __future__ import annotations

import enum
from typing import TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace

from hipport.named_tuples import NamedTuple
from hipport.spool import Spool

_Record = TypeVar("_Record")
Records: TypeAlias = "list[_Record] | Spool[_Record]"
"""Any number of them: those of a large tree are kept on disk."""


class Severity(enum.IntEnum):
    """How much work a finding means: from nothing to do, to no way forward."""

    INFO = 0
    REVIEW = 1
    MANUAL = 2
    BLOCKER = 3

    @property
    def word(self) -> str:
        return self.name.lower()

    @classmethod
    def parse(cls, word: str) -> Severity:
        """The severity of that name; raises KeyError for any other word."""
        return cls[word.upper()]


class Span(NamedTuple):
    """Half-open range of byte offsets in a file."""

    start: int
    end: int


class Position(NamedTuple):
    """1-based line and column; the column counts characters, not bytes."""

    line: int
    column: int


NOWHERE = Position(0, 0)


class Edit(msgspec.Struct, frozen=True):
    """Replace the bytes of a span. `rule` names the fact that justifies it."""

    span: Span
    new: bytes
    rule: str
    evidence: str = "syntax"
    """What the edit rests on: `syntax`, or `semantic` where a compiler confirmed it."""


class Replacement(NamedTuple):
    """What a stretch of the input would become; positions as in findings."""

    start: Position
    end: Position
    text: str


class Fix(NamedTuple):
    """What would answer a finding, made on request only. `safety` is `safe` or `unsafe`."""

    rule: str
    safety: str
    replacements: tuple[Replacement, ...]


class Finding(msgspec.Struct, frozen=True):
    """One thing a person must know. Text findings have positions, binary ones an offset."""

    code: str
    severity: Severity
    message: str
    suggestion: str
    symbol: str
    path: str
    start: Position = NOWHERE
    end: Position = NOWHERE
    offset: int | None = None
    fix: Fix | None = None
    fixed_by: str = ""
    """The command of hipport that does it, `convert`; "" where a person is needed."""
    more: tuple[Finding, ...] = ()
    """The same at further places, which one decision answers; each is without such itself."""

    @property
    def places(self) -> tuple[Finding, ...]:
        """The finding at each of its places, the first place first."""
        return (replace(self, more=()), *self.more) if self.more else (self,)

    @property
    def needs_person(self) -> bool:
        """Whether somebody has to do something, or at least look."""
        return self.severity > Severity.INFO and not self.fixed_by

    @property
    def asks(self) -> bool:
        """Whether a person or a conversion has to do something about it."""
        return self.needs_person or bool(self.fixed_by)


class Explanation(msgspec.Struct, frozen=True):
    """Why an edit was made. `places` are lines of the rulebook, `proof` headers that have the name.

    `versions` holds those of CUDA and HIP in which the name came, was deprecated and went.
    """

    path: str
    start: Position
    end: Position
    old: str
    new: str
    rule: str
    evidence: str
    places: tuple[str, ...] = ()
    source: str = ""
    why: str = ""
    proof: str = ""
    versions: dict[str, str] = msgspec.field(default_factory=dict)


class FileReport(msgspec.Struct):
    """What happened to one file. `output` is empty when nothing was written."""

    path: str
    language: str
    status: str
    output: str = ""
    edits: int = 0
    reason: str = ""
    """Why it was skipped though it should have been read, or what of it was not understood."""
    verification: str = ""
    """Whether a compiler takes the result: `verified`, `rejected`, `unchecked` or `failed`; "" for
    a file that is not a unit, or if nobody asked."""


class Report(msgspec.Struct):
    """The result of one command over many files."""

    command: str
    files: Records[FileReport] = msgspec.field(default_factory=list)
    findings: Records[Finding] = msgspec.field(default_factory=list)
    """By file: those of one are together."""
    uses: dict[str, tuple[int, int]] = msgspec.field(default_factory=dict)
    """Library -> (API uses mapped, API uses seen)."""
    seconds: float = 0.0
    edits: Records[Explanation] = msgspec.field(default_factory=list)
    """Only where explanations were asked for."""
    options: dict[str, str] = msgspec.field(default_factory=dict)
    """What verdicts depend on: `rocm`, `targets`."""
    notes: int = 0
    """How many findings were left out because they say that nothing changes."""
    causes: dict[str, int] = msgspec.field(default_factory=dict)
    """What a compiler's errors come from, and how many: those of most errors first."""
