"""Writes docs/effort.md from the results of a run: results.json."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from statistics import geometric_mean
from typing import Any

from benchmarks.effort.fitting import MINUTES, fit, predictions

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results.json"
PAGE = HERE.parents[1] / "docs" / "effort.md"
_LEAST = 10
"""Findings of a code from which on the page has it."""


def document(results: Mapping[str, Mapping[str, Any]]) -> str:
    """The page; its words are in page.md."""
    found = fit(list(results.values()))
    foretold = predictions(results)
    whole = [
        (each.foretold_at_findings + each.foretold_around) / (each.at_findings + each.around)
        for each in foretold
    ]
    shown = {
        "ports": str(len(results)),
        "minutes": str(MINUTES),
        "factor": f"{found.factor:.2f}",
        "spread": f"{found.factor_spread:.1f}",
        "low": f"{found.use[0]:.1f}",
        "use": f"{found.use[1]:.1f}",
        "high": f"{found.use[2]:.1f}",
        "within": str(sum(each.is_within for each in foretold)),
        "error": f"{geometric_mean([max(each, 1 / each) for each in whole]):.1f}",
        "worst": f"{max(max(each, 1 / each) for each in whole):.0f}",
        "twice": str(sum(0.5 <= each <= 2 for each in whole)),
        "written": f"{sum(row['written'] for row in results.values()):,}",
        "at_findings": f"{sum(row['at_findings'] for row in results.values()):,}",
        "measured": _measured(results),
        "predicted": _table(
            [
                "port",
                "at findings",
                "predicted",
                "elsewhere",
                "predicted",
                "all, as a ratio",
            ],
            (
                [
                    each.name,
                    f"{each.at_findings:.1f} h",
                    f"{each.foretold_at_findings:.1f} h",
                    f"{each.around:.1f} h",
                    f"{each.foretold_around:.1f} h",
                    f"{ratio:.2f}",
                ]
                for each, ratio in zip(foretold, whole, strict=True)
            ),
        ),
        "codes": _codes(results),
    }
    page = (HERE / "page.md").read_text("utf-8")
    for name, text in shown.items():
        page = page.replace(f"{{{name}}}", text)
    return page


def _measured(results: Mapping[str, Mapping[str, Any]]) -> str:
    heads = ["port", "source", "files", "statements", "uses", "findings", "written", "at findings"]
    return _table(
        heads,
        (
            [
                name,
                f"`{row['source']}`",
                f"{row['files']:,}",
                f"{row['statements']:,}",
                f"{row['uses']:,}",
                " + ".join(str(row["findings"][each]) for each in ("blocker", "manual", "review")),
                f"{row['written']:,}",
                f"{row['at_findings']:,}",
            ]
            for name, row in results.items()
        ),
    )


def _codes(results: Mapping[str, Mapping[str, Any]]) -> str:
    """The codes with enough findings: how many of their places people changed, and how much."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0, 0, 0, 0])
    for row in results.values():
        for code, numbers in row["codes"].items():
            sums[code] = [a + b for a, b in zip(sums[code], [1, *numbers], strict=True)]
    rows = sorted((code, numbers) for code, numbers in sums.items() if numbers[1] >= _LEAST)
    return _table(
        ["code", "ports", "findings", "changed there", "statements a change"],
        (
            [code, f"{ports:.0f}", f"{number:,.0f}", f"{100 * changed / number:.0f} %",
             f"{written / changed:.1f}" if changed else "-"]
            for code, (ports, number, changed, written) in rows
        ),
    )  # fmt: skip


def _table(heads: list[str], rows: Iterable[list[str]]) -> str:
    lines = [heads, ["---", *["---:"] * (len(heads) - 1)], *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
