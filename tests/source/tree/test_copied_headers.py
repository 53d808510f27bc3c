"""A tree's copy of a library gives way to HIP's, where the file is as well as where it is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.command import hipport

MAX = '#include "src/cub/device/device_reduce.cuh"\nusing cub::DeviceReduce;\n'


@pytest.mark.parametrize("is_there", [True, False])
def test_a_copy_gives_way(tmp_path: Path, is_there: bool) -> None:
    (tmp_path / "in" / "src").mkdir(parents=True)
    (tmp_path / "in" / "src" / "max.h").write_text(MAX)
    if is_there:
        copy = tmp_path / "in" / "src" / "cub" / "device" / "device_reduce.cuh"
        copy.parent.mkdir(parents=True)
        copy.write_text("namespace cub { struct DeviceReduce {}; }\n")
    hipport("convert", "-q", "in", "-o", "out", "--jobs", "1", cwd=tmp_path)
    assert (tmp_path / "out" / "src" / "max.h").read_text() == (
        "#include <hipcub/device/device_reduce.hpp>\nusing hipcub::DeviceReduce;\n"
    )


def test_a_header_of_the_projects_own_stays(tmp_path: Path) -> None:
    (tmp_path / "in" / "src").mkdir(parents=True)
    text = '#include "src/device/device_reduce.cuh"\n#include "cuda_fp16.h"\n'
    (tmp_path / "in" / "max.h").write_text(text)
    (tmp_path / "in" / "cuda_fp16.h").write_text("struct half {};\n")
    hipport("convert", "-q", "in", "-o", "out", "--jobs", "1", cwd=tmp_path)
    assert (tmp_path / "out" / "max.h").read_text() == text
