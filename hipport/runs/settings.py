"""What a request says over the configuration of each file: what is done with it."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from hipport.config import Config, Configurations, absolute
from hipport.errors import UsageError
from hipport.ignore import excluder
from hipport.model import Finding, Records, Severity
from hipport.rulebook.load import load
from hipport.runs.rocm import parse_rocm
from hipport.source.options import Options
from hipport.spool import Spool

if TYPE_CHECKING:
    from hipport.rulebook.rules import RuleSet
    from hipport.source.names.counterparts import Decisions
    from hipport.source.tree.file_task import Task

_Test = Callable[[str], bool]


def configured_rules(*, is_audit: bool = False) -> RuleSet:
    """The rulebook with the rules that the working folder's configuration adds."""
    config = Configurations().of(Path.cwd())
    return load(is_audit=is_audit, extend=_folders(config))


def _folders(config: Config) -> tuple[str, ...]:
    """The folders of `extend-rules`; raises HipportError for one that is not there."""
    for each in config.extend_rules:
        if not (config.folder / each).is_dir():
            raise config.error("extend-rules", f"{each} is not a folder")
    return tuple(str(config.folder / each) for each in config.extend_rules)


class Settings:
    """What each file's configuration and the flags say; a flag wins over a key."""

    def __init__(
        self,
        configurations: Configurations,
        options: Options,
        flags: Mapping[str, Any],
        *,
        is_audit: bool = False,
    ) -> None:
        """`flags` has values for fields of Config; empty ones were not given."""
        self._configurations = configurations
        self._template = options
        self._flags = {key: value for key, value in flags.items() if value}
        self._is_audit = is_audit
        self._known: dict[Config, _Project] = {}
        self._last: tuple[str, _Project] | None = None

    def _project(self, source: str | Path) -> _Project:
        """What is said about a file; most are asked about folder after folder."""
        folder = os.path.dirname(source)  # noqa: PTH120
        if self._last is None or self._last[0] != folder:
            config = self._configurations.of(folder)
            if config not in self._known:
                self._known[config] = _Project(
                    config, self._flags, self._template, is_audit=self._is_audit
                )
            self._last = folder, self._known[config]
        return self._last[1]

    def options(self, source: str | Path) -> Options:
        """The options for a file; raises HipportError for a value that means nothing."""
        return self._project(source).options

    def decisions(self, source: Path) -> Decisions:
        """What the rulebook decides for a file; those of one configuration are decided once."""
        return self._project(source).decisions

    def is_excluded(self, source: str | Path) -> bool:
        """Whether the configuration leaves a file alone."""
        project = self._project(source)
        if project.is_excluded is None:
            return False
        return project.is_excluded(project.inside(Path(source)))

    def files(self, sources: Iterable[Path]) -> set[Path]:
        """The configuration files that the sources are read with."""
        found = {self._project(each).config.file for each in sources}
        return {each for each in found if each}

    def grouped(self, tasks: Iterable[Task]) -> dict[Options, Spool[Task]]:
        """The tasks by how they are to be read, each group in the order of the tasks."""
        groups: dict[Options, Spool[Task]] = {}
        last = None
        for task in tasks:
            folder = task.source_path.rpartition("/")[0]
            if folder != last:
                last, group = folder, groups.setdefault(self.options(task.source_path), Spool())
            group.append(task)
        return groups

    def judged(
        self, findings: Records[Finding], source_of: Callable[[str], Path | None]
    ) -> Records[Finding]:
        """The findings that the projects want, of the severity that they give them.

        `source_of` gives the file for a path of the report. Of a project counts what
        `options` was asked about.
        """
        if not any(project.judges for project in self._known.values()):
            return findings
        found: Spool[Finding] = Spool()
        for each in findings:
            source = source_of(each.path)
            judged = self._project(source).judged(each, source) if source else each
            found.extend([judged] if judged else [])
        return found


class _Project:
    """One configuration with the flags applied, its values checked against the rulebook."""

    def __init__(
        self, file: Config, flags: Mapping[str, Any], template: Options, *, is_audit: bool
    ) -> None:
        self.flags = flags
        self.config = config = file._replace(**flags)
        folders = _folders(config)
        self.options = template._replace(
            rocm=parse_rocm(config.rocm, self._place("rocm")),
            launch=config.launch,
            libs=config.libs,
            targets=self._targets(),
            extend_rules=folders,
        )
        self._is_audit = is_audit
        self.is_excluded = self._test("exclude", *config.exclude) if config.exclude else None
        self.judges = any((config.select, config.ignore, config.per_file_ignores, config.severity))
        self._ignored_in: list[tuple[_Test, tuple[str, ...]]] = []
        if self.judges:
            self._read_judgement(load(is_audit=is_audit, extend=folders))

    @cached_property
    def decisions(self) -> Decisions:
        # Who only asks for options needs nothing that reads sources.
        from hipport.source.names.counterparts import Decisions

        rules = load(is_audit=self._is_audit, extend=self.options.extend_rules)
        return Decisions(rules, self.options)

    def _place(self, key: str) -> str:
        """How errors name a key or the flag above it."""
        return f"--{key}" if key in self.flags else f"{self.config.file}: {key}"

    def _targets(self) -> tuple[str, ...]:
        if not self.config.targets:
            return ()
        from hipport.runs.targets import known_targets, words

        targets = words(",".join(self.config.targets))
        return known_targets(targets, self._place("targets"))

    def _read_judgement(self, rules: RuleSet) -> None:
        config = self.config
        keys = [(key, code) for key in ("select", "ignore") for code in getattr(config, key)]
        keys += [("severity", code) for code, _ in config.severity]
        for pattern, codes in config.per_file_ignores:
            key = f"per-file-ignores.{pattern}"
            keys += [(key, code) for code in codes]
            self._ignored_in.append((self._test(key, pattern), codes))
        for key, code in keys:
            if not any(_covers(code, each) for each in rules.codes):
                from hipport.schema import meant

                families = {each.rpartition("-")[0] for each in rules.codes}
                reason = f"no finding {code!r}{meant(code, sorted(rules.codes | families))}"
                if key in self.flags:
                    raise UsageError(f"--{key}: {reason}", remedy="give codes or families")
                raise config.error(key, reason)

    def _test(self, key: str, *patterns: str) -> _Test:
        try:
            return excluder(patterns)
        except ValueError as error:
            raise self.config.error(key, str(error)) from error

    def inside(self, source: Path) -> str:
        """The path that patterns are compared with; of a file elsewhere, the absolute path."""
        path = absolute(source)
        root = self.config.root
        below = path.relative_to(root) if root and path.is_relative_to(root) else None
        return (below or Path(*path.parts[1:])).as_posix()

    def judged(self, finding: Finding, source: Path) -> Finding | None:
        config, code = self.config, finding.code
        # A code that says less of the same place means it too.
        codes = (code, general) if (general := load().general(code)) else (code,)
        if config.select and not _any_covers(config.select, codes):
            return None
        if _any_covers(config.ignore, codes):
            return None
        for is_there, ignored in self._ignored_in:
            if _any_covers(ignored, codes) and is_there(self.inside(source)):
                return None
        fitting = [pair for pair in config.severity if _any_covers(pair[:1], codes)]
        if not fitting:
            return finding
        _, word = max(fitting, key=lambda pair: (pair[0] == code, len(pair[0])))
        return replace(finding, severity=Severity.parse(word))


def _any_covers(selectors: Iterable[str], codes: tuple[str, ...]) -> bool:
    return any(_covers(each, code) for each in selectors for code in codes)


def _covers(selector: str, code: str) -> bool:
    """Whether a code is the selector or of that family: HP-WARP covers HP-WARP-001."""
    return code == selector or code.startswith(f"{selector}-")
