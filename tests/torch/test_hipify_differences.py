"""Each difference between PyTorch's hipify and hipport, on real extensions, is of a known kind."""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hipport.source.tree import torch_names
from tests.support.real_trees import Tree, unpacked
from tests.torch.hipify_differences import KINDS, differences
from tests.torch.installed import torch_folder

PAGE = Path(__file__).parents[2] / "docs/pytorch-hipify.md"
MORE = ("comment or string", "line endings", "spacing or several kinds")
EXTENSIONS: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("extensions.toml").read_text("utf-8")
)


@pytest.fixture
def pytorch(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """The modules of the wheel's hipify; nothing else of it is imported."""
    monkeypatch.setattr(sys, "path", [*sys.path, str(torch_folder())])
    yield
    torch_names.torch_names.cache_clear()
    for name in [each for each in sys.modules if each.startswith("hipport_hipify_of_torch")]:
        del sys.modules[name]


@pytest.mark.real
@pytest.mark.usefixtures("pytorch")
@pytest.mark.parametrize("name", EXTENSIONS)
def test_each_difference_is_of_a_kind_that_the_page_explains(name: str, tmp_path: Path) -> None:
    row = dict(EXTENSIONS[name])
    files, others = row.pop("files"), row.pop("others")
    found = differences(unpacked(Tree(name, **{**row, "folders": tuple(row["folders"])})), tmp_path)
    assert found.files == files
    assert len(found.others) == others, found.others
    assert +found.kinds, "they would have to be the same"


def test_the_page_explains_each_kind() -> None:
    rows = re.findall(r"^\| ([a-z ]+) \| \d", PAGE.read_text("utf-8"), re.MULTILINE)
    assert set(rows) == {*KINDS, *MORE}


def test_the_page_has_each_extension() -> None:
    rows = re.findall(r"^\| ([\w-]+) (\S+) \| (\d+) \| (\d+) \|", PAGE.read_text(), re.MULTILINE)
    pinned = {
        (name, row["version"], row["files"], row["others"]) for name, row in EXTENSIONS.items()
    }
    assert {(name, version, int(files), int(n)) for name, version, files, n in rows} == pinned
