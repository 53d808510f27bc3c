"""The usual form of a file of lines: how long it is, and where its places were."""

from __future__ import annotations

from hipport.rulebook.finding_rules import example_tables
from hipport.rulebook.load import load
from hipport.source.audit.audit_file import kind_of
from hipport.source.layouts.changes import Changed
from hipport.source.layouts.usual_form import usual_form
from hipport.source.tree.file_task import language_of

NAMES = (
    *("CMakeLists.txt", "Dockerfile", "Makefile", "run.sh", "a.py", "a.pyx", "a.yml", "uv.toml"),
    *("vcpkg.json", "requirements.txt", "setup.cfg", "meson.build", "BUILD", "configure.ac"),
)
"""A file of each layout."""
_LONGER = 128
"""How many times as long as its text a usual form may be: indentation is bounded."""


def exercise_layouts(data: bytes) -> None:
    """The bytes as a file of each layout, in turn."""
    name = NAMES[sum(data[-3:]) % len(NAMES)]
    kind = kind_of(name) or language_of(name)
    usual = usual_form(data, name, kind)
    if usual is None:
        return
    assert len(usual.data) <= _LONGER * len(data) + _LONGER, "longer than its text allows"
    _check_places(data, usual)
    usual_form(usual.data, name, kind)


def _check_places(data: bytes, usual: Changed) -> None:
    """Each place was one of the file, and those behind it were not before it."""
    origins = [usual.origin(offset) for offset in range(len(usual.data) + 1)]
    assert origins == sorted(origins), "places are not in order"
    assert origins[0] >= 0 and origins[-1] <= len(data), "a place is outside the file"
    lines = data.count(b"\n") + 1
    for line in range(1, usual.data.count(b"\n") + 2):
        assert 1 <= usual.old_line(line) <= lines, "a line is outside the file"


def layout_seeds() -> list[bytes]:
    """Examples of findings in files of these kinds; a last byte makes each be read as its own."""
    layouts = {each: index for index, name in enumerate(NAMES) for each in _shapes(name)}
    tables = (
        table
        for rule in load(is_audit=True).findings.values()
        for kind in ("bad", "good")
        for table in example_tables(rule, kind)
    )
    found = {(table["file"], table["code"]) for table in tables if "code" in table}
    return [
        ending_in(text.encode(), layouts[shape])
        for name, text in sorted(found)
        for shape in _shapes(name)[:1]
        if shape in layouts
    ]


def _shapes(name: str) -> list[tuple[str, str]]:
    """The kind of a file and the ending of its name, by which its layout is chosen."""
    kind = kind_of(name) or language_of(name)
    return [(kind, name.rpartition(".")[2] if "." in name else "")]


def ending_in(data: bytes, choice: int, of: int = len(NAMES)) -> bytes:
    """With a last byte so that the last three make a choice among the kinds."""
    return data + bytes([(choice - sum(data[-2:])) % of])
