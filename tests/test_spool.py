from __future__ import annotations

import tempfile
from pathlib import Path

import pytest

from hipport.errors import HipportError
from hipport.spool import Spool


@pytest.mark.parametrize("number", [0, 1, 999, 1_000, 1_001, 3_500])
def test_a_spool_is_read_in_order_as_often_as_one_likes(number: int) -> None:
    spool = Spool(range(number))
    assert len(spool) == number
    assert bool(spool) == (number > 0)
    assert list(spool) == list(range(number))
    assert list(zip(spool, spool, strict=True)) == [(each, each) for each in range(number)]


def test_a_spool_grows_after_it_was_read() -> None:
    spool = Spool(range(1_500))
    first = iter(spool)
    assert next(first) == 0
    spool.extend(range(1_500, 2_500))
    spool.append(2_500)
    assert list(spool) == list(range(2_501))
    assert list(first)[:1_499] == list(range(1, 1_500))


def test_a_full_disk_is_told_with_the_folder(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    gone = tmp_path / "gone"
    monkeypatch.setattr(tempfile, "tempdir", str(gone))
    with pytest.raises(HipportError, match="gone: cannot keep results there") as caught:
        Spool(range(1_000))
    assert "TMPDIR" in caught.value.remedy
