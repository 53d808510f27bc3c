"""Coverage-guided fuzzing of the fatbin reader with atheris.

    python fuzz/fatbin_target.py CORPUS -max_total_time=600 -max_len=65536 -rss_limit_mb=1024

CORPUS is a folder that takes new inputs; the fixtures are used as seeds. Whatever ends in
another exception than HipportError is a find: minimise it and keep it in fixtures/corrupt/.
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
from pathlib import Path

import atheris

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

# Modules that are imported late would not be instrumented.
with atheris.instrument_imports(include=["hipport.fatbin"]):
    import hipport.fatbin

    for module in pkgutil.walk_packages(hipport.fatbin.__path__, "hipport.fatbin."):
        if not module.name.endswith("_child"):
            importlib.import_module(module.name)
    from fuzz.exercise import exercise


def one_input(data: bytes) -> None:
    exercise(data)


def main() -> None:
    seeds = [str(ROOT / "fixtures" / "corrupt"), str(ROOT / "fixtures" / "binary" / "bundles")]
    arguments = sys.argv if len(sys.argv) > 1 else [*sys.argv, "corpus"]
    atheris.Setup([*arguments, *seeds], one_input)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
