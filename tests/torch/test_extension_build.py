"""Extension builds with the installed PyTorch, up to compilers that record what they are given."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.command import make_tree
from tests.torch.installed import torch_folder

pytestmark = pytest.mark.real

CHECKOUT = Path(__file__).parents[2]
RECORDER = """\
#!/usr/bin/env python3
import json, os, sys
with open(os.environ["RECORD"], "a") as file:
    file.write(json.dumps(sys.argv) + "\\n")
if "-o" in sys.argv:
    open(sys.argv[sys.argv.index("-o") + 1], "w").close()
"""
SETUP = """\
from setuptools import setup
from {package} import BuildExtension, CUDAExtension

setup(
    name="scale",
    ext_modules=[
        CUDAExtension(
            "scale_C",
            ["csrc/bind.cpp", "csrc/cuda/scale.cu"],
            include_dirs=["include"],
            extra_compile_args={{
                "cxx": ["-O3"],
                "nvcc": ["-O3", "--use_fast_math", "-gencode", "arch=compute_80,code=sm_80"],
            }},
        )
    ],
    cmdclass={{"build_ext": BuildExtension}},
)
"""
TREE = {
    "include/scale.h": "#pragma once\n#include <torch/extension.h>\n#include <cuda_fp16.h>\n"
    "void scale(torch::Tensor values, float factor);\n",
    "csrc/bind.cpp": '#include "scale.h"\n'
    'PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("scale", &scale); }\n',
    "csrc/cuda/scale.cu": "// cudaMalloc stays here; \xe9 is Latin-1\n"
    "#include <c10/cuda/CUDAGuard.h>\n"
    "#include <ATen/cuda/CUDAContext.h>\n"
    "#include <scale.h>\n"
    "__global__ void kernel(float *values, float factor) { values[threadIdx.x] *= factor; }\n"
    "void scale(torch::Tensor values, float factor) {\n"
    "  c10::cuda::CUDAGuard guard(values.device());\n"
    "  auto s = at::cuda::getCurrentCUDAStream();\n"
    "  kernel<<<1, 32, 0, s>>>(values.data_ptr<float>(), 2);\n"
    "}\n",
}
CONVERTED = (
    "// cudaMalloc stays here; \xe9 is Latin-1\n"
    "#include <hip/hip_runtime.h>\n"
    '#line 2 "{source}"\n'
    "#include <c10/hip/HIPGuard.h>\n"
    "#include <ATen/hip/HIPContext.h>\n"
    "#include <scale.h>\n"
    "__global__ void kernel(float *values, float factor) {{ values[threadIdx.x] *= factor; }}\n"
    "void scale(torch::Tensor values, float factor) {{\n"
    "  c10::cuda::CUDAGuard guard(values.device());\n"
    "  auto s = at::cuda::getCurrentCUDAStream();\n"
    "  hipLaunchKernelGGL(kernel, dim3(1), dim3(32), 0, s, values.data_ptr<float>(), 2);\n"
    "}}\n"
)


class Extension:
    """An extension with the compilers that record, in an environment with PyTorch."""

    def __init__(self, folder: Path, package: str) -> None:
        self.folder = folder / "scale"
        tree: dict[str, Any] = {**TREE, "setup.py": SETUP.format(package=package)}
        tree["csrc/cuda/scale.cu"] = tree["csrc/cuda/scale.cu"].encode("latin-1")
        make_tree(self.folder, tree)
        self.record = folder / "record"
        for name in ("bin/hipcc", "bin/cxx"):
            program = folder / "rocm" / name
            program.parent.mkdir(parents=True, exist_ok=True)
            program.write_text(RECORDER)
            program.chmod(0o755)
        self.variables = {
            **os.environ,
            "PYTHONPATH": f"{torch_folder()}{os.pathsep}{CHECKOUT}",
            "ROCM_HOME": str(folder / "rocm"),
            "CXX": str(folder / "rocm/bin/cxx"),
            "RECORD": str(self.record),
            "TORCH_DONT_CHECK_COMPILER_ABI": "1",
            "PYTORCH_ROCM_ARCH": "gfx90a",
        }

    def build(self, **variables: str) -> subprocess.CompletedProcess[str]:
        return self.run("-m", "tests.torch.rocm_build", "setup.py", "build_ext", **variables)

    def run(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**self.variables, **variables},
            capture_output=True,
            text=True,
            timeout=300,
        )

    def compiled(self, name: str) -> list[str]:
        """How the source of that name was compiled."""
        lines = self.record.read_text().splitlines()
        calls: list[list[str]] = [json.loads(line) for line in lines]
        (found,) = (call for call in calls if any(each.endswith(f"/{name}") for each in call))
        return found


@pytest.mark.parametrize("package", ["hipport.torch", "torch.utils.cpp_extension"])
def test_a_setup_builds_what_hipport_converted(package: str, tmp_path: Path) -> None:
    """With the import of the page, and with nothing but the environment's hook."""
    extension = Extension(tmp_path, package)
    hook = tmp_path / "hook"
    hook.mkdir()
    if package != "hipport.torch":
        (hook / "sitecustomize.py").write_text("import hipport.torch.hook as h; h.wait()\n")
    path = f"{hook}{os.pathsep}{extension.variables['PYTHONPATH']}"
    ran = extension.build(PYTHONPATH=path)
    assert ran.returncode == 0, ran.stdout + ran.stderr

    call = extension.compiled("scale.cu")
    source = Path(next(each for each in call if each.endswith("/scale.cu")))
    text = source.read_bytes().decode("latin-1")
    original = extension.folder / "csrc/cuda/scale.cu"
    body = text.removeprefix(f'#line 1 "{original}"\n').partition("\n/* headers: ")[0]
    assert body == CONVERTED.format(source=original)
    assert call[0].endswith("hipcc")
    assert "-fcuda-approx-transcendentals" in call and "--offload-arch=gfx90a" in call
    assert not {"--use_fast_math", "-gencode"} & set(call)

    folders = [each[2:] for each in call if each.startswith("-I")]
    assert Path(folders[0]).name == "include" and folders[1] == "include"
    header = (Path(folders[0]) / "scale.h").read_text().partition('"')[2].rpartition('"')[0]
    assert "#include <hip/hip_fp16.h>" in Path(header).read_text()
    assert original.read_bytes() == TREE["csrc/cuda/scale.cu"].encode("latin-1")


def test_load_builds_what_hipport_converted(tmp_path: Path) -> None:
    extension = Extension(tmp_path, "hipport.torch")
    code = (
        "import os, hipport.torch\n"
        "from torch.utils.cpp_extension import load\n"
        "hipport.torch.CUDAExtension\n"
        "load('scale_C', ['csrc/bind.cpp', 'csrc/cuda/scale.cu'], with_cuda=True,\n"
        "     extra_include_paths=[os.path.abspath('include')],\n"
        "     extra_cuda_cflags=['--use_fast_math'],\n"
        "     build_directory='made')\n"
    )
    make_tree(extension.folder, {"made/empty": "", "load.py": code})
    ran = extension.run("-m", "tests.torch.rocm_build", "load.py")
    assert "ImportError" in ran.stderr, "the recorder links nothing that can be loaded"
    call = extension.compiled("scale.cu")
    assert "-fcuda-approx-transcendentals" in call and "--use_fast_math" not in call
    source = Path(next(each for each in call if each.endswith("/scale.cu")))
    assert source.is_relative_to(extension.folder / "made/build/hipport")
    assert b"hipLaunchKernelGGL" in source.read_bytes()
    include = next(each for each in call if each.startswith("-I")).removeprefix("-I")
    assert (Path(include) / "scale.h").is_file()


def test_load_inline_builds_what_hipport_converted(tmp_path: Path) -> None:
    extension = Extension(tmp_path, "hipport.torch")
    code = (
        "import hipport.torch\n"
        "from torch.utils.cpp_extension import load_inline\n"
        "hipport.torch.CUDAExtension\n"
        "load_inline('scale_C', 'void scale(torch::Tensor values, double factor);',\n"
        f"    {TREE['csrc/cuda/scale.cu'].replace('#include <scale.h>', '')!r},\n"
        "    functions=['scale'], extra_cuda_cflags=['--use_fast_math'], build_directory='made')\n"
    )
    make_tree(extension.folder, {"made/empty": "", "load.py": code})
    ran = extension.run("-m", "tests.torch.rocm_build", "load.py")
    assert "ImportError" in ran.stderr, "the recorder links nothing that can be loaded"
    call = extension.compiled("cuda.cu")
    assert "-fcuda-approx-transcendentals" in call and "--use_fast_math" not in call
    text = Path(next(each for each in call if each.endswith("/cuda.cu"))).read_bytes()
    assert b"hipLaunchKernelGGL(kernel, " in text and b"c10::cuda::CUDAGuard guard" in text
    assert b"#include <c10/hip/HIPGuard.h>" in text and b"// cudaMalloc stays here" in text
    assert b"kernel<<<" in (extension.folder / "made/cuda.cu").read_bytes()


def test_pytorchs_own_step_does_not_read_latin_1(tmp_path: Path) -> None:
    extension = Extension(tmp_path, "torch.utils.cpp_extension")
    ran = extension.build()
    assert ran.returncode != 0 and "UnicodeDecodeError" in ran.stderr


def test_findings_are_printed_and_can_fail_the_build(tmp_path: Path) -> None:
    extension = Extension(tmp_path, "hipport.torch")
    path = extension.folder / "csrc/bind.cpp"
    path.write_text(path.read_text() + "void reset() { cudaCtxResetPersistingL2Cache(); }\n")
    said = f"{path}:3:16: warning: `cudaCtxResetPersistingL2Cache`"
    ran = extension.build()
    assert ran.returncode == 0 and said in ran.stderr and "[HP-API-001]" in ran.stderr
    ran = extension.build(HIPPORT_WERROR="1")
    assert ran.returncode != 0 and said in ran.stderr
    assert "HIPPORT_WERROR is set" in ran.stderr


def test_on_a_pytorch_without_rocm_nothing_changes(tmp_path: Path) -> None:
    extension = Extension(tmp_path, "hipport.torch")
    code = (
        "import torch.utils.cpp_extension as own\n"
        "own.CUDA_HOME = '/nowhere'\n"
        "from hipport.torch import BuildExtension, CUDAExtension\n"
        "made = CUDAExtension('scale_C', ['csrc/cuda/scale.cu'])\n"
        "assert made.sources == ['csrc/cuda/scale.cu'], made.sources\n"
        "assert BuildExtension is own.BuildExtension\n"
    )
    ran = extension.run("-c", code)
    assert ran.returncode == 0, ran.stderr
    assert not (extension.folder / "build").exists()


def test_installing_and_uninstalling_for_an_environment(tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    python = str(environment / "bin/python")
    paths = [str(CHECKOUT), *(each for each in sys.path if "site-packages" in each)]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(torch_folder()), *paths])}

    def run(*arguments: str) -> str:
        done = subprocess.run(
            [python, *arguments], env=variables, capture_output=True, text=True, timeout=120
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    code = (
        "import torch.utils.cpp_extension\n"
        "from torch.utils.hipify import hipify_python\n"
        "print(hasattr(hipify_python.hipify, '_replaced_by_hipport'))\n"
    )
    assert run("-c", code) == "False\n"
    (hook,) = {Path(run("-m", "hipport.torch", "install").split(": ")[1].strip())}
    assert hook.is_relative_to(environment)
    assert run("-c", code) == "True\n"
    without = {"PATH": os.environ["PATH"]}
    done = subprocess.run([python, "-c", ""], env=without, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), "hipport was uninstalled, the hook was not"
    run("-m", "hipport.torch", "uninstall")
    assert not hook.exists()
    assert run("-c", code) == "False\n"
    assert "own hipify" in run("-m", "hipport.torch", "uninstall")
