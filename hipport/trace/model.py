"""The nouns of a trace: kernels and launches of sources, kernels of binaries, and matches."""

from __future__ import annotations

import enum

import msgspec

from hipport.fatbin.object.declared_lines import Declared
from hipport.fatbin.object.occupancy import Needs
from hipport.model import Position
from hipport.named_tuples import NamedTuple


class Name(NamedTuple):
    """A name as a source writes it: `a::b::k<float, 4>`."""

    scope: tuple[str, ...]
    """Namespaces and classes; "" for an unnamed namespace."""
    last: str
    arguments: tuple[str, ...] | None = None
    """Template arguments; None where there is no list of them."""
    is_global: bool = False
    """Whether it begins with `::`, and so is looked up from outside all namespaces."""


class Parameter(NamedTuple):
    """A parameter of a template."""

    name: str
    default: str
    is_type: bool
    is_pack: bool


class LineRange(NamedTuple):
    """Lines as the compiler counts them: `#line` changes them."""

    file: str
    """What `#line` names; "" for the file itself."""
    first: int
    last: int


class Definition(msgspec.Struct, frozen=True):
    """A kernel that a source defines or declares."""

    path: str
    start: Position
    name: Name
    """With template arguments for an explicit specialization."""
    template: tuple[Parameter, ...] | None
    parameters: tuple[str, ...]
    """The types of its parameters as written."""
    needed: int
    """How many arguments it must be given."""
    bounds: str
    """The arguments of its launch bounds as written."""
    is_c: bool
    """Whether it has C linkage, so that its name is not mangled."""
    has_body: bool
    lines: LineRange
    """Up to its body."""

    @property
    def shown(self) -> str:
        return "::".join((*filter(None, self.name.scope), self.name.last))


class Size(NamedTuple):
    """A part of a launch's configuration."""

    text: str = ""
    """As written; "" where it is left out."""
    values: tuple[int, ...] | None = None
    """One number for each axis; None where they are not constants."""

    @property
    def product(self) -> int | None:
        """How many work-items or groups, or bytes; None where that is not known."""
        if self.values is None:
            return None
        product = 1
        for each in self.values:
            product *= each
        return product


NOT_GIVEN = Size()


class Launch(msgspec.Struct, frozen=True):
    """A place that launches a kernel, or queries its launch."""

    path: str
    start: Position
    end: Position
    form: str
    """How it is launched: `<<<>>>`, or the name of a function."""
    kernel: str
    """The kernel as written."""
    name: Name | None
    """The name in it; None if it is not a name."""
    scope: tuple[str, ...]
    """The namespaces and classes around the place."""
    grid: Size = NOT_GIVEN
    block: Size = NOT_GIVEN
    lds: Size = NOT_GIVEN
    """Dynamic LDS, in bytes."""
    stream: str = ""
    count: int | None = None
    """How many arguments the kernel is given; None where that is not known."""
    dependent: frozenset[str] = frozenset()
    """The parameters of templates around the place."""
    in_loop: bool = False
    is_query: bool = False
    is_conditional: bool = False
    """Whether a preprocessor conditional decides whether the place is compiled."""
    is_symbol: bool = False
    """Whether the kernel was looked up by the name of its symbol."""
    values: tuple[tuple[str, int], ...] = ()
    """The template arguments that are constants, and their values."""
    why_unknown: str = ""
    """Why the kernel has no name here."""


class BinaryKernel(NamedTuple):
    """A kernel of one code object. Registers and sizes are None where they are not known yet."""

    name: str
    """Mangled."""
    target: str
    path: str
    bundle: int
    resources: dict[str, int | None]
    """By the columns of `hipport fatbin kernels`: vgpr, agpr, sgpr, lds, scratch, vspill …"""
    needs: Needs | None
    """The resources of one of its waves; None if unknown."""
    registered: bool | None
    """Whether the host code registers it; None where that cannot be read."""
    declared: Declared | None = None
    """Where it is declared, if the code object has debug information."""

    @property
    def is_nvidia(self) -> bool:
        """Whether it is for NVIDIA's GPUs: its VGPRs are registers, its scratch is the stack."""
        return self.target.startswith("sm_")


class Certainty(enum.StrEnum):
    """How certain it is that a launch is that of a kernel."""

    CERTAIN = "certain"
    LIKELY = "likely"
    NONE = "none"


class Match(msgspec.Struct, frozen=True):
    """A launch, and the kernels of the binaries that it can be."""

    launch: Launch
    definition: Definition | None
    kernels: tuple[str, ...]
    """Mangled names. A certain match has one."""
    certainty: Certainty
    reason: str
    """Why it is not certain; "" for a match that is."""


class Trace(msgspec.Struct):
    """Launches of sources joined with kernels of binaries."""

    definitions: list[Definition] = msgspec.field(default_factory=list)
    mentioned: frozenset[str] = frozenset()
    """The names of kernels that the sources mention elsewhere than where they define or launch
    them."""
    matches: list[Match] = msgspec.field(default_factory=list)
    """One for each launch, in the order of files and lines."""
    kernels: dict[str, list[BinaryKernel]] = msgspec.field(default_factory=dict)
    """Mangled name -> the code objects' kernels of that name, for those that the sources name."""
    readable: dict[str, str] = msgspec.field(default_factory=dict)
    """Mangled name -> readable name."""
    origins: dict[str, Definition] = msgspec.field(default_factory=dict)
    """Mangled name -> the definition that the kernel comes from."""
    others: dict[str, tuple[str, ...]] = msgspec.field(default_factory=dict)
    """Mangled names of the kernels that come from no source -> their targets."""
    targets: tuple[str, ...] = ()
    """The devices to check: those given by the user, else those that some code is for."""

    compiled_from: dict[int, Definition] = msgspec.field(default_factory=dict)
    """The id() of a kernel -> its definition, where debug information says it."""

    def of_launch(self, match: Match, kernel: str) -> list[BinaryKernel]:
        """The code objects' kernels of a name that a launch can run: kernels of that name from
        another definition than the launch's are left out where that is known."""
        every = self.kernels.get(kernel, [])
        if not self.compiled_from or match.definition is None:
            return every
        return [
            each for each in every if self.compiled_from.get(id(each)) is match.definition
        ] or every

    def by_definition(self) -> dict[int, list[str]]:
        """The id() of a definition -> the mangled names of the kernels that come from it."""
        found: dict[int, list[str]] = {}
        for kernel, definition in self.origins.items():
            found.setdefault(id(definition), []).append(kernel)
        return found
