"""A file of a tree to handle, and what became of it."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec

from hipport.model import Explanation, FileReport, Finding
from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load
from hipport.source.buildfiles.build_kinds import is_build_file
from hipport.source.names.scanned_declarations import Attributeless
from hipport.source.names.semantics import Semantics
from hipport.source.tree_warps import TreeWarps

LARGEST_SOURCE = 64 << 20
_MAKE = ("make",)


class Included(msgspec.Struct, frozen=True):
    """What an include of a C source leads to, through headers of the tree too."""

    name: str
    """The name that it includes."""
    cuda: str
    hip: str


class Untold(NamedTuple):
    """Of a host source: the include that leads to HIP's headers, and the build file."""

    include: str
    build: str


class Stamp(NamedTuple):
    """Digests of an output's source, of everything else it depends on, and of the output."""

    source: str
    made_with: str
    output: str


class Copy(NamedTuple):
    """A copy of a library: its folder in the tree, and the number of sources in it."""

    library: str
    instead: str
    """What a port uses instead."""
    finding: str
    folder: str
    marker: str
    """The file in the tree that its finding points to."""
    number: int = 0
    has_own_binaries: bool = False


class Task(NamedTuple):
    """One file to handle. `language` is empty for a file that is only copied.

    `name` and `output_name` are paths in reports. Its places are kept as texts, with slashes: a
    Path takes several times the memory, and as long to be read back as all the rest.
    """

    root_path: str
    source_path: str
    name: str
    language: str
    output_path: str
    """Empty where nothing is to be written."""
    output_name: str = ""
    below: str = ""
    """Its path in the tree."""
    in_place: bool = False
    backup: str = ""
    keeps_bytes: bool = False
    is_link: bool = False
    link: str = ""
    """What the new symbolic link points to; "" if the link stays or leads out of the tree."""
    is_left_alone: bool = False
    """Whether git ignores the file, or the user excludes it."""
    is_ignored: bool = False
    """Whether it is git that ignores it."""
    headers: frozenset[str] = frozenset()
    """CUDA headers, and headers with their names, that the tree contains."""
    is_build_file: bool = False
    is_ported: bool = False
    """Whether the build file belongs to a project that supports AMD already."""
    marking: frozenset[str] = frozenset()
    """Of a build file: functions of its tree that have their sources compiled as HIP."""
    explains: bool = False
    memory_path: str = ""
    """The output folder that holds the manifest; empty for single files."""
    tree: str = ""
    """A digest of the names in the tree."""
    last: Stamp | None = None
    """How the last run produced the output."""
    made: tuple[Path, int] | None = None
    """The manifest of a part of the conversion that has the result, and where in it."""
    semantics: Semantics | None = None
    """What a compiler knows about the file's names, if one was used."""
    warps: TreeWarps = TreeWarps()
    """The names for warps that the tree defines."""
    copied: Copy | None = None
    """The copy of an NVIDIA library that the file belongs to."""
    runtime_first: bool = False
    """Whether it includes headers of the tree that need the runtime header first."""
    is_read_as_text: bool = False
    """Whether a program of Python reads and compiles it."""
    undefined: tuple[str, ...] = ()
    """Macros for AMD that it is the first to test, and that no build file of the tree defines."""
    is_unbuilt: bool = False
    """Whether the tree's build files name most such sources, and not this one."""
    has_old_standard: bool = False
    """Whether the build file asks for an older C++ than headers that the tree includes accept."""
    untold: Untold | None = None
    """What of a host source is reported, where its compiler is not told of HIP's headers."""
    own_names: frozenset[str] = frozenset()
    """Names that moved in HIP, or CUDA's for HIP, that the tree defines itself."""
    shared_classes: tuple[tuple[str, str], ...] = ()
    """Classes of its shared variables in headers, and what their default constructors do; macros
    for the keyword."""
    named_kernel: tuple[str, int] | None = None
    """A kernel that Python compiles as a text and asks for by its plain name, and its offset."""
    angled: frozenset[str] = frozenset()
    """Headers with names of CUDA's that the tree includes in angle brackets alone."""
    twin_switches: frozenset[str] = frozenset()
    """Switches for CUDA that the tree has for AMD too."""
    version_switches: frozenset[str] = frozenset()
    """Macros that the tree sets by CUDA's version only, `NAME=0` for one that is 0 otherwise."""
    names_built: frozenset[str] = frozenset()
    """Targets and macros that the tree's build files declare."""
    own_api: tuple[tuple[str, str], ...] = ()
    """Libraries whose names stay because the tree declares them, with the declaring header."""
    cpp_headers: tuple[Included, ...] = ()
    """Of a C source: its includes that lead to headers which are C++ in ROCm."""
    brought: tuple[str, ...] = ()
    """CUDA headers that it has through headers of the tree, and would not have in HIP."""
    attributeless: tuple[Attributeless, ...] = ()
    """Its definitions that lack attributes which headers of the tree declare them with."""

    @property
    def root(self) -> Path:
        """The tree that it is in."""
        return Path(self.root_path)

    @property
    def source(self) -> Path:
        """The file itself."""
        return Path(self.source_path)

    @property
    def output(self) -> Path | None:
        """Where its result goes; None where nothing is to be written."""
        return Path(self.output_path) if self.output_path else None

    @property
    def memory(self) -> Path | None:
        """The output folder that holds the manifest; None for single files."""
        return Path(self.memory_path) if self.memory_path else None

    @property
    def up(self) -> str | None:
        """The path from its output's folder to the tree's; None for a text without a folder."""
        return None if self.is_read_as_text else "../" * self.below.count("/")

    @property
    def key(self) -> str:
        """The path of its output in the output folder."""
        folder, slash, name = self.below.rpartition("/")
        return f"{folder}{slash}{self.output_path.rpartition('/')[2] or name}"


class Outcome(msgspec.Struct):
    """What became of a task; `error` says what failed. `old` and `new` only if bytes are kept."""

    file: FileReport
    findings: list[Finding] = msgspec.field(default_factory=list)
    counts: Counter[tuple[str, bool]] = msgspec.field(default_factory=Counter)
    declared: set[str] = msgspec.field(default_factory=set)
    error: str = ""
    left_out: str = ""
    """Why it is missing from the result although nothing failed."""
    old: bytes = b""
    new: bytes = b""
    is_new: bool = False
    """Whether the file did not exist before."""
    explained: list[Explanation] = msgspec.field(default_factory=list)
    """Only if the task asks for it."""
    stamp: Stamp | None = None
    """How the output was produced, if the manifest is to record it."""
    packed: bytes = b""
    """The generated bytes, as the manifest stores them."""
    helpers: frozenset[str] = frozenset()
    """The headers of helpers that the result includes."""
    is_reused: bool = False
    """Whether nothing has changed since the last run, so that its findings still hold."""
    merging: list[Finding] = msgspec.field(default_factory=list)
    """Notes about manual edits."""


def ending_of(name: str) -> str:
    """The whole of a file name, or its longest ending, in rules/file_kinds.toml; "" for none."""
    languages = load().file_kinds.languages
    name = name.rpartition("/")[2]
    at = 0
    while at >= 0 and name[at:].lower() not in languages:
        at = name.find(".", at + 1)
    return name[at:] if at >= 0 else ""


def with_name(path: str, name: str) -> str:
    """The path of a file of that name in the same folder."""
    folder, slash, _ = path.rpartition("/")
    return f"{folder}{slash}{name}"


def language_of(name: str) -> str:
    """The language that a file's ending implies; "" if such files are not converted.

    `Makefile.hip` is a makefile.
    """
    ending = ending_of(name).lower()
    is_source = ending and not is_build_file(name[: -len(ending)].rpartition("/")[2], _MAKE)
    return load().file_kinds.languages[ending] if is_source else ""
