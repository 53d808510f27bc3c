"""What a launch is matched with, against what libclang says of the same line."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from tests.support.tracing import HEADER, Judged, built, traced

pytestmark = pytest.mark.toolchain

OPTIONS = ("-nogpuinc", "-fdeclspec", "-nostdinc", "-include", str(HEADER))
TYPES = {
    "float": "float",
    "double": "double",
    "int": "int",
    "unsigned": "unsigned",
    "real": "float",
    "vec::Pair": "vec::Pair",
    "long long": "long long",
}
HEAVY = """\
using real = float;
enum Mode { kPlain, kFast = 7 };
constexpr int kTwo = 1 << 1;
namespace vec { struct Pair { float a, b; }; }
template <typename T, int N, bool Fast = false>
__global__ void tile(T *x, int n) { if (Fast && n > N) x[thread()] = x[N]; }
template <typename T> __global__ void spread(T *x, int by) { x[thread()] = x[by]; }
template <typename T> __global__ void spread(T *x, T *y, int by) { x[thread()] = y[by]; }
template <Mode M, typename T> __global__ void moded(T *x) { x[thread()] = T(x[M]); }
namespace one {
__global__ void step(float *x) { x[0] += 1; }
namespace { __global__ void local_step(float *x) { x[0] += 2; } }
namespace two { __global__ void step(float *x) { x[0] += 3; } void go(float *); }
}
__global__ void step(float *x) { x[0] += 4; }
__global__ void over(float *x) { x[0] += 5; }
__global__ void over(int *x) { x[0] += 6; }
extern "C" __global__ void plain(const float *in, float *out) { *out = *in; }
static __global__ void quiet(unsigned *x) { x[0] += 7; }
template <typename... Ts> __global__ void packed(float *x, Ts... more) { x[0] += sizeof...(Ts); }
#define RUN(kernel, ...) kernel<<<1, 64>>>(__VA_ARGS__)
"""
PLACES = """\
void one::two::go(float *x)
{
    step<<<1, 64>>>(x);
    one::step<<<1, 64>>>(x);
    ::step<<<1, 64>>>(x);
    local_step<<<1, 64>>>(x);
}
void run(float *x, int *i, unsigned *u, double *d)
{
    step<<<1, 64>>>(x);
    one::two::step<<<dim3(1), dim3(64)>>>(x);
    hipLaunchKernelGGL(one::step, dim3(1), dim3(64), 0, 0, x);
    hipLaunchKernelGGL(HIP_KERNEL_NAME(tile<float, 3, true>), dim3(1), dim3(64), 0, 0, x, 1);
    over<<<1, 64>>>(x);
    over<<<1, 64>>>(i);
    plain<<<1, 64>>>(x, x);
    quiet<<<1, 64>>>(u);
    spread<float><<<1, 64>>>(x, 2);
    spread<float><<<1, 64>>>(x, x, 2);
    spread<<<1, 64>>>(d, 2);
    moded<kFast, float><<<1, 64>>>(x);
    moded<kPlain, float><<<1, 64>>>(x);
    moded<(Mode)7><<<1, 64>>>(d);
    tile<real, kTwo><<<1, 64>>>(x, 1);
    tile<float, kTwo + 1><<<1, 64>>>(x, 1);
    packed<<<1, 64>>>(x, 1, 2.0f);
    packed<int><<<1, 64>>>(x, 1);
    RUN(quiet, u);
    RUN((tile<float, 5, true>), x, 1);
    auto chosen = tile<int, 5>; chosen<<<1, 64>>>(i, 1);
    hipLaunchKernel((const void *)one::step, dim3(1), dim3(64), nullptr, 0, nullptr);
    hipLaunchKernel(reinterpret_cast<const void *>(&tile<real, 9>), 1, 64, nullptr, 0, nullptr);
}
"""


def heavy() -> str:
    """Hundreds of instances of one template, each launched once."""
    lines = ["template <typename T> T *memory();"]
    for type_, number, fast in product(TYPES, range(1, 17), ("true", "false")):
        arguments = f"{type_}, {number}, {fast}" if fast == "true" else f"{type_}, {number}"
        name = f"{type_}_{number}_{fast}".replace("::", "_").replace(" ", "_")
        lines.append(f"void {name}() {{ tile<{arguments}><<<1, 64>>>(memory<{type_}>(), 1); }}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("options", [(), ("-g",), ("-fgpu-rdc", "--offload-new-driver")])
def test_every_launch_is_matched_as_libclang_says(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "a.hip").write_text(HEAVY + PLACES + heavy())
    library = built(tmp_path, "a.hip", options=options)
    judged = Judged(tmp_path, "a.hip", library, *OPTIONS)
    assert judged.wrong == []
    assert judged.unknown == []
    assert len(judged.launches) == 251
    assert judged.counts == {"certain": 245, "likely": 6}


LOCAL = """\
namespace {{ __global__ void same(float *x) {{
    __shared__ float t[{size}];
    t[thread()] = x[thread()];
    __syncthreads();
    x[thread()] = t[thread() ^ 1];
}} }}
void run_{size}(float *x) {{ same<<<1, 64>>>(x); }}
"""


def test_kernels_of_one_name_in_two_files_are_told_apart_or_likely(tmp_path: Path) -> None:
    for name, size in (("a", 64), ("b", 128)):
        (tmp_path / f"{name}.hip").write_text(LOCAL.format(size=size))
    library = built(tmp_path, "a.hip", "b.hip")
    (one,) = traced(tmp_path, "a.hip", library)["launches"]
    assert one["certainty"] == "likely"
    assert one["reason"] == "code objects for gfx1100 have different kernels of that name"
    both = traced(tmp_path, tmp_path, library)["launches"]
    assert [each["reason"] for each in both] == ["2 files define it"] * 2
    assert [each["definition"]["path"] for each in both] == ["a.hip", "b.hip"]


USING = """\
namespace near { __global__ void step(float *x) { x[0] += 1; } }
namespace far { __global__ void step(int *x) { x[0] += 2; } }
__global__ void step(double *x) { x[0] += 3; }
using namespace near;
void run(float *x, double *d) { step<<<1, 64>>>(x); step<<<1, 64>>>(d); near::step<<<1, 64>>>(x); }
"""


def test_what_using_may_bring_is_never_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.hip").write_text(USING)
    launches = traced(tmp_path, "a.hip", built(tmp_path, "a.hip"))["launches"]
    both = ["_Z4stepPd", "_ZN4near4stepEPf"]
    assert [
        (each["certainty"], each["reason"], [kernel["name"] for kernel in each["kernels"]])
        for each in launches
    ] == [
        ("likely", "2 overloads of `step` fit", both),
        ("likely", "2 overloads of `step` fit", both),
        ("certain", "", both[1:]),
    ]


BY_TYPE = """\
namespace lib {
struct View { float *x; };
__global__ void step(View v) { v.x[0] += 1; }
}
__global__ void step(float *x) { x[0] += 2; }
namespace other { __global__ void step(float *x) { x[0] += 3; } }
void run(float *x, lib::View v) { step<<<1, 64>>>(x); step<<<1, 64>>>(v); ::step<<<1, 64>>>(x); }
"""


def test_what_the_types_of_arguments_bring_is_never_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.hip").write_text(BY_TYPE)
    launches = traced(tmp_path, "a.hip", built(tmp_path, "a.hip"))["launches"]
    both = ["_Z4stepPf", "_ZN3lib4stepENS_4ViewE"]
    assert [
        (each["certainty"], each["reason"], [kernel["name"] for kernel in each["kernels"]])
        for each in launches
    ] == [
        ("likely", "the types of its arguments may mean that of `lib`", both),
        ("likely", "the types of its arguments may mean that of `lib`", both),
        ("certain", "", both[:1]),
    ]
