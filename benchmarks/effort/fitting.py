"""What the ports say about rules/effort.toml, and how well it predicts a port it has not seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import geometric_mean, quantiles
from typing import Any, NamedTuple

MINUTES = 11
"""Minutes a statement, of a person who ports.

AMD's port of Caffe, the only one with both numbers: 219 lines by hand in less than a week, that is
at most 2,400 minutes of work ("HIP and Caffe: porting and profiling with AMD's ROCm", 2016). Basic
COCOMO (Boehm 1981) has 22 to 33 for 1,000 lines of new code, with its design and its tests.
"""
Row = Mapping[str, Any]


class Fit(NamedTuple):
    """What would make the ports come out right on average."""

    factor: float
    """By which the minutes for findings would have to be multiplied."""
    factor_spread: float
    """How far a port is from that, up or down: the geometric mean."""
    use: tuple[float, float, float]
    """Minutes for each use: the lower quartile of the ports, their geometric mean, the upper."""


class Prediction(NamedTuple):
    """A port in hours: what the others predict, and what its people wrote."""

    name: str
    at_findings: float
    foretold_at_findings: float
    around: float
    foretold_around: float
    is_within: bool
    """Whether what was written at findings is within the low and the high number."""


def fit(rows: Sequence[Row]) -> Fit:
    """The numbers from all of these ports."""
    factors = [_measured(row) / row["minutes"][1] for row in rows]
    uses = [_beside(row) / row["uses"] for row in rows]
    low, _, high = quantiles(uses, n=4)
    middle = geometric_mean(factors)
    spread = geometric_mean([max(each / middle, middle / each) for each in factors])
    return Fit(middle, spread, (low, geometric_mean(uses), high))


def predictions(ports: Mapping[str, Row]) -> list[Prediction]:
    """Each port as the others predict it: it has no part in its own numbers."""
    found = []
    for name, row in ports.items():
        rest = fit([other for each, other in ports.items() if each != name])
        low, likely, high = row["minutes"]
        found.append(
            Prediction(
                name,
                _measured(row) / 60,
                likely * rest.factor / 60,
                _beside(row) / 60,
                row["uses"] * rest.use[1] / 60,
                low <= _measured(row) <= high,
            )
        )
    return found


def _measured(row: Row) -> float:
    """Minutes of what was written where the audit points; at least half a statement."""
    return max(float(row["at_findings"]), 0.5) * MINUTES


def _beside(row: Row) -> float:
    """Minutes of what was written elsewhere."""
    return max(float(row["written"] - row["at_findings"]), 0.5) * MINUTES
