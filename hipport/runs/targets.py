"""Lists of words as options and requests give them, and the GPUs among them."""

from __future__ import annotations

from collections.abc import Iterable

from hipport.errors import UsageError


def words(text: str) -> tuple[str, ...]:
    """`gfx90a, gfx942` as a tuple, each word once."""
    return tuple(dict.fromkeys(each.strip() for each in text.split(",") if each.strip()))


def known_targets(targets: Iterable[str], place: str = "--targets") -> tuple[str, ...]:
    """The targets, each once; raises UsageError for one that is not in rules/targets.toml."""
    targets = tuple(dict.fromkeys(targets))
    if targets:
        import tomllib

        from hipport.rulebook.load import load
        from hipport.schema import meant

        rules = (load().folder / "targets.toml").read_text(encoding="utf-8")
        known = tomllib.loads(rules)["processor"]
        for each in targets:
            if each not in known:
                raise UsageError(
                    f"{place}: no processor {each}{meant(each, known)}",
                    remedy="write it like gfx942",
                )
    return targets
