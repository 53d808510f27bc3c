"""The report that all writers are compared on, and what each made of it when last looked at.

`python -m tests.support.sample_report` writes the goldens anew; then read the difference.
"""

from __future__ import annotations

from io import StringIO
from pathlib import Path

from hipport.model import Report, Severity
from hipport.report.context import Context
from hipport.report.formats import FORMATS, write
from hipport.report.readback import joined, read_report
from hipport.rulebook.finding_rules import FindingRule
from tests.support.folders import CHECKOUT

FOLDER = CHECKOUT / "fixtures/report"
SAMPLE = FOLDER / "report.json"
TITLES = {
    "HP-API-001": "CUDA name without a HIP counterpart",
    "HP-BIN-001": "Prebuilt binary with NVIDIA device code",
    "HP-CMAKE-001": "CMake's old CUDA package",
    "HP-PY-044": "PyTorch's CUDA names",
    "HP-WARP-001": "Hard-coded warp size of 32",
    "HP-WARP-005": "Count of a set of lanes",
}
LINKS = {"HP-WARP-001": ("https://example.org/warps.html#size", "https://example.org/lanes/")}


def sample(fail_on: Severity | None = Severity.MANUAL) -> tuple[Report, Context]:
    """The sample report, with rules that no change of the rulebook touches."""
    report, lines = joined([(SAMPLE, read_report(SAMPLE))], by_name=False)
    rules = {
        code: FindingRule(
            code, Severity.MANUAL, title, title, "Advice of the rule.", LINKS.get(code, ())
        )
        for code, title in TITLES.items()
    }
    return report, Context(rules, lines, fail_on)


def golden(format_: str) -> Path:
    return FOLDER / "golden" / f"audit.{format_}"


def written(format_: str, fail_on: Severity | None = Severity.MANUAL) -> str:
    """The sample in a format, 80 columns wide where that matters."""
    report, context = sample(fail_on)
    out = StringIO()
    write(report, out, format_, context)
    return out.getvalue()


if __name__ == "__main__":
    import os

    os.environ["COLUMNS"] = "80"
    for each in FORMATS:
        golden(each).write_text(written(each), encoding="utf-8", newline="")
