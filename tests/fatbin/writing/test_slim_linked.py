"""`slim` on what different linkers make: loaded and run with a runtime that dumps its bundles."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from hipport.fatbin.host.registration import registrations
from hipport.fatbin.limits import Limits
from hipport.fatbin.reader import open_path
from tests.fatbin.writing.test_slim import check_record
from tests.support.binaries import TRUTH, only, output_of, run, tool
from tests.support.runtime_stub import load, start
from tests.support.wheels import WHEELS, member, wheel

pytestmark = pytest.mark.toolchain
ARCHS = ("gfx906", "gfx90a", "gfx942", "gfx1030", "gfx1100")
SOURCE = """
#define __global__ __attribute__((global))
struct dim3 {{ unsigned x, y, z; }};
extern "C" int hipLaunchKernel(const void *, dim3, dim3, void **, unsigned long, void *);
extern "C" int __hipPopCallConfiguration(dim3 *, dim3 *, unsigned long *, void *);
extern "C" __global__ void kernel{n}(float *p) {{ *p *= {n}; }}
extern "C" int answer{n}() {{ return {n}; }}
"""
SHARED = ("-shared",)
LINKS = {
    "lld": ("-fuse-ld=lld", *SHARED),
    "lld, stripped": ("-fuse-ld=lld", *SHARED, "-s"),
    "lld, RELR": ("-fuse-ld=lld", *SHARED, "-Wl,-z,pack-relative-relocs"),
    "lld, large pages": ("-fuse-ld=lld", *SHARED, "-Wl,-z,max-page-size=16384"),
    "lld, program": ("-fuse-ld=lld", "-pie"),
    "lld, fixed program": ("-fuse-ld=lld", "-no-pie"),
    "GNU ld": ("-fuse-ld=bfd", *SHARED),
    "GNU ld, one segment": ("-fuse-ld=bfd", *SHARED, "-Wl,-z,noseparate-code"),
    "GNU ld, program": ("-fuse-ld=bfd", "-pie"),
    "gold": ("-fuse-ld=gold", *SHARED),
}


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[Path]]:
    """Objects of three sources, plain and compressed."""
    folder = tmp_path_factory.mktemp("objects")
    made: dict[str, list[Path]] = {"plain": [], "compressed": []}
    for number in range(3):
        (folder / f"{number}.hip").write_text(SOURCE.format(n=number))
        for form, option in (("plain", ()), ("compressed", ("--offload-compress",))):
            made[form].append(folder / f"{number}.{form}.o")
            output_of(
                *(tool("clang++-22"), "-x", "hip", "-nogpuinc", "-nogpulib", "-O2", "-fPIC"),
                *(*(f"--offload-arch={arch}" for arch in ARCHS), *option),
                *("-c", folder / f"{number}.hip", "-o", made[form][-1]),
            )
    (folder / "main.c").write_text("int answer2(); int main() { return answer2() - 2; }\n")
    (folder / "runtime.c").write_text(
        "".join(
            f"void {name}(void) {{}}\n"
            for name in (
                *("__hipRegisterFatBinary", "__hipUnregisterFatBinary", "__hipRegisterFunction"),
                *("__hipPopCallConfiguration", "hipLaunchKernel"),
            )
        )
    )
    output_of(
        *(tool("clang-22"), "-shared", "-fPIC", "-Wl,-soname,libamdhip64.so"),
        *(folder / "runtime.c", "-o", folder / "libamdhip64.so"),
    )
    output_of(tool("clang-22"), "-c", "-fPIC", folder / "main.c", "-o", folder / "main.o")
    made["main"], made["runtime"] = [folder / "main.o"], [folder / "libamdhip64.so"]
    return made


def linked(objects: dict[str, list[Path]], link: str, form: str, path: Path) -> Path:
    main = objects["main"] if "program" in link else []
    inputs = [*main, *objects[form], *objects["runtime"]]
    output_of(tool("clang-22"), *LINKS[link], *inputs, "-o", path)
    return path


@pytest.mark.parametrize("form", ["plain", "compressed"])
@pytest.mark.parametrize("link", LINKS)
def test_it_loads_and_registers_the_same(
    link: str, form: str, objects: dict[str, list[Path]], tmp_path: Path
) -> None:
    old, new = linked(objects, link, form, tmp_path / "old"), tmp_path / "new"
    result = run("slim", old, "-o", new, "--targets", "gfx942")
    assert result.exit_code == 0, result.output
    new.chmod(0o755)
    check_entries(old, new, "gfx942")
    check_with_readelf(old, new)
    size = new.stat().st_size
    if form == "plain":
        # The bundles of a program with fixed addresses stay where they are, but for the last.
        saved = 12_000 if link == "lld, fixed program" else 40_000
        assert size < old.stat().st_size - saved and "shrunk" in result.stdout
        assert new.read_bytes().count(b"gfx1100") == 0
    runner = start if "program" in link else load
    registered = runner(new, tmp_path / "run")
    assert len(registered) == 3
    for data, bundle in zip(registered, only(new).bundles, strict=True):
        assert data[: bundle.size] == bundle.stored.read(0, min(bundle.size, len(data)))
    assert registrations(only(new), Limits()).names() == {f"kernel{n}" for n in range(3)}
    assert run("check", new, "--require", "gfx942", "--fail-on", "mismatch,absent").exit_code == 0


def check_entries(old: Path, new: Path, target: str) -> None:
    """Those for the target and the host are there, byte by byte, and no others."""
    before, after = only(old), only(new)
    assert list(after.all_faults()) == []
    for bundle, was in zip(after.bundles, before.bundles, strict=True):
        wanted = [e for e in was.entries if e.is_host or e.id.endswith(f"-{target}")]
        assert [e.id for e in bundle.entries] == [e.id for e in wanted]
        for entry, twin in zip(bundle.entries, wanted, strict=True):
            data, same = entry.source(), twin.source()
            assert data.read(0, data.size) == same.read(0, same.size)


def check_with_readelf(old: Path, new: Path) -> None:
    """Neither readelf finds fault, beyond what it says of the old file; addresses stay."""
    for name in ("readelf", "llvm-readelf-22"):
        warnings = []
        for path in (old, new):
            done = subprocess.run([tool(name), "-aW", path], capture_output=True, text=True)
            warnings.append(done.stderr)
        assert warnings[1] == warnings[0]
    for options in ("--dyn-syms", "-dW"):
        before, after = (output_of(tool("readelf"), options, "-W", path) for path in (old, new))
        assert before.splitlines()[3:] == after.splitlines()[3:]
    before, after = only(old).elf, only(new).elf
    assert before is not None and after is not None
    for section, twin in zip(before.sections, after.sections, strict=True):
        assert (section.name, section.address) == (twin.name, twin.address)
        if section.name in (".hip_fatbin", ".hipFatBinSegment", ".rela.dyn", ".symtab"):
            continue
        assert section.size == twin.size
        ours, theirs = after.content(twin), before.content(section)
        assert ours.read(0, ours.size) == theirs.read(0, theirs.size), section.name


@pytest.mark.real
@pytest.mark.parametrize("package", WHEELS)
def test_published_wheels(package: str, tmp_path: Path) -> None:
    """Kept code is byte-identical, the rest is gone, the RECORD is right, and what needs nothing
    but libraries that can be stood in for loads."""
    old = wheel(package)
    result = run("slim", old, "-o", tmp_path, "--targets", "gfx942")
    assert result.exit_code == 0, result.output
    new = tmp_path / old.name
    assert new.stat().st_size < old.stat().st_size
    members = check_record(new)
    names = [key.partition("/")[2] for key in TRUTH if key.startswith(f"{package}/")]
    for key, data in check_record(old).items():
        if key not in names and not key.endswith("/RECORD"):
            assert members[key] == data
    for name in names:
        path = tmp_path / name.replace("/", "_")
        path.write_bytes(members[name])
        check_entries(member(f"{package}/{name}"), path, "gfx942")
        check_with_readelf(member(f"{package}/{name}"), path)
        assert path.stat().st_size <= member(f"{package}/{name}").stat().st_size
        registered = load(path, tmp_path / f"{path.name}.run")
        bundles = only(path).bundles
        assert len(registered) == len(bundles)
        for data, bundle in zip(registered, bundles, strict=True):
            size = min(bundle.size, len(data))
            assert data[:size] == bundle.stored.read(0, size)
    found = {
        str(entry.target)
        for binary in open_path(str(new))
        for bundle in binary.bundles
        for entry in bundle.entries
        if "amdgcn" in entry.id
    }
    assert found == {"gfx942"}
