"""Whether a file may hold device code, or an index of it, according to its first 512 bytes."""

from __future__ import annotations

from hipport.fatbin.elf_file import MAGIC as ELF_MAGIC
from hipport.fatbin.elf_file import foreign_elf
from hipport.fatbin.formats import recognize
from hipport.fatbin.host.pe_file import is_pe
from hipport.fatbin.package_kinds import is_package, is_tensile_index


def may_hold_device_code(head: bytes) -> bool:
    """Whether these are the first bytes of a host file, a package, a container or an index."""
    if head.startswith(ELF_MAGIC):
        return foreign_elf(head) == ""
    return is_package(head) or recognize(head) is not None or is_pe(head) or is_tensile_index(head)
