"""Which kernels `hipport fatbin kernels` shows, and how."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from hipport.fatbin.questions.kernel_tables import RESOURCES
from hipport.named_tuples import NamedTuple

if TYPE_CHECKING:
    from hipport.fatbin.object.demangle import Demangler

COLUMNS = ("vgpr", "agpr", "sgpr", "lds", "scratch", "vspill", "sspill", "wave", "group")
NAME, AGPR, DYNAMIC_STACK = ".name", ".agpr_count", ".uses_dynamic_stack"
KEYS = (*RESOURCES.values(), DYNAMIC_STACK)
"""Of the metadata, what is written."""
WORDS = {True: "yes", False: "no", None: "?"}


class Selection(NamedTuple):
    """Which kernels to show, in which order, and how names are written."""

    wanted: re.Pattern[str] | None
    sort_key: str | None
    demangle: bool

    def demangler(self) -> Demangler | None:
        """A new one, if names are to be made readable. It is imported only then: it takes
        longer to import than a small file to read."""
        if not self.demangle:
            return None
        from hipport.fatbin.object.demangle import Demangler

        return Demangler()

    def names(self, demangler: Demangler | None, names: set[str]) -> dict[str, str]:
        """Every name that is wanted, and how it reads."""
        readable = demangler.results() if demangler is not None else {}
        if self.wanted is None:
            return {name: readable.get(name, name) for name in names}
        search = self.wanted.search
        return {
            name: readable.get(name, name)
            for name in names
            if search(name) or search(readable.get(name, ""))
        }
