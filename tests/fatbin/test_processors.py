"""Which code a device may be given, and in which order the runtime takes it."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.errors import RuleError
from hipport.fatbin import processors
from hipport.fatbin.processors import rank, settings
from hipport.fatbin.target_id import parse_target

# The first is taken if there is any; what has the same rank is on one line.
IN_ORDER = [
    ["gfx942:sramecc+:xnack-"],
    ["gfx942:sramecc+", "gfx942:xnack-"],
    ["gfx942"],
    ["gfx9-4-generic:sramecc+:xnack-"],
    ["gfx9-4-generic:sramecc+", "gfx9-4-generic:xnack-"],
    ["gfx9-4-generic"],
    ["amdgcnspirv"],
]
NEVER = ["gfx90a", "gfx9-generic", "gfx942:xnack+", "gfx942:sramecc-", "gfx9-4-generic:xnack+"]


def test_the_order_in_which_code_is_taken() -> None:
    device = parse_target("gfx942:sramecc+:xnack-")
    ranks = [{rank(parse_target(text), device) for text in same} for same in IN_ORDER]
    found = [each for (each,) in ranks if each is not None]
    assert len(found) == len(IN_ORDER) == len(set(found)) and found == sorted(found)
    assert {rank(parse_target(text), device) for text in NEVER} == {None}


def test_the_settings_that_code_for_a_device_fixes() -> None:
    for codes, device, wanted in (
        ("gfx942", "gfx942", "gfx942"),
        ("gfx942:xnack+", "gfx942", "gfx942:xnack+ gfx942:xnack-"),
        ("gfx9-4-generic:sramecc-", "gfx942", "gfx942:sramecc+ gfx942:sramecc-"),
        ("gfx942:xnack+ gfx90a:sramecc+", "gfx942", "gfx942:xnack+ gfx942:xnack-"),
        ("gfx942:xnack+", "gfx942:xnack-", "gfx942:xnack-"),
        (
            "gfx942:xnack+ gfx942:sramecc+",
            "gfx942",
            "gfx942:sramecc+:xnack+ gfx942:sramecc-:xnack+ "
            "gfx942:sramecc+:xnack- gfx942:sramecc-:xnack-",
        ),
        ("gfx1201", "gfx1201", "gfx1201"),
    ):
        known = [parse_target(text) for text in codes.split()]
        expected = [parse_target(text) for text in wanted.split()]
        assert settings(known, parse_target(device)) == expected


def test_the_table_is_in_the_package_or_beside_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = processors.table.__wrapped__
    whole = read()
    assert (whole["processor"]["gfx942"]["mach"], whole["family"] != {}) == (0x4C, True)
    monkeypatch.setattr(processors, "__file__", str(tmp_path / "hipport/fatbin/processors.py"))
    with pytest.raises(RuleError) as error:
        read()
    assert str(error.value) == "targets.toml is missing (reinstall hipport)"
    for folder, text in ((tmp_path / "rules", "a = 1"), (tmp_path / "hipport/rules", "a = 2")):
        folder.mkdir(parents=True)
        (folder / "targets.toml").write_text(text, "utf-8")
        assert read() == {"a": int(text[-1])}
    (tmp_path / "hipport/rules/targets.toml").write_text("a = ", "utf-8")
    with pytest.raises(RuleError) as error:
        read()
    assert str(error.value).startswith("targets.toml: ")


def test_what_a_processor_has_without_being_told() -> None:
    found = processors.processors.__wrapped__()
    assert found["gfx942"] == processors.Processor("gfx942", 0x4C, found["gfx942"].family, (), 0)
    generic = found["gfx9-4-generic"]
    assert "gfx942" in generic.covers and generic.version == 1
