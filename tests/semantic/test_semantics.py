"""What the converter makes of a compiler's word on names, where syntax alone would err."""

from __future__ import annotations

import re

import pytest

from hipport.source.convert.pipeline import convert_source
from hipport.source.names.semantics import Semantics


def convert(text: str, problem: str = "") -> tuple[str, list[str], set[str]]:
    """The result, the findings and the evidence of renames of a text that marks its names.

    `@name` is CUDA's to the compiler, `~name` the user's, declared in own.h, line 7.
    """
    vendor, own, plain = [], [], ""
    for each in re.split(r"([@~])", text):
        if each == "@":
            vendor.append(len(plain))
        elif each == "~":
            own.append((len(plain), "own.h:7"))
        else:
            plain += each
    semantics = Semantics(tuple(vendor), tuple(own), problem=problem)
    result = convert_source(plain.encode(), "a.cu", "cuda", semantics=semantics)
    found = [f"{each.code} {each.symbol} {each.start.line}" for each in result.findings]
    evidence = {each.evidence for each in result.made if each.rule.startswith("api:")}
    return result.data.decode(), found, evidence


HEAD = "#include <hip/hip_runtime.h>\n"


@pytest.mark.parametrize(
    ("text", "expected", "findings"),
    [
        pytest.param(
            "void f(void *p) { ~cudaFree(p); ~cudaFree(p); }\n",
            "void f(void *p) { cudaFree(p); cudaFree(p); }\n",
            ["HP-SEM-002 cudaFree 1"],
            id="declared in another header",
        ),
        pytest.param(
            "int ~cudaFree(int);\nvoid f(void *p) { ~cudaFree(3); @cudaFree(p); }\n",
            "int cudaFree(int);\nvoid f(void *p) { cudaFree(3); hipFree(p); }\n",
            ["HP-API-008 cudaFree 1"],
            id="an overload of the user's",
        ),
        pytest.param(
            "@cudaError_t @cudaFree(void *);\nvoid f(void *p) { @cudaFree(p); }\n",
            "hipError_t hipFree(void *);\nvoid f(void *p) { hipFree(p); }\n",
            [],
            id="CUDA's own, declared again",
        ),
        pytest.param(
            "@cudaError_t @cudaFuncSetCacheConfig(const void *f, @cudaFuncCache c);\n",
            "hipError_t cudaFuncSetCacheConfig(const void *f, hipFuncCache_t c);\n",
            ["HP-API-008 cudaFuncSetCacheConfig 1"],
            id="a declaration whose parameters a call's edit would spoil",
        ),
        pytest.param(
            "namespace my { using ::@cudaFree; }\nint i = my::@cudaFree(0), j = my::cudaFree(0);\n",
            "namespace my { using ::hipFree; }\nint i = my::hipFree(0), j = my::cudaFree(0);\n",
            [],
            id="a using-declaration in a namespace of the user's",
        ),
        pytest.param(
            "#define DROP(p) ~cudaFree(p)\nvoid f(void *p) { DROP(p); @cudaFree(p); }\n",
            "#define DROP(p) cudaFree(p)\nvoid f(void *p) { DROP(p); hipFree(p); }\n",
            ["HP-SEM-002 cudaFree 1"],
            id="in a macro's text",
        ),
        pytest.param(
            "void f() { ~cudaFooBar(); cudaFooBaz(); }\n",
            "void f() { cudaFooBar(); cudaFooBaz(); }\n",
            ["HP-API-002 cudaFooBaz 1"],
            id="a name that only looks like CUDA's",
        ),
    ],
)
def test_whose_a_name_is(text: str, expected: str, findings: list[str]) -> None:
    converted, found, _ = convert(text)
    assert converted.removeprefix(HEAD) == expected
    assert found == findings


def test_evidence() -> None:
    assert convert("void f() { @cudaFree(0); }\n")[2] == {"semantic"}
    assert convert("void f() { cudaFree(0); }\n")[2] == {"syntax"}
    assert convert("void f() { @cudaFree(0); cudaFree(0); }\n")[2] == {"syntax", "semantic"}


def test_evidence_of_changed_arguments() -> None:
    text = "__constant__ int c;\nvoid f(int *p) { @cudaMemcpyToSymbol(c, p, 4); }\n"
    converted, _, evidence = convert(text)
    assert "hipMemcpyToSymbol(HIP_SYMBOL(c), p, 4)" in converted
    assert "semantic" in evidence


def test_a_file_that_does_not_compile_says_why() -> None:
    converted, found, _ = convert("void f() { @cudaFree(0); }\n", "a.cu:1: no")
    assert converted == f"{HEAD}void f() {{ hipFree(0); }}\n"
    assert found == ["HP-SEM-001  1"]
