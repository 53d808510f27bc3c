"""All findings of a rulebook; a wheel's are read when one of them is asked for."""

# Annotations are evaluated here, and not as texts when the file is read: that takes longer.

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping

import msgspec

from hipport.rulebook.finding_rules import FindingRule, numbers_by_text

_KEYS = ("answered_by", "answered_by_name", "answered_here", "claims", "headers", "of_python")
"""The keys by which rules are asked for."""


class FindingIndex(msgspec.Struct, frozen=True, array_like=True):
    """What tells which rules have to be read: something -> their numbers, in order."""

    keys: dict[str, list[int]]
    checks: dict[str, list[int]]
    kinds: dict[str, list[int]]
    names: dict[str, list[int]]
    hints: dict[str, list[int]]
    """Texts that make a file of C++ worth a look."""
    words: dict[str, list[int]]
    """Texts that do so in CUDA files."""


class Findings(Mapping[str, FindingRule]):
    """Finding code -> FindingRule, in the order in which they are looked for."""

    def __init__(
        self,
        codes: Iterable[str],
        read: Callable[[str], FindingRule],
        index: FindingIndex,
    ) -> None:
        """`read` gives the finding with a code."""
        self._by_number = list(codes)
        self._codes = frozenset(self._by_number)
        self._read = read
        self._found: dict[str, FindingRule] = {}
        self.index = index

    @staticmethod
    def of(rules: Iterable[FindingRule]) -> "Findings":
        """Those that have been read already."""
        every = {each.id: each for each in rules}
        return Findings(every, every.__getitem__, index_of(every.values()))

    def __getitem__(self, code: str) -> FindingRule:
        found = self._found.get(code)
        if found is None:
            if code not in self._codes:
                raise KeyError(code)
            found = self._found[code] = self._read(code)
        return found

    def __iter__(self) -> Iterator[str]:
        return iter(self._by_number)

    def __len__(self) -> int:
        return len(self._codes)

    def __contains__(self, code: object) -> bool:
        return code in self._codes

    def preceding(self, others: Mapping[str, FindingRule]) -> "Findings":
        """These and others, which take the place of those of the same code."""
        return Findings.of({**self, **others}.values())

    def having(self, key: str) -> list[FindingRule]:
        """Those whose files have a key."""
        return self._numbered(self.index.keys[key])

    def checked_by(self, check: str) -> list[FindingRule]:
        """Those that a module of patterns judges, or that another check is about."""
        return self._numbered(self.index.checks.get(check, ()))

    def about(self, kind: str) -> list[FindingRule]:
        """Those that are looked for in a kind of files."""
        return self._numbered(self.index.kinds.get(kind, ()))

    def triggered_by(
        self, names: Iterable[str], texts: Iterable[str], *, is_cuda: bool = False
    ) -> list[FindingRule]:
        """Those in C++ that the names or texts of a file trigger."""
        numbers: set[int] = set()
        triggers = [(self.index.names, names), (self.index.hints, texts)]
        if is_cuda:
            triggers.append((self.index.words, texts))
        for known, given in triggers:
            for each in known.keys() & given:
                numbers.update(known[each])
        return [each for each in self._numbered(sorted(numbers)) if "cuda" in each.languages]

    def _numbered(self, numbers: Collection[int]) -> list[FindingRule]:
        return [self[self._by_number[each]] for each in numbers]


def index_of(rules: Iterable[FindingRule]) -> FindingIndex:
    """The index of findings, in this order."""
    every = list(rules)
    cpp = [rule if "cuda" in rule.languages else None for rule in every]
    return FindingIndex(
        {key: [at for at, rule in enumerate(every) if getattr(rule, key)] for key in _KEYS},
        numbers_by_text((rule.check,) for rule in every),
        numbers_by_text(rule.languages for rule in every),
        numbers_by_text(rule.names for rule in every),
        numbers_by_text(rule.hints if rule else () for rule in cpp),
        numbers_by_text(rule.with_words if rule else () for rule in cpp),
    )
