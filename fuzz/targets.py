"""What is fuzzed, by name: what is done with an input, the inputs to start from, their size."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from fuzz import device_records, formats, layouts, rulefiles, sources, tree_files


class Target(NamedTuple):
    exercise: Callable[[bytes], None]
    seeds: Callable[[], list[bytes]]
    largest: int
    """Bytes of an input."""


TARGETS = {
    "source": Target(sources.exercise_source, sources.source_seeds, 2048),
    "rules": Target(rulefiles.exercise_rules, rulefiles.rule_seeds, 2048),
    "metadata": Target(formats.exercise_metadata, formats.note_seeds, 4096),
    "metadata_v2": Target(formats.exercise_metadata_v2, formats.note_v2_seeds, 4096),
    **{
        name: Target(formats.format_exercise(name), partial(formats.format_seeds, name), 16384)
        for name in formats.FORMATS
    },
    "compressed_bundle": Target(
        formats.exercise_compressed, partial(formats.format_seeds, "compressed_bundle"), 16384
    ),
    "aotriton": Target(formats.exercise_aotriton, formats.aotriton_seeds, 16384),
    "kernel_database": Target(
        formats.format_exercise("kernel_database"),
        partial(formats.format_seeds, "kernel_database"),
        32768,
    ),
    "slim": Target(formats.exercise_slim, formats.file_seeds, 32768),
    "spirv": Target(formats.exercise_spirv, formats.spirv_seeds, 4096),
    "bitcode": Target(formats.exercise_bitcode, formats.bitcode_seeds, 8192),
    "host_code": Target(formats.exercise_host_code, formats.host_code_seeds, 4096),
    "embedded": Target(formats.exercise_embedded, formats.file_seeds, 32768),
    "build": Target(sources.exercise_build, sources.build_seeds, 2048),
    "lines": Target(sources.exercise_lines, sources.line_seeds, 2048),
    "layouts": Target(layouts.exercise_layouts, layouts.layout_seeds, 2048),
    "names": Target(device_records.exercise_names, device_records.name_seeds, 512),
    "debug": Target(device_records.exercise_debug, device_records.debug_seeds, 1024),
    "bare_cubin": Target(formats.format_exercise("bare_cubin"), device_records.cubin_seeds, 8192),
    "cubin": Target(device_records.exercise_cubin, device_records.cubin_seeds, 8192),
    "trace": Target(tree_files.exercise_trace, tree_files.trace_seeds, 2048),
    "git": Target(tree_files.exercise_git, tree_files.git_seeds, 1024),
    "ignore": Target(tree_files.exercise_ignore, tree_files.ignore_seeds, 256),
    "report": Target(tree_files.exercise_report, tree_files.report_seeds, 8192),
    "manifest": Target(tree_files.exercise_manifest, tree_files.manifest_seeds, 1024),
    "database": Target(tree_files.exercise_database, tree_files.database_seeds, 1024),
    "builds": Target(tree_files.exercise_builds, tree_files.builds_seeds, 2048),
    "file": Target(formats.exercise_file, formats.file_seeds, 32768),
}
