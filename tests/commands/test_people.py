"""What helps a person along: standard input, suggestions, help, completion, init."""

from __future__ import annotations

import io
import tomllib
from pathlib import Path

import pytest

from hipport.pages import page, topics
from tests.support.binaries import BINARY
from tests.support.command import Ran, hipport, make_tree
from tests.support.folders import CHECKOUT

PTX = '__device__ void f() { asm("bar.sync 0;"); }\n'
LIBRARY = BINARY / "elf-plain" / "libplain.so"


# Standard input


@pytest.mark.parametrize("command", ["audit", "check"])
def test_code_on_standard_input(tmp_path: Path, command: str) -> None:
    ran = hipport(command, "-", "--stdin-filename", "k.cu", cwd=tmp_path, stdin=PTX.encode())
    assert ran.code == 1
    assert ran.out.splitlines()[1] == (
        "k.cu:1:28: manual HP-ASM-008 `bar.sync` is PTX and does not assemble for an AMD GPU"
    )


def test_standard_input_says_the_same_as_the_file(tmp_path: Path) -> None:
    make_tree(tmp_path, {"k.cu": PTX, "hipport.toml": 'ignore = ["HP-PORT"]\n'})
    for form in ("text", "json", "github"):
        options = ["--format", form, "--stdin-filename", "k.cu"]
        piped = hipport("audit", *options, "-", cwd=tmp_path, stdin=PTX.encode())
        assert piped == hipport("audit", *options, "k.cu", cwd=tmp_path)


def test_a_name_that_says_nothing(tmp_path: Path) -> None:
    ran = hipport("audit", "-", "--stdin-filename", "x.qqq", cwd=tmp_path)
    assert ran == Ran(
        2,
        "",
        "hipport: --stdin-filename x.qqq: no file that an audit reads (end it in .cu)\n",
    )
    ran = hipport("audit", "-", "a.cu", cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")


@pytest.mark.parametrize("command", [["list"], ["kernels"], ["kernels", "--format", "json"]])
def test_a_binary_on_standard_input(tmp_path: Path, command: list[str]) -> None:
    (tmp_path / "lib.so").write_bytes(LIBRARY.read_bytes())
    named = hipport("fatbin", *command, "lib.so", cwd=tmp_path)
    piped = hipport("fatbin", *command, "-", cwd=tmp_path, stdin=LIBRARY.read_bytes())
    assert piped == Ran(0, named.out.replace("lib.so", "-"), "")


def test_damage_on_standard_input_is_told(tmp_path: Path) -> None:
    ran = hipport("fatbin", "list", "-", cwd=tmp_path, stdin=LIBRARY.read_bytes()[:6000])
    assert ran.code == 2
    assert ran.err.startswith("hipport: -: ")
    assert "/tmp" not in ran.err


# Suggestions


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        ("convrt src", "No such command 'convrt', did you mean convert?"),
        ("fatbin lst x", "No such command 'lst', did you mean list?"),
        ("help confguration", "no help on confguration, did you mean configuration?"),
        ("convert --check --targets gfx90 .", "no processor gfx90, did you mean gfx90a?"),
        ("convert --check --targets MI300X .", "no processor MI300X, did you mean gfx942?"),
        ("convert --check --targets rx-7900 .", "no processor rx-7900, did you mean gfx1100?"),
        ("convert --check --targets gfx943 .", "no processor gfx943, did you mean gfx942?"),
    ],
)
def test_what_may_be_meant(tmp_path: Path, words: str, hint: str) -> None:
    make_tree(tmp_path, {"a.cu": PTX})
    ran = hipport(*words.split(), cwd=tmp_path)
    assert (ran.code, ran.out) == (2, "")
    assert hint in ran.err


# Help


def test_help_lists_its_topics(tmp_path: Path) -> None:
    ran = hipport("help", cwd=tmp_path)
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()] == list(topics())
    assert "configuration" in topics() and "how-to/cmake" in topics()


def test_help_on_a_page_a_finding_and_a_command(tmp_path: Path) -> None:
    ran = hipport("help", "configuration", cwd=tmp_path)
    assert ran == Ran(0, page("configuration"), "")
    assert hipport("help", "how-to", "cmake", cwd=tmp_path).out == page("how-to/cmake")
    finding = hipport("help", "hp-asm-008", cwd=tmp_path)
    assert finding == hipport("audit", "explain", "HP-ASM-008", cwd=tmp_path)
    command = hipport("help", "fatbin", "list", cwd=tmp_path)
    assert command == hipport("fatbin", "list", "--help", cwd=tmp_path)


def test_every_topic_that_a_message_names_has_a_page() -> None:
    import re

    named = {
        name
        for path in (CHECKOUT / "hipport").rglob("*.py")
        for name in re.findall(r"hipport help ([a-z-]+)", path.read_text())
    }
    assert {"configuration", "rules", "user-rules", "browse"} <= named
    assert named - {"has"} <= set(topics())


def test_the_options_that_most_people_need_come_first(tmp_path: Path) -> None:
    lines = hipport("convert", "--help", cwd=tmp_path).out.splitlines()
    headings = [line for line in lines if line.endswith(":") and not line.startswith(" ")]
    assert headings == [
        "Most used:",
        "What is converted:",
        "How it is converted:",
        "What is written:",
        "Report and exit code:",
        "More:",
    ]
    first = lines[lines.index("Most used:") + 1 : lines.index("What is converted:")]
    assert sum(line.startswith("  -") for line in first) == 5


def test_every_option_that_a_heading_names_is_there() -> None:
    from hipport.commands import sections
    from hipport.commands.audit.check import command as check
    from hipport.commands.audit.report import command as report
    from hipport.commands.convert import command as convert
    from hipport.commands.verify import command as verify

    for groups, commands in (
        (sections.CONVERT, [convert]),
        (sections.AUDIT, [report, check]),
        (sections.VERIFY, [verify]),
    ):
        known = {param.name for each in commands for param in each.params}
        assert {name for names in groups.values() for name in names} <= known


# Completion


def completed(folder: Path, line: str) -> list[str]:
    words = {"COMP_WORDS": line, "COMP_CWORD": str(len(line.split(" ")) - 1)}
    ran = hipport(cwd=folder, environment={**words, "_HIPPORT_COMPLETE": "bash_complete"})
    return [each.partition(",")[2] for each in ran.out.splitlines()]


def test_targets_releases_names_and_topics_are_completed(tmp_path: Path) -> None:
    assert completed(tmp_path, "hipport convert --targets gfx90a,gfx94")[0] == "gfx90a,gfx942"
    assert completed(tmp_path, "hipport audit report --rocm 6.")[:2] == ["6.4", "6.3"]
    assert "cudaMemcpyToSymbol" in completed(tmp_path, "hipport rules show cudaMemcpyTo")
    assert completed(tmp_path, "hipport help confi") == ["configuration"]


# A first configuration


def test_a_configuration_is_made_from_what_the_tree_has(tmp_path: Path) -> None:
    make_tree(
        tmp_path,
        {
            "a.cu": "",
            "CMakeLists.txt": "set(CMAKE_HIP_ARCHITECTURES gfx942 gfx90a)\n",
            ".gitmodules": '[submodule "x"]\n\tpath = extern/cub\n\turl = y\n',
            "extern/cub/b.cu": "",
            "third_party/c.cu": "",
        },
    )
    ran = hipport("init", cwd=tmp_path, keeps_summary=True)
    assert ran == Ran(0, "", "wrote hipport.toml; 1 CUDA source below it\nnext: hipport audit .\n")
    text = (tmp_path / "hipport.toml").read_text()
    assert tomllib.load(io.BytesIO(text.encode())) == {
        "targets": ["gfx90a", "gfx942"],
        "exclude": ["/extern/cub/"],
    }
    assert '# exclude = ["/extern/cub/", "/extern/", "/third_party/"]' in text
    assert hipport("config", cwd=tmp_path).code == 0
    assert hipport("init", cwd=tmp_path) == Ran(
        2, "", "hipport: hipport.toml: already exists (--force replaces it)\n"
    )
    assert hipport("init", "--print", cwd=tmp_path).out == text


def test_what_is_not_certain_is_a_comment(tmp_path: Path) -> None:
    text = hipport("init", "--print", cwd=tmp_path).out
    assert tomllib.loads(text) == {}
    uncommented = "\n".join(line.removeprefix("# ") for line in text.splitlines() if " = " in line)
    make_tree(tmp_path, {"hipport.toml": uncommented})
    assert hipport("config", cwd=tmp_path).code == 0
