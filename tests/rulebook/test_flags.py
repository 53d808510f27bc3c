"""Every line of rules/flags.tsv: what hipcc is given for what nvcc was given."""

from __future__ import annotations

import re
import shlex

import pytest

from hipport.model import Severity
from hipport.rulebook.load import load
from hipport.rulebook.nvcc_flags import Choices, FlagRule, clang_arguments, flag_rules, translate
from hipport.rulebook.toolkit_folders import rocm_folder

TARGETS = ("gfx90a", "gfx942")
FAST = (
    "-fcuda-approx-transcendentals -fgpu-flush-denormals-to-zero"
    " -fno-hip-fp32-correctly-rounded-divide-sqrt"
)
ROWS = [
    ("--Werror cross-execution-space-call", "", ""),
    ("--Wno-deprecated-declarations", "-Wno-deprecated-declarations", ""),
    ("--Wno-deprecated-gpu-targets", "", ""),
    ("--Wreorder", "-Wreorder", ""),
    ("--compile", "--compile", ""),
    ("--compiler-options -fPIC,-Wall", "-fPIC -Wall", ""),
    ("--compiler-options /W3", "", "HP-BUILD-003"),
    ("--default-stream legacy", "-fgpu-default-stream=legacy", ""),
    ("--default-stream per-thread", "-fgpu-default-stream=per-thread", ""),
    ("--define-macro x", "-Dx", ""),
    ("--define-macro __CUDACC__", "", "HP-BUILD-002"),
    ("--dependency-output x", "-MF x", ""),
    ("--dependency-target-name x", "-MT x", ""),
    ("--device-c", "-fgpu-rdc -c", ""),
    ("--device-debug", "-ggdb -O0", ""),
    ("--device-link", "", "HP-MAKE-012"),
    ("--device-w", "-c", ""),
    ("--disable-warnings", "-w", ""),
    ("--display-error-number", "", ""),
    ("--dlink-time-opt", "-fgpu-rdc -foffload-lto", ""),
    ("--dopt on", "-O2 -g", ""),
    ("--dryrun", "-###", ""),
    ("--entries x", "", ""),
    ("--expt-relaxed-constexpr", "", ""),
    ("--extended-lambda", "", ""),
    ("--generate-dependencies", "-M", ""),
    ("--generate-dependencies-with-compile", "-MD", ""),
    ("--generate-dependency-targets", "-MP", ""),
    ("--generate-line-info", "-gline-tables-only", ""),
    ("--generate-nonsystem-dependencies", "-MM", ""),
    ("--generate-nonsystem-dependencies-with-compile", "-MMD", ""),
    ("--help", "--help", ""),
    (
        "--include-path /usr/local/cuda/include,inc",
        "-I/opt/rocm/include -D__HIP_PLATFORM_AMD__ -Iinc",
        "",
    ),
    ("--library cublas,m", "-lhipblas -lm", ""),
    ("--library-path /usr/local/cuda/lib64", "-L/opt/rocm/lib", ""),
    ("--library-path /usr/local/cuda/lib64/stubs", "", ""),
    ("--linker-options x", "-Xlinker x", ""),
    ("--lto", "-foffload-lto", ""),
    ("--objdir-as-tempdir", "", ""),
    ("--offload-arch sm_80", "--offload-arch=gfx90a --offload-arch=gfx942", ""),
    ("--options-file x", "@x", "HP-MAKE-006"),
    ("--output-directory x", "", "HP-MAKE-006"),
    ("--output-file x", "-o x", ""),
    ("--pre-include x", "-include x", ""),
    ("--profile", "-pg", ""),
    ("--relocatable-link", "", "HP-MAKE-012"),
    ("--restrict", "", ""),
    (
        "--system-include /usr/local/cuda/include",
        "-isystem /opt/rocm/include -D__HIP_PLATFORM_AMD__",
        "",
    ),
    ("--undefine-macro x", "-Ux", ""),
    ("--use-local-env", "", ""),
    ("--use_fast_math", FAST, ""),
    ("--x c++", "-x c++", ""),
    ("-DFOO", "-DFOO", ""),
    ("-D__CUDA_NO_HALF_OPERATORS__", "-D__HIP_NO_HALF_OPERATORS__", ""),
    ("-D__CUDA_NO_HALF_CONVERSIONS__", "-D__HIP_NO_HALF_CONVERSIONS__", ""),
    ("-U__CUDA_NO_HALF_OPERATORS__", "-U__HIP_NO_HALF_OPERATORS__", ""),
    ("-U__CUDA_NO_HALF_CONVERSIONS__", "-U__HIP_NO_HALF_CONVERSIONS__", ""),
    ("-D__CUDACC__", "", "HP-BUILD-002"),
    ("-G", "-ggdb -O0", ""),
    ("-I/usr/local/cuda/include", "-I/opt/rocm/include -D__HIP_PLATFORM_AMD__", ""),
    ("-L/usr/local/cuda/lib64", "-L/opt/rocm/lib", ""),
    ("-L/usr/local/cuda/lib64/stubs", "", ""),
    ("-M", "-M", ""),
    ("-MF x", "-MF x", ""),
    ("-O 2", "-O2", ""),
    ("-O0", "-O0", ""),
    ("-Ux", "-Ux", ""),
    ("-V", "--version", ""),
    ("-Werror cross-execution-space-call", "", ""),
    ("-Werror all-warnings", "-Werror", ""),
    ("-Werror reorder", "-Werror=reorder", ""),
    ("-Wno-deprecated-gpu-targets", "", ""),
    ("-Wreorder", "-Wreorder", ""),
    ("-Xarchive x", "", "HP-MAKE-009"),
    ("-Xcicc x", "", ""),
    ("-Xcompiler -fPIC,-Wall", "-fPIC -Wall", ""),
    ("-Xcompiler /W3", "", "HP-BUILD-003"),
    ("-Xcompiler 4819", "", "HP-BUILD-003"),
    ("-Xcudafe x", "", ""),
    ("-Xcudafe --diag_error=20", "", "HP-BUILD-003"),
    ("-Xfatbin x", "", ""),
    ("-Xfatbin -compress-all", "--offload-compress", ""),
    ("-Xlinker x", "-Xlinker x", ""),
    ("-Xnvlink x", "", "HP-MAKE-009"),
    ("-Xptxas x", "", "HP-BUILD-003"),
    ("-Xptxas --opt-level=3", "", ""),
    ("-Xptxas -O3", "-Xarch_device -O3", ""),
    ("-Xptxas -v", "-Rpass-analysis=kernel-resource-usage", ""),
    ("-Xptxas -warn-x", "", ""),
    ("-allow-unsupported-compiler", "", ""),
    ("-arbin x", "", ""),
    ("-arch sm_80", "--offload-arch=gfx90a --offload-arch=gfx942", ""),
    ("-arch all", "--offload-arch=gfx90a --offload-arch=gfx942", ""),
    ("-arch native", "--offload-arch=native", ""),
    ("-brief-diag false", "", ""),
    ("-brief-diag true", "-fno-caret-diagnostics", ""),
    ("-ccbin x", "", ""),
    ("-code sm_80", "", ""),
    ("-code-ls", "", "HP-BUILD-003"),
    ("-cubin", "--cuda-device-only --no-gpu-bundle-output", ""),
    ("-cudart x", "", ""),
    ("-dc", "-fgpu-rdc -c", ""),
    ("-diag-error x", "", "HP-BUILD-003"),
    ("-diag-suppress x", "", ""),
    ("-dlink", "", "HP-MAKE-012"),
    ("-dlto", "-fgpu-rdc -foffload-lto", ""),
    ("-dopt on", "-O2 -g", ""),
    ("-dryrun", "-###", ""),
    ("-dw", "-c", ""),
    ("-e x", "", ""),
    ("-fPIC", "-fPIC", ""),
    ("-fatbin", "--cuda-device-only", ""),
    ("-fdevice-syntax-only", "-fsyntax-only --cuda-device-only", ""),
    ("-fdevice-time-trace x", "", ""),
    ("-fmad false", "-ffp-contract=off", ""),
    ("-fmad true", "-ffp-contract=fast", ""),
    ("-forward-unknown-to-host-compiler", "", ""),
    ("-frandom-seed x", "-frandom-seed=x", ""),
    ("-ftemplate-backtrace-limit x", "-ftemplate-backtrace-limit=x", ""),
    ("-ftemplate-depth 99", "-ftemplate-depth=99", ""),
    ("-ftz false", "-fno-gpu-flush-denormals-to-zero", ""),
    ("-ftz true", "-fgpu-flush-denormals-to-zero", ""),
    ("-g", "-g", ""),
    ("-gen-opt-lto", "-foffload-lto", ""),
    ("-gencode arch=compute_80,code=sm_80", "--offload-arch=gfx90a --offload-arch=gfx942", ""),
    ("-h", "--help", ""),
    ("-idp x", "", ""),
    ("-include x", "-include x", ""),
    ("-isystem /usr/local/cuda/include", "-isystem /opt/rocm/include -D__HIP_PLATFORM_AMD__", ""),
    ("-jobserver", "", ""),
    ("-jtd x", "", ""),
    ("-keep", "--save-temps", ""),
    ("-keep-dir x", "", ""),
    ("-l m", "-l m", ""),
    ("-lcublas", "-lhipblas", ""),
    ("-lcublasLt", "-lhipblaslt", ""),
    ("-lcuda", "-lamdhip64", ""),
    ("-lcudadevrt", "", ""),
    ("-lcudart", "-lamdhip64", ""),
    ("-lcudnn", "-lMIOpen", ""),
    ("-lcufft", "-lhipfft", ""),
    ("-lcufile", "-lhipfile", ""),
    ("-lculibos", "", ""),
    ("-lcurand", "-lhiprand -lrocrand", ""),
    ("-lcusolver", "-lhipsolver", ""),
    ("-lcusparse", "-lhipsparse", ""),
    ("-lcutensor", "-lhiptensor", ""),
    ("-lib", "--emit-static-lib", ""),
    ("--lib", "--emit-static-lib", ""),
    ("--link", "", ""),
    ("-lineinfo", "-gline-tables-only", ""),
    ("-link", "", ""),
    ("-lnccl", "-lrccl", ""),
    ("-lnppc", "", "HP-MAKE-010"),
    ("-lnvToolsExt", "-lroctx64", ""),
    ("-lnvidia-ml", "-lamd_smi", "HP-BUILD-002"),
    ("-lnvrtc", "-lhiprtc", ""),
    ("-lnvrtc-builtins", "", ""),
    ("-lto", "-foffload-lto", ""),
    ("-m 64", "-m64", ""),
    ("-m32", "", "HP-MAKE-009"),
    ("-m64", "-m64", ""),
    ("-maxrregcount x", "", "HP-BUILD-003"),
    ("-no-align-double", "", ""),
    ("-nodlink", "", ""),
    ("-noeh", "-fno-exceptions", ""),
    ("-nohdinitlist", "", ""),
    ("-o x", "-o x", ""),
    ("-objtemp", "", ""),
    ("-odir x", "", "HP-MAKE-006"),
    ("-opt-info x", "", ""),
    ("-optf x", "@x", "HP-MAKE-006"),
    ("-optix-ir", "", "HP-MAKE-009"),
    ("-pg", "-pg", ""),
    ("-prec-div false", "-fno-hip-fp32-correctly-rounded-divide-sqrt", ""),
    ("-prec-div true", "-fhip-fp32-correctly-rounded-divide-sqrt", ""),
    ("-ptx", "", "HP-MAKE-009"),
    ("-rdc false", "-fno-gpu-rdc", ""),
    ("-rdc true", "-fgpu-rdc", ""),
    ("-res-usage", "-Rpass-analysis=kernel-resource-usage", ""),
    ("-run", "", "HP-MAKE-009"),
    ("-run-args x", "", "HP-MAKE-009"),
    ("-sanitize x", "", "HP-MAKE-009"),
    ("-save-temps", "-save-temps", ""),
    ("-split-compile x", "", ""),
    ("-src-in-ptx", "-fverbose-asm", ""),
    ("-std c++17", "-std=c++17", ""),
    ("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1", "-fgpu-default-stream=per-thread", ""),
    ("-t4", "", ""),
    ("--threads $(N)", "", ""),
    ("-t${N}", "", ""),
    ("-time x", "-ftime-report", ""),
    ("-use-local-env", "", ""),
    ("-use_fast_math", FAST, ""),
    ("-v", "-v", ""),
    ("-w", "-w", ""),
    ("-x c++", "-x c++", ""),
    ("-x cu", "-x hip", ""),
    ("-Xptxas -dlcm=cg", "", ""),
]
"""nvcc's words, clang's, and the code of what is told; one example of each line."""

FORMS = [
    ("-arch=sm_80", "--offload-arch=gfx90a --offload-arch=gfx942"),
    ("-gencode=arch=compute_80,code=sm_80", "--offload-arch=gfx90a --offload-arch=gfx942"),
    (
        '-gencode arch=compute_80,code=\\"sm_80,compute_80\\"',
        "--offload-arch=gfx90a --offload-arch=gfx942",
    ),
    ('-Xcompiler -DA=\\"b\\"', '-DA=\\"b\\"'),
    ("-arch=$(ARCH)", "--offload-arch=gfx90a --offload-arch=gfx942"),
    ("-gencode $(G1) -gencode $(G2)", "--offload-arch=gfx90a --offload-arch=gfx942"),
    (
        "-rdc=true -arch sm_70 -O3 a.cu",
        "-fgpu-rdc --offload-arch=gfx90a --offload-arch=gfx942 -O3 a.cu",
    ),
    ("-std=c++17", "-std=c++17"),
    ("--std=c++17 --std c++14", "--std=c++17 --std=c++14"),
    ("-t=0 --threads 8 --threads=8", ""),
    ("-l cublas -lm -l m", "-lhipblas -lm -l m"),
    ("-lcudart -lcuda", "-lamdhip64"),
    ("-I inc -I=inc -I. -Isrc", "-I inc -Iinc -I. -Isrc"),
    ("-I/usr/local/cuda-11.2/include", "-I/opt/rocm/include -D__HIP_PLATFORM_AMD__"),
    ("-I$(CUDA_HOME)/include", "-I$(ROCM_PATH)/include -D__HIP_PLATFORM_AMD__"),
    ("-L${CUDA_PATH}/lib64", "-L${ROCM_PATH}/lib"),
    ("-I/usr/local/cuda/samples/common/inc", "-I/usr/local/cuda/samples/common/inc"),
    ("-I/usr/local/cuda-tools/include", "-I/usr/local/cuda-tools/include"),
    ("-I$(MY_CUDA_HOME)/include", "-I$(MY_CUDA_HOME)/include"),
    ("-D FOO -D=BAR -DUSE_CUDA=1", "-D FOO -DBAR -DUSE_CUDA=1"),
    ("-Xcompiler -Wl,-rpath,/x", "-Wl,-rpath,/x"),
    (
        "-Xcompiler -lcudart,-I/usr/local/cuda/include",
        "-lamdhip64 -I/opt/rocm/include -D__HIP_PLATFORM_AMD__",
    ),
    ("'-Xcompiler=-fPIC -Wall,-O2'", "-fPIC -Wall -O2"),
    ("'-Xcompiler=-g,$(F),-I$(call dir,a)'", "-g $(F) -I$(call dir,a)"),
    ("-Xlinker -rpath,/x", "-Xlinker -rpath -Xlinker /x"),
    ("-Xptxas -v,-O2,-dlcm=cg", "-Rpass-analysis=kernel-resource-usage -Xarch_device -O2"),
    ("--ptxas-options=-v -res-usage", "-Rpass-analysis=kernel-resource-usage"),
    ("-O3 -O=2 -O 1", "-O3 -O2 -O1"),
    ("-Werror a.cu", "-Werror a.cu"),
    (
        "-fno-strict-aliasing -Wall -march=native x.o",
        "-fno-strict-aliasing -Wall -march=native x.o",
    ),
    ("-", "-"),
    ("-arch", "-arch"),
]


@pytest.mark.parametrize(("nvcc", "clang", "code"), ROWS)
def test_a_line_of_the_rules(nvcc: str, clang: str, code: str) -> None:
    made, told = clang_arguments(load(), nvcc.split(), TARGETS)
    assert made == clang.split()
    assert [flag.finding for _, flag in told] == ([code] if code else [])
    assert all(words == nvcc for words, _ in told)


def test_every_line_is_among_them() -> None:
    used = {rule for nvcc, _, _ in ROWS for rule in _rules_of(nvcc.split())}
    assert [row for row in load().table("flags.tsv") if FlagRule(*row) not in used] == []


def _rules_of(words: list[str]) -> list[FlagRule]:
    """The rules that could take the flag and its value, chosen without the code under test."""
    word = words[0]
    found = []
    for rule in (FlagRule(*row) for row in load().table("flags.tsv")):
        flag = next((each for each in rule.flags.split() if word == each), None)
        if flag is None and rule.form == "glued":
            flag = next((each for each in rule.flags.split() if word.startswith(each)), None)
        if flag is None:
            continue
        value = words[1] if len(words) > 1 else word.removeprefix(flag)
        if rule.form == "none" or not rule.value or re.fullmatch(rule.value, value):
            found.append(rule)
    specific = [rule for rule in found if rule.form == "none" or rule.value]
    return specific or found


@pytest.mark.parametrize(("nvcc", "clang"), FORMS)
def test_the_forms_of_a_flag(nvcc: str, clang: str) -> None:
    words = shlex.split(nvcc) if nvcc.startswith("'") else nvcc.split()
    assert " ".join(clang_arguments(load(), words, TARGETS)[0]) == clang


def test_without_targets_architectures_are_dropped_and_told() -> None:
    made, told = clang_arguments(
        load(), ["-arch=sm_80", "-gencode", "arch=compute_90,code=sm_90", "a.cu"]
    )
    assert made == ["a.cu"]
    assert [(words, flag.finding) for words, flag in told] == [
        ("-arch=sm_80", "HP-BUILD-001"),
        ("-gencode arch=compute_90,code=sm_90", "HP-BUILD-001"),
    ]


def test_roc_libraries() -> None:
    words = "-lcublas -lcusparse -lcusolver -lcurand -lcudnn -lcufft -lnccl".split()
    made, _ = clang_arguments(load(), words, (), "roc")
    assert made == "-lrocblas -lrocsparse -lrocsolver -lrocrand -lMIOpen -lhipfft -lrccl".split()


def test_what_stays_is_said_to_stay_where_an_edit_is_made() -> None:
    words = ["-dlink", "a.o", "-maxrregcount=32"]
    flags = list(translate(words, Choices(TARGETS), load(), rocm_folder(load())))
    assert [(flag.start, flag.end, flag.new, flag.is_left) for flag in flags] == [
        (0, 1, ("-dlink",), True),
        (2, 3, (), False),
    ]
    assert flags[0].reason == "HIP has no object of a device link: the final link does it"
    assert flags[0].severity is None


def test_severity_of_a_rule_replaces_that_of_its_finding() -> None:
    _, told = clang_arguments(load(), ["-optf", "flags.txt"])
    assert [flag.severity for _, flag in told] == [Severity.MANUAL]


def test_wrappers_in_wrappers_end() -> None:
    word = "-Xcompiler=--compiler-options=" * 100 + "-fPIC"
    assert clang_arguments(load(), [word])[0] == [word.removeprefix("-Xcompiler=")]


def test_a_very_long_word_is_left_alone() -> None:
    word = "-Xcompiler=" + "$(" * 100_000
    assert clang_arguments(load(), [word], TARGETS) == ([word], [])


def test_misread_flags_are_all_mapped_or_told() -> None:
    """Of what clang takes for something else without a word, nothing may stay."""
    silent = {
        flag: rule
        for flag, rules in flag_rules(load()).items()
        for rule in rules
        if rule.clang == "misread"
    }
    assert {"-use_fast_math", "-lineinfo", "-dc", "-dlink", "-dw", "-dlto", "-optf", "-odir"} <= {
        *silent
    }
    assert all(rule.action in ("map", "drop", "report") for rule in silent.values())
