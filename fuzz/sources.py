"""What has to hold for any source or build file, whatever its bytes.

The last bytes choose language and options, so that one corpus serves all of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from hipport.rulebook.finding_rules import example_tables
from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import Choices
from hipport.source.audit.audit_file import findings_in, kind_of
from hipport.source.audit.read_in_part import why_in_part, why_unreadable
from hipport.source.buildfiles.build_conversion import convert_build
from hipport.source.convert.pipeline import Result, convert_source, default_options
from hipport.source.names.counterparts import Decisions
from hipport.source.text.edits import apply
from tests.support.tokens import untouchables

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures"
LANGUAGES = ("cuda", "cuda", "cuda", "cpp", "c", "python")
OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"libs": "roc"},
    {"unsafe": True},
    {"guards": True},
    {"launch": "keep"},
)
AUDITED_NAMES = (
    *("a.f90", "BUILD", "a.go", "a.jl", "a.rs", "a.nix", "a.pyx", "Dockerfile", "a.yml"),
    *("requirements.txt", "meson.build", "configure.ac", "a.eb", ".gitmodules", "a.ipynb"),
)
"""Of files that the audit alone reads."""
KINDS = ("cmake", "make", "shell", "python", "cmake.json")
CHOICES = (Choices(), Choices(("gfx90a", "gfx942")), Choices(("gfx90a",), "roc"))
SECONDS, SECONDS_PER_BYTE = 2.0, 500e-6
"""Of processor time, instrumented: ten times what the slowest sound source takes."""
IS_TIMED = False
"""Set by the fuzzer: a test must not fail because a machine is slow."""
_LARGE = 1 << 15
_OFTEN = 61


def exercise_source(data: bytes) -> None:
    """Convert or audit the bytes as source code, and hold the outcome to what is promised."""
    choice = sum(data[-3:])
    language = LANGUAGES[choice % len(LANGUAGES)]
    if choice % 4 == 3 or language == "python":
        _timed(data, lambda data: _audit(data, language))
        return
    decisions = _decisions(choice % len(OPTIONS))

    def convert(data: bytes) -> Result:
        return convert_source(data, "a", language, decisions)

    once = _timed(data, convert)
    _check_edits(data, once)
    _check_untouched(data, once)
    assert convert(once.data).data == once.data, "a second conversion changes something"


def exercise_build(data: bytes) -> None:
    """Convert the bytes as a build file of each kind in turn."""
    choice = sum(data[-3:])
    kind, _, ending = KINDS[choice % len(KINDS)].partition(".")
    choices = CHOICES[choice % len(CHOICES)]

    def convert(data: bytes) -> Result:
        return convert_build(data, f"a.{ending}", kind, load(), choices)

    once = _timed(data, convert)
    _check_edits(data, once)
    assert convert(once.data).data == once.data, "a second conversion changes something"


def exercise_lines(data: bytes) -> None:
    """Audit the bytes as a file of each kind that nothing converts, in turn."""
    name = AUDITED_NAMES[sum(data[-3:]) % len(AUDITED_NAMES)]
    decisions = _decisions(0, is_audit=True)
    found = _timed(data, lambda data: findings_in(data, name, kind_of(name), None, decisions))
    lines = data.count(b"\n") + data.count(b"\r") + 1
    assert all(0 <= each.start.line <= lines for each in found.findings)


def _audit(data: bytes, language: str) -> Result:
    why_unreadable(data, is_parsed=True), why_in_part(data, "python")
    return findings_in(data, "a", language, language, _decisions(0, is_audit=True))


def _timed(data: bytes, work: Callable[[bytes], Result]) -> Result:
    """The outcome; now and then the bytes are repeated, which shows what is not linear."""
    result = work(data)
    if IS_TIMED and data and sum(data) % _OFTEN == 0:
        large = data * (_LARGE // len(data))
        start = time.process_time()
        work(large)
        spent = time.process_time() - start
        assert spent < SECONDS + SECONDS_PER_BYTE * len(large), f"{spent:.1f} s for {len(large)}"
    return result


def _check_edits(data: bytes, result: Result) -> None:
    """Bytes outside the edits are the same in input and output, and the edits lie apart."""
    assert len(result.made) == result.edits
    kept = done = 0
    for edit in sorted(result.made, key=lambda each: each.span):
        assert kept <= edit.span.start <= edit.span.end <= len(data)
        size = edit.span.start - kept
        assert result.data[done : done + size] == data[kept : edit.span.start]
        done += size
        assert result.data[done : done + len(edit.new)] == edit.new
        kept, done = edit.span.end, done + len(edit.new)
    assert result.data[done:] == data[kept:]
    assert apply(data, result.made) == result.data


def _check_untouched(data: bytes, result: Result) -> None:
    """The comments stay. (Literals may hold kernels and formats, which are converted.)"""
    before, after = (
        [each for each in untouchables(text.decode("latin-1")) if each.startswith(("//", "/*"))]
        for text in (data, result.data)
    )
    assert before == after, "comments differ"


@cache
def _decisions(index: int, *, is_audit: bool = False) -> Decisions:
    rules = load(is_audit=is_audit)
    return Decisions(rules, default_options(rules)._replace(**OPTIONS[index]))


def source_seeds() -> list[bytes]:
    files = [*(FIXTURES / "source").rglob("*"), *(FIXTURES / "audit").rglob("*")]
    return [path.read_bytes() for path in files if path.is_file() and path.suffix != ".toml"]


def build_seeds() -> list[bytes]:
    files = (FIXTURES / "build").glob("*/input/**/*")
    return [path.read_bytes() for path in files if path.is_file()]


def line_seeds() -> list[bytes]:
    """Examples of findings in files of these kinds; a last byte makes each be read as its own."""
    rules = load(is_audit=True)
    tables = (
        table
        for rule in rules.findings.values()
        for kind in ("bad", "good")
        for table in example_tables(rule, kind)
    )
    kinds = {kind_of(name): index for index, name in enumerate(AUDITED_NAMES)}
    found = ((kind_of(table["file"]), table["code"]) for table in tables if "code" in table)
    return [_ending_in(text.encode(), kinds[kind]) for kind, text in found if kind in kinds]


def _ending_in(data: bytes, choice: int) -> bytes:
    """With a last byte so that the last three make a choice among the kinds."""
    return data + bytes([(choice - sum(data[-2:])) % len(AUDITED_NAMES)])
