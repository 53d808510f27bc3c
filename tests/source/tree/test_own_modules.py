"""What the tree itself has is no function of CUDA's, whatever its name."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.auditing import audited
from tests.support.command import make_tree

CALLING = """import ctypes


def copy(lib, out):
    from ..native import copies as m

    m.cudaMemcpyDtoH(lib, out)
"""
OWN = "def copy(lib, out):\n    pass\n\n\ncudaMemcpyDtoH = copy\n"
FOUND = ["cudaMemcpyDtoH"]


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, FOUND),
        ({"waves/native/copies.py": OWN}, []),
        ({"waves/native/other.py": OWN}, FOUND),
        ({"waves/native/copies.py": "from cuda.bindings.runtime import *\n"}, FOUND),
        ({"waves/native/copies.py": "from cuda.bindings.runtime import *\n" + OWN}, []),
    ],
)
def test_a_call_into_a_module_of_the_tree(
    tmp_path: Path, files: dict[str, str], found: list[str]
) -> None:
    make_tree(tmp_path, {"waves/tensors/copy.py": CALLING, **files})
    assert [each.symbol for each in audited(tmp_path) if each.code == "HP-PY-074"] == found


def test_no_import_leads_out_of_the_tree(tmp_path: Path) -> None:
    make_tree(tmp_path, {"native/copies.py": OWN, "waves/copy.py": CALLING})
    assert [each.symbol for each in audited(tmp_path / "waves")] == FOUND
    assert [each.symbol for each in audited(tmp_path)] == []


DEVICE = (
    "import torch\n\n\ndef get_num_sms():\n    return 108\n\n\ndef device_capability():\n    pass\n"
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from waves.device import get_num_sms\n\nunits = get_num_sms()\n", []),
        ("from .device import get_num_sms\n\nunits = 2 * get_num_sms()\n", []),
        ("def get_num_sms():\n    return 4\n\n\nunits = get_num_sms()\n", []),
        (
            "from .device import Device\n\n\nclass Mine(Device):\n    def units(self):\n"
            "        return self.get_num_sms()\n",
            [],
        ),
        # Of another project; and what is decided by the number, or done, is at the call.
        ("import deep_waves\n\nunits = deep_waves.get_num_sms()\n", ["deep_waves.get_num_sms"]),
        (
            "from .device import device_capability\n\nis_new = device_capability() >= (8, 0)\n",
            ["device_capability"],
        ),
        (
            "from .device import device_capability\n\n"
            "has = device_capability()\nis_new = has in ((8, 0), (9, 0))\n",
            ["device_capability"],
        ),
        (
            "def build_nvrtc_program():\n    pass\n\n\nbuild_nvrtc_program()\n",
            ["build_nvrtc_program"],
        ),
    ],
)
def test_what_a_function_of_the_tree_is_asked_for(
    tmp_path: Path, text: str, found: list[str]
) -> None:
    make_tree(tmp_path, {"waves/device.py": DEVICE, "waves/plan.py": text})
    every = [each for each in audited(tmp_path) if each.path.endswith("plan.py")]
    assert [each.symbol for each in every if each.code == "HP-NET-002"] == found


BUILDING = """import torch
from setuptools import Command


class Build(Command):
    def run(self):
        units = self.get_num_sms()
        self.units = min(units, 8)
"""


@pytest.mark.parametrize("imported", ["import os\n", "from . import os\n"])
def test_a_method_of_another_class_in_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, imported: str
) -> None:
    """No module has an empty name: the working folder is not one, nor is a file beside it."""
    make_tree(
        tmp_path,
        {"waves/setup.py": imported + BUILDING, "waves.py": DEVICE, "waves/os.py": "import sys\n"},
    )
    for folder in ("waves", "."):
        monkeypatch.chdir(tmp_path / folder)
        every = [each for each in audited(Path()) if each.path.endswith("setup.py")]
        assert [each.symbol for each in every if each.code == "HP-NET-002"] == ["self.get_num_sms"]
