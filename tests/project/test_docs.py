"""The documentation: it builds without a warning, and its reference has everything."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Literal

import click
import pytest
from filelock import FileLock

from hipport.cli import root
from hipport.config import schema
from hipport.rulebook.finding_rules import example_tables
from hipport.rulebook.load import load
from hipport.rulebook.model import ApiRule
from tests.support.folders import CHECKOUT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """The site, built once for all processes that run tests."""
    if worker_id == "master":
        return _build(tmp_path_factory.mktemp("site"))
    common = tmp_path_factory.getbasetemp().parent
    with FileLock(common / "site.lock"):
        folder = common / "site"
        return folder if (folder / "index.html").is_file() else _build(folder)


def _build(folder: Path) -> Path:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    built = subprocess.run(
        command,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
    )
    assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
    return folder


class _Page(HTMLParser):
    """The ids, links and text of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.ids: set[str] = set()
        self.links: list[str] = []
        self.text = ""
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = dict(attrs)
        self.ids.add(values.get("id") or "")
        self.links.append(values.get("href") or "")

    def handle_data(self, data: str) -> None:
        self.text += data


@cache
def _page(path: Path) -> _Page:
    return _Page(path)


@pytest.mark.slow
def test_every_finding_has_a_page_with_its_examples_that_the_overviews_link_to(site: Path) -> None:
    folder = site / "reference" / "findings"
    links = _page(folder / "all.html").links
    for code, rule in load(is_audit=True).findings.items():
        family = _page(folder / f"{code.rpartition('-')[0]}.html")
        assert f"{code}.html" in links and f"{code}.html" in family.links
        page = _page(folder / f"{code}.html")
        assert code.lower() in page.ids
        assert set(rule.links) <= set(page.links)
        kinds: tuple[tuple[Literal["bad", "good"], str], ...]
        kinds = ("bad", "Reported"), ("good", "Not reported")
        for kind, heading in kinds:
            examples = [each["code"] for each in example_tables(rule, kind) if "code" in each]
            assert (heading in page.text) >= bool(examples)
            for example in examples:
                assert example.split() == [] or example.split()[0] in page.text


@pytest.mark.slow
def test_the_site_needs_no_network(site: Path) -> None:
    """Scripts, styles and fonts come from the site itself."""
    for path in (site / "index.html", site / "reference" / "findings" / "all.html"):
        loaded = re.findall(
            r'<(?:script|link|img)[^>]+(?:src|href)="(https?:)?//', path.read_text()
        )
        assert loaded == []


def test_the_container_recipe_of_the_page_is_the_file() -> None:
    page = (CHECKOUT / "docs/install.md").read_text(encoding="utf-8")
    recipe = (CHECKOUT / "docs/examples/Containerfile").read_text(encoding="utf-8")
    assert f"```dockerfile\n{recipe}```\n" in page


@pytest.mark.slow
def test_what_people_like_of_a_site_is_there(site: Path) -> None:
    text = (site / "index.html").read_text()
    assert "content.code.copy" in text and 'data-md-color-scheme="slate"' in text
    assert 'data-md-component="search"' in text


@pytest.mark.slow
def test_every_command_and_option_is_in_the_reference(site: Path) -> None:
    context = click.Context(root, info_name="hipport")
    for name in root.list_commands(context):
        command = root.get_command(context, name)
        assert command
        text = _page(site / "reference" / "commands" / f"{name}.html").text
        assert f"Usage: hipport {name}" in text
        for parameter in command.params:
            if isinstance(parameter, click.Option) and not parameter.hidden:
                assert parameter.opts[-1] in text


@pytest.mark.slow
def test_every_key_of_the_configuration_is_in_the_reference(site: Path) -> None:
    text = _page(site / "reference" / "configuration.html").text
    for key, value in schema()["properties"].items():
        assert key in text
        assert value["description"] in text


@pytest.mark.slow
def test_every_name_is_in_the_table_of_its_library(site: Path) -> None:
    rules = load()
    every: dict[str, list[ApiRule]] = {name: [] for name in rules.libraries}
    for rule in rules.every_api():
        every[rule.library].append(rule)
    for library in rules.libraries.values():
        if library.policy == "none":
            continue
        text = _page(site / "reference" / "api" / f"{library.name}.html").text
        missing = [rule.cuda for rule in every[library.name] if rule.cuda not in text]
        assert missing == []


@pytest.mark.slow
def test_every_page_can_be_reached_from_the_first(site: Path) -> None:
    reached, pending = set(), [site / "index.html"]
    while pending:
        page = pending.pop()
        if page in reached or page.suffix != ".html" or not page.is_file():
            continue
        reached.add(page)
        names = (link.partition("#")[0] for link in _page(page).links if "://" not in link)
        pending += [(page.parent / name).resolve() for name in names if name]
    pages = set(site.rglob("*.html")) - {site / "404.html"}
    assert pages - reached == set()
    of_docs = (page.relative_to(CHECKOUT / "docs") for page in (CHECKOUT / "docs").rglob("*.md"))
    assert {site / page.with_suffix(".html") for page in of_docs} <= pages


@pytest.mark.slow
def test_no_link_of_the_site_leads_nowhere(site: Path) -> None:
    pages = {path: _page(path) for path in site.rglob("*.html") if path.name != "404.html"}
    broken = [
        f"{path.relative_to(site)}: {link}"
        for path, page in pages.items()
        for link in page.links
        if not _leads_somewhere(path, link, pages)
    ]
    assert broken == []


def _leads_somewhere(path: Path, link: str, pages: dict[Path, _Page]) -> bool:
    if not link or "://" in link or link == "#":
        return True
    name, _, anchor = link.partition("#")
    target = (path.parent / name).resolve() if name else path
    if target.suffix != ".html":
        return target.exists()
    return target in pages and (not anchor or anchor in pages[target].ids)
