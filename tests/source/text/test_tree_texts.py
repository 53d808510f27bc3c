"""What the passes over a tree ask about its files."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.source.text import tree_texts
from hipport.source.text.include_graph import included
from hipport.source.text.tree_texts import TreeTexts


def size(data: bytes, _: RuleSet) -> int:
    return len(data)


def begins(data: bytes, _: RuleSet) -> bytes:
    return data[:1]


@pytest.mark.parametrize("room", [0, 1 << 20])
def test_a_file_is_read_once_for_all_questions(
    room: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [str(tmp_path / f"{number}.h") for number in range(3)]
    for number, name in enumerate(names):
        Path(name).write_bytes(b'#include "a.h"\n' * number)
    opened: list[str] = []
    read = tree_texts.read

    def counted(name: str, limit: int) -> bytes:
        opened.append(name)
        return read(name, limit)

    monkeypatch.setattr(tree_texts, "read", counted)
    texts = TreeTexts(load(), (size, included), room)
    assert [texts.answer(size, name) for name in names] == [0, 15, 30]
    assert [texts.answer(included, name) for name in names] == [(), ("a.h",), ("a.h", "a.h")]
    assert opened == names
    assert texts.answer(begins, names[1]) == b"#"


def test_a_file_that_cannot_be_read_is_taken_for_an_empty_one(tmp_path: Path) -> None:
    assert TreeTexts(load(), (size,)).answer(size, str(tmp_path / "none.h")) == 0
