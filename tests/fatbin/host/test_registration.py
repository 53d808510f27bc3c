"""What host code registers, in every form there is a fixture of."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.fatbin.host.registration import compare, registrations
from hipport.fatbin.limits import Limits
from tests.support.binaries import BINARY, only, run

SCALE, ADD_INT, ADD_DOUBLE = "scale", "_Z3addIiEvPT_PKS0_S3_", "_Z3addIdEvPT_PKS0_S3_"
KERNELS = [("kernel", SCALE), ("kernel", ADD_INT), ("kernel", ADD_DOUBLE)]
VARIABLE, MANAGED = ("variable", "counter"), ("managed variable", "shared_counter")
SECOND = [
    ("kernel", "scale_again"),
    ("kernel", "_Z3sumIiEvPT_PKS0_S3_"),
    ("kernel", "_Z3sumIdEvPT_PKS0_S3_"),
    ("kernel", "second"),
]
# File -> for each wrapper: index of its bundle, what is registered for it.
EXPECTED = {
    "elf-plain/libplain.so": [(0, [*KERNELS, VARIABLE, MANAGED])],
    "elf-compressed/libcompressed.so": [(0, [*KERNELS, VARIABLE]), (1, SECOND)],
    "elf-compressed/libnosections.so": [(0, [*KERNELS, VARIABLE]), (1, SECOND)],
    "elf-rdc/librdc.so": [(0, [*KERNELS, VARIABLE, MANAGED])],
    "archive/libkernels.a": [(0, [*KERNELS, VARIABLE])],
    "windows/kernels.obj": [(0, [*KERNELS, VARIABLE])],
    "windows/kernels.dll": [(0, [*KERNELS, VARIABLE])],
    "hipcc/libprogram.so": [
        (
            0,
            [
                ("kernel", "_Z5scalePfi"),
                ("kernel", "_ZN12_GLOBAL__N_15countEi"),
                ("variable", "factors"),
                ("variable", "counter"),
                ("managed variable", "shared_counter"),
            ],
        )
    ],
    "object-rdc/kernels-15.o": [(None, [*KERNELS, VARIABLE])],
}


@pytest.mark.parametrize("name", EXPECTED)
def test_registered_for_each_wrapper(name: str) -> None:
    found = registrations(only(BINARY / name), Limits())
    assert [
        (
            group.bundle.index if group.bundle is not None else None,
            [(call.kind, call.name) for call in group.calls],
        )
        for group in found.groups
    ] == EXPECTED[name]
    assert found.unassigned == [] and found.problems == []


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("bundles/plain.hipfb", "no host code: kernels of a bare bundle are loaded by name"),
        ("code-objects/v6-gfx1201.co", "no host code: kernels of a bare bundle are loaded by name"),
        (
            "object-offloading/kernels.o",
            "an object of the new driver: the link makes its registration",
        ),
    ],
)
def test_what_cannot_be_read_is_said(name: str, problem: str) -> None:
    found = registrations(only(BINARY / name), Limits())
    assert found.problems == [problem]
    assert not found.readable and found.names() == set()


def test_comparison_with_the_code_objects() -> None:
    found = registrations(only(BINARY / "elf-compressed/libcompressed.so"), Limits())
    first, second = compare(
        found, [(0, "gfx942", {SCALE, ADD_INT, "extra"}), (1, "gfx942", {"second"})]
    )
    assert (first.both, first.registered_only, first.present_only) == (2, [ADD_DOUBLE], ["extra"])
    assert (second.both, len(second.registered_only), second.present_only) == (1, 3, [])


def test_the_new_drivers_table_is_found_without_section_headers(tmp_path: Path) -> None:
    data = bytearray((BINARY / "elf-rdc/librdc.so").read_bytes())
    data[40:48], data[58:64] = bytes(8), bytes(6)
    (tmp_path / "lib.so").write_bytes(data)
    found = registrations(only(tmp_path / "lib.so"), Limits())
    assert [(c.kind, c.name) for c in found.calls()] == [*KERNELS, VARIABLE, MANAGED]


@pytest.mark.parametrize(("machine", "name"), [(243, "riscv"), (999, "ELF machine 999")])
def test_host_code_of_another_processor_is_said_to_be_unread(
    tmp_path: Path, machine: int, name: str
) -> None:
    data = bytearray((BINARY / "elf-plain/libplain.so").read_bytes())
    data[18:20] = machine.to_bytes(2, "little")
    path = tmp_path / "lib.so"
    path.write_bytes(data)
    message = (
        f"what the host code registers is not known: {name} code is not read, "
        "only x86-64 and AArch64"
    )
    found = registrations(only(path), Limits())
    assert (found.problems, found.readable, found.calls()) == ([message], False, [])
    lines = run("kernels", "--registered", path).stdout.splitlines()
    assert [line.split()[0] for line in lines[1:7]] == ["?"] * 6
    assert lines[7:] == [f"{path}: 0 kernels registered", f"  note: {message}"]
    for name in ("absent", "unregistered"):
        result = run("check", path, "--fail-on", name)
        assert result.exit_code == 1
        assert f"fail    {name:<16} {path}: not checked: {message}" in result.stdout
    assert run("check", path, "--fail-on", "spills").exit_code == 0
