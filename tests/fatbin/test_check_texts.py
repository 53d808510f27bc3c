"""What the checks say, word by word, of content that no fixture has."""

from __future__ import annotations

from fuzz.small_elf import small_elf
from hipport.fatbin.binary import Binary, Bundle, BundleEntry
from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.checks import debug, mismatch, spills
from hipport.fatbin.limits import Limits
from hipport.fatbin.questions.binary_survey import Image, Survey
from hipport.fatbin.target_id import TargetId
from hipport.model import Finding, Severity
from tests.support.binaries import BINARY, only

GFX90A = TargetId("gfx90a")


def surveyed(data: bytes = b"") -> tuple[Survey, BundleEntry]:
    """A binary with one bundle of one entry that is these bytes."""
    source = MemorySource(data, "a.hipfb")
    binary = Binary("a.hipfb", "bare", source)
    bundle = Bundle("offload bundle", source, len(data))
    entry = BundleEntry(bundle, 0, "hip-amdgcn-amd-amdhsa--gfx90a", 0, len(data))
    bundle.entries = (entry,)
    binary.add(bundle)
    return Survey(binary, Limits()), entry


def image_of(entry: BundleEntry, kernels: dict[str, tuple[int, ...]], stated: str = "") -> Image:
    return Image(entry, GFX90A, stated, 5, kernels, [])


def test_spilled_registers() -> None:
    survey, entry = surveyed()
    kernels = {
        "both": (1, 2, 3, 4, 5, 6, 7),
        "none": (1, 2, 3, 4, 5, 0, 0),
        "vector": (0, 0, 0, 0, 0, 1, 0),
        "scalar": (0, 0, 0, 0, 0, 0, 1),
    }
    survey.images.append(image_of(entry, kernels))
    survey.uncompiled = {entry: ["a", "b"]}
    advice = "smaller work-groups (__launch_bounds__) leave more registers to each wave"
    assert list(spills.find(survey)) == [
        Finding(
            "spills",
            Severity.REVIEW,
            f"not checked: 2 kernels of {entry.id} are not compiled yet",
            "check the file that they are linked into",
            "",
            "a.hipfb",
            offset=0,
        ),
        *(
            Finding(
                "spills",
                Severity.INFO,
                f"gfx90a: {name} spills {vector} vector and {scalar} scalar registers",
                advice,
                name,
                "a.hipfb",
                offset=0,
            )
            for name, vector, scalar in (("both", 6, 7), ("vector", 1, 0), ("scalar", 0, 1))
        ),
    ]
    survey.uncompiled, survey.images = {entry: []}, []
    assert list(spills.find(survey)) == []


def test_debug_sections() -> None:
    for sections, size in (
        ({".debug_info": b"12", ".debug_str": b"345", ".text": b"6"}, 5),
        ({}, 0),
    ):
        survey, entry = surveyed(small_elf(sections))
        wanted = Finding(
            "debug",
            Severity.INFO,
            f"bundle 0, {entry.id}: {size} bytes of debug sections",
            "strip the code object, or build without -g",
            entry.id,
            "a.hipfb",
            offset=0,
        )
        assert list(debug.find(survey)) == ([wanted] if size else [])


def test_targets_that_differ() -> None:
    survey, entry = surveyed()
    told = image_of(entry, {}, "amdgcn-amd-amdhsa--gfx908")._replace(disagreements=["k: LDS"])
    survey.images.append(told)
    other = image_of(entry, {})._replace(target=TargetId("gfx942"))
    survey.images.append(other)
    found = list(mismatch.find(survey))
    head = f"bundle 0, {entry.id}: "
    assert [each.message for each in found] == [
        f"{head}the metadata says gfx908, e_flags gfx90a",
        f"{head}k: LDS",
        f"{head}the entry ID says gfx90a, e_flags gfx942",
    ]
    advice = "rebuild the file: the loader may refuse this code object"
    assert {(each.code, each.severity, each.suggestion, each.symbol) for each in found} == {
        ("mismatch", Severity.REVIEW, advice, entry.id)
    }


def test_a_wrapper_that_points_nowhere() -> None:
    binary = only(BINARY / "elf-plain/libplain.so")
    survey = Survey(binary, Limits())
    assert list(mismatch.find(survey)) == []
    first = binary.bundles[0]
    first.place.offset += 1
    (found,) = mismatch.find(survey)
    assert found.message.startswith("the wrapper at address 0x")
    assert found.message.endswith(" points at no bundle")
    assert (found.suggestion, found.offset) == (
        "the runtime would fail to load this code",
        first.place.offset - 1,
    )
