"""What the rules call the things that Python imports: the contents of rules/python_names.toml."""

from functools import cached_property

from hipport.rulebook.words import Words


class PythonNames(Words, frozen=True, dict=True):
    """rules/python_names.toml."""

    within: tuple[str, ...]
    names: dict[str, tuple[str, ...]]

    @cached_property
    def roots(self) -> frozenset[str]:
        """What the full names begin with."""
        return frozenset(each.partition(".")[0] for each in self.names)

    @cached_property
    def chains(self) -> frozenset[str]:
        """The names in modules that the rules never call by their full names."""
        named = self.names.items()
        return frozenset(full for full, own in named if "." in full and own and full not in own)

    def spellings(self, full: str) -> tuple[str, ...]:
        """The names by which the rules look for something; none if it keeps its own."""
        if full in self.names:
            return self.names[full]
        above = full.rpartition(".")[0]
        while above and above not in self.names:
            above = above.rpartition(".")[0]
        if above not in self.within:
            return ()
        return tuple(each + full[len(above) :] for each in self.names[above])

    def usual(self, full: str, name: str, *, is_taken: bool) -> tuple[str, ...]:
        """What a name may be called that stands for something; nothing where it can stay.

        `is_taken` says that it is taken from a module: `from a import b`.
        """
        spellings = self.spellings(full)
        if spellings:
            return () if name in spellings else spellings
        module, _, last = full.rpartition(".")
        return (last,) if is_taken and name != last and self.names.get(module) else ()
