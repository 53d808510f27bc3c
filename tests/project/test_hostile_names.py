"""Names that would like to steer a terminal, a page or a CI log are shown as text everywhere."""

from __future__ import annotations

import json
import pty
import re
import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter
from html.parser import HTMLParser
from pathlib import Path

import pytest
from click.testing import CliRunner

from hipport.cli import root
from hipport.report.formats import FORMATS
from tests.support.binaries import BINARY
from tests.support.browser_driving import Browser, drive
from tests.support.command import make_tree
from tests.support.terminal import written_to_terminal

HOSTILE = BINARY / "hostile"
BINARIES = sorted(path for path in HOSTILE.iterdir() if path.suffix not in (".py", ".sh"))
TEXTS = (
    "<script>alert(1)</script>",
    "\x1b[31mred\x1b]0;owned\x07",
    "::error file=a,line=1::owned",
    "##[error]owned",
    "[bold red]x[/] [@click=app.bell]y[/]",
    "\u202egnp.exe\u2066",
    "\x9b31mC1\x85\u2028",
)
LINES = "two\nlines\r::error::owned"
SOURCE = """\
__global__ void k(int *x) {{
  int a = threadIdx.x /*{0}*/ & 31;
  unsigned m = __ballot_sync(0xffffffff, "{0}");
}}
#include <cuda{0}.h>
int b = cudaFrobnicate("{0}");
void *p = dlsym(h, "cudaMalloc{0}");
"""
MAKEFILE = "NVCCFLAGS += -arch={0} -use_fast_math{0}\nall:\n\tnvcc {0} --{0}\n"
RULE = """\
id = "MINE-API-001"
severity = "manual"
title = {0}
message = {0}
suggestion = {0}
patterns = ["mine"]
hints = ["mine"]
languages = ["cuda"]
[[bad]]
code = "mine"
file = "a.cu"
"""
API = "cuda\tkind\tstatus\tnote\nmineAlloc\tfunction\tunsupported\t{0}\n"


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A tree whose files, folders and contents hold every text; it is the current folder."""
    files = {"a.cu": "int mine = mineAlloc();\n"}
    for number, text in enumerate(TEXTS):
        files[f"{number}/a.cu"] = SOURCE.format(text)
        files[f"{number}/Makefile"] = MAKEFILE.format(text)
    for text in (*TEXTS, LINES):
        files[f"{text}.cu"] = SOURCE.format("x")
        files[f"{text}bad.cu"] = "\0"
    files["rules/checks/MINE-API-001.toml"] = RULE.format(json.dumps("".join(TEXTS)))
    files["rules/api/runtime.tsv"] = API.format("".join(TEXTS[:6]))
    files["hipport.toml"] = 'extend-rules = ["rules"]\n'
    make_tree(tmp_path / "tree", files)
    monkeypatch.chdir(tmp_path / "tree")
    return tmp_path


def run(*arguments: str | Path) -> str:
    """What a command prints on both streams; it may find things, but must not fail."""
    result = CliRunner().invoke(root, list(map(str, arguments)))
    assert result.exit_code in (0, 1, 2) and not isinstance(result.exception, AssertionError)
    assert isinstance(result.exception, SystemExit | None), result.exception
    return result.output


def steering(text: str) -> list[str]:
    """The characters that are no plain text, and lines that GitHub takes for a command."""
    found = sorted({repr(c) for c in text if not c.isprintable() and c not in "\n\t"})
    return found + [line for line in text.split("\n") if line.startswith("::")]


@pytest.fixture
def reports(tree: Path) -> dict[str, str]:
    """The audit's report in every format, and whether it tells of the names at all."""
    found = {}
    for form in FORMATS:
        run("audit", "report", ".", "--format", form, "-o", tree / form, "--fail-on", "never")
        found[form] = (tree / form).read_bytes().decode("utf-8")
        assert "owned" in found[form]
    return found


def test_every_report_is_plain_text(reports: dict[str, str]) -> None:
    for form, text in reports.items():
        allowed = "::" if form == "github" else "\0"
        found = [each for each in steering(text) if not each.startswith(allowed)]
        assert found == [], form


def test_the_page_has_no_element_of_the_tree(
    reports: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Elements(HTMLParser):
        def __init__(self, page: str) -> None:
            super().__init__()
            self.tags: Counter[str] = Counter()
            self.attributes: list[tuple[str, str | None]] = []
            self.feed(page)

        def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
            self.tags[tag] += 1
            self.attributes += attrs

    sound = make_tree(tmp_path / "sound", {"a.cu": SOURCE.format("x")})
    run("audit", "report", sound, "--format", "html", "-o", tmp_path / "sound.html")
    expected = Elements((tmp_path / "sound.html").read_text("utf-8"))
    page = Elements(reports["html"])
    assert "alert(1)" in reports["html"]
    assert page.tags["script"] == expected.tags["script"]
    assert page.tags.keys() <= expected.tags.keys() | {"details", "summary", "a"}
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    links = [value or "" for name, value in page.attributes if name in ("href", "src", "action")]
    assert [link for link in links if not link.startswith(("#", "https://", "data:,"))] == []


def test_json_and_its_kin_are_ascii_and_addresses_are_quoted(reports: dict[str, str]) -> None:
    for form in ("json", "sarif", "gitlab"):
        assert reports[form].isascii() and json.loads(reports[form]), form
    for result in json.loads(reports["sarif"])["runs"][0]["results"]:
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert re.fullmatch(r"[\w.~/%!$&'()*+,;=@:-]+", uri, re.ASCII), uri


def test_junit_is_well_formed(reports: dict[str, str]) -> None:
    whole = ElementTree.fromstring(reports["junit"])
    tags = {"testsuites", "testsuite", "testcase", "failure", "skipped", "properties", "property"}
    assert {each.tag for each in whole.iter()} <= tags | {"system-out"}


def test_each_line_for_github_is_one_command_of_ours(reports: dict[str, str]) -> None:
    findings = len(json.loads(reports["json"])["findings"])
    lines = reports["github"].splitlines()
    shape = r"::(error|warning|notice) file=[^,:\r\n]*(,\w+=[^,:\r\n]*)*::.*"
    assert [line for line in lines if not re.fullmatch(shape, line)] == []
    assert len(lines) >= findings > 0


def test_markdown_has_neither_elements_nor_links_of_the_tree(reports: dict[str, str]) -> None:
    assert "<script" not in reports["markdown"]
    assert "](javascript" not in reports["markdown"]
    assert "[bold" not in reports["markdown"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("audit", "."),
        ("audit", "explain", "MINE-API-001"),
        ("check", "."),
        ("check", ".", "--write-baseline", "../baseline"),
        ("convert", ".", "-o", "../out"),
        ("convert", ".", "--check"),
        ("convert", ".", "--check", "--explain"),
        ("compat", ".", "-o", "../c.h"),
        ("config", "."),
        ("rules", "show", "MINE-API-001"),
        ("rules", "show", "mineAlloc"),
        ("rules", "list", "--library", "runtime"),
        ("rules", "test", "rules"),
    ],
    ids=" ".join,
)
def test_commands_print_plain_text(tree: Path, arguments: tuple[str, ...]) -> None:
    assert steering(run(*arguments)) == []


def test_written_headers_hold_the_names_in_comments_only(tree: Path) -> None:
    run("compat", ".", "-o", "../c.h")
    header = (tree / "c.h").read_text("utf-8")
    assert [c for c in header if not c.isprintable() and c != "\n"] == []


@pytest.mark.parametrize("form", ["text", "rich", "json"])
@pytest.mark.parametrize("path", BINARIES, ids=lambda path: path.name)
def test_names_in_binaries(path: Path, form: str, tmp_path: Path) -> None:
    for command in (
        ("list",),
        ("list", "--targets"),
        ("kernels",),
        ("kernels", "--mangled", "--registered"),
        ("check", "--all"),
        ("dedupe",),
        ("extract", "-o", tmp_path / "out"),
    ):
        output = run("fatbin", *command, "--format", form, path)
        assert steering(output) == [], command
        assert output
    output = run("fatbin", "diff", "--format", form, path, BINARIES[0])
    assert steering(output) == []
    for written in (tmp_path / "out").iterdir():
        assert re.fullmatch(r"[\w.+-]+", written.name, re.ASCII), written.name


@pytest.mark.parametrize("text", TEXTS)
def test_one_kernel_with_its_arguments(text: str) -> None:
    for form in ("text", "rich", "json"):
        arguments = (text, HOSTILE / "names.hipfb", "--target", "gfx906", "--format", form)
        output = run("fatbin", "show", "--no-code", *arguments)
        assert steering(output) == []
        assert "no such kernel" not in output and len(output) > 200


@pytest.mark.slow
def test_the_browser_shows_names_and_obeys_none() -> None:
    async def look(browser: Browser) -> None:
        seen = ""
        for keys in (("down", "right"), ("down",), ("down",)):
            await browser.press(*keys)
            for tab in "12345678":
                await browser.press(tab)
                seen += browser.text()
        assert steering(seen) == []
        assert "internal error" not in seen
        assert "[bold red]x[/] [@click=app.bell]y[/]" in seen
        assert "<script>alert(1)</script>" in seen

    drive(HOSTILE / "names.hipfb", HOSTILE / "names.kpack", to=look, size=(160, 40))


def test_a_diff_on_a_terminal_is_plain_text_and_elsewhere_exact(tmp_path: Path) -> None:
    source = "".join(f"cudaFree(p); // {text}\tx\r\n" for text in TEXTS)
    make_tree(tmp_path, {"a.cpp": source})
    command = [sys.executable, "-m", "hipport", "convert", "--diff", "a.cpp"]
    exact = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, check=False).stdout
    assert f"-{source.splitlines(keepends=True)[0]}".encode() in exact and b"\x1b]0;" in exact
    master, slave = pty.openpty()
    with subprocess.Popen(command, cwd=tmp_path, stdout=slave) as process:
        shown = written_to_terminal(process, master, slave)
    assert process.returncode == 0
    colour = re.compile(r"\x1b\[[0-9;]*m")  # Our own; a name's would be shown as text.
    text = colour.sub("", shown.decode().replace("\r\n", "\n"))
    assert steering(text) == []
    assert "+hipFree(p); // \\x1b[31mred\\x1b]0;owned\\x07\tx\n" in text
