"""Numbers of bytes as people read them."""

from __future__ import annotations


def size(count: int, human: bool) -> str:
    """`1536` as "1.5 KiB" or, exactly, "1536"."""
    if not human or count < 1024:
        return str(count)
    value = float(count)
    for unit in ("KiB", "MiB", "GiB"):
        value /= 1024
        if value < 1024 or unit == "GiB":
            break
    return f"{value:.1f} {unit}" if value < 99.95 else f"{value:.0f} {unit}"


def short_size(count: int, human: bool) -> str:
    """The same for a narrow column: "1.5K"."""
    return size(count, human).replace(" ", "").removesuffix("iB")
