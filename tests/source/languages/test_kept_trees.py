"""What is parsed again after a change has the tree of the whole text."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import tree_sitter
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.source.languages import kept_trees
from hipport.source.languages.cuda_syntax import PARSER
from tests.support.folders import FIXTURES

SOURCES = [path.read_bytes() for path in sorted((FIXTURES / "cuda").rglob("*.cu"))][:6]
WRITTEN = (
    *(b";", b"{", b"}", b"(", b")", b'"', b"<", b">", b"/*", b"*/", b"//", b"'", b"\n", b"\\\n"),
    *(b"#if 1\n", b"#endif\n", b"template <", b"int y = 3;", b"k<<<1, 2>>>(x);", b"= [&] {}"),
)
EDITS = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 40), st.sampled_from(WRITTEN)), min_size=1, max_size=6
)


@pytest.fixture(autouse=True)
def kept() -> Iterator[None]:
    kept_trees.keep(3)
    yield
    kept_trees.keep(0)


def nodes(tree: tree_sitter.Tree) -> Iterator[tuple[object, ...]]:
    cursor, pending = tree.walk(), True
    while pending:
        node = cursor.node
        assert node
        yield node.type, node.start_byte, node.end_byte, node.start_point, node.is_missing
        pending = cursor.goto_first_child() or cursor.goto_next_sibling()
        while not pending and cursor.goto_parent():
            pending = cursor.goto_next_sibling()


@given(st.sampled_from(SOURCES), EDITS)
@settings(deadline=None, max_examples=60)
def test_the_tree_is_that_of_the_whole_text(
    text: bytes, edits: list[tuple[float, int, bytes]]
) -> None:
    kept_trees.parse(text)
    for place, removed, written in edits:
        at = int(place * len(text))
        text = text[:at] + written + text[at + removed :]
        whole, tree = PARSER.parse(text), kept_trees.parse(text)
        assert tree.root_node.has_error == whole.root_node.has_error
        assert whole.root_node.has_error or list(nodes(tree)) == list(nodes(whole))
        is_other = kept_trees.settle(text)
        assert list(nodes(kept_trees.parse(text))) == list(nodes(whole))
        assert is_other or list(nodes(tree)) == list(nodes(whole))


def test_a_text_that_has_nothing_of_the_last_ones() -> None:
    for text in (b"int first;\n" * 9, b"", b"struct other { float x; };\n", b"int first;\n" * 9):
        assert list(nodes(kept_trees.parse(text))) == list(nodes(PARSER.parse(text)))


def test_the_same_text_is_not_parsed_again() -> None:
    assert kept_trees.parse(b"int x;\n") is kept_trees.parse(b"int x;\n")
    kept_trees.keep(0)
    assert kept_trees.parse(b"int x;\n") is not kept_trees.parse(b"int x;\n")
