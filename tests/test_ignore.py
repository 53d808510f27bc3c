"""Patterns of .gitignore files, each with the paths that it means and those that it does not."""

from __future__ import annotations

import pytest

from hipport.ignore import parse, parse_line

PATHS = [
    "a",
    "a/",
    "b",
    "ab",
    "a.o",
    "x/a",
    "x/a/",
    "x/y/a",
    "x/a/b",
    "a/b",
    "a/x/b",
    "#",
    "!",
    "a ",
]

CASES = {
    "a": ["a", "a/", "x/a", "x/a/", "x/y/a"],
    "/a": ["a", "a/"],
    "a/": ["a/", "x/a/"],
    "/a/": ["a/"],
    "x/a": ["x/a", "x/a/"],
    "/x/a/": ["x/a/"],
    "a*": ["a", "a/", "ab", "a.o", "x/a", "x/a/", "x/y/a", "a "],
    "?b": ["ab"],
    "[a-b]": ["a", "a/", "b", "x/a", "x/a/", "x/y/a", "x/a/b", "a/b", "a/x/b"],
    "[!a]": ["b", "x/a/b", "a/b", "a/x/b", "#", "!"],
    "[^ab#]": ["!"],
    "a[.]o": ["a.o"],
    "**/a": ["a", "a/", "x/a", "x/a/", "x/y/a"],
    "x/**": ["x/a", "x/a/", "x/y/a", "x/a/b"],
    "x/*": ["x/a", "x/a/"],
    "a/**/b": ["a/b", "a/x/b"],
    "**/a/**": ["x/a/b", "a/b", "a/x/b"],
    "*/b": ["a/b"],
    r"\#": ["#"],
    r"\!": ["!"],
    r"a\ ": ["a "],
    "a.o  ": ["a.o"],
    "# a": [],
    "": [],
    "[": [],
    "a[": [],
}


def means(pattern: str) -> list[str]:
    """The paths that a pattern alone matches; a slash at the end marks a folder."""
    patterns = parse([pattern])
    return [
        path for path in PATHS if patterns.verdict(path.rstrip("/"), is_folder=path.endswith("/"))
    ]


@pytest.mark.parametrize("pattern", CASES)
def test_a_pattern_alone(pattern: str) -> None:
    assert means(pattern) == CASES[pattern]


@pytest.mark.parametrize("malformed", ["!", "/", "!/", "a\\", "[z-a]"])
def test_malformed_patterns_match_nothing(malformed: str) -> None:
    assert means(malformed) == []
    with pytest.raises(ValueError):
        parse_line(malformed)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["*.o", "!a.o"], False),
        (["!a.o", "*.o"], True),
        (["!a.o"], False),
        (["b"], None),
        ([], None),
        (["*", "!*.o", "/a.o"], True),
    ],
)
def test_the_last_pattern_decides(lines: list[str], expected: bool | None) -> None:
    assert parse(lines).verdict("a.o", is_folder=False) is expected


def test_patterns_made_to_take_long() -> None:
    """With backtracking through every star, these would not end."""
    name = "a" * 255
    patterns = parse(["*a" * 120 + "b", "**/" * 100 + "x/b", "a/**/" * 50 + "b", "[!b]" * 300])
    path = "/".join([name] * 15)
    assert patterns.verdict(path, is_folder=False) is None


@pytest.mark.filterwarnings("error")
def test_two_hyphens_are_a_range_up_to_a_hyphen() -> None:
    patterns = parse(["[+--]", "[---]x"])
    found = [each for each in ("+", ",", "-", ".", "-x") if patterns.verdict(each, is_folder=False)]
    assert found == ["+", ",", "-", "-x"]
