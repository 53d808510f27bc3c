"""The reference of the API: which CUDA names convert, by library and ROCm version."""

from __future__ import annotations

from page import Page, code, plain, table

from hipport.rulebook.load import load
from hipport.rulebook.model import ApiRule, parse_version
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.words import Library
from hipport.source.names.counterparts import Decisions
from hipport.source.options import Options

_VERSIONS = ("5.2", "6.0", "6.4", "7.0", "7.2")


def coverage_pages() -> list[Page]:
    """The counts of all libraries, then a page of names for each."""
    rules = load()
    newest = ".".join(map(str, rules.rocm))
    versions = [*_VERSIONS, newest]
    decisions = [Decisions(rules, Options(rocm=parse_version(each))) for each in versions]
    counted, pages = [], []
    names_of: dict[str, list[ApiRule]] = {name: [] for name in rules.libraries}
    for rule in rules.every_api():
        names_of[rule.library].append(rule)
    for library in rules.libraries.values():
        if library.policy == "none":
            continue
        names = names_of[library.name]
        converted = [sum(_converts(each, rule) for rule in names) for each in decisions]
        link = f'<a href="{library.name}.html">{plain(library.title)}</a>'
        counted.append((link, str(len(names)), *map(str, converted)))
        pages.append(_library_page(rules, library, names))
    text = (
        "# API coverage\n\nHow many CUDA names `hipport convert` turns into HIP (`--libs hip`) when"
        " `--rocm` names the release in the heading. The others are reported where they are used."
        f" The rulebook is of {rules.edition.date}.\n\n"
    )
    heading = ("library", "names", *(f"ROCm {version}" for version in versions))
    return [Page("All libraries", "reference/api/all.md", text + table(heading, counted)), *pages]


def _converts(decisions: Decisions, rule: ApiRule) -> bool:
    decision = decisions.of(rule.cuda)
    return decision is None or bool(decision.new)


def _library_page(rules: RuleSet, library: Library, names: list[ApiRule]) -> Page:
    rows = [
        (
            code(rule.cuda),
            code(rule.hip),
            *([code(rule.roc)] if library.roc else []),
            rule.status,
            _releases(rule),
            plain(rule.note.replace("_", " ")),
        )
        for rule in names
    ]
    columns = ("CUDA", "HIP", *(["--libs roc"] if library.roc else []), "status", "ROCm", "note")
    text = f"# {library.title}\n\n{_POLICIES[library.policy]}\n\n{table(columns, rows)}"
    return Page(library.title, f"reference/api/{library.name}.md", text)


_POLICIES = {
    "map": "Names with a counterpart are converted, the others reported.",
    "whole": "Converted in files all of whose names have a counterpart; reported in others.",
    "leave": "PyTorch's own build for ROCm maps these names: they stay, with a note.",
    "report": "These names stay and are reported: their counterparts are not drop-in.",
}


def _releases(rule: ApiRule) -> str:
    """`since 6.1, until 7.0`, as far as known."""
    since = f"since {rule.hip_added}" if rule.hip_added else ""
    until = f"until {rule.hip_removed}" if rule.hip_removed else ""
    return ", ".join(filter(None, (since, until)))
