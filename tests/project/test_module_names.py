"""A module's name means one thing: modules that share a name are about the same subject."""

from __future__ import annotations

from collections import Counter

from tests.support.folders import CHECKOUT

OF_ONE_SUBJECT = {
    "__main__": "what `python -m` runs",
    "browse": "the command, and its screen",
    "check": "a command `check`, and what it prints",
    "compare": "a screen of the browser, and what is on it",
    "config": "hipport.toml, and the command that shows it",
    "convert": "the command, and its run",
    "descriptor": "kernel descriptors",
    "diff": "the command, and what it prints",
    "disassembly": "disassembled code objects",
    "elf": "a tab of the browser, and what is on it",
    "help": "the help, on a screen and as a command",
    "init": "the command, and its run",
    "json": "a report's format",
    "kernels": "the table of kernels",
    "matrix": "a tab of the browser, and what is on it",
    "metadata": "the metadata of code objects",
    "model": "the types that pass between the modules of a folder",
    "options": "what a user asks for",
    "overview": "the first that is shown of something",
    "rich": "a report's format",
    "rules": "the rulebook, and the command that queries it",
    "sbom": "the command, and what it prints",
    "show": "the command, and what it prints",
    "slim": "the command, what it does and what it prints",
    "strings": "a tab of the browser, and what is on it",
    "target_costs": "what each target of a binary costs, and its table",
    "text": "a report's format",
    "trace": "the command, and its run",
    "verify": "the command, and its run",
}


def test_modules_of_one_name_are_about_one_subject() -> None:
    paths = (CHECKOUT / "hipport").rglob("*.py")
    names = Counter(path.stem for path in paths if path.stem != "__init__")
    assert {name for name, count in names.items() if count > 1} == set(OF_ONE_SUBJECT)
