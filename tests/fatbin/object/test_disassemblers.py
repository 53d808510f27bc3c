"""Two disassemblers that know nothing of each other read the same instructions."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

import pytest

from hipport.fatbin.byte_source import FileSource
from hipport.fatbin.object import disassembly as disasm
from hipport.fatbin.object.code_object import CodeObject
from tests.support.binaries import BINARY
from tests.support.fetch import fetch

WHEEL = (
    "rocm-llvm-python",
    "7.2.2.562.46",
    "rocm_llvm_python-7.2.2.562.46-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl",
    "e96118552366a135ff9c3d8b9d8dc2d5889eca1b457986f5546861f3e9a19762",
)
MEMBER = "rocm/llvm/librocmllvm.so"


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the library where the package puts it."""
    folder = tmp_path_factory.mktemp("packages")
    with zipfile.ZipFile(fetch(*WHEEL)) as wheel:
        wheel.extract(MEMBER, folder)
    return folder


def instructions(text: str) -> list[str]:
    """Without the addresses, which one counts from the file and the other from the kernel, and
    with literals as LLVM wrote them before version 22."""
    text = re.sub(r"\blit(?:64)?\((\w+)\)", r"\1", text)
    text = re.sub(r"\b0x[0-9a-f]+\b", lambda number: str(int(number[0], 16)), text)
    return [re.sub(r"\s+", " ", line.split("//")[0]).strip() for line in text.splitlines()]


@pytest.mark.real
@pytest.mark.toolchain
def test_rocm_llvm_python_reads_what_llvm_objdump_reads(
    installed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.syspath_prepend(str(installed))
    found = disasm.disassemblers()
    assert (found[-1].name, found[-1].path) == ("rocm-llvm-python", str(installed / MEMBER))
    compared = 0
    for path in sorted((BINARY / "code-objects").glob("*.co")):
        code_object = CodeObject(FileSource(str(path)))
        for kernel in code_object.kernels():
            read = []
            for one in (found[0], found[-1]):
                monkeypatch.setattr(disasm, "disassemblers", lambda one=one: [one])
                result = disasm.disassemble(code_object, kernel.name)
                assert (result.by, result.problem) == (one.name, ""), path.name
                read.append(instructions(result.text))
            assert read[0] == read[1], path.name
            assert read[0][-1] == "s_endpgm"
            compared += 1
    assert compared == 24
