"""Every name in the headers of NVIDIA's newest packages has an answer in the rulebook.

With HIPPORT_NEWEST=1 the newest packages of the index are read instead of those pinned.
"""

from __future__ import annotations

import os

import pytest

from hipport.rulebook.load import load
from hipport.verification.header_names import names_in
from hipport.verification.proposed_rules import is_known, read_release
from tests.support.remote_headers import Pin, headers, newest, pins

pytestmark = pytest.mark.real
RULES = load(is_audit=True)
PUBLIC = frozenset(("function", "type", "enum_value"))
LEAST = {"nvidia-npp": 7_700, "nvidia-cuda-runtime": 4_000, "nvidia-cudss-cu13": 200}
"""Of these packages many names are known: a reader that finds none would find none unknown."""


@pytest.mark.parametrize("pin", pins(), ids=lambda pin: pin.project)
def test_every_name_of_a_package_is_known(pin: Pin) -> None:
    wheel = newest(pin.project) if os.environ.get("HIPPORT_NEWEST") else pin
    release = read_release(headers(wheel), "CUDA_VERSION")
    public = [each for each in release.names.values() if each.kind in PUBLIC]
    assert len(public) >= LEAST.get(pin.project, 5)
    assert sorted(each.name for each in public if not is_known(RULES, each)) == []


def test_a_name_that_is_not_in_the_rulebook_is_unknown(tmp_path) -> None:  # type: ignore[no-untyped-def]
    (tmp_path / "cuda.h").write_text("int cuBrandNewCall(int);\n")
    (name,) = names_in([tmp_path]).values()
    assert not is_known(RULES, name)
