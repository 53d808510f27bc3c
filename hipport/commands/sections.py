"""In which groups `--help` shows the options of the large commands: what, how, output, more."""

from __future__ import annotations

_PARSED = ("database", "includes", "defines", "std")

CONVERT = {
    "Most used": ("output", "in_place", "diff", "report_file", "targets"),
    "What is converted": (
        "exclude",
        "build_files",
        "scripts",
        "kernel_strings",
        "stdin_filename",
        "shard",
        "parts",
    ),
    "How it is converted": (
        "rocm",
        "libs",
        "launch",
        "rename",
        "guards",
        "torch",
        "helpers",
        "inline_helpers",
        "unsafe",
        "semantic",
        "cuda_path",
        *_PARSED,
    ),
    "What is written": ("backup", "force", "check", "explain", "verify", "depfile"),
    "Report and exit code": ("format_", "fail_on", "exit_non_zero_on_change", "quiet"),
}
AUDIT = {
    "Most used": ("report_file", "targets", "select", "exclude", "fail_on"),
    "What is read": ("stdin_filename", "shard"),
    "How it is judged": ("rocm", "ignore", "baseline", "new_baseline", "strict"),
    "Report": ("format_",),
}
VERIFY = {
    "Most used": ("original", "targets", "includes", "defines", "report_file"),
    "What is compiled": ("exclude", "database", "link"),
    "How it is compiled": ("std", "rocm_path", "libclang", "resource_dir", "timeout"),
    "Report and exit code": ("format_", "fail_on", "verbose"),
}
TRACE = {
    "Most used": ("targets", "report_file", "min_occupancy", "fail_on"),
    "What is read": ("exclude", "max_size", "timeout"),
    "Exact names": ("database", "rocm_path", "cuda_path"),
    "Two builds": ("diff", "max_growth"),
    "Report": ("format_", "quiet"),
}
