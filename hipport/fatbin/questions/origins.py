"""Where code objects come from: compilers, versions, and the options that their bytes reveal."""

from __future__ import annotations

from collections.abc import Iterator

from hipport.fatbin.binary import Binary, BundleEntry
from hipport.fatbin.digest import sha256
from hipport.fatbin.elf_file import SHT_NOBITS, Elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.object.code_object import CodeObject
from hipport.fatbin.object.metadata import Raw
from hipport.fatbin.questions.kernel_tables import code_object_in, images, number
from hipport.named_tuples import NamedTuple

_MAX_COMMENT = 1 << 16
_LINKERS = ("Linker: ", "mold ", "GNU gold ")
_KEYS = (
    ".wavefront_size",
    ".max_flat_workgroup_size",
    ".workgroup_processor_mode",
    ".uniform_work_group_size",
    ".uses_dynamic_stack",
)


class Tools(NamedTuple):
    """What `.comment` names: compilers and linkers write their versions there."""

    compilers: list[str]
    linkers: list[str]


class Origin(NamedTuple):
    """One image of a bundle."""

    entry: BundleEntry
    sha256: str
    code_object: CodeObject | None
    """None for bitcode, SPIR-V and what is damaged."""
    tools: Tools
    kernels: int
    revealed: dict[str, str]
    """Traces of options, if they are the same for all kernels or a range of numbers."""


def origins(binary: Binary, limits: Limits) -> Iterator[Origin]:
    """Every device image that holds something, in the order of the file; damage is recorded in
    the bundles."""
    for entry, source in images(binary, limits, lambda entry: not entry.is_host):
        code_object = code_object_in(entry, source, limits)
        tools, records = Tools([], []), list[Raw]()
        revealed: dict[str, str] = {}
        if code_object is not None:
            try:
                tools = tools_of(code_object.elf)
                records = code_object.kernel_records(_KEYS)
                revealed = _revealed(code_object, records)
            except FormatError as error:
                entry.bundle.record(error)
        yield Origin(entry, sha256(source), code_object, tools, len(records), revealed)


def tools_of(elf: Elf) -> Tools:
    """The compilers and linkers named in `.comment`, each once."""
    tools = Tools([], [])
    section = elf.find(".comment")
    if section is None or section.type == SHT_NOBITS:
        return tools
    data = elf.content(section).head(0, _MAX_COMMENT)
    for raw in dict.fromkeys(data.split(b"\0")):
        text = raw.decode("utf-8", "backslashreplace").strip()
        if text:
            is_linker = text.startswith(_LINKERS)
            (tools.linkers if is_linker else tools.compilers).append(text.removeprefix("Linker: "))
    return tools


def _revealed(code_object: CodeObject, records: list[Raw]) -> dict[str, str]:
    found = {"code_object_version": str(code_object.version)}
    if any(section.name.startswith(".debug_") for section in code_object.elf.sections):
        found["debug"] = "yes"
    if code_object.flags_target.generic_version:
        found["generic_version"] = str(code_object.flags_target.generic_version)
    for key in _KEYS:
        values = sorted({int(number(record[key])) for record in records if key in record})
        if values:
            text = str(values[0]) if len(values) == 1 else f"{values[0]}..{values[-1]}"
            found[key.removeprefix(".")] = text
    return found
