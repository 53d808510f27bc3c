"""Findings in code that nothing in a whole tree uses are notes."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.runs.audit import audit
from hipport.runs.audit_request import AuditRequest

ADD = "{ atomicAdd(at, 1.0f); }\n"
FUNCTION = f"__device__ void add(float* at) {ADD}"
KERNEL = (
    "__global__ void run(float* at) {{ {body} }}\nvoid start(float* at) {{ run<<<1, 64>>>(at); }}\n"
)
CONDITION = "#if __CUDA_ARCH__ >= 700\n  more();\n#endif\n"
ASKED = "cudaFuncSetAttribute(k, cudaFuncAttributeMaxDynamicSharedMemorySize, 90000);\n"
PACKAGE = {"setup.py": "from setuptools import setup\nsetup()\n"}


def found(folder: Path, files: dict[str, str]) -> list[str]:
    """The codes of findings about atomic additions and unused code, and what the latter name."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    report = audit(AuditRequest((str(folder),), jobs=1, isolated=True)).report
    wanted = ("HP-ATOM", "HP-USE", "HP-ASM", "HP-API", "HP-GUARD", "HP-MEM", "HP-LAUNCH")
    return [
        f"{each.code} {each.symbol}" if "USE" in each.code else each.code
        for each in report.findings
        if each.code.startswith(wanted)
    ]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param({"a.cu": FUNCTION}, ["HP-USE-001 add"], id="a function"),
        pytest.param(
            {"a.cu": FUNCTION, "b.cu": "// add(at)\nvoid f() { int a; }\n"},
            ["HP-USE-001 add"],
            id="named in a comment",
        ),
        pytest.param(
            {"a.cu": f"{FUNCTION}__device__ void twice(float* at) {{ add(at); add(at); }}\n"},
            ["HP-USE-001 add"],
            id="used by what nothing uses",
        ),
        pytest.param(
            {
                "a.cu": "#define BOUNDS(threads) __launch_bounds__(threads, 3)\n"
                "__global__ void BOUNDS(64) run(float* at) { at[0] = 1; }\n"
                "void start(float* at) { run<<<1, 64>>>(at); }\n"
            },
            ["HP-LAUNCH-001"],
            id="a macro before a kernel's name",
        ),
        pytest.param(
            {"a.cu": f"__device__ void add(float* at);\n{FUNCTION}"},
            ["HP-USE-001 add"],
            id="declared",
        ),
        pytest.param(
            {"a.cu": f"__device__ void one() {{\n{CONDITION}}}\n"},
            ["HP-USE-001 one"],
            id="a condition in a function",
        ),
        pytest.param(
            {"a.cu": f"static void ask() {{\n  {ASKED}}}\nvoid f() {{\n  {ASKED}}}\n"},
            ["HP-USE-001 ask", "HP-MEM-012"],
            id="more shared memory than there is",
        ),
        pytest.param(
            {"a.cu": "#define ADD(at) atomicAdd(at, 1.0f)\n", **PACKAGE},
            ["HP-USE-001 ADD"],
            id="a macro",
        ),
        pytest.param(
            {"a.cu": FUNCTION + KERNEL.format(body="add(at);")}, ["HP-ATOM-001"], id="used"
        ),
        pytest.param(
            {"a.cu": f'extern "C" {{\n{FUNCTION}}}\n'}, ["HP-ATOM-001"], id="may be looked up"
        ),
        pytest.param(
            {"a.cu": FUNCTION, "a.py": 'kernel = module.get_function("add")\n'},
            ["HP-ATOM-001"],
            id="its name in a text",
        ),
        pytest.param(
            {"a.cu": FUNCTION.replace("add", "add_float"), "a.py": 'name = f"add_{kind}"\n'},
            ["HP-ATOM-001"],
            id="a part of its name in a text",
        ),
        pytest.param(
            {"a.cu": f"{FUNCTION}#define CALL(name) a##name(at)\n".replace("a##", "ad_##")},
            ["HP-USE-001 add"],
            id="another name put together",
        ),
        pytest.param(
            {"a.cu": f"{FUNCTION.replace('add', 'add_one')}#define CALL(name) add_##name(at)\n"},
            ["HP-ATOM-001"],
            id="its name put together",
        ),
        pytest.param({"a.cuh": FUNCTION, "a.cu": '#include "a.cuh"\n'}, ["HP-ATOM-001"], id="C++"),
        pytest.param(
            {"a.cuh": FUNCTION, "a.cu": '#include "a.cuh"\n', **PACKAGE},
            ["HP-USE-001 add"],
            id="a header of a package",
        ),
        pytest.param(
            {
                "a.cuh": FUNCTION,
                "a.cu": '#include "a.cuh"\n',
                "setup.py": 'setup(package_data={"a": ["*.cuh"]})\n',
            },
            ["HP-ATOM-001"],
            id="a header that a package has",
        ),
        pytest.param(
            {
                "include/a.cuh": FUNCTION,
                "a.cu": '#include "a.cuh"\n',
                **PACKAGE,
                "CMakeLists.txt": "project(a)\ninstall(DIRECTORY include/ DESTINATION include)\n",
            },
            ["HP-ATOM-001"],
            id="a header that is installed",
        ),
        pytest.param(
            {"a.cuh": FUNCTION, "b.cuh": "", "a.cu": '#include "b.cuh"\n', **PACKAGE},
            ["HP-USE-002 a.cuh"],
            id="a header that nothing includes",
        ),
        pytest.param(
            {
                "a.cuh": FUNCTION,
                "b.cuh": f'#include "a.cuh"\n{FUNCTION.replace("add", "more")}',
                "c.cu": "",
                **PACKAGE,
            },
            ["HP-USE-002 a.cuh", "HP-USE-002 b.cuh"],
            id="headers that only each other include",
        ),
        pytest.param(
            {
                "a.cuh": FUNCTION,
                "a_old.cu": '#include "a.cuh"\n',
                "a.cu": "",
                "b.cu": "",
                "CMakeLists.txt": "add_library(a a.cu b.cu)\n",
                **PACKAGE,
            },
            ["HP-USE-002 a.cuh"],
            id="a header of a source that nothing builds",
        ),
        pytest.param(
            {
                "a.cuh": FUNCTION + KERNEL.format(body="add(at);"),
                "a_old.cu": '#include "a.cuh"\n',
                "b.cu": '#include "a.cuh"\nvoid f(float* at) { start(at); }\n',
                "a.cu": "",
                "CMakeLists.txt": "add_library(a a.cu b.cu)\n",
                **PACKAGE,
            },
            ["HP-ATOM-001"],
            id="a header of another source, too",
        ),
        pytest.param(
            {"a.cu": "static void f() { cudaDeviceFlushGPUDirectRDMAWrites(owner, scope); }\n"},
            ["HP-API-001"],
            id="what does not compile",
        ),
    ],
)
def test_code_that_nothing_uses(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert found(tmp_path, {"Makefile": "all:\n", **files}) == expected


def test_a_part_of_a_project_says_nothing(tmp_path: Path) -> None:
    assert found(tmp_path, {"a.cu": FUNCTION}) == ["HP-ATOM-001"]
