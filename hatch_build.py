"""Puts the TOML files of rules/ into the wheel as one file, for hipport/rulebook/tables.py."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CompactTables(BuildHookInterface):  # type: ignore[type-arg]
    """Writes the file before a wheel is built; an installed checkout has none."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        from hipport.rulebook.tables import compact_file
        from hipport.rulebook.wheel_tables import wheel_tables
        from hipport.source.text.expressions_of_rules import known_expressions
        from hipport.source.text.known_expressions import TABLE

        self._folder = TemporaryDirectory()
        rules = Path(self.root, "rules")
        made = compact_file(Path(self._folder.name, rules.name))
        made.write_bytes(wheel_tables(rules, {TABLE: known_expressions(rules)}))
        build_data["force_include"][str(made)] = f"hipport/{made.name}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if version != "editable":
            self._folder.cleanup()
