"""The hooks for pre-commit and prek, run by both programs in throw-away git repositories."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

import pytest

from hipport.rulebook.load import load
from hipport.source.audit.audit_file import kind_of
from tests.support.command import Ran, hipport, make_tree
from tests.support.folders import CHECKOUT
from tests.support.hooks import RUNNERS, git, local_config, manifest, repository, run

GOOD = "#include <hip/hip_runtime.h>\nint main() { return hipFree(0); }\n"
BAD = "#include <cuda_runtime.h>\nint main() { return cudaFree(0); }\n"
TOLD = (
    "src/a.cpp:1:1: blocker HP-PORT-001 [*] `#include <cuda_runtime.h>` is CUDA's; "
    "HIP has <hip/hip_runtime.h>\n"
    "src/a.cpp:2:21: blocker HP-PORT-001 [*] `cudaFree` is CUDA's; HIP has hipFree\n"
)
LIBRARY = CHECKOUT / "fixtures/binary/elf-plain/libplain.so"
HOOKS = {hook["id"]: hook for hook in manifest()}
CONFIG = ".pre-commit-config.yaml"


# The manifest


def test_the_manifest_has_the_three_hooks() -> None:
    assert list(HOOKS) == ["hipport-check", "hipport-convert", "hipport-fatbin-check"]
    for hook in HOOKS.values():
        assert hook["language"] == "python"
        assert "require_serial" not in hook and "pass_filenames" not in hook


@pytest.mark.parametrize("runner", RUNNERS)
def test_the_runner_accepts_the_manifest(runner: str, tmp_path: Path) -> None:
    shutil.copy(CHECKOUT / ".pre-commit-hooks.yaml", tmp_path / "hooks.yaml")
    assert run(tmp_path, runner, "validate-manifest", "hooks.yaml").code == 0


def test_the_patterns_name_the_endings_that_hipport_knows() -> None:
    languages: dict[str, str] = load().file_kinds.languages
    for ending, language in languages.items():
        check, convert = (HOOKS[name]["files"] for name in ("hipport-check", "hipport-convert"))
        assert re.search(check, f"src/a{ending}"), ending
        assert bool(re.search(convert, f"src/a{ending}")) == (language != "python"), ending


@pytest.mark.parametrize("name", ["CMakeLists.txt", "a/CMakeLists.txt", "x.cmake", "GNUmakefile"])
def test_build_files_are_checked_but_not_converted(name: str) -> None:
    assert kind_of(name) in ("cmake", "make")
    assert re.search(HOOKS["hipport-check"]["files"], name)
    assert not re.search(HOOKS["hipport-convert"]["files"], name)


@pytest.mark.parametrize("name", ["README.md", "a.json", "a.cut", "hip", "a.so", "xCMakeLists.txt"])
def test_other_files_are_neither(name: str) -> None:
    assert not re.search(HOOKS["hipport-check"]["files"], name)
    assert not re.search(HOOKS["hipport-convert"]["files"], name)


def test_which_binaries_are_checked() -> None:
    names = ["a.so", "lib/a.so.1.2", "a.hsaco", "a.o", "a-1-py3-none-any.whl", "a.pyd"]
    assert all(re.search(HOOKS["hipport-fatbin-check"]["files"], name) for name in names)
    assert not re.search(HOOKS["hipport-fatbin-check"]["files"], "a.something")


# hipport-check


def committing(folder: Path) -> Ran:
    """What happens on `git commit` of all that is staged."""
    return run(folder, "git", "commit", "--message=second")


def unindented(done: Ran) -> str:
    """All that a runner wrote; prek indents what a hook wrote."""
    return re.sub(r"^  ", "", done.out + done.err, flags=re.MULTILINE)


@pytest.fixture(params=RUNNERS)
def installed(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A repository in which the runner's hook is installed, with a ported file."""
    files = {"src/a.cpp": GOOD, CONFIG: local_config("hipport-check")}
    folder = repository(tmp_path / "tree", files)
    assert run(folder, request.param, "install").code == 0
    return folder


def test_a_bad_commit_is_stopped_and_a_good_one_passes(installed: Path) -> None:
    make_tree(installed, {"src/a.cpp": BAD, "src/b.py": "import numpy\n"})
    git(installed, "add", "--all")
    done = committing(installed)
    assert done.code == 1
    assert TOLD in unindented(done)
    assert git(installed, "log", "--format=%s") == "first\n"
    make_tree(installed, {"src/a.cpp": GOOD + "// More.\n"})
    git(installed, "add", "--all")
    assert committing(installed).code == 0
    assert git(installed, "log", "--format=%s") == "second\nfirst\n"


def test_what_is_staged_is_judged(installed: Path) -> None:
    make_tree(installed, {"src/a.cpp": BAD})
    git(installed, "add", "--all")
    make_tree(installed, {"src/a.cpp": GOOD})
    assert committing(installed).code == 1
    assert (installed / "src/a.cpp").read_text() == GOOD

    make_tree(installed, {"src/a.cpp": GOOD + "// More.\n"})
    git(installed, "add", "--all")
    make_tree(installed, {"src/a.cpp": BAD})
    assert committing(installed).code == 0
    assert git(installed, "show", "HEAD:src/a.cpp") == GOOD + "// More.\n"
    assert (installed / "src/a.cpp").read_text() == BAD


def test_only_changed_files_are_judged(tmp_path: Path) -> None:
    files = {"src/old.cpp": BAD, "src/a.cpp": GOOD, CONFIG: local_config("hipport-check")}
    folder = repository(tmp_path / "tree", files)
    assert run(folder, "prek", "install").code == 0
    make_tree(folder, {"src/a.cpp": GOOD + "\n"})
    git(folder, "add", "--all")
    assert committing(folder).code == 0


@pytest.mark.parametrize("runner", RUNNERS)
def test_excluded_known_and_hidden_files_pass(runner: str, tmp_path: Path) -> None:
    arguments = {"hipport-check": ["--baseline", "baseline.json"]}
    files = {
        "third_party/a.cu": BAD,
        "src/known.cu": BAD,
        "src/hidden.cu": "// hipport: ignore-file: CUDA's side of the test\n" + BAD,
        "src/both.cpp": f"#ifdef USE_ROCM\n{GOOD}#else\n{BAD}#endif\n",
        "hipport.toml": 'exclude = ["third_party/"]\n',
        CONFIG: local_config("hipport-check", args=arguments),
    }
    folder = repository(tmp_path / "tree", files)
    done = hipport("check", "--write-baseline", "baseline.json", "src/known.cu", cwd=folder)
    assert (done.code, done.out, done.err) == (0, "", "")
    assert run(folder, runner, "run", "--all-files").code == 0
    make_tree(folder, {"src/known.cu": BAD + "cudaStream_t s;\n"})
    done = run(folder, runner, "run", "--all-files")
    told = [line for line in unindented(done).splitlines() if " HP-" in line]
    assert done.code == 1
    assert told == [
        "src/known.cu:3:1: blocker HP-PORT-001 [*] `cudaStream_t` is CUDA's; HIP has hipStream_t"
    ]


@pytest.mark.slow
def test_many_files_are_shared_among_processes(tmp_path: Path) -> None:
    """So many names that a runner splits them."""
    files = {f"src/{'x' * 60}_{number:03}.cpp": GOOD for number in range(120)}
    files |= {"src/zzz.cpp": BAD, CONFIG: local_config("hipport-check")}
    folder = repository(tmp_path / "tree", files)
    done = run(folder, "pre-commit", "run", "--all-files")
    assert (done.code, done.out.count(" HP-PORT-001 ")) == (1, 2)


# hipport check itself


CHECKS = [
    ("a.cpp", GOOD, []),
    ("a.cpp", '// cudaFree(0);\nconst char* t = "cudaFree";\n', []),
    ("a.cpp", BAD, ["1:1", "2:21"]),
    (
        "a.cu",
        "#include <hip/hip_runtime.h>\n__global__ void k();\nvoid f() { k<<<1, 2>>>(); }\n",
        [],
    ),
    ("a.cu", "__global__ void k(float* x) { x[threadIdx.x] = 0; }\n", []),
    ("a.cpp", "void f(mine::Pool p) { p.cudaFree(0); mine::cudaFree(0); }\n", []),
    ("a.cpp", "#include <cuda.h>  // why\n  # include <cuda_runtime.h>\n", ["1:1", "2:3"]),
    ("a.cpp", "#if __has_include(<cuda_fp16.h>)\n#endif\n", ["1:1"]),
    ("a.cpp", "int x;\r\n#include <cublas_v2.h>\r\n", ["2:1"]),
    ("a.cpp", "void f() { cudaMemcpyToSymbol(x, y, 4); }\n", ["1:12"]),
    ("a.cpp", f"#if defined(__HIP_PLATFORM_AMD__)\n#else\n{BAD}#endif\n", []),
]


@pytest.mark.parametrize(("name", "code", "places"), CHECKS)
def test_uses_of_cuda(tmp_path: Path, name: str, code: str, places: list[str]) -> None:
    make_tree(tmp_path, {name: code})
    done = hipport("check", "--select", "HP-PORT-001", name, cwd=tmp_path)
    assert re.findall(r"^\S+?:(\d+:\d+): blocker HP-PORT-001 ", done.out, re.MULTILINE) == places
    assert done.code == bool(places)
    assert bool(done.out) == bool(places)
    assert "// why" not in done.out


def test_levels_and_formats(tmp_path: Path) -> None:
    make_tree(
        tmp_path, {"a.cu": "int f() { return cudaGetExportTable(0, 0); }\n", "src/a.cpp": BAD}
    )
    done = hipport("check", "a.cu", cwd=tmp_path)
    assert (done.code, "manual HP-API-001" in done.out) == (1, True)
    assert hipport("check", "--fail-on", "blocker", "a.cu", cwd=tmp_path) == Ran(0, "", "")
    assert hipport("check", "--fail-on", "never", "src", cwd=tmp_path) == Ran(0, "", "")
    done = hipport("check", "--format", "github", "src/a.cpp", cwd=tmp_path)
    assert done.out.startswith("::error file=src/a.cpp,line=1,")


def test_one_baseline_serves_the_audit_too(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cu": BAD + "__global__ void f() { int lane = threadIdx.x & 31; }\n"})
    baseline = ("--baseline", "known.json")
    assert hipport("check", "--write-baseline", "known.json", ".", cwd=tmp_path).code == 0
    assert hipport("check", *baseline, "a.cu", cwd=tmp_path) == Ran(0, "", "")
    done = hipport("audit", "check", *baseline, ".", cwd=tmp_path)
    assert (done.code, done.err) == (0, "")


def test_it_changes_nothing(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cpp": BAD})
    hipport("check", "a.cpp", cwd=tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["a.cpp"]
    assert (tmp_path / "a.cpp").read_text() == BAD


def test_the_example_of_the_documentation_is_what_it_says(tmp_path: Path) -> None:
    text = (CHECKOUT / "docs/pre-commit.md").read_text()
    shown = re.search(r"\$ hipport check src/a.cpp\n(.*?)```", text, re.DOTALL)
    assert shown
    make_tree(tmp_path, {"src/a.cpp": BAD})
    assert hipport("check", "src/a.cpp", cwd=tmp_path) == Ran(1, shown[1], "")
    assert set(re.findall(r"- id: (\S+)", text)) == set(HOOKS)


# hipport-convert


@pytest.mark.parametrize("runner", RUNNERS)
def test_staged_sources_are_converted_in_place(runner: str, tmp_path: Path) -> None:
    files = {"src/a.cpp": GOOD, "notes.md": "cudaFree\n", CONFIG: local_config("hipport-convert")}
    folder = repository(tmp_path / "tree", files)
    assert run(folder, runner, "install").code == 0
    make_tree(folder, {"src/a.cpp": BAD, "notes.md": "cudaMalloc\n"})
    git(folder, "add", "--all")
    done = committing(folder)
    assert done.code == 1
    assert "src/a.cpp" in unindented(done).splitlines()
    assert (folder / "src/a.cpp").read_text() == GOOD
    assert (folder / "notes.md").read_text() == "cudaMalloc\n"
    git(folder, "add", "--all")
    assert committing(folder).code == 0


def test_converting_by_hand_tells_by_its_exit_code(tmp_path: Path) -> None:
    make_tree(tmp_path, {"a.cpp": BAD})
    command = ("convert", "--in-place", "--exit-non-zero-on-change", "a.cpp")
    assert hipport(*command, cwd=tmp_path) == Ran(1, "a.cpp\n", "")
    assert hipport(*command, cwd=tmp_path) == Ran(0, "", "")


# hipport-fatbin-check


@pytest.mark.parametrize("runner", RUNNERS)
def test_fat_binaries(runner: str, tmp_path: Path) -> None:
    library = LIBRARY.read_bytes()
    config: dict[str, Any] = {"hipport-fatbin-check": ["--require", "gfx906"]}
    files = {"a.so": library, CONFIG: local_config("hipport-fatbin-check", args=config)}
    folder = repository(tmp_path / "tree", files)
    done = run(folder, runner, "run", "--all-files")
    assert (done.code, "gfx906" in done.out) == (1, True)
    make_tree(folder, {CONFIG: local_config("hipport-fatbin-check")})
    git(folder, "add", "--all")
    assert run(folder, runner, "run", "--all-files").code == 0


# As a user gets them: the runner installs the project from a repository


@pytest.fixture(scope="module")
def published(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with what the project needs to be installed."""
    folder = tmp_path_factory.mktemp("published") / "hipport"
    folder.mkdir()
    for name in ("docs", "hipport", "rules"):
        shutil.copytree(
            CHECKOUT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__")
        )
    built_from = ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE")
    for name in (*built_from, ".pre-commit-hooks.yaml"):
        shutil.copy(CHECKOUT / name, folder)
    repository(folder, {})
    git(folder, "tag", "v0")
    return folder


@pytest.mark.real
@pytest.mark.parametrize("runner", RUNNERS)
def test_try_repo(runner: str, published: Path, tmp_path: Path) -> None:
    folder = repository(tmp_path / "tree", {"src/a.cpp": BAD})
    done = run(folder, runner, "try-repo", str(published), "hipport-check", "--all-files")
    assert (done.code, TOLD in unindented(done)) == (1, True)
    make_tree(folder, {"src/a.cpp": GOOD})
    done = run(folder, runner, "try-repo", str(published), "hipport-check", "--all-files")
    assert done.code == 0


@pytest.mark.real
@pytest.mark.parametrize("runner", RUNNERS)
def test_installed_from_a_repository(runner: str, published: Path, tmp_path: Path) -> None:
    config = f"repos:\n- repo: {published}\n  rev: v0\n  hooks:\n"
    config += "  - id: hipport-check\n  - id: hipport-convert\n"
    folder = repository(tmp_path / "tree", {"src/a.cpp": GOOD, CONFIG: config})
    assert run(folder, runner, "install").code == 0
    make_tree(folder, {"src/a.cpp": BAD})
    git(folder, "add", "--all")
    assert committing(folder).code == 1
    assert (folder / "src/a.cpp").read_text() == GOOD
    git(folder, "add", "--all")
    make_tree(folder, {"src/b.cpp": GOOD})
    git(folder, "add", "--all")
    assert committing(folder).code == 0
