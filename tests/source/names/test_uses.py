"""Which files need a closer look, and which of their names."""

from __future__ import annotations

import re

import pytest

from hipport.rulebook.load import load
from hipport.source.convert.pipeline import default_options
from hipport.source.names.counterparts import Decisions
from hipport.source.names.uses import names_of_interest
from hipport.source.text.source_text import Code

HOST = "bool operator<(const Row& a, const Row& b);\n"


def interest(text: str, *, is_cuda: bool = False) -> set[str] | None:
    rules = load()
    decisions = Decisions(rules, default_options(rules))
    return names_of_interest(Code(text.encode()), decisions, is_cuda=is_cuda)


@pytest.mark.parametrize(
    "text",
    [
        HOST,
        "int total = std::reduce(all.begin(), all.end());\n",
        "void wait() { while (!ready.load(std::memory_order_acquire)) {} }\n",
        "struct layer_params { int rows; };\n",
        "#define LOG(level) log_##level(custom)\n",
        "#define ROWS \\\n  7\n",
        "constexpr unsigned kAll = 0xffffffff;\n",
        "#include <experimental/filesystem>\n",
    ],
)
def test_a_file_in_which_nothing_can_be_found_needs_no_closer_look(text: str) -> None:
    assert interest(text) is None


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("float4 operator+=(float4& a, float4 b);\n", {"operator"}),
        ("auto sum = cooperative_groups::reduce(tile, x, plus);\n", {"reduce"}),
        ("int f() { return cudaGetLastError(); }\n" + HOST, {"cudaGetLastError", "operator"}),
        ("#define CALL(name) cuda##name()\n", set()),
        ("CUresult cuMemAlloc_v2_params(void);\n", {"CUresult", "cuMemAlloc_v2_params"}),
        ("constexpr unsigned kFullMask = 0xffffffff;\n", set()),
        ("#include <cuda_runtime.h>\n", set()),
        ("run<<<1, 1>>>();\n", set()),
        ("cuda\\\nMalloc(&p, 1);\n", set()),
    ],
)
def test_one_in_which_a_finding_may_be_does(text: str, names: set[str]) -> None:
    found = interest(text)
    assert found is not None
    assert names <= found


def test_words_that_count_in_cuda_count_in_files_named_so() -> None:
    switch = "int f(int e) { switch (e) { case 1: return 2; } return 0; }\n"
    assert interest(switch) is None
    assert interest(switch, is_cuda=True) == set()


def test_what_macros_paste_cuda_names_from_is_looked_for() -> None:
    rules = load()
    stems = [stem for library in rules.libraries.values() for stem in library.stems]
    needed = rules.findings["HP-PASTE-001"].needs_word
    assert [each for each in stems if not re.search(needed, f" {each} ")] == []
