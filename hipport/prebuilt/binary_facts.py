"""What a binary file holds and needs: device code by target, and libraries by maker."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

import msgspec

from hipport.errors import HipportError
from hipport.lazy_regex import regex
from hipport.prebuilt.vendor_libraries import maker
from hipport.rulebook.rules import RuleSet

if TYPE_CHECKING:
    from hipport.fatbin.binary import Binary
    from hipport.fatbin.byte_source import Source
    from hipport.fatbin.elf_file import Elf

_LOOK = 512
_PTX = ".ptx"
_PTX_LOOK = 1 << 16
_PTX_TARGET = regex(rb"^\s*\.target\s+(\w+)", re.MULTILINE)
_TAR = regex(r"\.(?:tar\.\w+|tgz|tbz2?|txz|tzst)\Z", re.IGNORECASE)
# First bytes of most files of a tree, and of no binary.
_TEXT = (b"", b"#", b"<", b"{", b"/", b'"', b"\n", b" ")
# Device code of NVIDIA's alone, which programs load by name.
_MODULES = ("bare NVIDIA fatbin", "cubin")
_SHN_UNDEF = 0


class Prebuilt(msgspec.Struct):
    """Device code and needs of a file; those of a package's members are taken together."""

    kind: str
    """In words: "ELF shared object", "zip" …"""
    is_module: bool = False
    """Whether it is NVIDIA device code alone, which a program loads by name."""
    targets: dict[str, set[str]] = msgspec.field(
        default_factory=lambda: {"nvidia": set(), "amd": set()}
    )
    """Maker -> targets that device code is for."""
    needs: dict[str, set[str]] = msgspec.field(
        default_factory=lambda: {"nvidia": set(), "amd": set()}
    )
    """Maker -> libraries."""
    members: dict[str, list[str]] = msgspec.field(default_factory=lambda: {"nvidia": [], "amd": []})
    """Maker -> the members of a package that have any of this."""
    fault: str = ""
    """What could not be read; "" for nothing."""

    def add(self, other: Prebuilt, member: str) -> None:
        """Take up what one binary has; `member` is its name in a package, "" outside of one."""
        self.is_module |= other.is_module
        for each, targets in other.targets.items():
            self.targets[each] |= targets
            self.needs[each] |= other.needs[each]
            if member and (targets or other.needs[each]):
                self.members[each].append(member)
        self.fault = self.fault or other.fault


def looks_binary(path: str | Path) -> bool:
    """Whether a file starts as one that may hold device code; False where it cannot be read."""
    name = os.path.basename(path)  # noqa: PTH119
    if name.lower().endswith(_PTX):
        return True
    try:
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            head = file.read(_LOOK)
    except OSError:
        return False
    if head[:1] in _TEXT:
        return False
    from hipport.fatbin.first_bytes import may_hold_device_code
    from hipport.fatbin.package_kinds import compression, is_plain_tar

    if compression(head) and not is_plain_tar(head):
        # Any file may be compressed; the name says whether a tar file is inside.
        return _TAR.search(name) is not None
    return may_hold_device_code(head)


def examine(path: Path, name: str, rules: RuleSet) -> Prebuilt:
    """What a file that looks binary holds and needs; raises nothing: see `fault`."""
    from hipport.fatbin.byte_source import FileSource

    found = Prebuilt("")
    try:
        source = FileSource(str(path), name)
        if name.lower().endswith(_PTX):
            _read_ptx(source, found)
        else:
            _read(source, found, rules)
    except OSError as error:
        found.fault = f"{name}: cannot read: {error.strerror or error}"
    except HipportError as error:
        found.fault = str(error)
    return found


def _read_ptx(source: Source, found: Prebuilt) -> None:
    targets = _PTX_TARGET.findall(source.head(0, _PTX_LOOK))
    found.kind, found.is_module = "PTX", bool(targets)
    found.targets["nvidia"] = {each.decode() for each in targets}


def _read(source: Source, found: Prebuilt, rules: RuleSet) -> None:
    from hipport.fatbin import packages
    from hipport.fatbin.format_error import FormatError
    from hipport.prebuilt.members import binaries

    package = packages.recognize(source.head(0, _LOOK))
    found.kind = package.NAME if package else ""
    for name, binary in binaries(source):
        if isinstance(binary, FormatError):
            found.fault = found.fault or str(binary)
            continue
        one = _of(binary, rules)
        _add_libraries(one, [PurePosixPath(name).name])
        found.add(one, name)
        found.kind = package.NAME if package else one.kind


def _of(binary: Binary, rules: RuleSet) -> Prebuilt:
    from hipport.fatbin.format_error import FormatError

    found = Prebuilt(binary.kind, is_module=binary.kind in _MODULES)
    for bundle in binary.bundles:
        for entry in bundle.device_entries:
            if "nvptx" in entry.id:
                found.targets["nvidia"].add(f"sm_{entry.id.rpartition('sm_')[2]}")
            elif entry.size and entry.target:
                found.targets["amd"].add(str(entry.target))
    try:
        _add_libraries(found, _needed(binary))
        if binary.elf:
            _add_elf(binary.elf, found, rules)
    except FormatError as error:
        binary.faults.append(error)
    # What starts with "MZ" need not be a PE file: it is not called damaged.
    if binary.faults and binary.kind != "PE file":
        found.fault = str(binary.faults[0])
    return found


def _add_libraries(found: Prebuilt, names: Iterable[str]) -> None:
    for name in names:
        if maker(name):
            found.needs[maker(name)].add(name)


def _needed(binary: Binary) -> list[str]:
    from hipport.fatbin.questions.needed_libraries import needed_by_elf, needed_by_pe

    if binary.elf:
        return needed_by_elf(binary.elf)
    return needed_by_pe(binary.source) if binary.kind == "PE image" else []


def _add_elf(elf: Elf, found: Prebuilt, rules: RuleSet) -> None:
    from hipport.fatbin.elf_file import ET_REL

    if elf.type == ET_REL:
        found.needs["nvidia"] |= set(_called(elf, rules))


def _called(elf: Elf, rules: RuleSet) -> Iterator[str]:
    """The CUDA libraries that an object file calls: it names functions, no libraries."""
    from hipport.fatbin.elf_file import SHT_SYMTAB

    for symbol in elf.symbols(SHT_SYMTAB):
        if symbol.section == _SHN_UNDEF and rules.unknown.fullmatch(symbol.name):
            rule = rules.api(symbol.name)
            if rule and rule.kind == "function" and rule.hip != rule.cuda:
                yield rules.libraries[rule.library].title
