"""The tokenizer that the checks of converted code stand on."""

from __future__ import annotations

import pytest

from tests.support.tokens import Token, names, tokens, untouchables


def test_names_have_one_based_lines_and_columns_in_characters() -> None:
    assert names("é = cudaFree;\r\n\tint x") == [
        ("é", 1, 1),
        ("cudaFree", 1, 5),
        ("int", 2, 2),
        ("x", 2, 6),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "// cudaFree",
        "// a \\\n cudaFree",
        "/* cudaFree\n */",
        "/* cudaFree",
        '"cudaFree"',
        r'"a\"cudaFree"',
        '"a\\\ncudaFree"',
        'R"x(cudaFree )" )x"',
        'u8R"(cudaFree")"',
        "'cudaFree'",
        "#include <cudaFree>",
        '# include "cudaFree"',
        "#if __has_include(<cudaFree>)\n#endif",
        "#error don't call cudaFree",
        "#warning a \\\n cudaFree",
        "1'cudaFree",
        "0x1cudaFree",
    ],
)
def test_no_name_is_seen(text: str) -> None:
    assert "cudaFree" not in [name for name, _, _ in names(text)]


@pytest.mark.parametrize(
    "text",
    [
        "1'000'000 + cudaFree",
        "// a\ncudaFree",
        "/* a */cudaFree",
        "'\\''cudaFree",
        '"\\\\"cudaFree',
        "#define A don't \n cudaFree",
        "#if 0\n isn't\n#endif\ncudaFree",
        'R"(\\)"cudaFree',
        "#define A \\\n cudaFree",
        "#include cudaFree",
        "#\\\ninclude <a>\ncudaFree",
        "a.5cudaFree cudaFree",
        "a##cudaFree",
    ],
)
def test_the_name_is_seen(text: str) -> None:
    assert [name for name, _, _ in names(text)][-1] == "cudaFree"


def test_comments_and_literals_in_order() -> None:
    text = '/*a*/ x = "b" \'c\' R"(d\n)"; // e\n#include <f>\n'
    assert untouchables(text) == ["/*a*/", '"b"', "'c'", 'R"(d\n)"', "// e"]


def test_chevrons_are_tokens() -> None:
    assert [t for t in tokens("k<<<1,2>>>(a)") if t.kind == "chevron"] == [
        Token("chevron", "<<<", 1, 2),
        Token("chevron", ">>>", 1, 8),
    ]
