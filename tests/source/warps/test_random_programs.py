"""Random CUDA programs print after conversion what they print before, and faults are seen."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.lanes.emulation import prepare_emulator
from benchmarks.lanes.fuzz.faults import faults, widen
from benchmarks.lanes.fuzz.generator import program
from benchmarks.lanes.fuzz.judging import judge
from benchmarks.lanes.fuzz.program import Statement, block, smaller, written
from benchmarks.lanes.fuzz.shrinking import shrunk

SEEDS = (2, 6, 9)


@pytest.fixture(scope="module")
def emulator(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("emulator")
    prepare_emulator(folder)
    return folder


@pytest.mark.toolchain
def test_programs_print_the_same_after_conversion(tmp_path: Path, emulator: Path) -> None:
    texts = {f"seed{seed}": written(program(seed)) for seed in SEEDS}
    found = judge(texts, tmp_path, emulator)
    assert {name: (each.verdict, each.why) for name, each in found.items()} == dict.fromkeys(
        texts, ("same", "")
    )


@pytest.mark.toolchain
@pytest.mark.parametrize("name", ["widened", "ballot-not-shifted-to-its-half"])
def test_a_fault_put_in_is_seen(name: str, tmp_path: Path, emulator: Path) -> None:
    texts = {"a": written(program(6))}
    assert judge(texts, tmp_path, emulator, spoil=faults()[name])["a"].verdict == "different"


UNSOUND = """\
#include "check.h"
__global__ void kernel(const unsigned *in, unsigned *out) {
    if (threadIdx.x < 7)
        out[threadIdx.x] = %s;
}
int main() {
    unsigned *out = zeros<unsigned>(32);
    kernel<<<1, 32>>>(out, out);
    return 0;
}
"""


@pytest.mark.toolchain
def test_what_cuda_leaves_undefined_proves_nothing(tmp_path: Path, emulator: Path) -> None:
    texts = {
        "sound": UNSOUND % "__ballot_sync(0x7f, 1)",
        "full_mask_in_a_branch": UNSOUND % "__ballot_sync(~0u, 1) + __ballot_sync(0x7f, 1)",
        "lane_outside_its_mask": UNSOUND % "__ballot_sync(0x3f, 1)",
        "lane_that_is_not_there": UNSOUND % "__shfl_sync(0x7f, 1, 9)",
    }
    # A full mask where some do not come is sound if those have exited: here they meet again.
    later = "    __syncwarp();\n}\nint main"
    texts["full_mask_in_a_branch"] = texts["full_mask_in_a_branch"].replace("}\nint main", later)
    verdicts = {name: each.verdict for name, each in judge(texts, tmp_path, emulator).items()}
    assert verdicts == {name: "same" if name == "sound" else "unsound" for name in texts}


def test_a_seed_is_always_the_same_program() -> None:
    assert written(program(5)) == written(program(5)) != written(program(6))


def test_a_program_is_made_smaller_while_it_differs() -> None:
    tree = (
        Statement("a;"),
        block("while (b)", Statement("c;"), block("if (d)", Statement("e;"), Statement("f;"))),
        Statement("g;"),
    )
    assert all(len(written(less)) < len(written(tree)) for less in smaller(tree))
    left = shrunk(tree, lambda tree: "e;" in written(tree))
    assert written(left) == "while (b) {\n    if (d) {\n        e;\n    }\n}\n"


def test_widening_changes_every_kind_of_mask(tmp_path: Path) -> None:
    path = tmp_path / "a.cu"
    path.write_text("warp32::any_sync((unsigned)-1, p); warp32::shfl_sync(m, v, f(x));\n")
    widen(tmp_path)
    assert path.read_text() == (
        "__any_sync((unsigned long long)((unsigned)-1), p);"
        " __shfl_sync((unsigned long long)(m), v, f(x));\n"
    )
