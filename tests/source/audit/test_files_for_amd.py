"""What a Python file chooses for AMD's GPUs, by its name, its folder, or its lists of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.auditing import audited

LAUNCH = "import triton\n\nkernel[grid](x, num_warps=8, num_stages=4)\n"
TOLD_APART = 'GPUS = ("gfx942", "gfx1100", "gfx1201")\n'
COMPILED_FOR = 'import os\n\nos.environ["PYTORCH_ROCM_ARCH"] = "gfx942;gfx1100"\n'


@pytest.mark.parametrize(
    ("path", "text", "code", "is_found"),
    [
        ("attention/launch.py", LAUNCH, "HP-PY-021", True),
        ("attention/_amd/launch.py", LAUNCH, "HP-PY-021", False),
        ("rocm/ops/launch.py", LAUNCH, "HP-PY-021", False),
        ("launch_gfx942.py", LAUNCH, "HP-PY-021", False),
        ("launch_hip.py", LAUNCH, "HP-PY-021", False),
        ("chip.py", LAUNCH, "HP-PY-021", True),
        # What no AMD GPU has is wrong there, too.
        (
            "rocm/launch.py",
            "import triton\n\nkernel[grid](x, num_ctas=2)\n",
            "HP-PY-021",
            True,
        ),
        # GPUs that a program tells apart, and those for which a build compiles.
        ("policy.py", TOLD_APART, "HP-WARP-016", False),
        ("setup.py", TOLD_APART, "HP-WARP-016", True),
        ("jit_build.py", TOLD_APART, "HP-WARP-016", True),
        ("policy.py", COMPILED_FOR, "HP-WARP-016", True),
    ],
)
def test_files(tmp_path: Path, path: str, text: str, code: str, is_found: bool) -> None:
    place = tmp_path / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(text)
    codes = [each.code for each in audited(tmp_path) if each.path == path]
    assert (code in codes) == is_found
