"""What holds for any text: comments and literals stay, a second pass changes nothing, and so on.

The texts are put together from pieces that look like CUDA, sound and broken, so that hypothesis
finds the combinations nobody thought of.
"""

from __future__ import annotations

import re
from unittest.mock import patch

import tree_sitter
import tree_sitter_cuda
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hipport.rulebook.load import load
from hipport.source.convert import pipeline
from hipport.source.names.counterparts import Decisions
from hipport.source.text.edits import apply
from tests.support.converting import convert

PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
DECISIONS = Decisions(load(), pipeline.default_options(load()))

CUDA_WORDS = st.sampled_from(
    "cudaMalloc(&p, 4) cudaStream_t kernel<<<1,2>>>(x) __shfl_sync(0xffffffff,v,0) threadIdx.x"
    ' cub::BlockReduce #include<cuda.h> CUDA_VERSION __CUDACC__ cublasHgemm asm("ptx") cuda##x'
    " __global__ thrust::cuda::par nvrtcCreateProgram __launch_bounds__(1,2,3) register".split(" ")
)
PLAIN = st.text(st.characters(codec="utf-8", exclude_characters="\0\r"), max_size=12)
PHRASE = st.lists(st.one_of(CUDA_WORDS, PLAIN), max_size=6).map(" ".join)


def line_comment(text: str) -> str:
    return "//" + re.sub(r"[\n\\\r]", " ", text).replace("??/", " ") + "\n"


def block_comment(text: str) -> str:
    return "/*" + text.replace("*/", "* /").rstrip("*") + " */"


def literal(text: str) -> str:
    return '"' + re.sub(r'[\\"]', lambda match: "\\" + match[0], text).replace("\n", "\\n") + '"'


def raw_literal(text: str) -> str:
    return 'R"~(' + text.replace(")~", ") ~") + ')~"'


OPAQUE = st.one_of(
    PHRASE.map(line_comment),
    PHRASE.map(block_comment),
    # Device keywords in a literal make it a kernel, which is converted on purpose.
    PHRASE.filter(lambda text: "__global__" not in text).map(literal),
    PHRASE.filter(lambda text: "__global__" not in text).map(raw_literal),
)
STATEMENTS = st.sampled_from(
    [
        "cudaMalloc((void **)&p, n);",
        "CHECK(cudaMemcpyToSymbol(table, &x, sizeof x));",
        "scale<float, 2><<<n / 32, 32, 0, stream>>>(p, f(1, 2));",
        "unsigned m = __ballot_sync(0xffffffff, x);",
        "if (m & (1u << lane)) x = __popc(m);",
        "x += __shfl_down_sync(FULL, x, 1);",
        "uint32_t other = __activemask() & ~m;",
        'printf("%08x %d\\n", m, x);',
        "register int i = 0;",
        "dim3 g = make_uint3(1, 2, 3);",
        "surf2Dwrite(x, s, 1, 2, cudaBoundaryModeZero);",
        "cub::DeviceReduce::Sum(p, n, a, b, 1);",
        "cudaEventCreate(&e, cudaEventDefault);",
        "return 31 - __clz(m);",
        "for (unsigned b = m; b; b &= b - 1) ++x;",
        "cusparseSpMM(h, a, b, c, d, e, f, g, i, j, k);",
    ]
)
DIRECTIVES = st.sampled_from(
    [
        "#define FULL 0xffffffff\n",
        "#define CU(x) cuda##x\n",
        "#include <cuda_runtime.h>\n",
        "#include <cub/cub.cuh>\n",
        '#include "mine.cuh"\n',
        "#pragma unroll\n",
        "#if CUDART_VERSION >= 11000\n#else\n#endif\n",
        "#ifdef __CUDACC__\n#endif\n",
    ]
)


@st.composite
def functions(draw: st.DrawFn) -> str:
    """A function with statements, comments and literals between them."""
    heads = ["__global__ void __launch_bounds__(256, 2) k(int x)", "template <class T> int f(T x)"]
    head = draw(st.sampled_from(["__device__ int f(unsigned m, int lane)", *heads]))
    parts = draw(st.lists(st.one_of(STATEMENTS, OPAQUE), max_size=8))
    body = "\n  ".join(f"use({part});" if part[:1] in '"R' else part for part in parts)
    return f"{head} {{\n  {body}\n}}\n"


SOUND = st.lists(st.one_of(DIRECTIVES, functions(), OPAQUE.filter(lambda each: each[0] == "/")))
SOUND_TEXT = SOUND.map("\n".join)
BROKEN = st.lists(
    st.one_of(STATEMENTS, DIRECTIVES, PHRASE, st.sampled_from(list("(){}<>;,\"'\\#\n")))
).map(" ".join)
OPTIONS = st.sampled_from(
    [(), ("--libs", "roc"), ("--unsafe",), ("--guards",), ("--launch", "keep"), ("--rocm", "5.2")]
)


def errors(data: bytes) -> int:
    """The error nodes of a parse."""
    cursor, count = [PARSER.parse(data).root_node], 0
    while cursor:
        node = cursor.pop()
        count += node.is_error or node.is_missing
        cursor += node.children
    return count


def whole(text: str) -> list[str]:
    """The comments and literals of a text, in order: lexed apart from the converter."""
    shape = r'//[^\n]*|/\*.*?\*/|R"~\(.*?\)~"|"(?:[^"\\\n]|\\.)*"'
    return re.findall(shape, text, re.DOTALL)


HELPERS = '"hipport_warp32.h"'


@given(st.lists(OPAQUE), OPTIONS)
@example(["//__global__ cudaMalloc\n", '"cudaMalloc"'], ())
@settings(max_examples=60, deadline=None)
def test_comments_and_literals_alone_never_change(
    pieces: list[str], options: tuple[str, ...]
) -> None:
    text = "\nint x = 0;\n".join(pieces)
    source = text.encode()
    assert convert("a.cpp", source, options).output == source


@given(SOUND_TEXT, OPTIONS)
@settings(max_examples=100, deadline=None)
def test_comments_and_literals_among_code_stay(text: str, options: tuple[str, ...]) -> None:
    output = convert("a.cu", text.encode(), options).output.decode()
    assert [each for each in whole(output) if each != HELPERS] == whole(text)


@given(SOUND_TEXT, OPTIONS)
@example("#include <cuda/std/tuple>\n#include <cooperative_groups/reduce.h>\n", ())
@example("#include <cooperative_groups/reduce.h>\nint a = isinf(b);\n", ())
@settings(max_examples=150, deadline=None)
def test_converting_twice_changes_nothing(text: str, options: tuple[str, ...]) -> None:
    once = convert("a.cu", text.encode(), options).output
    assert convert("a.cu", once, options).output == once


@given(SOUND_TEXT, OPTIONS)
@settings(max_examples=100, deadline=None)
def test_no_more_error_nodes_than_before(text: str, options: tuple[str, ...]) -> None:
    source = text.encode()
    assert errors(convert("a.cu", source, options).output) <= errors(source)


@given(st.one_of(SOUND_TEXT, BROKEN), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=100, deadline=None)
def test_bytes_outside_the_edits_are_the_same(text: str, newline: str) -> None:
    """What is left of input and output, the edits cut out of both, is one and the same."""
    source = text.replace("\n", newline).encode()
    with patch.object(pipeline, "apply", wraps=apply) as applied:
        result = pipeline.convert_source(source, "a.cu", "cuda", DECISIONS)
    edits = applied.call_args.args[1] if applied.called else []
    assert len(edits) == result.edits
    at = done = 0
    for edit in sorted(edits, key=lambda each: each.span):
        kept = source[at : edit.span.start]
        assert result.data[done : done + len(kept)] == kept
        done += len(kept)
        assert result.data[done : done + len(edit.new)] == edit.new
        at, done = edit.span.end, done + len(edit.new)
    assert result.data[done:] == source[at:]


@given(BROKEN, OPTIONS)
@settings(max_examples=100, deadline=None)
def test_broken_code_is_converted_without_a_crash(text: str, options: tuple[str, ...]) -> None:
    """Twice, for what a first pass makes of it is input of a second one."""
    convert("a.cu", convert("a.cu", text.encode(), options).output, options)


@given(st.binary(max_size=200))
@settings(max_examples=100, deadline=None)
def test_any_bytes_are_converted_without_a_crash(data: bytes) -> None:
    convert("a.cu", data + b"\ncudaFree(p); __ballot_sync(0xffffffff, " + data)
