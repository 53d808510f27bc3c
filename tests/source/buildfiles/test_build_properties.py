"""What holds for any build file: comments stay, a second conversion changes nothing."""

from __future__ import annotations

import pytest
import tree_sitter
import tree_sitter_cmake
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import Choices
from hipport.source.buildfiles.build_conversion import convert_build

CHOICES = [Choices(), Choices(("gfx90a", "gfx942")), Choices(("gfx90a",), "roc")]
WORDS = """CUDA CUDA::cublas CMAKE_CUDA_STANDARD CUDA_ARCHITECTURES nvcc -lineinfo -gencode
arch=compute_80,code=sm_80 --use_fast_math -Xcompiler=-fPIC,-Wall -lcudart $(CUDA_HOME)/lib64
/usr/local/cuda/include find_package(CUDAToolkit) kernel.cu ${CUDA_LIBRARIES} app PRIVATE
$<$<COMPILE_LANGUAGE:CUDA>:-G> $<COMPILE_LANGUAGE:CUDA,CXX> "-G -g" ; > PROPERTIES ON 80 \\ "x;y"
CUDA_SEPARABLE_COMPILATION OPTIONS STATIC -dlink $(NVCC) $(foreach sm,$(SMS),-arch=sm_$(sm))
""".split()
COMMANDS = """project set list string find_package add_library add_executable target_sources
target_link_libraries target_compile_options set_target_properties cuda_add_library
enable_language include_directories if endif function endfunction message""".split()
words = st.lists(st.sampled_from(WORDS), max_size=6)
command = st.builds(
    lambda name, given: f"{name}({' '.join(given)})", st.sampled_from(COMMANDS), words
)
cmake_file = st.lists(command, min_size=1, max_size=8).map("\n".join)
make_line = st.one_of(
    st.builds(lambda given: "\t" + " ".join(given), words),
    st.builds(
        lambda name, sign, given: f"{name} {sign} {' '.join(given)}",
        st.sampled_from(["NVCCFLAGS", "CUDA_HOME", "LIBS", "CUDA_PATH", "X"]),
        st.sampled_from(["=", "?=", "+=", ":="]),
        words,
    ),
    st.builds(lambda given: " ".join(given) + " \\", words),
)
make_file = st.lists(make_line, min_size=1, max_size=8).map("\n".join)
PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cmake.language()))


def convert(text: str, kind: str, choices: Choices) -> str:
    data = text.encode()
    return convert_build(data, "x", kind, load(), choices).data.decode()


@settings(max_examples=150, deadline=None)
@given(cmake_file, st.sampled_from(CHOICES))
def test_converting_cmake_again_changes_nothing(text: str, choices: Choices) -> None:
    once = convert(text, "cmake", choices)
    assert convert(once, "cmake", choices) == once


@settings(max_examples=150, deadline=None)
@given(make_file, st.sampled_from(CHOICES))
@example("-gencode $(CUDA_HOME)/lib64 -gencode \\", CHOICES[0])  # Continued into nothing.
@example("-gencode $(CUDA_HOME)/lib64 -gencode CUDA", CHOICES[0])  # A folder in what goes.
def test_converting_a_makefile_again_changes_nothing(text: str, choices: Choices) -> None:
    once = convert(text, "make", choices)
    assert convert(once, "make", choices) == once


@settings(max_examples=100, deadline=None)
@given(cmake_file, st.sampled_from(CHOICES))
def test_what_parses_still_parses(text: str, choices: Choices) -> None:
    if not PARSER.parse(text.encode()).root_node.has_error:
        assert not PARSER.parse(convert(text, "cmake", choices).encode()).root_node.has_error


@pytest.mark.parametrize("kind", ["cmake", "make", "shell"])
@settings(max_examples=60, deadline=None)
@given(st.lists(words.map(" ".join).map(lambda each: each.replace("\\", "")), max_size=5))
def test_comments_stay(kind: str, lines: list[str]) -> None:
    before = {"cmake": "if(A) ", "make": "X = 1 ", "shell": "echo 1 "}[kind]
    text = "".join(f"# {each}\n{before}# {each}\n" for each in lines)
    if kind == "cmake":
        text += "endif()\n" * len(lines)
    assert convert(text, kind, CHOICES[1]) == text


@settings(max_examples=60, deadline=None)
@given(words.map(" ".join))
def test_bracket_comments_and_arguments_stay(text: str) -> None:
    for source in (f"#[==[ {text} ]==]\n", f"set(X [==[ {text} ]==])\n"):
        assert convert(source, "cmake", CHOICES[1]) == source
