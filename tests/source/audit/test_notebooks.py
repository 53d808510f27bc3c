"""Jupyter notebooks: the audit reads their cells, and findings are where the file has them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hipport.model import FileReport, Finding
from hipport.rulebook.load import load
from hipport.source.audit.audit_file import audit_bytes
from hipport.source.convert.pipeline import default_options
from hipport.source.names.counterparts import Decisions
from hipport.source.tree.file_task import Outcome
from tests.support.command import hipport


def _audited(data: bytes) -> Outcome:
    rules = load(is_audit=True)
    outcome = Outcome(FileReport("waves.ipynb", "notebook", ""))
    audit_bytes(data, "", Decisions(rules, default_options(rules)), outcome)
    return outcome


def _notebook(*sources: str, indent: int | None = 1) -> bytes:
    """A notebook as Jupyter writes it: each line of a cell is a string in a line of its own."""
    cells = [
        {
            "cell_type": "code",
            "outputs": [{"text": ["import pycuda\n", "!nvidia-smi"]}],
            "source": source.splitlines(keepends=True),
        }
        for source in sources
    ]
    return json.dumps({"cells": cells, "nbformat": 4}, indent=indent).encode()


def _at(finding: Finding, data: bytes) -> str:
    """What the file has where a finding begins, up to the end of its symbol."""
    line = data.decode().split("\n")[finding.start.line - 1]
    return line[finding.start.column - 1 :][: len(finding.symbol)]


CELLS = {
    "import pycuda.driver as drv": "HP-PY-029",
    's = "é\\t"; import pycuda': "HP-PY-029",
    "%time import pycuda": "HP-PY-029",
    "%%time\nimport pycuda": "HP-PY-029",
    "!nvidia-smi": "HP-ENV-012",
    "if True:\n    found = !nvidia-smi\nimport os": "HP-ENV-012",
    "!echo \\\n  && nvidia-smi\nimport os": "HP-ENV-012",
    "%%bash\nnvcc -O3 wave.cu": "HP-MAKE-001",
    "%%writefile build.sh\nnvcc -O3 wave.cu": "HP-MAKE-001",
    '%%cuda\n__global__ void k() { asm("bar.sync 0;"); }': "HP-ASM-008",
    "pip install torch --index-url https://example.org/whl/cu121": "HP-PY-033",
}


@pytest.mark.parametrize("indent", [1, None], ids=["lines", "one line"])
@pytest.mark.parametrize("cell", CELLS)
def test_a_cell_is_audited_in_its_language(cell: str, indent: int | None) -> None:
    data = _notebook("import os", cell, indent=indent)
    outcome = _audited(data)
    found = [each for each in outcome.findings if each.code == CELLS[cell]]
    assert [_at(each, data) for each in found] == [each.symbol for each in found] != []
    assert (outcome.file.status, outcome.file.reason) == ("audited", "")


def test_a_source_may_be_one_string() -> None:
    data = b'{"cells": [{"cell_type": "code", "source": "import os\\n\\nimport pycuda"}]}'
    assert [(each.code, _at(each, data)) for each in _audited(data).findings] == [
        ("HP-PY-029", "pycuda")
    ]


def test_a_line_may_be_in_two_strings() -> None:
    data = b'{"cells": [{"cell_type": "code", "source": ["import os; ",\n"import pycuda"]}]}'
    (found,) = _audited(data).findings
    assert (found.code, found.start.line, _at(found, data)) == ("HP-PY-029", 2, "pycuda")


def test_sheets_of_the_third_format_are_read() -> None:
    cell = '{"cell_type": "code", "input": ["import pycuda"]}'
    data = f'{{"worksheets": [{{"cells": [{cell}]}}]}}'.encode()
    assert [each.code for each in _audited(data).findings] == ["HP-PY-029"]


def test_what_cells_say_and_show_has_no_finding() -> None:
    data = _notebook("import os").replace(b'"code"', b'"markdown"')
    assert _audited(data).findings == _audited(_notebook("import os")).findings == []


def test_nothing_in_a_notebook_is_done_by_convert() -> None:
    kernel = 'extern "C" __global__ void k(int *p) { p[0] = __ballot_sync(0xffffffff, 1); }'
    outcome = _audited(_notebook(f"import cupy\nk = cupy.RawKernel('''{kernel}''', 'k')"))
    assert {each.fixed_by for each in outcome.findings} == {""}


def test_broken_python_is_told_with_its_line_in_the_file() -> None:
    data = _notebook("import os", "import pycuda\nif (:\n    pass")
    line = data.decode().split("\n").index('    "if (:\\n",') + 1
    outcome = _audited(data)
    assert outcome.file.status == "partial"
    assert outcome.file.reason == f"broken Python in line {line}: findings around it may be missing"


def test_a_broken_notebook_is_told(tmp_path: Path) -> None:
    (tmp_path / "waves.ipynb").write_text('{"cells": [{"cell_type": "code", "source"')
    done = hipport("audit", "--strict", ".", cwd=tmp_path)
    assert done.code == 2
    assert "waves.ipynb: broken notebook: " in done.err


def test_a_comment_in_a_cell_hides_a_finding() -> None:
    data = _notebook("import pycuda  # hipport: ignore[HP-PY-029]: only for CUDA")
    assert _audited(data).findings == []
