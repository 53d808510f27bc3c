"""What several rules find and one decision settles is one finding of a report."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.command import hipport


def found(tree: Path, *arguments: str) -> list[tuple[str, str, int, list[tuple[str, int]]]]:
    """Code, path, line, and the paths and lines of the further places."""
    _, out, _ = hipport("audit", ".", "--format", "json", *arguments, cwd=tree)
    return [
        (
            each["code"],
            each["path"],
            each["line"],
            [(place["path"], place["line"]) for place in each.get("places", ())],
        )
        for each in json.loads(out)["findings"]
    ]


def test_names_of_gpus_are_one_decision_of_a_tree(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        'MEMORY = {"A100": 40, "RTX 4090": 24}\nif kind == "nvidia":\n    pass\n'
    )
    (tmp_path / "b.py").write_text('import torch\nwide = "H100" in torch.cuda.get_device_name(0)\n')
    (tmp_path / "c.py").write_text('SIZE_CLASS = {"V100": "low"}\n')
    assert found(tmp_path) == [
        ("HP-NET-002", "a.py", 2, []),
        ("HP-PY-063", "b.py", 2, [("a.py", 1), ("c.py", 1)]),
    ]
    (tmp_path / "b.py").unlink()
    assert found(tmp_path) == [
        ("HP-NET-002", "a.py", 1, [("c.py", 1)]),
        ("HP-NET-002", "a.py", 2, []),
    ]


def test_a_name_of_tensorrt_in_a_configuration_is_with_its_module(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("backend: tensorrt-llm\n")
    (tmp_path / "b.py").write_text("import tensorrt\n")
    assert found(tmp_path) == [("HP-PY-037", "b.py", 1, [("a.yaml", 1)])]


def test_a_library_of_another_release_is_with_the_one_that_is_opened(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(
        "import ctypes\n"
        'lib = ctypes.CDLL("libcudart.so")\n'
        'folders.append("$CONDA_PREFIX/lib/libcudart.so.11.0")\n'
        'folders.append("$CONDA_PREFIX/lib/libcublas.so.11")\n'
    )
    assert [each[:3] for each in found(tmp_path)] == [
        ("HP-PY-048", "a.py", 2),
        ("HP-NET-002", "a.py", 4),
    ]


def test_a_package_and_its_module_are_one_decision(tmp_path: Path) -> None:
    (tmp_path / "attend.py").write_text("import flash_attn\n")
    (tmp_path / "requirements.txt").write_text("flash-attn\n")
    assert found(tmp_path) == [("HP-PY-018", "attend.py", 1, [("requirements.txt", 1)])]
