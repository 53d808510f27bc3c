"""What the subcommands print and how they exit."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from hipport.errors import HipportError
from tests.support.binaries import BINARY, CORRUPT, run
from tests.support.command import hipport
from tests.support.terminal import on_a_terminal

PLAIN = BINARY / "elf-plain/libplain.so"
COMPRESSED = BINARY / "elf-compressed/libcompressed.so"
CODE = BINARY / "code-objects"
HEADER = "target                 vgpr agpr sgpr    lds scratch vspill sspill wave group  name\n"


def document(*arguments: str | Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(run(*arguments, "--format", "json").stdout)
    assert found["schema"] == 1
    return found


def test_list() -> None:
    result = run("list", COMPRESSED)
    assert result.exit_code == 0
    assert result.stdout == (
        f"{COMPRESSED}: ELF shared object, 25392 bytes, 2 bundles\n"
        "  [0] compressed bundle v3 at 0x1000, 1763 bytes zstd, 11848 uncompressed\n"
        "               0      0x1000  host-x86_64-unknown-linux-gnu-\n"
        "            7752      0x1000  hipv4-amdgcn-amd-amdhsa--gfx942\n"
        "  [1] offload bundle at 0x2000, 13040 bytes\n"
        "               0      0x1000  host-x86_64-unknown-linux-gnu-\n"
        "            8944      0x1000  hipv4-amdgcn-amd-amdhsa--gfx942\n"
    )


def test_list_targets() -> None:
    assert run("list", "--targets", PLAIN, BINARY / "bundles/v2.hipfb").stdout == (
        f"{PLAIN}: gfx1100 gfx90a\n{BINARY / 'bundles/v2.hipfb'}: gfx1201 gfx942:xnack+\n"
    )


def test_list_json_carries_ids_verbatim() -> None:
    (file,) = document("list", BINARY / "bundles/v2.hipfb")["files"]
    (bundle,) = file["bundles"]
    assert {k: v for k, v in bundle.items() if k != "entries"} == {
        "index": 0,
        "format": "compressed bundle",
        "version": 2,
        "offset": 0,
        "size": 2267,
        "compression": "zstd",
        "uncompressed_size": 18648,
    }
    assert bundle["entries"][2] == {
        "id": "hipv4-amdgcn-amd-amdhsa--gfx942:xnack+",
        "target": "gfx942:xnack+",
        "image_kind": None,
        "offset": 12288,
        "size": 6360,
    }
    assert file["faults"] == [] and file["kind"] == "bare compressed bundle"


def test_list_rich_shows_the_same_facts() -> None:
    output = run("list", "--format", "rich", PLAIN).stdout
    assert "hipv4-amdgcn-amd-amdhsa--gfx1100" in output and "6,592" in output


def test_control_characters_never_reach_the_terminal() -> None:
    output = run("list", CORRUPT / "control-characters").stdout
    assert "\x1b" not in output
    assert "host-\\x1b[31m\\nred" in output


def test_kernels() -> None:
    assert run("kernels", PLAIN, "--target", "gfx90a").stdout == (
        HEADER
        + "gfx90a                    2    0   10      0       0      0      0   64  1024  scale\n"
        + "gfx90a                    5    0   12      0       0      0      0   64  1024  "
        + "void add<int>(int*, int const*, int const*)\n"
        + "gfx90a                    7    0   12      0       0      0      0   64  1024  "
        + "void add<double>(double*, double const*, double const*)\n"
    )


def test_kernels_sorted_filtered_and_mangled() -> None:
    lines = run("kernels", PLAIN, "--name", "add<", "--sort", "vgpr", "--mangled").stdout
    assert lines == HEADER  # the expression is for readable names, which are not made
    lines = run("kernels", PLAIN, "--name", "_Z3add", "--sort", "vgpr", "--mangled").stdout
    assert [line.split()[0:2] + line.split()[-1:] for line in lines.splitlines()[1:]] == [
        ["gfx90a", "7", "_Z3addIdEvPT_PKS0_S3_"],
        ["gfx1100", "6", "_Z3addIdEvPT_PKS0_S3_"],
        ["gfx90a", "5", "_Z3addIiEvPT_PKS0_S3_"],
        ["gfx1100", "4", "_Z3addIiEvPT_PKS0_S3_"],
    ]
    names = run("kernels", PLAIN, "--name", "add<", "--sort", "name").stdout.splitlines()[1:]
    assert [line[79:] for line in names] == [
        "void add<double>(double*, double const*, double const*)"
    ] * 2 + ["void add<int>(int*, int const*, int const*)"] * 2


def test_kernels_registered() -> None:
    lines = run("kernels", "--registered", BINARY / "elf-rdc/librdc.so").stdout.splitlines()
    assert lines[0] == "reg  " + HEADER.rstrip()
    assert [line[:12].split() for line in lines[1:4]] == [["yes", "gfx90a"]] * 3
    assert lines[4:] == [
        f"{BINARY / 'elf-rdc/librdc.so'}: 3 kernels registered",
        "  variable: counter",
        "  managed variable: shared_counter",
    ]
    found = document("kernels", "--registered", BINARY / "elf-rdc/librdc.so")
    assert [kernel["registered"] for kernel in found["kernels"]] == [True] * 3
    (registration,) = found["registration"]
    assert registration["compared"] == [
        {"bundle": 0, "target": "gfx90a", "both": 3, "registered_only": [], "present_only": []}
    ]


def test_kernels_json() -> None:
    first = document("kernels", PLAIN, "--target", "gfx1100")["kernels"][1]
    assert first == {
        "vgpr": 4,
        "agpr": 0,
        "sgpr": 8,
        "lds": 0,
        "scratch": 0,
        "vspill": 0,
        "sspill": 0,
        "wave": 32,
        "group": 1024,
        "kernarg": 24,
        "name": "_Z3addIiEvPT_PKS0_S3_",
        "demangled": "void add<int>(int*, int const*, int const*)",
        "file": str(PLAIN),
        "bundle": 0,
        "entry": "hipv4-amdgcn-amd-amdhsa--gfx1100",
        "target": "gfx1100",
        "dynamic_stack": False,
    }


def test_show() -> None:
    output = run("show", "add<int>", PLAIN, "--target", "gfx90a", "--no-code").stdout
    lines = output.splitlines()
    assert lines[0].split(maxsplit=1) == ["kernel", "void add<int>(int*, int const*, int const*)"]
    assert (
        "occupancy                    8 of 8 waves per SIMD, limited by slots "
        "(slots 8, vgpr 8, sgpr 8, group 8) with 1024 work-items"
    ) in lines
    assert "allocated                    8 VGPRs, 16 SGPRs" in lines
    assert lines[lines.index("arguments (offset, bytes, kind)") + 1] == (
        "       0      8  global_buffer global"
    )


@pytest.mark.toolchain
def test_show_disassembles() -> None:
    (kernel,) = document("show", "scale", PLAIN, "--target", "gfx1100")["kernels"]
    code = kernel["disassembly"]
    lines = [line.split("//")[0].strip() for line in code["text"].splitlines()]
    assert code["by"].startswith("llvm-objdump") and code["problem"] == ""
    assert lines[-1] == "s_endpgm" and "v_mul_f32_e32 v1, s2, v1" in lines


@pytest.mark.parametrize(
    ("wanted", "message"),
    [("nothing_like_it", "no kernel is called 'nothing_like_it'"), ("add", "fits 2 kernels")],
)
def test_show_needs_one_kernel(wanted: str, message: str) -> None:
    result = run("show", wanted, PLAIN)
    assert isinstance(result.exception, HipportError) and message in str(result.exception)


def test_diff() -> None:
    result = run("diff", PLAIN, BINARY / "elf-rdc/librdc.so", "--exit-code")
    assert result.exit_code == 1
    assert result.stdout == (
        "- gfx1100          target\n~ gfx90a           code objects: 7840 -> 6816 bytes (-1024)\n"
    )
    changed = run("diff", CODE / "v2-gfx906.co", CODE / "v3-gfx906.co")
    assert changed.exit_code == 0
    assert changed.stdout == ("~ gfx906:sramecc+:xnack+ code objects: 6016 -> 4936 bytes (-1080)\n")
    same = run("diff", PLAIN, PLAIN, "--exit-code")
    assert (same.exit_code, same.stdout) == (0, "no differences\n")


def test_diff_of_kernels() -> None:
    found = document("diff", BINARY / "elf-rdc/librdc.so", PLAIN)
    assert found["targets_gained"] == ["gfx1100"] and found["kernels_changed"] == []
    lost = document("diff", COMPRESSED, BINARY / "archive/libkernels.a")
    assert [kernel["name"] for kernel in lost["kernels_lost"]] == [
        "_Z3sumIdEvPT_PKS0_S3_",
        "_Z3sumIiEvPT_PKS0_S3_",
        "scale_again",
        "second",
    ]


@pytest.mark.parametrize(
    ("require", "code", "verdicts"),
    [
        ("gfx90a", 0, ["ok"]),
        ("gfx90a,gfx1100", 0, ["ok", "ok"]),
        ("gfx90a:xnack+", 0, ["ok"]),
        ("gfx90a,gfx942", 1, ["fail", "ok"]),
    ],
)
def test_check_requires_devices(require: str, code: int, verdicts: list[str]) -> None:
    result = run("check", PLAIN, "--require", require)
    assert result.exit_code == code
    assert [line.split()[0] for line in result.stdout.splitlines()] == verdicts


@pytest.mark.parametrize(
    ("file", "device", "runs"),
    [
        ("v6-gfx9-4-generic.co", "gfx942", True),
        ("v6-gfx9-4-generic.co", "gfx950:xnack-", True),
        ("v6-gfx9-4-generic.co", "gfx90a", False),
        ("v5-gfx942_xnack+.co", "gfx942:xnack+", True),
        ("v5-gfx942_xnack+.co", "gfx942:xnack-", False),
        ("v5-gfx942_xnack+.co", "gfx942", False),
        ("v4-gfx90a_sramecc+_xnack-.co", "gfx90a:sramecc+:xnack-", True),
        ("v4-gfx90a_sramecc+_xnack-.co", "gfx90a:xnack-", False),
    ],
)
def test_check_applies_generic_targets_and_features(file: str, device: str, runs: bool) -> None:
    assert run("check", CODE / file, "--require", device).exit_code == int(not runs)


def test_check_takes_spirv_as_code_for_any_chip() -> None:
    found = document("check", BINARY / "handmade/spirv.hipfb", "--require", "gfx1201")
    assert found["devices"][0] | {"where": ""} == {
        "device": "gfx1201",
        "where": "",
        "runs": True,
        "entry": "hip-spirv64-amd-amdhsa--amdgcnspirv",
        "entries": ["hip-spirv64-amd-amdhsa--amdgcnspirv"],
        "reason": None,
        "hint": None,
        "compiled_at_run_time": True,
    }


def test_check_finds_contradictions(tmp_path: Path) -> None:
    wrong = tmp_path / "wrong"
    gfx942 = CODE / "v5-gfx942_xnack+.co"
    run("bundle", f"hipv4-amdgcn-amd-amdhsa--gfx90a={gfx942}", "-o", wrong)
    result = run("check", wrong, "--require", "gfx90a", "--fail-on", "mismatch")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[1] == (
        f"fail    mismatch         {wrong}: bundle 0, hipv4-amdgcn-amd-amdhsa--gfx90a: "
        "the entry ID says gfx90a, e_flags gfx942:xnack+"
    )


def test_check_finds_what_is_registered_and_absent(tmp_path: Path) -> None:
    changed = tmp_path / "lib.so"
    # The host's string ends in a zero; in the metadata of the code objects the name does not.
    changed.write_bytes(PLAIN.read_bytes().replace(b"scale\0", b"scald\0"))
    codes = [f["check"] for f in document("check", changed, "--all")["findings"]]
    assert "absent" in codes and "unregistered" in codes


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--require", "gfx9999"], "--require gfx9999: no such processor"),
        (["--fail-on", "nothing"], "--fail-on nothing: no such check"),
    ],
)
def test_check_refuses_words_it_does_not_know(arguments: list[str], message: str) -> None:
    result = run("check", PLAIN, *arguments)
    assert isinstance(result.exception, HipportError) and message in str(result.exception)


def test_dedupe() -> None:
    result = run("dedupe", BINARY / "bundles/v3.hipfb", BINARY / "bundles/plain.hipfb")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[:5] == [
        "code objects     4, 25760 bytes",
        "stored           20923 bytes",
        "not compressed   12880 bytes",
        "debug sections   0 bytes",
        "copies           12880 bytes in 2 groups",
    ]


@pytest.mark.parametrize("command", ["list", "kernels", "dedupe", "check"])
def test_damage_is_exit_code_2_and_told_on_stderr(command: str) -> None:
    result = run(command, CORRUPT / "garbage-between")
    assert result.exit_code == 2
    assert result.stderr == (
        f"hipport: {CORRUPT / 'garbage-between'}: offset 0x13d8: "
        "unknown bytes 67 61 72 62 61 67 65 21\n"
    )
    assert result.stdout


def test_a_missing_file_is_told() -> None:
    result = run("list", "no-such-file")
    assert str(result.exception) == (
        "no-such-file: cannot read: No such file or directory "
        "(check its name; it may have gone away)"
    )


def test_files_without_device_code_are_told_apart(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("nothing")
    empty = run("list", tmp_path)
    assert (empty.exit_code, empty.stdout) == (0, "")
    assert empty.stderr == f"hipport: {tmp_path}: no file with device code in it\n"
    result = run("check", BINARY / "handmade/nvidia.fatbin", "--require", "gfx90a")
    assert result.exit_code == 1
    assert result.stderr == "hipport: no AMD device code in these files\n"


def test_rich_tables_keep_names_whole_at_80_columns_and_in_a_pipe(tmp_path: Path) -> None:
    library = tmp_path / f"{'a-long-folder/' * 6}libplain.so"
    library.parent.mkdir(parents=True)
    library.write_bytes(PLAIN.read_bytes())
    for arguments, name in (
        (["list"], str(library)),
        (["list", "--summary"], str(library)),
        (["kernels"], "void add<double>(double*, double const*, double const*)"),
        (["check", "--require", "gfx942"], f"{library}: bundle 0: no code for gfx942"),
    ):
        command = ["fatbin", *arguments, "--format", "rich", library]
        assert name in hipport(*command, cwd=tmp_path).out, command
        shown = on_a_terminal([sys.executable, "-m", "hipport", *command], cwd=tmp_path)
        assert name in shown.text, command


@pytest.mark.parametrize(
    "command", [f"extract {PLAIN}", f"slim {PLAIN} --targets gfx90a", f"bundle {PLAIN}"]
)
def test_no_file_is_named_like_standard_output(tmp_path: Path, command: str) -> None:
    done = hipport("fatbin", *command.split(), "-o", "-", cwd=tmp_path)
    message = "hipport: -o -: the result is not printed (name a file or folder)\n"
    assert (done.code, done.out, done.err) == (2, "", message)
    assert not list(tmp_path.iterdir())
