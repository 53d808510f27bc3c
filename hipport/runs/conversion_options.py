"""Turns the request for a conversion into the converter's options, and refuses contradictions."""

from __future__ import annotations

from pathlib import Path

from hipport.config import Configurations
from hipport.errors import UsageError
from hipport.runs.convert_request import ConvertRequest
from hipport.runs.settings import Settings
from hipport.source.options import Options
from hipport.source.tree.file_task import language_of
from hipport.source.tree.task_list import Wishes


def settings_of(request: ConvertRequest) -> Settings:
    """The request over the configuration of each file."""
    template = Options(
        rocm=(),
        endings=tuple(endings(request.rename).items()),
        unsafe=request.unsafe,
        guards=request.guards,
        kernel_strings=request.kernel_strings,
        torch=_torch_version() if request.torch else "",
        helpers=request.helpers,
        inline_helpers=request.inline_helpers,
    )
    return Settings(
        Configurations(request.config_file, is_isolated=request.isolated),
        template,
        {
            "rocm": request.rocm,
            "launch": request.launch,
            "libs": request.libs,
            "targets": request.targets,
        },
    )


def _torch_version() -> str:
    from hipport.source.tree.torch_names import torch_version

    return torch_version()


def wishes_of(request: ConvertRequest, settings: Settings) -> Wishes:
    """The choices that decide which file goes where."""
    return Wishes(
        converts=True,
        is_excluded=settings.is_excluded,
        writes=request.writes,
        output=request.output,
        in_place=request.in_place,
        backup=request.backup,
        endings=endings(request.rename),
        exclude=request.exclude,
        keeps_bytes=request.keeps_bytes,
        explains=request.explain,
        build_files=build_files(request),
    )


def build_files(request: ConvertRequest) -> tuple[str, ...]:
    """The kinds of files beside the sources that are converted or reported."""
    kinds = ("cmake", "make", "python", "requirements", "docker") if request.build_files else ()
    return (*kinds, "shell") if request.scripts else kinds


def endings(rename: tuple[str, ...]) -> dict[str, str]:
    """`.cu=.hip` -> {".cu": ".hip"}."""
    found = {}
    for each in rename:
        old, separator, new = each.partition("=")
        if not separator or not old.startswith(".") or not new.startswith(".") or "/" in each:
            raise UsageError(
                f"--rename {each}: two endings are needed", remedy="write it like .cu=.hip"
            )
        found[old] = new
    return found


def refuse_contradictions(request: ConvertRequest) -> None:
    """Raise UsageError for what cannot be done together."""
    if request.in_place and request.output:
        raise UsageError("--in-place and -o exclude each other", remedy="give one of them")
    if not request.writes and (request.in_place or request.output):
        raise UsageError("--diff and --check write nothing", remedy="drop --in-place and -o")
    if request.output and _looks_like_a_file(request.output) and len(request.paths) == 1:
        raise UsageError(
            f"-o {request.output}: the result goes to a folder, not to a file",
            remedy="name a folder, or print the result with -o -",
        )
    if request.backup and not request.in_place:
        raise UsageError(
            "--backup keeps originals that --in-place would overwrite", remedy="add --in-place"
        )
    if "/" in request.backup:
        raise UsageError(f"--backup {request.backup}: no suffix", remedy="write it like .orig")
    if request.verify and not request.writes:
        raise UsageError("--verify compiles what is written", remedy="drop -, --diff and --check")
    is_parsed = request.semantic or request.verify
    if not is_parsed and (request.arguments or request.database):
        raise UsageError("-p, -I, -D and --std are for --semantic and --verify", remedy="add one")
    if (request.shard or request.parts) and not (request.output and request.writes):
        raise UsageError("--shard and --parts are for a copy", remedy="name its folder with -o")
    if request.shard and (request.semantic or request.verify):
        raise UsageError(
            "--shard converts a part, but a compiler reads all of a tree",
            remedy="run hipport verify on the whole result, and do without --semantic",
        )
    if not request.semantic and request.cuda_path:
        raise UsageError("--cuda-path is for --semantic", remedy="add it")


def _looks_like_a_file(output: Path) -> bool:
    """Whether a path that is to be made has the name of a source."""
    return bool(language_of(output.name)) and not output.is_dir()
