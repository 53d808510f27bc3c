"""Imports of packages and extensions that a tree has itself are no findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport import audit, convert
from tests.support.command import hipport, make_tree

FILES = {
    "setup.py": 'setup(ext_modules=[CUDAExtension(name="amp_C", sources=[])])\n',
    "apex/__init__.py": "",
    "src/xformers/__init__.py": "",
    "tools/train.py": "import amp_C\nimport apex.optimizers\nimport xformers\nimport flash_attn\n",
    "tools/spconv.py": "",
    "tools/net.py": "import spconv\n",
    "other/flash_attn/__init__.py": "",
}


def found(folder: Path, files: dict[str, str]) -> list[tuple[str, str]]:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    report = audit(folder).report
    return [(each.code, each.symbol) for each in report.findings if each.code != "HP-PY-007"]


def test_own_packages(tmp_path: Path) -> None:
    # flash_attn is in no folder that Python would look in.
    assert found(tmp_path, FILES) == [("HP-PY-018", "flash_attn")]


@pytest.mark.parametrize("name", ["setup.py", "apex/__init__.py", "src/xformers/__init__.py"])
def test_packages_of_others(tmp_path: Path, name: str) -> None:
    files = {key: text for key, text in FILES.items() if key != name}
    symbols = {symbol for _, symbol in found(tmp_path, files)}
    assert symbols - {"flash_attn"} == {
        {"setup.py": "amp_C", "apex/__init__.py": "apex.optimizers"}.get(name, "xformers")
    }


def test_a_package_that_setup_only_names_is_not_its_own(tmp_path: Path) -> None:
    setup = 'setup(ext_modules=[Extension("fft._cuda", [])], extras_require={"cuda": ["pycuda"]})\n'
    files = {
        "setup.py": setup,
        "fft/test.py": "import pycuda.driver\n",
    }
    assert ("HP-PY-029", "pycuda") in found(tmp_path, files)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("setup.py", "kind = 'cuda'\nCUDAExtension(\n    f'waves_{kind}', sources)\n"),
        (
            "setup.py",
            "N = {'80': 'waves_cuda'}\nCUDAExtension(\n    name = N.get(sm),\n)\n",
        ),
        ("setup.py", "NAMES = {'80': 'waves_cuda'}\nCUDAExtension(name=module, sources=[])\n"),
        ("CMakeLists.txt", "pybind11_add_module(waves_cuda waves.cu)\n"),
        ("CMakeLists.txt", "nanobind_add_module(\n  waves_cuda\n  STABLE_ABI waves.cu)\n"),
    ],
)
def test_extensions_of_the_tree(tmp_path: Path, name: str, text: str) -> None:
    files = {name: text, "waves/use.py": "import waves_cuda\nimport tides_cuda\n"}
    modules = [symbol for code, symbol in found(tmp_path, files) if code == "HP-NET-005"]
    assert modules == ["tides_cuda"]


def test_flags_that_only_an_audit_has_rules_for(tmp_path: Path) -> None:
    """A conversion reports them too; which packages the tree has is asked of its own rules."""
    text = "extra_link_args += ['-lcusparse', '-l', 'cusparse']\n"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "setup.py").write_text(f"import torch\n{text}CUDAExtension('a', [])\n")
    done = hipport("convert", "in", "-o", "out", "--report", "report.json", cwd=tmp_path)
    assert (done.code, done.err) == (1, "")
    assert "HP-MAKE-010" in (tmp_path / "report.json").read_text()


def test_modules_beside_a_script(tmp_path: Path) -> None:
    files = {
        "examples/run.py": "from tools.cuda_buffer import A\nfrom tools.cuda_window import B\n",
        "examples/tools/cuda_buffer.py": "",
        "waves/__init__.py": "",
        "waves/run.py": "from tools.cuda_buffer import Buffer\n",
        "waves/tools/cuda_buffer.py": "",
    }
    assert found(tmp_path, files) == [
        ("HP-NET-005", "tools.cuda_window"),
        ("HP-NET-005", "tools.cuda_buffer"),
    ]


def test_a_folder_that_is_a_package_has_no_packages_beside_it(tmp_path: Path) -> None:
    files = {"pyproject.toml": '[project]\ndependencies = [\n    "triton>=3",\n]\n'}
    assert found(tmp_path / "a", {**files, "triton/__init__.py": ""}) == []
    inside = {**files, "__init__.py": "", "triton/__init__.py": ""}
    assert found(tmp_path / "b", inside) == [("HP-PY-022", "triton")]


@pytest.mark.parametrize("folder", ["cuda-waves", "cuda_waves-1.2.0", "other"])
def test_variables_of_the_project(tmp_path: Path, folder: str) -> None:
    text = 'cache = os.environ.get("CUDA_WAVES_CACHE")\nlist_ = os.environ.get("CUDA_WAVES_ARCH")\n'
    names = [symbol for _, symbol in found(tmp_path / folder, {"use.py": text})]
    others = ["CUDA_WAVES_CACHE"] if folder == "other" else []
    assert names == [*others, "CUDA_WAVES_ARCH"]


@pytest.mark.parametrize(("folder", "is_own"), [("cuda-waves", True), ("other", False)])
def test_variables_of_the_project_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, is_own: bool
) -> None:
    (tmp_path / folder).mkdir()
    monkeypatch.chdir(tmp_path / folder)
    names = found(Path(), {"use.py": 'cache = os.environ.get("CUDA_WAVES_CACHE")\n'})
    assert [symbol for _, symbol in names] == ([] if is_own else ["CUDA_WAVES_CACHE"])


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[project]\nname = "warp-drive"\n'),
        ("setup.py", 'setup(\n    name="warp_drive", version="1")\n'),
    ],
)
def test_a_project_is_not_told_of_itself(tmp_path: Path, name: str, text: str) -> None:
    use = "import warp_drive\nimport voltools\n"
    symbols = [symbol for _, symbol in found(tmp_path, {name: text, "examples/use.py": use})]
    assert symbols == ["voltools"]


def test_a_module_of_the_tree_under_an_older_name(tmp_path: Path) -> None:
    files = {
        "waves/__init__.py": "",
        "waves/cuda/__init__.py": "",
        "tests/use.py": "import old.waves.cuda\nimport tides.waves_cuda\nimport old.seas.cuda\n",
    }
    modules = [symbol for code, symbol in found(tmp_path, files) if code == "HP-NET-005"]
    assert modules == ["tides.waves_cuda", "old.seas.cuda"]


def test_a_part_of_another_package_is_not_the_package_of_its_name(tmp_path: Path) -> None:
    files = {
        "waves/__init__.py": "",
        "waves/flash_attn/__init__.py": "",
        "waves/flash_attn/forward.py": "import flash_attn\n",
        "third_party/flash_attn/__init__.py": "",
        "third_party/flash_attn/ops.py": "import flash_attn\n",
    }
    found(tmp_path, files)
    paths = [each.path for each in audit(tmp_path).report.findings]
    assert paths == ["waves/flash_attn/forward.py"]


@pytest.mark.parametrize(
    ("own", "file", "text"),
    [
        (
            "nerfacc",
            "pyproject.toml",
            '[project]\ndependencies = ["gsplat"]\n\n[tool.setuptools]\npackages = ["nerfacc"]\n',
        ),
        (
            "farneback3d",
            "setup.cfg",
            "[files]\npackages =\n\tfarneback3d\n\n[options]\ninstall_requires =\n\tgsplat\n",
        ),
    ],
)
def test_a_conversion_does_not_tell_a_project_of_itself(
    tmp_path: Path, own: str, file: str, text: str
) -> None:
    """Files of packages are no Python, and are asked for what the tree has all the same."""
    (tmp_path / "in" / own).mkdir(parents=True)
    (tmp_path / "in" / own / "__init__.py").write_text("")
    (tmp_path / "in" / file).write_text(text)
    report = convert(tmp_path / "in").report
    assert [each.symbol for each in report.findings] == ["gsplat"]


@pytest.mark.parametrize(
    ("line", "own"),
    [
        ('sys.path.append(os.path.join(os.path.dirname(__file__), "build_tools"))\n', True),
        ('sys.path.insert(0, "build_tools")\n', True),
        ('sys.path.append("other_tools")\n', False),
        ('sys.path.append("../outside")\n', False),
    ],
)
def test_modules_of_a_folder_that_a_script_puts_on_the_path(
    tmp_path: Path, line: str, *, own: bool
) -> None:
    files = {
        "tree/setup.py": f"import os\nimport sys\n\n{line}from cuda_places import CUDA\n",
        "tree/build_tools/cuda_places.py": "CUDA = {}\n",
        "outside/cuda_places.py": "CUDA = {}\n",
    }
    make_tree(tmp_path, files)
    symbols = [each.symbol for each in audit(tmp_path / "tree").report.findings]
    assert ("cuda_places" not in symbols) == own
