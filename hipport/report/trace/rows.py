"""What the reports of a trace say about launches and kernels, in words."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.named_tuples import NamedTuple
from hipport.trace.block_sizes import Choice, choice
from hipport.trace.model import BinaryKernel, Launch, Match, Size, Trace

COLUMNS = ("vgpr", "agpr", "sgpr", "lds", "scratch", "vspill", "sspill", "group")
_REGISTERED = {True: "yes", False: "no", None: "?"}


class Row(NamedTuple):
    """A kernel of one code object, as a launch of it sees it."""

    kernel: BinaryKernel
    fit: Choice | None
    """How its work-groups fit; None where the block is not a constant."""

    @property
    def registered(self) -> str:
        return _REGISTERED[self.kernel.registered]

    @property
    def waves(self) -> str:
        """`4/8 vgpr`: the waves that fit on a SIMD, its slots, and what limits them."""
        if self.fit is None:
            return "-"
        found = self.fit.occupancy
        limit = "" if found.waves == found.most else f" {self.fit.limit}"
        return f"{found.waves}/{found.most}{limit}"

    def cells(self) -> list[str]:
        """The numbers of COLUMNS; `-` for what is not known."""
        values = (self.kernel.resources[column] for column in COLUMNS)
        return ["-" if value is None else str(value) for value in values]


def rows(trace: Trace, match: Match, kernel: str) -> Iterator[Row]:
    """The code objects' kernels of that name; one of several equal ones for a target."""
    seen: list[tuple[str, dict[str, int | None], bool | None]] = []
    threads, dynamic = match.launch.block.product, match.launch.lds.product
    for each in trace.of_launch(match, kernel):
        shown = (each.target, each.resources, each.registered)
        if shown not in seen:
            seen.append(shown)
            yield Row(each, None if threads is None else choice(each, threads, dynamic or 0))


def configuration(launch: Launch) -> str:
    """`grid n / 256, block (16, 16) = 256, stream s`: what is given, and what it comes to."""
    parts = [
        _part("grid", launch.grid),
        _part("block", launch.block),
        _part("lds", launch.lds),
        f"stream {launch.stream}" if launch.stream not in ("", "0", "nullptr") else "",
        "in a loop" if launch.in_loop else "",
        "asks only" if launch.is_query else "",
    ]
    return ", ".join(filter(None, parts))


def _part(word: str, size: Size) -> str:
    if not size.text or size.text == "0":
        return ""
    value = "" if size.product is None or str(size.product) == size.text else f" = {size.product}"
    return f"{word} {size.text}{value}"


def place(launch: Launch) -> str:
    return f"{launch.path}:{launch.start.line}:{launch.start.column}"
