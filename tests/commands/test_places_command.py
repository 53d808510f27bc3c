"""Findings with many places: how each format names them, and what baselines and comments see."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tests.support.command import hipport
from tests.support.folders import CHECKOUT, FIXTURES

LINE = "set(CMAKE_CUDA_ARCHITECTURES 80)\n"
TEXT = """\
2 findings at 6 places: 0 done by hipport convert, 2 need a person; 2 notes left out (--all-places)
a/CMakeLists.txt:2:5: manual HP-CMAKE-005 `CMAKE_CUDA_ARCHITECTURES`: compute capabilities mean \
nothing to AMD compilers; and 3 more places in 3 other files
a/run.sh:1:6: review HP-ENV-009 `nvbandwidth` measures copies between GPUs, which depend on \
HSA_ENABLE_SDMA; and 1 more place in 1 other file, `p2pBandwidthLatencyTest`
Found in 6 of 8 files: 0 blocker, 1 manual, 1 review, 0 info
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """The same line in four CMake files, two measurements, a note in two kernels."""
    for name in "abcd":
        (tmp_path / name).mkdir()
        (tmp_path / name / "CMakeLists.txt").write_text(f"project(x)\n{LINE}")
    (tmp_path / "a/run.sh").write_text("srun nvbandwidth\n")
    (tmp_path / "b/run.sh").write_text("srun p2pBandwidthLatencyTest\n")
    for name in "ab":
        (tmp_path / name / "k.cu").write_text("__global__ void k(int *p) { assert(p); }\n")
    return tmp_path


def audit(tree: Path, *arguments: str) -> str:
    """What an audit prints."""
    code, out, _ = hipport("audit", *arguments, "--fail-on", "never", cwd=tree)
    assert code == 0
    return out


def findings(text: str) -> list[dict[str, Any]]:
    content = json.loads(text)
    schema = json.loads((CHECKOUT / "hipport/report/report.schema.json").read_text())
    jsonschema.validate(content, schema)
    found: list[dict[str, Any]] = content["findings"]
    return found


def test_text_has_a_line_for_each_decision(tree: Path) -> None:
    assert audit(tree, ".") == TEXT
    each = audit(tree, ".", "--all-places").splitlines()
    assert each[0] == "8 findings: 0 done by hipport convert, 6 need a person, 2 need nothing"
    assert [line.split()[0] for line in each[1:-1]] == [
        "a/CMakeLists.txt:2:5:",
        "a/k.cu:1:29:",
        "a/run.sh:1:6:",
        "b/CMakeLists.txt:2:5:",
        "b/k.cu:1:29:",
        "b/run.sh:1:6:",
        "c/CMakeLists.txt:2:5:",
        "d/CMakeLists.txt:2:5:",
    ]


def test_json_has_all_places(tree: Path) -> None:
    text = audit(tree, ".", "--format", "json")
    first, copies = findings(text)
    assert [(each["path"], each["line"], each["column"]) for each in first["places"]] == [
        (f"{name}/CMakeLists.txt", 2, 5) for name in "bcd"
    ]
    assert first["places"][0]["excerpt"] == {"line": 1, "lines": ["project(x)", LINE.strip(), ""]}
    assert "symbol" not in first["places"][0]
    assert [each["symbol"] for each in copies["places"]] == ["p2pBandwidthLatencyTest"]
    assert copies["places"][0]["message"].startswith("`p2pBandwidthLatencyTest` measures")
    summary = json.loads(text)["summary"]
    assert (summary["places"], summary["findings"]["manual"], summary["notes"]) == (6, 1, 2)


def test_notes_are_left_out_unless_asked_for(tree: Path) -> None:
    """What works as it is; alone, it leaves a line that says so."""
    assert "HP-MATH-010" not in audit(tree, ".")
    (first, last) = audit(tree, ".", "--select", "HP-MATH").splitlines()[1:]
    assert first.startswith("a/k.cu:1:29: info HP-MATH-010 ") and "1 more place" in first
    assert last == "Found in 2 of 8 files: 0 blocker, 0 manual, 0 review, 1 info"
    assert audit(tree, "a/k.cu").splitlines() == [
        "1 note left out (--all-places)",
        "0 findings in 1 file",
    ]


def test_a_finding_that_depends_on_another_is_a_note_without_it(tmp_path: Path) -> None:
    """Libraries that a package brings along matter where one is for NVIDIA GPUs alone."""
    (tmp_path / "setup.py").write_text('package_data = {\n    "waves": ["lib/*.so"],\n}\n')
    note = ["1 note left out (--all-places)", "0 findings in 1 file"]
    assert audit(tmp_path, ".").splitlines() == note
    (tmp_path / "libscale.so").write_bytes((FIXTURES / "prebuilt" / "libscale.so").read_bytes())
    said = audit(tmp_path, ".").splitlines()
    assert [line.split()[:3] for line in said[1:-1]] == [
        ["libscale.so:", "blocker", "HP-BIN-001"],
        ["setup.py:2:16:", "manual", "HP-BIN-004"],
    ]


def test_a_host_that_tells_kernels_the_devices_warp_size_is_found_beside_kernels(
    tmp_path: Path,
) -> None:
    """Kernels keep warps of 32 lanes, and what is said of them does not deny that."""
    (tmp_path / "launch.py").write_text(
        "import torch\n\nlanes = torch.cuda.get_device_properties(0).warp_size\n"
    )
    note = ["1 note left out (--all-places)", "0 findings in 1 file"]
    assert audit(tmp_path, ".").splitlines() == note
    (tmp_path / "k.cuh").write_text(
        "template <int LANES> __device__ float sum(float v) {\n"
        "  for (int o = LANES / 2; o > 0; o /= 2) v += __shfl_down_sync(0xffffffff, v, o);\n"
        "  return v;\n}\n"
    )
    said = audit(tmp_path, ".").splitlines()
    assert [line.split()[:3] for line in said[1:-1]] == [
        ["k.cuh:2:64:", "info", "HP-WARP-003"],
        ["launch.py:3:9:", "review", "HP-PY-280"],
    ]


def test_what_another_finding_of_the_file_names_is_a_note_of_a_net(tmp_path: Path) -> None:
    """The message about a library is no second decision; one about another library is its own."""
    (tmp_path / "load.cpp").write_text(
        "void* load() {\n"
        '  void* library = dlopen("libcudart.so.12", RTLD_NOW);\n'
        "  if (!library)\n"
        '    failure = "resident libcudart.so.12 is absent";\n'
        '  missing = "nvidia-smi";\n'
        "  return library;\n"
        "}\n"
    )
    found = findings(audit(tmp_path, ".", "--format", "json"))
    assert [(each["code"], each["line"]) for each in found] == [
        ("HP-LIB-046", 2),
        ("HP-NET-003", 5),
    ]
    every = findings(audit(tmp_path, ".", "--format", "json", "--all-places"))
    assert [each["line"] for each in every if each["code"] == "HP-NET-003"] == [4, 5]


def test_a_finding_answers_another_by_what_it_is_about(tmp_path: Path) -> None:
    """Where CUTLASS is fetched, and where its folder is; fetching Thrust is another decision."""
    folder = 'root = os.path.join(here, "cutlass", "include")\n'
    for name, codes in {
        "cutlass": ["HP-CMAKE-009"],
        "thrust": ["HP-CMAKE-009", "HP-PY-070"],
    }.items():
        address = f'"https://github.com/NVIDIA/{name}.git"'
        (tmp_path / "deps.py").write_text(f"import os\n\nfetch({address})\n{folder}")
        found = findings(audit(tmp_path, ".", "--format", "json"))
        assert [each["code"] for each in found] == codes


def test_a_package_for_several_releases_of_cuda_is_one_decision(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text(
        "nvmath-python[cu12]\nnvmath-python[cu13]\nkvikio-cu12\nkvikio-cu13\n"
    )
    found = findings(audit(tmp_path, ".", "--format", "json"))
    assert [(each["code"], each["line"], len(each["places"])) for each in found] == [
        ("HP-PY-060", 1, 1),
        ("HP-PY-060", 3, 1),
    ]


def test_a_line_that_keeps_its_32_lanes_is_a_note_unless_conversion_changes_it(
    tmp_path: Path,
) -> None:
    (tmp_path / "k.cu").write_text(
        "__global__ void k(int *p) {\n"
        "  unsigned set = __ballot_sync(0xffffffffu, p[0] > 0);\n"
        "  int warps = blockDim.x / 32;\n"
        "  p[threadIdx.x] = __popc(set) + warps;\n"
        "}\n"
    )
    shown = [each["code"] for each in findings(audit(tmp_path, ".", "--format", "json"))]
    every = audit(tmp_path, ".", "--format", "json", "--all-places")
    assert shown == ["HP-WARP-004", "HP-WARP-003"]
    assert [each["code"] for each in findings(every)] == [*shown, "HP-WARP-014", "HP-WARP-005"]


def test_trackers_follow_each_place(tree: Path) -> None:
    """Code scanning, GitLab and JUnit have a result for each place, with and without the option.

    JUnit has one for each file without findings too.
    """
    results = json.loads(audit(tree, ".", "--format", "sarif"))["runs"][0]["results"]
    alone = json.loads(audit(tree, ".", "--format", "sarif", "--all-places"))["runs"][0]["results"]
    alone = [each for each in alone if each["ruleId"] != "HP-MATH-010"]
    assert sorted(map(_fingerprint, results)) == sorted(map(_fingerprint, alone))
    of_cmake = [each["properties"] for each in results if each["ruleId"] == "HP-CMAKE-005"]
    assert of_cmake == [{"finding": "HP-CMAKE-005/1", "places": 4}] * 4
    assert len(json.loads(audit(tree, ".", "--format", "gitlab"))) == 6
    assert (
        len(list(ElementTree.fromstring(audit(tree, ".", "--format", "junit")).iter("testcase")))
        == 8
    )


def _fingerprint(result: dict[str, Any]) -> tuple[str, str, int]:
    place = result["locations"][0]["physicalLocation"]
    known = result["partialFingerprints"]["primaryLocationLineHash"]
    return known, place["artifactLocation"]["uri"], place["region"]["startLine"]


def test_people_see_the_places(tree: Path) -> None:
    page = audit(tree, ".", "--format", "html")
    assert "<summary>and 3 more places in 3 other files</summary>" in page
    assert "<li>d/CMakeLists.txt:2:5</li>" in page
    assert "<li>b/run.sh:1:6 <code>p2pBandwidthLatencyTest</code></li>" in page
    annotations = audit(tree, ".", "--format", "github").splitlines()
    assert len(annotations) == 2
    assert "compilers; and 3 more places in 3 other files. CMAKE_HIP" in annotations[0]
    markdown = audit(tree, ".", "--format", "markdown")
    assert "| 1 at 4 places in 4 files |" in markdown
    assert "- <code>d/CMakeLists.txt:2</code>" in markdown


def test_a_new_place_of_a_known_finding_is_new(tree: Path) -> None:
    """Also for a baseline that an audit wrote before findings had places: it is the same file."""
    audit(tree, "check", ".", "--write-baseline", "base.json")
    known = json.loads((tree / "base.json").read_text())["findings"]
    assert len([row for row in known if row[1] == "HP-CMAKE-005"]) == 4
    (tree / "b/CMakeLists.txt").write_text(f"project(x)\n{LINE}{LINE}")
    (tree / "e").mkdir()
    (tree / "e/CMakeLists.txt").write_text(LINE)
    new = audit(tree, "check", ".", "--baseline", "base.json").splitlines()
    assert new[0].startswith("1 finding at 2 places: ")
    assert new[1].startswith("b/CMakeLists.txt:3:5: manual HP-CMAKE-005 ")
    assert new[1].endswith("; and 1 more place in 1 other file")


def test_a_comment_hides_its_own_place(tree: Path) -> None:
    hidden = LINE.replace("\n", "  # hipport: ignore[HP-CMAKE-005]: old\n")
    (tree / "a/CMakeLists.txt").write_text(f"project(x)\n{hidden}")
    (first,) = (each for each in audit(tree, ".").splitlines() if "HP-CMAKE-005" in each)
    assert first.startswith("b/CMakeLists.txt:2:5:") and "and 2 more places" in first


def test_shards_joined_are_the_whole(tree: Path) -> None:
    for part in "123":
        audit(tree, ".", "--shard", f"{part}/3", "--format", "json", "-o", f"../{part}.json")
    parts = [f"../{part}.json" for part in "123"]
    assert sorted(audit(tree, "merge", *parts).splitlines()) == sorted(TEXT.splitlines())
    merged = json.loads(audit(tree, "merge", *parts, "--format", "sarif"))["runs"][0]["results"]
    whole = json.loads(audit(tree, ".", "--format", "sarif"))["runs"][0]["results"]
    assert sorted(map(_fingerprint, merged)) == sorted(map(_fingerprint, whole))


def test_the_effort_is_that_of_each_place(tree: Path) -> None:
    """Joined or not: the first place costs the decision, each further one a repetition."""
    words = [
        each
        for arguments in ((), ("--all-places",))
        for each in audit(tree, ".", "--format", "markdown", *arguments).splitlines()
        if each.startswith("Portability")
    ]
    assert len(words) == 2
    assert (
        words[0].partition(", ")[2]
        == words[1].partition(", ")[2]
        == "about 33 min (12 min to 1.8 h) of work on findings."
    )


def test_the_options_of_a_file_are_one_decision(tmp_path: Path) -> None:
    flags = "".join(f'"-gencode=arch=compute_{n},code=sm_{n}",\n' for n in (70, 80, 90))
    text = f'nvcc_flags = [\n{flags}"--expt-relaxed-constexpr",\n]\n'
    for name in ("setup.py", "other.py"):
        (tmp_path / name).write_text(f"from torch.utils import cpp_extension\n{text}")
    _, other, here, _ = audit(tmp_path, ".").splitlines()
    assert here.startswith("setup.py:3:2: ") and "and 3 more places" in here
    assert other.startswith("other.py:3:2: ") and "and 3 more places" in other


def test_versions_of_one_library_are_one_decision(tmp_path: Path) -> None:
    names = ["libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so", "libcudart.so.12"]
    calls = "".join(f'  open(dlopen("{each}", RTLD_LAZY));\n' for each in names)
    (tmp_path / "open.cpp").write_text(f"#include <dlfcn.h>\nvoid f() {{\n{calls}}}\n")
    _, several, other, _ = audit(tmp_path, ".").splitlines()
    assert several.startswith("open.cpp:3:") and "and 2 more places" in several
    assert other.startswith("open.cpp:6:")


def test_names_and_calls_with_one_remedy_are_one_decision_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "add.cu").write_text(
        "#include <cuda_fp16.h>\n"
        "__global__ void add(__half *x, __half *y, __half2 *z) {\n"
        "  atomicAdd(x, y[0]);\n  atomicAdd(&y[threadIdx.x], x[1]);\n  atomicAdd(z + 2, z[0]);\n"
        "}\n"
        "void run(__half *x, __half2 *z) { add<<<1, 32>>>(x, x, z); }\n"
    )
    (tmp_path / "state.c").write_text(
        "#include <THC/THC.h>\nextern THCState *state;\nint add(THCudaTensor *a);\n"
    )
    (tmp_path / "CMakeLists.txt").write_text(
        f'project(x)\n{LINE}set(TORCH_CUDA_ARCH_LIST "8.0;9.0")\n'
    )
    found = findings(audit(tmp_path, ".", "--format", "json"))
    wanted = ("HP-ATOM-002", "HP-LIB-060", "HP-CMAKE-005")
    assert {
        each["code"]: 1 + len(each.get("places", ())) for each in found if each["code"] in wanted
    } == {"HP-ATOM-002": 3, "HP-LIB-060": 3, "HP-CMAKE-005": 2}
    assert [each["code"] for each in found if each["code"] in wanted] == [
        "HP-CMAKE-005",
        "HP-ATOM-002",
        "HP-LIB-060",
    ]


def test_macros_that_pytorch_defines_for_hip_are_told_where_they_are_taken_away(
    tmp_path: Path,
) -> None:
    (tmp_path / "setup.py").write_text(
        "from torch.utils import cpp_extension\n"
        'flags = [\n  "-D__CUDA_NO_HALF_OPERATORS__",\n  "-U__CUDA_NO_HALF_CONVERSIONS__",\n]\n'
    )
    found = findings(audit(tmp_path, ".", "--format", "json"))
    assert [(each["symbol"], each["line"]) for each in found if each["code"] == "HP-MAKE-019"] == [
        ("-U__CUDA_NO_HALF_CONVERSIONS__", 4)
    ]


def test_places_keep_their_own_fixes(tmp_path: Path) -> None:
    """Also where the report is read back, for a merged one."""
    tests = "#if defined(__HIP_PLATFORM_HCC__)\nint wave = 64;\n#endif\n" * 2
    (tmp_path / "k.cpp").write_text(f"#include <hip/hip_runtime.h>\n{tests}")
    audit(tmp_path, "k.cpp", "--format", "json", "-o", "one.json")
    for text in (
        (tmp_path / "one.json").read_text(),
        audit(tmp_path, "merge", "one.json", "--format", "json"),
    ):
        (found,) = (each for each in findings(text) if each["code"] == "HP-HIP-001")
        (place,) = found["places"]
        fixes = [each["fix"]["edits"][0] for each in (found, place)]
        assert [(each["line"], each["text"]) for each in fixes] == [
            (2, "__HIP_PLATFORM_AMD__"),
            (5, "__HIP_PLATFORM_AMD__"),
        ]
