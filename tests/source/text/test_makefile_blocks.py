"""Blocks of a makefile for NVIDIA's GPUs, beside those for AMD's."""

from __future__ import annotations

import pytest

from tests.source.patterns.test_dead_branches import lines


@pytest.mark.parametrize(
    ("asked", "port", "found"),
    [
        ("if HAVE_CUDA", "if HAVE_ROCM", []),
        ("if HAVE_NVML", "if HAVE_RSMI", []),
        ("if HAVE_CUDA", "if HAVE_ZE", [2]),
        ("if !HAVE_CUDA", "if HAVE_ROCM", [2]),
        ("ifdef USE_CUDA", "ifdef USE_HIP", []),
        ("ifndef USE_CUDA", "ifdef USE_HIP", [2]),
        ("ifeq ($(GPU),cuda)", "ifeq ($(GPU),hip)", []),
        ("ifeq ($(GPU), cuda)", "else ifeq ($(GPU), rocm)", []),
        ('ifeq "$(GPU)" "nvidia"', 'ifeq "$(GPU)" "amd"', []),
        ("ifeq ($(GPU),cuda)", "ifeq ($(CPU),hip)", [2]),
        ("ifneq ($(CUDA_HOME),)", "ifneq ($(ROCM_HOME),)", []),
        ("ifneq ($(GPU),cuda)", "ifeq ($(GPU),hip)", [2]),
    ],
)
def test_what_a_makefile_has_for_cuda_beside_hip(asked: str, port: str, found: list[int]) -> None:
    between = "" if port.startswith("else") else "endif\n"
    text = f"{asked}\nLIBS += -lcudart\n{between}{port}\nLIBS += -lours\nendif\n"
    at = [line for line, code in lines(text, "make", "Makefile.am") if code == "HP-MAKE-010"]
    assert at == found


def test_conditions_of_a_makefile_that_are_not_known() -> None:
    text = "endif\nifdef USE_CUDA\nLIBS += -lcudart\nendif\nifdef USE_HIP\nendif\n"
    assert (3, "HP-MAKE-010") in lines(text, "make", "Makefile")


def test_a_shell_in_a_recipe_has_conditions_of_its_own() -> None:
    text = (
        "ifdef USE_CUDA\nall:\n\tif true; then \\\n\t  echo; \\\n\telse \\\n\t  echo; \\\n\tfi\n"
        "LIBS += -lcudart\nendif\nLIBS += -lcublas\nifdef USE_HIP\nendif\n"
    )
    assert [line for line, _ in lines(text, "make", "Makefile")] == [10]


def test_what_automake_makes_of_conditionals() -> None:
    text = "@HAVE_CUDA_TRUE@am__append_1 = -lcudart\n@HAVE_{}_TRUE@am__append_2 = -lours\n"
    assert lines(text.format("HIP"), "make", "Makefile.in") == []
    assert (1, "HP-MAKE-010") in lines(text.format("ZE"), "make", "Makefile.in")
    other = text.format("HIP").replace("CUDA_TRUE", "CUDA_FALSE")
    assert (1, "HP-MAKE-010") in lines(other, "make", "Makefile.in")


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("ifeq ($(OS),Windows_NT)", [4]),
        ("ifeq ($(UNAME),Darwin)", [4]),
        ("ifeq ($(UNAME),Linux)", [2, 4]),
        ("ifneq ($(OS),Windows_NT)", [2, 4]),
    ],
)
def test_what_a_makefile_has_for_another_system(asked: str, found: list[int]) -> None:
    text = f"{asked}\nNVCC_FLAGS := -lineinfo\nelse\nNVCC_FLAGS := -g -lineinfo\nendif\n"
    assert [line for line, _ in lines(text, "make", "Makefile")] == found
