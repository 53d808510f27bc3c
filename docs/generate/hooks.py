"""The mkdocs hook that adds the reference pages; mkdocs loads it by the path in mkdocs.yml."""

from __future__ import annotations

from commands import command_pages
from configuration import configuration_pages
from coverage import coverage_pages
from findings import finding_pages
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from page import Page

_PARTS = {
    "Commands": command_pages,
    "Configuration": configuration_pages,
    "Findings": finding_pages,
    "API coverage": coverage_pages,
}
_pages: list[Page] = []


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Make the pages and enter them into the navigation."""
    reference = []
    _pages.clear()
    for title, make in _PARTS.items():
        pages = make()
        _pages.extend(pages)
        reference.append(
            {title: [{page.title: page.path} for page in pages if page.is_in_navigation]}
        )
    assert config.nav is not None
    config.nav.insert(-1, {"Reference": reference})
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for page in _pages:
        files.append(File.generated(config, page.path, content=page.text))
    return files
