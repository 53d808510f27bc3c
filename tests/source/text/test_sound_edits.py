"""No edit is made whose result has an error of syntax that the original has not."""

from __future__ import annotations

import ast
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hipport.model import Edit, Span
from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import Choices
from hipport.source.buildfiles.build_conversion import convert_build
from hipport.source.buildfiles.read_back import errors_in
from hipport.source.languages.cuda_read_back import errors_in_statement, statement_of
from hipport.source.text.edits import apply
from hipport.source.text.sound_edits import sound, sound_within
from hipport.source.text.source_text import Code

FLAGS = ["-O3", "--expt-relaxed-constexpr", "--expt-extended-lambda", "-DX=1"]
KEPT = ("-O3", "-DX=1")


def edit(data: bytes, old: bytes, new: bytes) -> Edit:
    start = data.index(old)
    return Edit(Span(start, start + len(old)), new, "test")


@pytest.mark.parametrize(
    ("kind", "path", "data", "good", "bad"),
    [
        ("python", "setup.py", b"a = 1\nb = [2]\n", (b"1", b"3"), (b"[2]", b"[, ]")),
        ("cmake", "CMakeLists.txt", b"set(A b)\nset(C d)\n", (b"b", b"x"), (b"d)", b'"d)')),
        ("cmake", "p.json", b'{"a": 1,\n "b": 2}\n', (b"1", b"3"), (b"2", b"2,")),
        ("make", "Makefile", b"A = b\nC = d\n", (b"b", b"x"), (b"d", b'"d')),
        ("shell", "run.sh", b"A=b\nC=d\n", (b"b", b"x"), (b"d", b"'d")),
    ],
)
def test_an_edit_that_breaks_its_line_goes_alone(
    kind: str, path: str, data: bytes, good: tuple[bytes, bytes], bad: tuple[bytes, bytes]
) -> None:
    edits = [edit(data, *good), edit(data, *bad)]
    assert sound(data, edits, errors_in(kind, path)) == (edits[:1], edits[1:])


def test_what_was_broken_before_may_stay_so() -> None:
    data = b"print 'old'\na = [1]\n"
    edits = [edit(data, b"1", b"2")]
    assert sound(data, edits, errors_in("python", "setup.py")) == (edits, [])


@pytest.mark.parametrize(
    ("old", "new", "stays"),
    [
        (b"k<<<1, n>>>(p)", b"hipLaunchKernelGGL(k, dim3(1), dim3(n), 0, 0, p)", True),
        (b"k<<<1, n>>>(p)", b"hipLaunchKernelGGL(k, dim3(1, dim3(n), 0, 0, p)", False),
        (b"k<<<1, n>>>(p)", b"hipLaunchKernelGGL(HIP_KERNEL_NAME(k<1, true>), 1, n, 0, 0)", True),
        (b"cudaFree", b"hipFree", True),
        (b"cudaFree(p)", b"hipFree(,)", False),
        (b"{ g(); }", b"", True),
        (b"g();", b"", True),
        (b"g(", b"", False),
    ],
)
def test_a_statement_is_read_again(old: bytes, new: bytes, stays: bool) -> None:
    data = b"void f(int* p, int n) {\n  k<<<1, n>>>(p);\n  cudaFree(p);\n  { g(); }\n  p = 0;\n}\n"
    edits = [edit(data, b"p = 0", b"p = (0)"), edit(data, old, new)]
    errors = partial(errors_in_statement, opaque="HIP_KERNEL_NAME")
    kept, withdrawn = sound_within(data, edits, partial(statement_of, Code(data)), errors)
    assert withdrawn == ([] if stays else edits[1:])
    assert apply(data, kept).count(b"p = (0)") == 1


def test_the_text_of_a_macro_is_read_again() -> None:
    data = b"#define RUN(k) \\\n  k##_kernel<<<1, 2>>>(a); \\\n  cudaFree(p)\n"
    good = b"hipLaunchKernelGGL(k##_kernel, 1, 2, 0, 0, a)"
    errors = partial(errors_in_statement, opaque="HIP_KERNEL_NAME")
    for new, stays in ((good, True), (good[:-1], False)):
        edits = [edit(data, b"k##_kernel<<<1, 2>>>(a)", new)]
        found = sound_within(data, edits, partial(statement_of, Code(data)), errors)
        assert found == ((edits, []) if stays else ([], edits))


lists = st.lists(st.sampled_from(FLAGS), max_size=6)
layouts = st.sampled_from(
    ["[{}]", "[{},]", "({})", "({},)", "[\n  {}\n]", "[\n  {},\n]", "[{} ,  ]"]
)
joints = st.sampled_from([", ", ",", ",\n  ", " ,\n  ", ",  # why\n  ", "  # why\n  , "])


@settings(max_examples=300, deadline=None)
@given(lists, layouts, joints)
def test_a_list_of_flags_stays_the_list_that_it_is(
    flags: list[str], layout: str, joint: str
) -> None:
    texts = layout.format(joint.join(f'"{flag}"' for flag in flags))
    text = f"from torch.utils.cpp_extension import CUDAExtension\nx = {{'nvcc': {texts}}}\n"
    try:
        before = ast.parse(text).body[1].value.values[0]  # type: ignore[attr-defined]
    except SyntaxError:
        return
    result = convert_build(text.encode(), "setup.py", "python", load(), Choices())
    after = ast.parse(result.data).body[1].value.values[0]  # type: ignore[attr-defined]
    assert type(after) is type(before)
    if isinstance(before, ast.List | ast.Tuple):
        kept = [ast.literal_eval(each) for each in after.elts]
        withdrawn = any(each.code == "HP-EDIT-001" for each in result.findings)
        assert kept == [flag for flag in flags if flag in KEPT] or withdrawn


def test_a_statement_that_begins_before_others_is_read_with_them() -> None:
    """A macro without semicolon before it: each edit is made once."""
    data = b"a b c"
    edits = [edit(data, old, old.upper()) for old in (b"a", b"b", b"c")]
    windows = {0: Span(0, 1), 2: Span(2, 3), 4: Span(0, 5)}
    found = sound_within(data, edits, lambda each: windows[each.span.start], lambda _: 0)
    assert found == (edits, [])
