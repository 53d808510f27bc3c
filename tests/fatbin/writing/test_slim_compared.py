"""What was written is read again: a file that is not as it should be is never kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any, BinaryIO

import pytest

from hipport.errors import HipportError
from hipport.fatbin.limits import Limits
from hipport.fatbin.target_id import TargetId
from hipport.fatbin.writing import slim
from tests.support.binaries import BINARY, only

ROW = BINARY / "bundles/row.hipfb"
LIBRARY = BINARY / "elf-plain/libplain.so"
DEVICE = TargetId("gfx1201")


def refused(old: Path, wrong: bytes, folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Why `wrong` is not taken for the slimmed file."""

    def write(binary: Any, bundles: Any, limits: Any, file: BinaryIO) -> str:
        file.write(wrong)
        return slim.SHRUNK

    device = DEVICE if old == ROW else TargetId("gfx90a")
    monkeypatch.setattr(slim, "_write", write)
    with pytest.raises(HipportError) as error:
        slim.slim(str(old), folder / "new", [device], Limits())
    assert list(folder.iterdir()) == []
    return str(error.value)


def test_each_bundle_has_to_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    new = tmp_path / "right"
    slim.slim(str(ROW), new, [DEVICE], Limits())
    right, places = new.read_bytes(), [bundle.place.offset for bundle in only(new).bundles]
    new.unlink()
    old = ROW.read_bytes()
    assert len(places) == 4
    for wrong, problem in (
        (old, "bundle 0 has other entries"),
        (right[: places[3]], "3 bundles instead of 4"),
        (right[: places[1]] + right[places[2] :], "3 bundles instead of 4"),
        (right[: places[1]] + old[places[1] :], "bundle 1 has other entries"),
    ):
        assert refused(ROW, wrong, tmp_path, monkeypatch) == (
            f"{ROW}: the new file is not as it should be: {problem}"
            " (please report this; nothing was written)"
        ), problem


def test_a_wrapper_has_to_point_at_its_bundle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(slim, "_wrapped", lambda binary, _: [binary.path])
    with pytest.raises(HipportError, match="should be: a wrapper points elsewhere"):
        slim.slim(str(LIBRARY), tmp_path / "new", [TargetId("gfx90a")], Limits())
    assert list(tmp_path.iterdir()) == []
