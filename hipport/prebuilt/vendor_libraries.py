"""Which libraries are NVIDIA's and which AMD's, by the file name that a binary needs."""

from __future__ import annotations

import re
from functools import cache

from hipport.errors import RuleError
from hipport.rulebook.edition import rules_folder

# What may follow the stem: cudart64_12.dll, libcudart-d0da41ae.so.11.0 as auditwheel renames it.
_ENDING = r"(?:64)?(?:_static)?(?:_\d+)*(?:-[0-9a-f]{8,})?\.(?:so|dll|dylib|a|lib)(?:\.[\d.]+)?"


def maker(name: str) -> str:
    """ "nvidia" or "amd" for a library of theirs, or built on theirs alone; "" for any other."""
    return next((each for each, names in _names().items() if names.fullmatch(name)), "")


@cache
def _names() -> dict[str, re.Pattern[str]]:
    """Maker -> its libraries; raises RuleError where rules/binaries.toml is malformed."""
    import tomllib  # Takes long to load, and most trees have no binaries.

    try:
        table = tomllib.loads((rules_folder() / "binaries.toml").read_text(encoding="utf-8"))
        return {
            each: re.compile(f"(?:lib)?(?:{'|'.join(table[each])}){_ENDING}", re.IGNORECASE)
            for each in ("nvidia", "amd")
        }
    except (ValueError, TypeError, KeyError, re.error) as error:
        raise RuleError(
            f"rules/binaries.toml: {error}", remedy="see the file's comments"
        ) from error
