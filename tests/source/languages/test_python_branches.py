"""What runs on AMD's GPUs alone, by the conditions around it."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.languages.python_branches import amd_spans

WORDS = load(is_audit=True).branches.python


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
