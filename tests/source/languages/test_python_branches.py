"""What runs on AMD's GPUs alone, by the conditions around it."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.languages.python_branches import amd_spans, dead_spans

RULES = load(is_audit=True)
WORDS = RULES.branches.python


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("if is_hip():\n    a()\nelse:\n    b()\n", ["a()"]),
        ("if is_cuda():\n    a()\nelif _is_hip:\n    b()\n", ["b()"]),
        ("if is_cuda() or is_hip():\n    a()\n", []),
        ("if is_hip() or torch.version.hip:\n    a()\n", ["a()"]),
        ("if fast and is_hip():\n    a()\n", ["a()"]),
        ("fast = wanted and is_hip()\n\nif fast:\n    a()\n", ["a()"]),
        ("import torch\n\nif torch.version.hip is not None:\n    a()\n", ["a()"]),
        ("import torch\n\nif torch.version.hip is None:\n    a()\n", []),
        ("if not is_hip():\n    a()\n", []),
        ("x = a() if is_hip() else b()\n", ["a()"]),
        ("if is_cuda():\n    a()\n", []),
    ],
)
def test_for_amd_alone(text: str, found: list[str]) -> None:
    data = text.encode()
    assert [text[each.start : each.end] for each in amd_spans(data, WORDS)] == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("if is_cuda():\n    a()\nelif is_hip():\n    b()\n", ["a()"]),
        ("if _is_cuda or _is_cpu:\n    a()\nelif _is_hip:\n    b()\n", ["a()"]),
        (
            "import os\nimport torch\n\n"
            "if (x and torch.version.cuda is not None) or os.getenv('FORCE_CUDA'):\n    a()\n"
            "elif (x and torch.version.hip is not None) or os.getenv('FORCE_ROCM'):\n    b()\n",
            ["'FORCE_", "a()"],
        ),
        (
            "if is_cuda() or is_hip():\n    a()\nelif is_hip():\n    b()\n",
            ["elif is_hip():\n    b()"],
        ),
        ("if is_cuda():\n    a()\nelif is_xpu():\n    b()\n", []),
        ("if not is_cuda():\n    a()\nelif is_hip():\n    b()\n", []),
        ("if fast:\n    a()\nelif is_hip():\n    b()\n", []),
        ("class CuBLASExpand:\n    a = 1\n\n\nclass RocBLASExpand:\n    a = 2\n", ["class C"]),
        ("class CuBLASExpand:\n    a = 1\n\n\nclass MklExpand:\n    a = 2\n", []),
    ],
)
def test_for_nvidia_alone(text: str, found: list[str]) -> None:
    spans = dead_spans(text.encode(), WORDS, RULES.file_kinds.port_parts)
    parts = [text[each.start : each.end] for each in spans]
    assert [each if each.endswith(")") else each[:7] for each in parts] == found
