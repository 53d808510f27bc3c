"""The installed rules, preceded by user rules."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from hipport.errors import RuleError
from hipport.rulebook.known_findings import Findings
from hipport.rulebook.known_names import KnownNames
from hipport.rulebook.model import ApiRule, HeaderRule
from hipport.rulebook.rules import RuleSet
from hipport.rulebook.transforms import Transforms
from hipport.rulebook.user_rules import read_user_rules
from hipport.rulebook.words import Library


class ExtendedRules(RuleSet):
    """The installed rules with the user's before them; of two folders, the first wins."""

    def __init__(self, installed: RuleSet, folders: tuple[str, ...]) -> None:
        super().__init__(is_audit=installed.is_audit, like=installed)
        self._installed = installed
        self._own = [read_user_rules(Path(each), self._installed) for each in reversed(folders)]
        for each in self._own:
            if each.faults:
                more = f" (and {len(each.faults) - 1} more)" if len(each.faults) > 1 else ""
                raise RuleError(each.faults[0] + more, remedy="hipport help user-rules")

    @cached_property
    def libraries(self) -> dict[str, Library]:
        found = self._installed.libraries
        for each in self._own:
            found = found | each.libraries
        return found

    @cached_property
    def _texts(self) -> dict[str, str]:
        texts = self._installed._every_text()
        for each in self._own:
            for library, rules in each.api.items():
                lines = "".join("\n" + "\t".join(rule[:-1]) for rule in rules)
                texts[library] = f"{lines}\n{texts.get(library, '')}"
        return {library: texts.get(library, "\n") for library in self.libraries}

    @cached_property
    def namespaces(self) -> dict[str, list[str]]:
        return self._namespaces_in_texts()

    def api(self, name: str) -> ApiRule | None:
        return self._own_api.get(name) or self._installed.api(name)

    @cached_property
    def _own_api(self) -> dict[str, ApiRule]:
        """CUDA name -> the last user rule for it."""
        rows = (rule for each in self._own for rules in each.api.values() for rule in rules)
        return {rule.cuda: rule for rule in rows}

    @cached_property
    def names(self) -> KnownNames:
        own = {name: rule.library for name, rule in self._own_api.items()}
        return KnownNames({**self._installed.names, **own})

    def every_api(self) -> Iterator[ApiRule]:
        for each in self._own:
            for rules in each.api.values():
                yield from rules
        yield from self._installed.every_api()

    def every_api_of(self, name: str) -> Iterator[ApiRule]:
        for each in self._own:
            for rules in each.api.values():
                yield from (rule for rule in rules if rule.cuda == name)
        yield from self._installed.every_api_of(name)

    @cached_property
    def headers(self) -> dict[str, HeaderRule]:
        found = self._installed.headers
        for each in self._own:
            found = found | each.headers
        return found

    @cached_property
    def transforms(self) -> Transforms:
        found = self._installed.transforms
        for each in self._own:
            found = found.preceded_by(each.transforms)
        return found

    @cached_property
    def own_codes(self) -> frozenset[str]:
        return frozenset[str]().union(*(each.findings for each in self._own))

    @cached_property
    def codes(self) -> frozenset[str]:
        return self._installed.codes | self.own_codes

    @cached_property
    def findings(self) -> Findings:
        own = {
            code: rule
            for each in self._own
            for code, rule in each.findings.items()
            if self.is_audit or code in each.for_conversion
        }
        return self._installed.findings.preceding(own)
