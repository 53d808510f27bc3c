"""A file that takes too long is read in part and reported; the next one is read as a whole."""

from __future__ import annotations

import itertools
import json
import zipfile
from pathlib import Path

import pytest

from hipport.fatbin import clock
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.clock import Clock
from hipport.fatbin.format_error import FormatError
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.binary_survey import survey
from hipport.fatbin.questions.kernel_tables import kernels
from hipport.fatbin.reader import open_path
from tests.support.binaries import BINARY, run

LIBRARY = BINARY / "elf-compressed/libcompressed.so"
SOURCE = MemorySource(b"", "input")


@pytest.fixture(autouse=True)
def a_second_a_look(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each look at the processor time finds that another second has passed."""
    monkeypatch.setattr(clock, "process_time", itertools.count().__next__)


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    path = tmp_path / "a.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for number in range(9):
            archive.write(LIBRARY, f"lib{number}.so")
    return path


def test_time_counts_until_the_next_thing_is_asked_for() -> None:
    timed = Clock(2).timed(iter("abcdef"), SOURCE)
    assert [next(timed), next(timed), next(timed)] == ["a", "b", "c"]
    with pytest.raises(FormatError, match="took more than 2 s of processor time"):
        next(timed)


def test_time_within_counts_once() -> None:
    whole = Clock(4)
    outer = whole.timed(iter("ab"), SOURCE)
    next(outer)
    assert list(whole.timed(iter("abcdefgh"), SOURCE)) == list("abcdefgh")
    assert next(outer) == "b"


def test_what_is_read_later_counts_too() -> None:
    (binary,) = open_path(str(LIBRARY), Limits(max_seconds=6))
    whole = list(kernels(binary, Limits()))
    assert len(whole) == 7 and not list(binary.all_faults())
    assert len(survey(binary, Limits()).images) == 2 and list(kernels(binary, Limits())) == []
    assert [str(each).partition("took")[2] for each in binary.all_faults()] == 2 * [
        " more than 6 s of processor time; what follows is not read"
        " (if the file is trusted, allow more time with --timeout)"
    ]


def test_the_next_file_is_read_after_one_that_takes_too_long(wheel: Path) -> None:
    whole = json.loads(run("kernels", LIBRARY, "--format", "json").stdout)
    done = run("kernels", wheel, LIBRARY, "--timeout", "6", "--format", "json")
    assert done.exit_code == 2
    assert f"{wheel}: offset 0x0: took more than 6 s of processor time" in done.stderr
    found = [each["file"] for each in json.loads(done.stdout)["kernels"]]
    members = {path for path in found if path != str(LIBRARY)}
    assert f"{wheel}!lib0.so" in members and f"{wheel}!lib8.so" not in members
    assert found.count(str(LIBRARY)) == len(whole["kernels"]) > 0


def test_what_takes_too_long_is_not_called_whole(wheel: Path, tmp_path: Path) -> None:
    for command in (["list", wheel], ["check", wheel], ["sbom", wheel], ["dedupe", wheel]):
        done = run(*command, "--timeout", "3")
        assert (done.exit_code, "took more than 3 s" in done.stderr) == (2, True), command
    done = run("extract", wheel, "-o", tmp_path / "out", "--timeout", "3")
    assert done.exit_code == 2 and "took more than 3 s" in done.stderr
    done = run("slim", wheel, "-o", tmp_path / "b.whl", "--targets", "gfx90a", "--timeout", "3")
    assert "took more than 3 s" in str(done.exception) and not (tmp_path / "b.whl").exists()
