"""What a file switches off itself is compiled in no build."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.auditing import audited

USING = "__global__ void f(int* x) {\n  __trap();\n}\n"


@pytest.mark.parametrize(
    ("before", "condition", "is_found"),
    [
        ("#define CHECKS 0\n", "#if CHECKS\n", False),
        ("#define CHECKS 0\n", "#if defined(__CUDACC__) && CHECKS\n", False),
        ("#define CHECKS 0\n", "#ifndef CHECKS\n", False),
        ("#define CHECKS 0\n", "#if !CHECKS\n", True),
        ("#define CHECKS 0\n", "#ifdef CHECKS\n", True),
        ("#define CHECKS 1\n", "#if CHECKS\n", True),
        ("#define CHECKS 0\n#undef CHECKS\n", "#if CHECKS\n", True),
        ("#ifndef CHECKS\n#define CHECKS 0\n#endif\n", "#if CHECKS\n", True),
        ("#ifdef QUICK\n#define CHECKS 0\n#else\n#define CHECKS 1\n#endif\n", "#if CHECKS\n", True),
        ("", "#if CHECKS\n", True),
    ],
)
def test_a_macro_that_the_file_defines(
    tmp_path: Path, before: str, condition: str, *, is_found: bool
) -> None:
    (tmp_path / "a.cu").write_text(f"{before}{condition}{USING}#endif\n")
    assert ("HP-MATH-005" in [each.code for each in audited(tmp_path)]) is is_found


def test_what_is_asked_before_it_is_defined(tmp_path: Path) -> None:
    text = f"#if CHECKS\n{USING}#endif\n#define CHECKS 0\n"
    (tmp_path / "a.cu").write_text(text)
    assert "HP-MATH-005" in [each.code for each in audited(tmp_path)]
