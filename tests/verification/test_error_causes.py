"""What explains an error: findings, other errors, conditions, headers."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from hipport.model import Finding, Position, Severity
from hipport.verification.error_causes import Kind, Verdict, explain, is_of_rocm
from hipport.verification.header_compatibility import Fit
from hipport.verification.hip_headers import Headers
from hipport.verification.known_files import Origin, UserFiles
from hipport.verification.model import CompilerError, Note, Parsed, Place, Skipped, Unit

TEXT = """\
#include "other.h"
#define CHECK(x) if (x) fail()
Unknown value; /* A comment
that goes on. */ void f() {
    CHECK(cudaSomething(1,
                        two));
    value.member = 1;
    far_away();
    helper();
}
"""
HEADER = "#ifdef OLD\nvoid helper();\n#endif\ntemplate <class T> struct S {};\n"


def finding(line: int, symbol: str = "x", path: str = "a.cu", last: int = 0) -> Finding:
    start, end = Position(line, 1), Position(last or line, 5)
    return Finding("HP-API-001", Severity.MANUAL, "m", "s", symbol, path, start, end)


class Case:
    """A unit a.cu with other.h beside it."""

    def __init__(self, folder: Path, *findings: Finding) -> None:
        self.unit, self.header = folder / "a.cu", folder / "other.h"
        self.unit.write_text(TEXT, "utf-8")
        self.header.write_text(HEADER, "utf-8")

        def reported(origin: Origin, _: bytes) -> Iterable[Finding]:
            return [each for each in findings if each.path == origin.name]

        origins = {path: Origin(path.name, "cuda") for path in (self.unit, self.header)}
        self.files = UserFiles(origins, reported)

    def error(self, line: int, message: str, *notes: Note, related: int = 0) -> CompilerError:
        place = Place(str(self.unit), line, 5)
        declared = (Place(str(self.unit), related),) if related else ()
        return CompilerError(place, message, notes=notes, related=declared)

    def verdicts(self, *errors: CompilerError, skipped: Iterable[Skipped] = ()) -> list[Verdict]:
        unit = Unit(self.unit, "a.cu", "hip")
        parsed = Parsed(unit, "", list(errors), list(skipped))
        return explain([parsed], self.files, Fit((Headers(Path("/h"), (5, 2), ""),)))

    def kinds(self, *errors: CompilerError) -> list[Kind]:
        return [each.kind for each in self.verdicts(*errors)]


@pytest.mark.parametrize("line", [5, 6])
def test_a_finding_anywhere_in_the_statement(tmp_path: Path, line: int) -> None:
    case = Case(tmp_path, finding(line))
    assert case.kinds(case.error(5, "bad"), case.error(6, "bad")) == [Kind.FOUND] * 2
    assert case.kinds(case.error(8, "bad")) == [Kind.SILENT]


def test_the_finding_whose_symbol_the_message_names_comes_first(tmp_path: Path) -> None:
    case = Case(tmp_path, finding(5, "other"), finding(6, "two"))
    (verdict,) = case.verdicts(case.error(5, "use of undeclared identifier 'two'"))
    assert verdict.finding == finding(6, "two")


def test_an_error_in_a_macro_is_explained_where_the_macro_is_defined(tmp_path: Path) -> None:
    case = Case(tmp_path, finding(2))
    note = Note(Place(str(case.unit), 2, 20), "expanded from macro 'CHECK'")
    (verdict,) = case.verdicts(case.error(8, "bad", note))
    assert (verdict.kind, verdict.place.line) == (Kind.FOUND, 8)


def test_an_error_directive_is_explained_by_its_condition(tmp_path: Path) -> None:
    case = Case(tmp_path, finding(2))
    case.unit.write_text("int a;\n#if !defined V\n#error no V\n#endif\n#error always\n", "utf-8")
    assert case.kinds(case.error(3, "no V"), case.error(5, "x")) == [Kind.FOUND, Kind.SILENT]


def test_the_operands_of_an_asm_belong_to_its_statement(tmp_path: Path) -> None:
    case = Case(tmp_path, finding(2))
    case.unit.write_text('int a;\nasm("st.u32"\n  :\n  : "l"(p));\nlabel:\nf();\n', "utf-8")
    assert case.kinds(case.error(4, "bad"), case.error(6, "bad")) == [Kind.FOUND, Kind.SILENT]


def test_candidates_explain_only_what_they_are_about(tmp_path: Path) -> None:
    case = Case(tmp_path, finding(4, "operator+=", "other.h"))
    note = Note(Place(str(case.header), 4, 1), "candidate function")
    ambiguous = case.error(7, "use of overloaded operator '+=' is ambiguous", note)
    other = case.error(8, "no matching function for call to 'far_away'", note)
    assert case.kinds(ambiguous, other) == [Kind.FOUND, Kind.SILENT]


@pytest.mark.parametrize(
    ("line", "symbol", "kind"),
    [
        (5, "cudaMalloc", Kind.FOUND),
        (6, "cudaMalloc", Kind.FOUND),
        (5, "cudaFree", Kind.SILENT),
        (8, "far_away", Kind.SILENT),
        (7, "cudaMalloc", Kind.SILENT),
    ],
)
def test_a_name_of_cudas_that_was_reported_elsewhere_in_the_file(
    tmp_path: Path, line: int, symbol: str, kind: Kind
) -> None:
    case = Case(tmp_path, finding(3, symbol))
    case.unit.write_text(TEXT.replace("cudaSomething", "cudaMalloc"), "utf-8")
    assert case.kinds(case.error(line, "cannot initialize")) == [kind]


def test_what_follows_from_a_declaration_that_was_rejected(tmp_path: Path) -> None:
    case = Case(tmp_path, finding(3))
    errors = [
        case.error(3, "unknown type name 'Unknown'"),
        case.error(7, "member reference base type 'int' is not a structure", related=3),
    ]
    assert case.kinds(*errors) == [Kind.FOUND, Kind.FOLLOWS]
    undeclared = case.error(7, "use of undeclared identifier 'value'")
    assert case.kinds(errors[0], undeclared) == [Kind.FOUND, Kind.FOLLOWS]
    assert case.kinds(undeclared) == [Kind.SILENT]


def test_what_stands_under_a_condition(tmp_path: Path) -> None:
    error = "use of undeclared identifier 'helper'"
    for findings, kind in (([finding(1, "OLD", "other.h")], Kind.LEFT_OUT), ([], Kind.SILENT)):
        case = Case(tmp_path, *findings)
        skipped = [Skipped(str(case.header), 1, 3)]
        (verdict,) = case.verdicts(case.error(9, error), skipped=skipped)
        assert verdict.kind == kind


def test_a_template_whose_specialization_stands_under_a_condition(tmp_path: Path) -> None:
    case = Case(tmp_path, finding(1, "OLD", "other.h"))

    def kind(*notes: str) -> Kind:
        made = [
            Note(Place(str(case.unit), 9, 5), f"in instantiation of {each} requested here")
            for each in notes
        ]
        skipped = [Skipped(str(case.header), 1, 3)]
        error = case.error(7, "call to 'exp' is ambiguous", *made)
        return case.verdicts(error, skipped=skipped)[0].kind

    ours, other = (f"function template specialization '{each}'" for each in ("my::helper<T>", "f"))
    assert [kind(ours), kind(ours, other), kind(other)] == [Kind.LEFT_OUT] * 2 + [Kind.SILENT]
    assert kind(other, ours) is Kind.SILENT


def test_missing_headers_leave_the_rest_unsure(tmp_path: Path) -> None:
    case = Case(tmp_path)
    rest = case.error(8, "use of undeclared identifier 'far_away'")
    missing = case.error(1, "'hipblas/hipblas.h' file not found")
    assert case.kinds(missing, rest) == [Kind.NO_LIBRARY, Kind.UNSURE]
    missing = case.error(1, "'torch/extension.h' file not found")
    assert case.kinds(missing, rest) == [Kind.NO_HEADER, Kind.UNSURE]


def test_a_name_that_is_newer_than_the_headers(tmp_path: Path) -> None:
    case = Case(tmp_path)
    message = "use of undeclared identifier 'hipGetDriverEntryPoint'"
    assert case.kinds(case.error(8, message)) == [Kind.OLD_HEADERS]


def test_what_follows_from_old_headers_comes_from_them_too(tmp_path: Path) -> None:
    case = Case(tmp_path)
    errors = [
        case.error(3, "unknown type name 'hipGetDriverEntryPoint'"),
        case.error(7, "use of undeclared identifier 'value'"),
    ]
    _, follows = case.verdicts(*errors)
    assert (follows.kind, follows.cause) == (Kind.OLD_HEADERS, "hipGetDriverEntryPoint")


def test_a_macro_that_the_build_defines_with_a_value_that_is_not_known(tmp_path: Path) -> None:
    case = Case(tmp_path)
    error = case.error(8, "use of undeclared identifier 'FAR'")
    unit = Unit(case.unit, "a.cu", "hip", unknown=frozenset(("FAR",)))
    fit = Fit((Headers(Path("/h"), (5, 2), ""),))
    (verdict,) = explain([Parsed(unit, "", [error])], case.files, fit)
    assert (verdict.kind, verdict.cause) == (Kind.NO_VALUE, "FAR")
    assert case.kinds(error) == [Kind.SILENT]


def test_errors_elsewhere(tmp_path: Path) -> None:
    case = Case(tmp_path)
    in_headers = CompilerError(Place("/usr/include/x.h", 3), "bad")
    asked = Note(Place(str(case.unit), 8), "in instantiation of template class 'S<int>'")
    by_user = CompilerError(Place("/usr/include/x.h", 3), "static assertion failed", notes=(asked,))
    command = CompilerError(Place("", 0), "unknown argument: '-x'")
    found = case.verdicts(in_headers, by_user, command)
    assert [each.kind for each in found] == [Kind.HEADERS, Kind.SILENT, Kind.COMMAND]
    assert found[1].place == Place(str(case.unit), 8)


def test_a_header_that_refuses_to_be_compiled(tmp_path: Path) -> None:
    case = Case(tmp_path, finding(5))
    refusal = CompilerError(Place("/usr/include/x.hpp", 3), '"this requires at least C++17"')
    later = case.error(8, "constexpr variable 'size' must be initialized by a constant expression")
    found = case.verdicts(refusal, later, case.error(5, "bad"))
    assert [each.kind for each in found] == [Kind.HEADERS, Kind.HEADERS, Kind.FOUND]
    assert found[1].cause == '"this requires at least C++17"'
    assert case.kinds(later) == [Kind.SILENT]


def test_each_error_once(tmp_path: Path) -> None:
    case = Case(tmp_path)
    assert len(case.verdicts(case.error(8, "bad"), case.error(8, "bad"))) == 1


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("hipblas/hipblas.h", True),
        ("hipcub/block/anything.hpp", True),
        ("thrust/sort.h", True),
        ("cuda_bf16.h", False),
        ("cooperative_groups/reduce.h", False),
        ("vector", False),
    ],
)
def test_headers_of_rocm(header: str, expected: bool) -> None:
    assert is_of_rocm(header) == expected
