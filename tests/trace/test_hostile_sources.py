"""Sources that nobody would write: reading them ends, and takes little memory."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.trace.readable_names import parse_readable
from hipport.trace.source_tree import Tree, read_tree
from hipport.trace.written_names import split_list

LAUNCH = "__global__ void k(float *x);\nvoid f(float *x) { k<<<1, 64>>>(x); }\n"
DOUBLING = "".join(
    f"#define M{number}(x) M{number - 1}(x) M{number - 1}(x)\n" for number in range(1, 40)
)
SOURCES = {
    "blocks": "{" * 20_000 + LAUNCH,
    "conditionals": "#if A\nvoid g() {\n" * 3_000 + LAUNCH,
    "angles": f"__global__ void bad(int x = {'a < ' * 20_000}1);\n" + LAUNCH,
    "words": f"#define T {'a' * 50_000}!\n#define U {'a ' * 50_000}!\n" + LAUNCH,
    "typedefs": "typedef " * 5_000 + LAUNCH,
    "parentheses": "void g" + "(" * 50_000 + LAUNCH,
    "macros": f"#define M0(x) k<<<1, 64>>>(x);\n{DOUBLING}" + LAUNCH + "void g() { M39(x) }\n",
    "cut off": LAUNCH + "template <typename T, __global__ void g(",
    "not text": LAUNCH + "".join(map(chr, range(1, 256))) * 50,
}


def read(source: str) -> Tree:
    data = source.encode("latin-1")
    return read_tree([("a.cu", data), ("a.h", data)], load(is_audit=True))


@pytest.mark.parametrize("name", SOURCES)
def test_reading_ends(name: str) -> None:
    read(SOURCES[name])


@pytest.mark.parametrize("name", ["cut off", "not text", "words"])
def test_what_can_be_read_is(name: str) -> None:
    launches = [each for each in read(SOURCES[name]).launches if each.path == "a.cu"]
    assert [each.kernel for each in launches] == ["k"]


def test_names_end() -> None:
    assert parse_readable("k<" * 30_000).name.last == "k<" * 30_000
    assert len(split_list("a < b, " * 20_000)) >= 1
