"""From where on a trace reports what it sees, unless it is asked for something else."""

from __future__ import annotations

DEFAULT_OCCUPANCY = 25
"""Percent of the wave slots: a launch that fills fewer is reported."""
DEFAULT_GROWTH = 10
"""Percent by which registers and bytes may grow before it is reported."""
