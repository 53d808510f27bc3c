"""What a rule of the user's own finds in C++: where, how often, and beside what."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.command import hipport

HEAD = 'id = "ACME-X-001"\nseverity = "manual"\ntitle = "t"\nmessage = "`{symbol}` is old"\n'
NAMED = 'names = ["acmeOld"]\n'
SHAPED = "hints = ['acme']\npatterns = ['acme(?P<symbol>Old|New)', 'acmeAge']\n"
TWICE = "void f() { acmeOld(); acmeOld(); }\nvoid g() { acmeOld(); }\n"
SHAPES = "int a = acmeAge + acmeNew; // acmeOld\nint b = acmeOld + acmeOld, c = acmeAge;\n"
CONDITIONS = (
    "#ifdef acmeOld\n#elif acmeOld\n#elif X\n#endif\n#ifndef acmeOld\n#endif\n#if 1 + acmeOld\n"
    "#define A acmeOld\n#undef acmeOld\n#endif\nint acmeOld2 = acmeOld;\n"
)
SPACES = (
    "using namespace acmeOld;\nnamespace b = acmeOld;\nint acmeOld = 1;\n"
    "int a = acmeOld::x + acmeOld::y;\nint c = acmeOld :: z :: z;\n"
)
QUALIFIED = "int a = acmeOld + ::acmeOld + one::acmeOld + two::acmeOld + s.acmeOld;\n"
DEVICE = "__device__ int f() { return acmeOld(); }\nint g() { return acmeOld(); }\n"


def found(tree: Path, rule: str, code: str, *options: str) -> list[tuple[int, int, str]]:
    """Line, column and symbol of the findings of a rule."""
    place = tree / "rules" / "checks" / "ACME-X-001.toml"
    place.parent.mkdir(parents=True)
    place.write_text(HEAD + rule, "utf-8")
    (tree / "hipport.toml").write_text('extend-rules = ["rules/"]\n', "utf-8")
    (tree / "a.cu").write_text(code, "utf-8")
    done = hipport("audit", "a.cu", "--format", "json", "--jobs", "1", *options, cwd=tree)
    assert done.err == ""
    findings = json.loads(done.out)["findings"]
    mine = [each for each in findings if each["code"] == "ACME-X-001"]
    return [(each["line"], each["column"], each["symbol"]) for each in mine]


@pytest.mark.parametrize(
    ("rule", "code", "places"),
    [
        (NAMED, TWICE, [(1, 12, "acmeOld"), (1, 23, "acmeOld"), (2, 12, "acmeOld")]),
        (f"{NAMED}once_per_line = true\n", TWICE, [(1, 12, "acmeOld"), (2, 12, "acmeOld")]),
        (f"{NAMED}once_per_file = true\n", TWICE, [(1, 12, "acmeOld")]),
        (f'{NAMED}symbol = "it"\n', TWICE, [(1, 12, "it"), (1, 23, "it"), (2, 12, "it")]),
        (f'{NAMED}symbol = "it"\nonce_per_line = true\n', TWICE, [(1, 12, "it"), (2, 12, "it")]),
        (
            SHAPED,
            SHAPES,
            [(1, 9, "acmeAge"), (1, 23, "New"), (2, 13, "Old"), (2, 23, "Old"), (2, 32, "acmeAge")],
        ),
        (f"{SHAPED}once_per_line = true\n", SHAPES, [(1, 23, "New"), (2, 13, "Old")]),
        (f"{SHAPED}once_per_file = true\n", SHAPES, [(1, 23, "New")]),
        (
            f'{NAMED}where = "condition"\n',
            CONDITIONS,
            [(1, 8, "acmeOld"), (2, 7, "acmeOld"), (5, 9, "acmeOld"), (7, 9, "acmeOld")],
        ),
        (
            f'{NAMED}where = "namespace"\n',
            SPACES,
            [
                (1, 17, "acmeOld"),
                (2, 15, "acmeOld"),
                (4, 9, "acmeOld::x"),
                (4, 22, "acmeOld::y"),
                (5, 9, "acmeOld :: z :: z"),
            ],
        ),
        (
            f'{NAMED}where = "namespace"\nonce_per_line = true\n',
            SPACES,
            [
                (1, 17, "acmeOld"),
                (2, 15, "acmeOld"),
                (4, 9, "acmeOld::x"),
                (5, 9, "acmeOld :: z :: z"),
            ],
        ),
        (NAMED, QUALIFIED, [(1, 9, "acmeOld"), (1, 21, "acmeOld")]),
        (f'{NAMED}qualifiers = ["one"]\n', QUALIFIED, [(1, 36, "acmeOld")]),
        (
            f'{NAMED}qualifiers = ["", "two"]\n',
            QUALIFIED,
            [(1, 9, "acmeOld"), (1, 21, "acmeOld"), (1, 51, "acmeOld")],
        ),
        (f'{NAMED}where = "device"\n', TWICE, []),
        (f'{NAMED}where = "device"\n', DEVICE, [(1, 29, "acmeOld")]),
        (f"{NAMED}unless = 'ported'\n", f"{TWICE}int ported;\n", []),
        (
            f"{NAMED}once_per_file = true\nunless = 'ported'\n",
            f"{TWICE}// ported\n",
            [(1, 12, "acmeOld")],
        ),
        (NAMED, "#define JOIN(a) a##acmeOld\n", []),
        (NAMED, "#ifdef __HIP_PLATFORM_AMD__\n#else\nint a = acmeOld;\n#endif\n", []),
        (
            f"{NAMED}in_ports = true\n",
            "#ifdef __HIP_PLATFORM_AMD__\n#else\nint a = acmeOld;\n#endif\n",
            [(3, 9, "acmeOld")],
        ),
    ],
)
def test_what_is_found(
    tmp_path: Path, rule: str, code: str, places: list[tuple[int, int, str]]
) -> None:
    assert found(tmp_path, rule, code) == places


@pytest.mark.parametrize(("rocm", "number"), [("7.1", 3), ("7.2", 0), ("7.10", 0)])
def test_until_a_release(tmp_path: Path, rocm: str, number: int) -> None:
    rule = f'{NAMED}rocm_until = "7.2"\n'
    assert len(found(tmp_path, rule, TWICE, "--rocm", rocm)) == number


def test_a_check_without_its_keys_is_the_rules_fault(tmp_path: Path) -> None:
    rule = f'{NAMED}check = "launch_bounds"\n'
    place = tmp_path / "rules" / "checks" / "ACME-X-001.toml"
    place.parent.mkdir(parents=True)
    place.write_text(HEAD + rule, "utf-8")
    (tmp_path / "hipport.toml").write_text('extend-rules = ["rules/"]\n', "utf-8")
    (tmp_path / "a.cu").write_text(TWICE, "utf-8")
    done = hipport("audit", "a.cu", "--jobs", "1", cwd=tmp_path)
    assert done.code == 2
    assert "ACME-X-001" in done.err and "keys" in done.err
    assert "Traceback" not in done.err
