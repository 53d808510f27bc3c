from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.spool import Spool


@pytest.mark.parametrize("number", [0, 1, 1_999, 2_000, 2_001, 7_000])
def test_a_spool_is_read_in_order_as_often_as_one_likes(number: int) -> None:
    spool = Spool(range(number))
    assert len(spool) == number
    assert bool(spool) == (number > 0)
    assert list(spool) == list(range(number))
    assert list(zip(spool, spool, strict=True)) == [(each, each) for each in range(number)]


def test_a_spool_grows_after_it_was_read() -> None:
    spool = Spool(range(3_500))
    first = iter(spool)
    assert next(first) == 0
    spool.extend(range(3_500, 4_500))
    spool.append(4_500)
    assert list(spool) == list(range(4_501))
    assert list(first)[:3_499] == list(range(1, 3_500))


def test_a_full_disk_is_told_with_the_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    monkeypatch.setattr(tempfile, "tempdir", str(gone))
    with pytest.raises(HipportError, match="gone: cannot keep results there") as caught:
        Spool(range(2_000))
    assert "TMPDIR" in caught.value.remedy
