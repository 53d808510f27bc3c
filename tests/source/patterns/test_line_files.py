"""Files of lines: what of long lines is not searched, and that this is said."""

from __future__ import annotations

import pytest

from hipport.rulebook.load import load
from hipport.source.convert.suppressions import kept
from hipport.source.patterns.line_files import cut_lines, line_findings
from hipport.source.patterns.python_files import python_findings

RULES = load(is_audit=True)
FLAG = "nvcc -lineinfo"
LONG = "x" * 4096
SAID = "lines longer than 4,096 bytes were searched that far only"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"all:\n\t{FLAG} a.cu\n", ""),
        (f"all:\n\t{LONG}\n", ""),
        (f"all:\n{FLAG} {LONG}\n", ""),
        (f"all:\n{LONG} {FLAG}\n", SAID),
        (f"{LONG}x\nall:\n{LONG} {FLAG}\n", SAID),
        (f"{LONG[len(FLAG) :]}{FLAG}\n", ""),
        # Half a word behind each of two lines is no word.
        (f"{LONG}-line\n{LONG}info\n", ""),
    ],
)
def test_what_is_behind_the_bound_is_said(text: str, said: str) -> None:
    assert cut_lines(text.encode(), "make", RULES) == said


@pytest.mark.slow
def test_what_is_before_the_bound_is_found() -> None:
    for before, lines in ((0, [1, 2]), (4096 - len(FLAG), [1, 2]), (4097 - len(FLAG), [2])):
        text = f"{' ' * before}{FLAG} {LONG}\n{FLAG}\n"
        found = line_findings(text.encode(), "Makefile", "make", RULES)
        assert [each.start.line for each in found if "-lineinfo" in each.symbol] == lines


@pytest.mark.parametrize(
    ("line", "is_hidden"),
    [
        ("A = -lineinfo # hipport: ignore", True),
        ("A = -lineinfo '#' # hipport: ignore", True),
        ("A = -lineinfo 'x # hipport: ignore'", False),
        ('A = -lineinfo "it\'s # hipport: ignore"', False),
        ('A = -lineinfo "it\'s" # hipport: ignore', True),
        (r'A = -lineinfo "\"" # hipport: ignore', True),
        (r"A = -lineinfo it\'s # hipport: ignore", True),
        ("A = -lineinfo \"a\" 'b # hipport: ignore'", False),
        ("A = -lineinfo# hipport: ignore", False),
    ],
)
def test_a_comment_in_quotes_hides_nothing(line: str, is_hidden: bool) -> None:
    data = f"B = '\n{line}\nA = -lineinfo\n".encode()
    found = line_findings(data, "Makefile", "make", RULES)
    assert [each.start.line for each in found] == [2, 3]
    shown = [each for each in kept(data, found, "Makefile", "make", RULES) if each in found]
    assert [each.start.line for each in shown] == ([3] if is_hidden else [2, 3])


@pytest.mark.parametrize(
    ("string", "is_found"),
    [
        ('"""\n// not -lcudart\n__global__ void f();\n"""', False),
        ('"""\n/* not\n -lcudart */\n#include <waves.h>\n"""', False),
        ('["  // not -lcudart", "int a;"]', False),
        ('"""\nhttp://waves -lcudart\nint a;\n"""', True),
        ('f"""\nint a[{n // 2}]; // {m}-lcudart\nint b;\n"""', False),
        ('f"""\nint a[{n // 2}]; char *b = "-lcudart";\n"""', True),
        ('"""\ncp waves/* -lcudart */*\nint a;\n"""', True),
        ('"""\nrun // -lcudart\n"""', True),
    ],
)
def test_comments_of_code_in_strings_of_python(string: str, is_found: bool) -> None:
    found = line_findings(f"a = {string}\n".encode(), "a.py", "python", RULES)
    assert ("HP-MAKE-010" in {each.code for each in found}) == is_found


@pytest.mark.parametrize(
    ("name", "kind", "text", "line"),
    [
        ("setup.py", "python", 'setup(\n    install_requires=[\n        "gpustat"\n    ]\n)\n', 3),
        ("a.sh", "shell", "docker run \\\n  --gpus all x\n", 2),
        ("requirements.txt", "requirements", "numpy\ngpustat\n", 2),
    ],
)
def test_lines_may_end_as_on_windows(name: str, kind: str, text: str, line: int) -> None:
    for ends in ("\n", "\r\n"):
        data = text.replace("\n", ends).encode()
        if kind == "python":
            found = python_findings(data, name, RULES)
        else:
            found = line_findings(data, name, kind, RULES)
        assert [each.start.line for each in found] == [line]
        assert not [each for each in found if "\r" in each.symbol]


def test_a_byte_order_mark_hides_nothing_in_the_first_line() -> None:
    found = line_findings(b"\xef\xbb\xbfgpustat\n", "requirements.txt", "requirements", RULES)
    assert [each.start.line for each in found] == [1]
