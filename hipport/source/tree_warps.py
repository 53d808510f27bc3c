"""A tree's own names for warps, as plain data for the conversion of its files."""

from __future__ import annotations

from hipport.named_tuples import NamedTuple


class HeaderFact(NamedTuple):
    """What a header has: a constant with its text, or a function that goes by the wavefront's size
    with the place where it does."""

    name: str
    text: str
    is_function: bool = False


class TreeWarps(NamedTuple):
    """What a file's tree has for warps.

    `native` are names for AMD that the headers it includes define; of PyTorch's names `own` are
    those that the tree defines itself. A file that `is_hip` includes HIP's headers, through headers
    of the tree too; `facts` are what those have for it, `macros` those of CUDA's alone that they
    define for HIP. A header that `is_in_hip` is included by such files only. `sized` are the tree's
    structures with a member of the warp size's name; those of the device that the file or one of
    its headers names are among them, as a member may then be theirs. `numbers` are constants of
    headers that a file asks for shared memory with, `signed` what headers call signed numbers of 64
    bits, for a file that defines functions of HIP's.
    """

    native: frozenset[str] = frozenset()
    own: frozenset[str] = frozenset()
    is_hip: bool = False
    facts: frozenset[HeaderFact] = frozenset()
    macros: frozenset[str] = frozenset()
    is_in_hip: bool = False
    sized: frozenset[str] = frozenset()
    numbers: frozenset[tuple[str, int]] = frozenset()
    signed: frozenset[str] = frozenset()

    @property
    def constants(self) -> dict[str, list[str]]:
        """Name of a constant -> the texts that headers give it."""
        found: dict[str, list[str]] = {}
        for each in self.facts:
            if not each.is_function:
                found.setdefault(each.name, []).append(each.text)
        return found


NO_WARPS = TreeWarps()
