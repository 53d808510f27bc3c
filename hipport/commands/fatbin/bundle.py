"""`hipport fatbin bundle`: a bundle from code objects."""

from __future__ import annotations

from pathlib import Path

import click

from hipport.commands.fatbin.common import written_to
from hipport.errors import HipportError, UsageError, os_error
from hipport.fatbin.byte_source import FileSource, MemorySource
from hipport.fatbin.elf_file import EM_AMDGPU, Elf
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.object.elf_flags import target_of_flags
from hipport.fatbin.writing.bundling import ALIGN, HOST_ID, Image, write_compressed, write_plain
from hipport.fatbin.writing.safe_files import replacing

EPILOG = """\b
Examples:
  hipport fatbin bundle gfx90a.co gfx942.co -o all.hipfb
  hipport fatbin bundle hipv4-amdgcn-amd-amdhsa--gfx942=b.co --compress -o b.hipfb
"""


@click.command(epilog=EPILOG)
@click.argument("images", nargs=-1, required=True, metavar="[ID=]FILE...", type=click.Path())
@written_to("path")
@click.option("--compress", is_flag=True, help="Compress with zstd.")
@click.option(
    "--ccob", type=click.Choice(["2", "3"]), default="3", help="Version of the compressed form."
)
@click.option("--align", type=click.IntRange(1, 1 << 20), default=ALIGN, show_default=True)
@click.option("--host", default=HOST_ID, show_default=True, help="ID of the empty host entry.")
def command(
    images: tuple[str, ...], path: Path, compress: bool, ccob: str, align: int, host: str
) -> None:
    """Create a bundle from code objects. Without an ID, the target comes from the code object."""
    content: list[Image] = [(host, MemorySource(b"", "host"))]
    for image in images:
        entry_id, separator, file = image.rpartition("=")
        try:
            source = FileSource(file)
        except OSError as error:
            raise os_error(file, "cannot read", error) from None
        content.append((entry_id if separator else _id(source, file), source))
    ids = [entry_id for entry_id, _ in content]
    if len(set(ids)) < len(ids):
        raise UsageError("two images have the same entry ID", remedy="write ID=FILE")
    with replacing(path) as out:
        if compress:
            write_compressed(content, out, align, int(ccob))
        else:
            write_plain(content, out, align)


def _id(source: FileSource, file: str) -> str:
    try:
        elf = Elf(source)
        if elf.machine != EM_AMDGPU:
            raise source.fault(18, f"not an AMDGPU code object: ELF machine {elf.machine}")
    except FormatError as error:
        raise HipportError(str(error), remedy=f"write ID={file}") from None
    return f"hipv4-amdgcn-amd-amdhsa--{target_of_flags(elf).target}"
