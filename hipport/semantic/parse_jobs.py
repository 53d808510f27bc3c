"""What each unit is parsed with."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from hipport.named_tuples import NamedTuple
from hipport.rulebook.load import load
from hipport.rulebook.rules import RuleSet
from hipport.semantic.cuda_headers import knowledge
from hipport.source.tree.file_task import Task
from hipport.verification.compile_commands import Database
from hipport.verification.compiler_facts import knowledge as compilers
from hipport.verification.included_files import SourceTree

# Every compiler looks there: named again, it would come before the compiler's own headers.
_SYSTEM = Path("/usr/include")
_PRELUDE = "hipport-prelude.h"
_STANDARDS = ("-std", "--std")


class Setting(NamedTuple):
    """What all files are parsed with."""

    headers: list[Path]
    resources: Path
    library: str
    database: Database | None
    given: tuple[str, ...]
    device_names: list[str]
    typed: dict[str, list[Any]]
    """Functions with an argument that is converted by its type -> its index, and how it is."""


def typed_calls(rules: RuleSet) -> dict[str, list[Any]]:
    """Function -> index of the argument that its type decides on, and the operation."""
    return {
        cuda: [int(each.index), each.operation]
        for (cuda, target), transforms in rules.transforms.every()
        for each in transforms
        if target == "hip" and {each.operation, each.value} & set(knowledge()["typed"])
    }


def job_for(
    task: Task, setting: Setting, tree: SourceTree, names: list[str], target: str = "host"
) -> dict[str, Any]:
    """What the child is asked of a unit; `target` is `host` or `device`."""
    path = Path(plain(task.source))
    listed = setting.database.arguments(path) if setting.database else None
    folder = listed.folder if listed else Path.cwd()
    own = listed.arguments if listed else [f"-I{each}" for each in tree.include_folders(path)]
    words = [*setting.given, *own]
    is_cuda = task.language == "cuda"
    made = ["-resource-dir", str(setting.resources), "-ferror-limit=0", "-w"]
    prelude = str(folder.absolute() / _PRELUDE)
    if is_cuda:
        made += [*knowledge()["arguments"], *knowledge()[target], "-include", prelude]
    else:
        made += ["-x", "c" if task.language == "c" else "c++"]
    if task.language != "c" and not any(each.startswith(_STANDARDS) for each in words):
        made.append(f"-std={compilers()['standard']}")
    folders = [each for each in setting.headers if each.resolve() != _SYSTEM]
    made += [*words, *(word for each in folders for word in ("-isystem", str(each)))]
    return {
        "path": str(path),
        "folder": str(folder.absolute()),
        "arguments": made,
        "prelude": knowledge()["prelude"] if is_cuda else "",
        "prelude_path": prelude,
        "names": names,
        "roots": [f"{plain(task.root)}{os.sep}"],
        "vendor": [f"{each}{os.sep}" for each in (*folders, setting.resources)],
        "headers": list(load().headers),
        "device_names": setting.device_names,
        "typed": setting.typed,
        "launch": knowledge()["launch"],
    }


def plain(path: Path) -> str:
    """A path as the child reports it: absolute, without `..`."""
    return os.path.normpath(path.absolute())
