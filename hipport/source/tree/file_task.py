"""A file of a tree to handle, and what became of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from hipport.model import Explanation, FileReport, Finding
from hipport.rulebook.load import load
from hipport.source.names.device_declarations import Attributeless
from hipport.source.names.semantics import Semantics
from hipport.source.tree_warps import TreeWarps

LARGEST_SOURCE = 64 << 20


class Included(NamedTuple):
    """What an include of a C source leads to, through headers of the tree too."""

    name: str
    """The name that it includes."""
    cuda: str
    hip: str


class Stamp(NamedTuple):
    """How an output came about: digests of its source, of all else it depends on, and of itself."""

    source: str
    made_with: str
    output: str


class Copy(NamedTuple):
    """A copy of a library: its folder in the tree, and how many sources are in it."""

    library: str
    instead: str
    """What a port has in its place."""
    folder: str
    marker: str
    """The file, in the tree, at which it is reported."""
    number: int = 0


class Task(NamedTuple):
    """One file to handle. `language` is empty for a file that is only copied.

    `output` is None where nothing is to be written; `name` and `output_name` are paths in reports.
    """

    root: Path
    source: Path
    name: str
    language: str
    output: Path | None
    output_name: str = ""
    below: str = ""
    """Its path in the tree."""
    in_place: bool = False
    backup: str = ""
    keeps_bytes: bool = False
    is_link: bool = False
    link: str = ""
    """What the new symbolic link says; "" where it stays, or leads out of the tree."""
    is_left_alone: bool = False
    """Whether git ignores the file, or the user excludes it."""
    is_ignored: bool = False
    """Whether it is git that ignores it."""
    headers: frozenset[str] = frozenset()
    """CUDA headers, and what is named like them, of which the tree has a file."""
    is_build_file: bool = False
    is_ported: bool = False
    """Whether the build file is in a project that has something for AMD already."""
    explains: bool = False
    memory: Path | None = None
    """The output folder that remembers what was converted into it; None for single files."""
    tree: str = ""
    """A digest of the names in the tree."""
    last: Stamp | None = None
    """How the last run made the output."""
    semantics: Semantics | None = None
    """What a compiler found out about the names of the file, if one was asked."""
    warps: TreeWarps = TreeWarps()
    """What the tree has for warps."""
    copied: Copy | None = None
    """The copy of a library of NVIDIA's that the file belongs to, in an audit."""
    runtime_first: bool = False
    """Whether headers of the tree that it includes need the runtime header before them."""
    undefined: tuple[str, ...] = ()
    """Macros for AMD that it tests first, and no build file of the tree defines."""
    has_old_standard: bool = False
    """Whether the build file asks for an older C++ than headers accept that the tree includes."""
    own_api: tuple[tuple[str, str], ...] = ()
    """Libraries whose names stay, as the tree declares them, and the header that does."""
    cpp_headers: tuple[Included, ...] = ()
    """Its includes that lead to headers which are C++ in ROCm, of a C source."""
    attributeless: tuple[Attributeless, ...] = ()
    """Its definitions that lack attributes which headers of the tree declare them with."""

    @property
    def up(self) -> str:
        """The path from the folder of its output to that of the tree."""
        return "../" * self.below.count("/")

    @property
    def key(self) -> str:
        """The path of its output in the output folder."""
        folder, slash, name = self.below.rpartition("/")
        return f"{folder}{slash}{self.output.name if self.output else name}"


@dataclass(slots=True)
class Outcome:
    """What became of a task; `error` says what failed. `old` and `new` only if bytes are kept."""

    file: FileReport
    findings: list[Finding] = field(default_factory=list)
    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    declared: set[str] = field(default_factory=set)
    error: str = ""
    left_out: str = ""
    """Why it is not in the result, though nothing failed."""
    old: bytes = b""
    new: bytes = b""
    is_new: bool = False
    """Whether there was no such file before."""
    explained: list[Explanation] = field(default_factory=list)
    """Only if the task wants it."""
    stamp: Stamp | None = None
    """How the output came about, if that is to be remembered."""
    packed: bytes = b""
    """What was generated, as it is remembered."""
    helpers: frozenset[str] = frozenset()
    """The headers of helpers that the result includes."""
    is_reused: bool = False
    """Whether there was nothing to do since the last run: what it said holds."""
    merging: list[Finding] = field(default_factory=list)
    """What is to be said of edits made by hand."""


def ending_of(name: str) -> str:
    """The longest ending of a file name that rules/file_kinds.toml lists; "" for none."""
    languages = load().file_kinds.languages
    parts = PurePosixPath(name).name.split(".")
    endings = ("." + ".".join(parts[index:]) for index in range(1, len(parts)))
    return next((ending for ending in endings if ending.lower() in languages), "")


def language_of(name: str) -> str:
    """The language of a file by its ending; "" for none that is converted."""
    ending = ending_of(name).lower()
    return load().file_kinds.languages[ending] if ending else ""
