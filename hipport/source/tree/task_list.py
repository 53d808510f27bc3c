"""Plans a conversion: which file goes where and under which name. Reads folders, writes nothing."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from pathlib import Path, PurePosixPath

import msgspec

from hipport.errors import HipportError, UsageError, printable
from hipport.files import Found, walk
from hipport.ignore import excluder
from hipport.source.tree.completed_tasks import completed
from hipport.source.tree.file_task import Task, ending_of, language_of, with_name
from hipport.spool import Spool


class Wishes(msgspec.Struct, frozen=True):
    """What the user asked for. Without `writes` no task has an output."""

    converts: bool = False
    """Whether sources are converted, which requires knowing what their headers need."""
    writes: bool = True
    output: Path | None = None
    in_place: bool = False
    backup: str = ""
    endings: dict[str, str] = msgspec.field(default_factory=dict)
    """Ending -> the ending that such files get instead."""
    exclude: tuple[str, ...] = ()
    is_excluded: Callable[[str], bool] | None = None
    """Whether the project's configuration excludes a file."""
    explains: bool = False
    """Whether the outcome must explain each edit."""
    keeps_bytes: bool = False
    """Whether the outcome must carry the old and new bytes of a file."""
    build_files: tuple[str, ...] = ()
    """The kinds of build files that are converted or reported."""
    on_ignored: Callable[[Path], None] = lambda _: None
    """Called with each folder that git ignores as a whole."""


class _Target(msgspec.Struct, frozen=True):
    """A path from the command line, its output path, and the prefix of names in reports."""

    source: Path
    output: Path | None
    prefix: PurePosixPath


def plan(
    paths: Iterable[str], wishes: Wishes, on_error: Callable[[HipportError], None]
) -> Spool[Task]:
    """One task per file, in the order of the paths and sorted within each.

    Calls `on_error` for a folder that cannot be listed. Raises UsageError if a path is missing,
    or if a file would overwrite an input or another result.
    """
    sources = [Path(path) for path in dict.fromkeys(paths)]
    for source in sources:
        if not source.exists():
            raise UsageError(f"{source}: no such file or folder", remedy="check the path")
    targets = list(_targets(sources, wishes))
    if wishes.writes and not wishes.in_place:
        _refuse_nesting(targets)
    try:
        is_excluded = excluder(wishes.exclude)
    except ValueError as error:
        raise UsageError(f"--exclude: {error}", remedy="write it as in .gitignore") from error
    found = Spool(task for each in targets for task in _tasks(each, wishes, is_excluded, on_error))
    tasks = Spool(completed(found, converts=wishes.converts))
    if wishes.writes:
        _refuse_overwriting(tasks)
    return tasks


def _targets(sources: list[Path], wishes: Wishes) -> Iterator[_Target]:
    absolute = [Path(os.path.normpath(source.absolute())) for source in sources]
    common = Path(os.path.commonpath([path.parent for path in absolute]))
    for source, plain in zip(sources, absolute, strict=True):
        if wishes.in_place and source.is_file():
            source = Path(os.path.realpath(source)) if source.is_symlink() else source
        below = PurePosixPath(plain.relative_to(common))
        prefix = PurePosixPath()
        if len(sources) > 1:
            prefix = below if source.is_dir() else below.parent
        yield _Target(source, _output(source, plain, below, wishes, len(sources)), prefix)


def _output(
    source: Path, plain: Path, below: PurePosixPath, wishes: Wishes, count: int
) -> Path | None:
    if not wishes.writes:
        return None
    if wishes.in_place:
        return source
    if wishes.output is None:
        ending = "" if source.is_dir() else ending_of(plain.name) or plain.suffix
        name = f"{plain.name.removesuffix(ending)}_hip{ending}"
        return (source if source.name not in ("", "..") else plain).with_name(name)
    return wishes.output if source.is_dir() and count == 1 else wishes.output / below


def _refuse_nesting(targets: list[_Target]) -> None:
    for target in targets:
        assert target.output is not None
        real = target.output.resolve()
        for other in targets:
            if other.source.is_dir() and real.is_relative_to(other.source.resolve()):
                raise UsageError(
                    f"{target.output}: the output lies inside the input {other.source}",
                    remedy="choose a folder elsewhere with -o, or --in-place",
                )
        if target.output.exists() and target.output.is_dir() != target.source.is_dir():
            kind = "folder" if target.output.is_dir() else "file"
            raise UsageError(
                f"{target.output}: a {kind} of that name is in the way", remedy="choose another -o"
            )


def _tasks(
    target: _Target,
    wishes: Wishes,
    is_excluded: Callable[[str], bool],
    on_error: Callable[[HipportError], None],
) -> Iterator[Task]:
    is_tree = target.source.is_dir()
    root = target.source if is_tree else target.source.parent
    # Plain strings: of a tree that is mostly copied, Path objects would take a tenth of the time.
    top, result = root.as_posix(), target.output.as_posix() if target.output else ""
    only = Found(target.source.name, is_ignored=False, is_link=False)
    below = walk(root, on_error, lambda folder: wishes.on_ignored(root / folder))
    for place, is_ignored, is_link in below if is_tree else [only]:
        # The build may still need a file that git ignores: it is copied, not converted.
        source = _inside(top, place) if is_tree else target.source.as_posix()
        is_left_alone = is_ignored or is_excluded(place)
        if wishes.is_excluded and not is_left_alone:
            is_left_alone = wishes.is_excluded(source)
        language = "" if is_left_alone else language_of(place)
        build = ""
        if wishes.build_files and not is_left_alone and language in ("", "python"):
            from hipport.source.buildfiles.build_kinds import build_kind

            build = build_kind(place, wishes.build_files)
            language = build or language
        if not (is_tree or language or is_left_alone):
            language = "cuda"
        output = _inside(result, place) if result and is_tree else result
        if output and language:
            output = with_name(output, _renamed(output.rpartition("/")[2], wishes.endings))
        shown = _inside(str(target.prefix), place)
        yield Task(
            root_path=top,
            source_path=source,
            name=printable(shown),
            language=language,
            output_path=output,
            output_name=printable(with_name(shown, output.rpartition("/")[2])) if output else "",
            below=place,
            in_place=wishes.in_place,
            backup=wishes.backup,
            keeps_bytes=wishes.keeps_bytes,
            is_link=is_link,
            is_left_alone=is_left_alone,
            is_ignored=is_ignored,
            explains=wishes.explains,
            memory_path=result if is_tree and not wishes.in_place else "",
            is_build_file=bool(build),
        )


def _inside(folder: str, below: str) -> str:
    return below if folder == "." else f"{folder.rstrip('/')}/{below}"


def _renamed(name: str, endings: dict[str, str]) -> str:
    """The name with its new ending; the longest ending that matches is replaced."""
    for old in sorted(endings, key=len, reverse=True):
        if name.endswith(old) and name != old:
            return name.removesuffix(old) + endings[old]
    return name


def _refuse_overwriting(tasks: Spool[Task]) -> None:
    """Refuse two results with the same name, and a result that would replace another input."""
    # Eight bytes per file rule out most conflicts: an exact check takes much memory.
    inputs, outputs = array("q"), array("q")
    for task in tasks:
        outputs.append(hash(_real(task.output_path)))
        if not (task.in_place and task.output_path == task.source_path):
            # No folder between a tree and its files is a link: none was followed.
            inputs.append(hash(_inside(_real_folder(task.root_path), task.below)))
    written = frozenset(outputs)
    if len(written) == len(outputs) and written.isdisjoint(inputs):
        return
    every = list(tasks)
    sources = {_real(task.source_path): task for task in every}
    results: dict[str, Task] = {}
    for task in every:
        assert task.output is not None
        output = _real(task.output_path)
        input_, other = sources.get(output), results.setdefault(output, task)
        if input_ and not (task.in_place and input_ is task):
            loss = f"the input {input_.source}"
        elif other is not task:
            loss = f"that of {other.source}"
        else:
            continue
        is_renamed = task.output.name != task.source.name
        raise UsageError(
            f"{task.source}: its result would replace {loss}",
            remedy=f"choose another {'--rename' if is_renamed else '-o'}",
        )


def _real(path: str) -> str:
    folder, slash, name = path.rpartition("/")
    return _inside(_real_folder(folder or slash), name)


@lru_cache(maxsize=1024)
def _real_folder(path: str) -> str:
    return os.path.realpath(path)
