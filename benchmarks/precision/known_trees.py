"""The first sample: findings of trees that served to find noise too (fixtures/audit/precision.tsv).

Precision is the share of findings whose statement is true where it stands, and of use there.
"""

from __future__ import annotations

import hashlib
import random
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from hipport.errors import HipportError
from hipport.model import Finding
from hipport.rulebook.load import load
from hipport.source.audit.audit_file import kind_of
from hipport.source.audit.run_audit import audit
from hipport.source.convert.pipeline import default_options
from hipport.source.tree.file_task import Task, language_of
from hipport.source.tree.task_list import Wishes, plan
from hipport.source.tree.tree_report import report_of
from tests.support.real_trees import TABLE, trees, whole

TREES = (
    "deepspeed", "flash-attn", "horovod", "megatron-core", "mpi4py", "pycuda", "vllm", "xformers",
    "xgboost",
)  # fmt: skip
SAMPLE = Path(__file__).resolve().parents[2] / "fixtures" / "audit" / "precision.tsv"
HEADING = ("tree", "file", "line", "code", "hash", "label", "reason")


class Labelled(NamedTuple):
    """One line of the sample. `label` is `true` or `false`; `hash` is that of the line's text."""

    tree: str
    file: str
    line: int
    code: str
    hash: str
    label: str
    reason: str


def findings(
    tree: str, jobs: int = 1, only: Collection[str] = (), table: Path = TABLE
) -> list[Finding]:
    """What the audit finds with no options in a tree of a table, or in some files of it.

    Paths begin with the tree's name, those of `only` do not. Files of `only` that are in a copy of
    a library, which the audit of the tree leaves alone, are audited with that copy.
    """
    rules = load(is_audit=True)
    tasks = [
        task._replace(name=f"{tree}/{task.name}", language=language_of(task.source.name))
        for task in _tasks(whole(trees(table)[tree]), is_within_copies=bool(only))
        if not only or task.name in only
    ]
    tasks = [each for each in tasks if each.language or kind_of(each.name)]
    return list(report_of(audit(tasks, default_options(rules), jobs)).findings)


def _tasks(root: Path, is_within_copies: bool) -> Iterator[Task]:
    tasks = plan([str(root)], Wishes(writes=False), _ignore)
    copied = {task.copied.folder for task in tasks if task.copied} if is_within_copies else set()
    yield from (task for task in tasks if not (task.copied and copied))
    for folder in sorted(copied):
        for task in plan([str(root / folder)], Wishes(writes=False), _ignore):
            yield task._replace(name=f"{folder}/{task.name}")


def _ignore(_: HipportError) -> None:
    pass


def line_hash(tree: str, path: str, line: int, table: Path = TABLE) -> str:
    """The hash of a line's text without the white space around it; path as findings give it."""
    data = (whole(trees(table)[tree]) / path.partition("/")[2]).read_bytes()
    return hashlib.sha256(data.split(b"\n")[line - 1].strip()).hexdigest()[:12]


def draw(found: Iterable[tuple[str, Finding]], count: int, seed: int) -> list[tuple[str, Finding]]:
    """One finding of every code, the others at random; of a code in a file at most one."""
    shuffled = sorted(found, key=lambda each: (each[1].path, each[1].start, each[1].code))
    random.Random(seed).shuffle(shuffled)
    # Trees carry copies of the same files, so that the tree does not count.
    distinct: dict[tuple[str, str], tuple[str, Finding]] = {}
    for tree, each in shuffled:
        distinct.setdefault((each.code, each.path.rpartition("/")[2]), (tree, each))
    firsts: dict[str, tuple[str, Finding]] = {}
    others = []
    for tree, each in distinct.values():
        if firsts.setdefault(each.code, (tree, each))[1] is not each:
            others.append((tree, each))
    chosen = [*firsts.values(), *others[: max(0, count - len(firsts))]]
    return sorted(chosen, key=lambda each: (each[1].code, each[1].path, each[1].start))


def read_sample() -> list[Labelled]:
    heading, *lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    assert tuple(heading.split("\t")) == HEADING
    rows = (line.split("\t") for line in lines)
    return [Labelled(row[0], row[1], int(row[2]), *row[3:]) for row in rows]


def table(sample: list[Labelled]) -> Iterator[str]:
    """The precision of all and of each code, as Markdown."""
    labels: dict[str, Counter[str]] = defaultdict(Counter)
    for each in sample:
        labels[each.code][each.label] += 1
    true = sum(each["true"] for each in labels.values())
    yield f"{true} of {len(sample)} are true: {100 * true / len(sample):.1f} %."
    yield ""
    yield "| code | labelled | true |"
    yield "| --- | --- | --- |"
    alone = [code for code, each in labels.items() if each == Counter(("true",))]
    for code in sorted(labels.keys() - set(alone)):
        yield f"| {code} | {labels[code].total()} | {labels[code]['true']} |"
    yield ""
    yield f"One finding each, and true: {', '.join(sorted(alone))}."
