"""A file that takes too long is copied and reported; the others are converted."""

from pathlib import Path

import pytest

from hipport.api import audit
from hipport.errors import HipportError
from hipport.rulebook.load import load
from hipport.source.convert.pipeline import default_options
from hipport.source.tree import time_limit
from hipport.source.tree.run_tasks import run
from hipport.source.tree.task_list import Wishes, plan

_SLOW = "__global__ void k(unsigned *p) { unsigned m;\n" + 36_000 * (
    "m = __ballot_sync(0xffffffffu, p[0] > 1); p[1] = __popc(m);\n"
)


def _fail(error: HipportError) -> None:
    raise error


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(time_limit, "SECONDS", 0.5)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree/quick.cu").write_text("void f(void *p) { cudaFree(p); }\n")
    (tmp_path / "tree/slow.cu").write_text(_SLOW + "}\n")
    return tmp_path / "tree"


def test_conversion_goes_on_after_a_file_that_takes_too_long(tree: Path, tmp_path: Path) -> None:
    output = tmp_path / "out"
    tasks = plan([str(tree)], Wishes(converts=True, output=output), _fail)
    quick, slow = run(tasks, default_options(load()), jobs=1)
    assert "hipFree(p)" in (output / "quick.cu").read_text()
    assert (output / "slow.cu").read_text() == (tree / "slow.cu").read_text()
    assert [each.code for each in slow.findings] == ["HP-LIMIT-001"]
    assert quick.error == ""
    assert slow.error == (
        f"{tree}/slow.cu: took more than 0.5 s of processor time"
        " (split it, or leave it out with --exclude)"
    )


def test_an_audit_says_which_file_took_too_long(
    tree: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(time_limit, "SECONDS", 0.05)
    report = audit(tree).report
    codes = {(each.path.rpartition("/")[2], each.code) for each in report.findings}
    assert ("slow.cu", "HP-LIMIT-001") in codes
    assert not any(name == "slow.cu" for name, code in codes if code != "HP-LIMIT-001")
