"""Modules that are imported quickly are those that Python would import."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CODE = """
import sys
if "quickly" in sys.argv:
    from hipport.quick_imports import import_quickly
    import_quickly()
import hipport.sample.part as part
spec = part.__spec__
print(part.VALUE, part.__file__, part.__cached__, part.__package__, part.of.__code__.co_filename)
print(spec.origin, spec.cached, spec.has_location, spec.parent, spec.submodule_search_locations)
"""


# Commands that other tests ran in this process have set the second one.
_UNWANTED = ("PYTHONDONTWRITEBYTECODE", "PYTHONSAFEPATH")


def described(package: Path, *words: str) -> list[str]:
    """What Python says of the module; whatever was imported quickly, it says first."""
    return subprocess.run(
        [sys.executable, "-c", CODE, *words],
        cwd=package.parent,
        env={key: value for key, value in os.environ.items() if key not in _UNWANTED},
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()


def made(folder: Path, value: int) -> Path:
    """A package of hipport's name, with the module that makes imports quick and one to import."""
    package = folder / "hipport"
    part = package / "sample" / "part.py"
    part.parent.mkdir(parents=True, exist_ok=True)
    (package / "__init__.py").touch()
    (package / "sample" / "__init__.py").touch()
    finder = ROOT / "hipport" / "quick_imports.py"
    (package / "quick_imports.py").write_bytes(finder.read_bytes())
    part.write_text(f"VALUE = {value}\ndef of(): pass\n", "utf-8")
    return package


def test_a_module_is_what_python_makes_of_it(tmp_path: Path) -> None:
    package = made(tmp_path, 1)
    without_bytecode = described(package, "quickly")
    assert without_bytecode[0].startswith("1 ")
    assert described(package, "quickly") == without_bytecode
    assert described(package) == without_bytecode


def test_bytecode_of_an_older_source_is_made_again(tmp_path: Path) -> None:
    package = made(tmp_path, 1)
    described(package, "quickly")
    made(tmp_path, 22)
    assert described(package, "quickly")[0].startswith("22 ")
    # As long, and written at another time.
    part = made(tmp_path, 33) / "sample" / "part.py"
    os.utime(part, (1e9, 1e9))
    assert described(package, "quickly")[0].startswith("33 ")


def test_damaged_bytecode_is_made_again(tmp_path: Path) -> None:
    package = made(tmp_path, 1)
    described(package)
    (bytecode,) = (package / "sample" / "__pycache__").glob("part.*")
    bytecode.write_bytes(bytecode.read_bytes()[:9])
    assert described(package, "quickly")[0].startswith("1 ")


def test_a_package_that_was_moved_names_its_files_where_they_are(tmp_path: Path) -> None:
    made(tmp_path / "first", 1)
    described(tmp_path / "first" / "hipport")
    (tmp_path / "first").rename(tmp_path / "second")
    package = tmp_path / "second" / "hipport"
    assert described(package, "quickly") == described(package)
