"""What is known of a text after many changes is what is known of it when it is opened."""

from __future__ import annotations

import gc
import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from hipport.lsp.checked_text import CheckedText, Checker
from hipport.lsp.text_map import TextMap
from hipport.runs.audit_request import AuditRequest
from hipport.runs.convert_request import ConvertRequest
from hipport.source.languages import kept_trees
from hipport.source.source_file import Unit
from hipport.source.text import tree_texts
from tests.support.folders import FIXTURES

SOURCES = sorted((FIXTURES / "cuda").rglob("*.cu"))[::7]
WRITTEN = (
    *(";", "{", "}", "(", ")", '"', "/*", "*/", "//", "\n", "\\\n", "#if 1\n", "#endif\n"),
    *("cudaFree(p);", "k<<<1, 2>>>(x);", "warpSize", "__shfl_down_sync(m, v, 16)", "template <"),
    *("CUdeviceptr q = 5;", "namespace cub {", "int cudaMalloc;", "#define warpSize 32\n", "é"),
    *("uint3 at = blockIdx;", "void fill(dim3 at);", "fill(at);", "#define ALL __activemask()\n"),
    *(
        "int lane = threadIdx.x % 32;",
        "__shared__ ",
        "case 3:",
        "const int n = 32;",
        'asm("vote;");',
    ),
)
CHANGES = 12


@pytest.fixture
def checker() -> Iterator[Checker]:
    made = Checker(AuditRequest(isolated=True), ConvertRequest(isolated=True))
    yield made
    kept_trees.keep(0)
    tree_texts.keep(0)


def versions(text: str, chance: random.Random) -> Iterator[str]:
    """A text, and what it is after each of some changes, most of them small."""
    yield text
    for _ in range(CHANGES):
        at = chance.randrange(len(text))
        removed = chance.choice((0, 0, 1, 5, 200))
        text = text[:at] + chance.choice(WRITTEN) + text[at + removed :]
        yield text


def known(checker: Checker, text: str, name: Path) -> CheckedText:
    checked = checker.settled(checker.converted(checker.audited(TextMap(text), str(name))))
    assert not checked.fault
    return checked


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: path.parent.name)
def test_changes_lead_to_what_opening_leads_to(path: Path, checker: Checker) -> None:
    texts = list(versions(path.read_text("utf-8"), random.Random(path.parent.name)))
    kept_trees.keep(3)
    tree_texts.keep(1)
    typed = [known(checker, text, path) for text in texts]
    kept_trees.keep(0)
    tree_texts.keep(0)
    for text, checked in zip(texts, typed, strict=True):
        opened = known(checker, text, path)
        assert checked.findings == opened.findings
        assert checked.edits == opened.edits
        assert checked.notes == opened.notes


def test_nothing_of_a_version_waits_for_garbage_to_be_collected(checker: Checker) -> None:
    path = SOURCES[0]
    gc.collect()
    gc.disable()
    try:
        for text in versions(path.read_text("utf-8"), random.Random("memory")):
            known(checker, text, path)
        left = [each for each in gc.get_objects() if isinstance(each, Unit)]
    finally:
        gc.enable()
    assert left == []
