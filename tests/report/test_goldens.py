"""Every writer on one report: exact bytes, and what other programs demand of them."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from typing import Any

import jsonschema
import pytest

from hipport.model import Severity
from hipport.report.formats import FORMATS
from tests.support.sample_report import FOLDER, SAMPLE, golden, sample, written

SCHEMA = FOLDER.parents[1] / "hipport/report/report.schema.json"


@pytest.mark.parametrize("format_", FORMATS)
def test_exact(format_: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert written(format_).encode() == golden(format_).read_bytes()


def test_the_schemas_hold() -> None:
    jsonschema.validate(
        json.loads(SAMPLE.read_text("utf-8")), json.loads(SCHEMA.read_text("utf-8"))
    )
    jsonschema.validate(json.loads(written("json")), json.loads(SCHEMA.read_text("utf-8")))
    sarif = json.loads((FOLDER / "sarif-schema-2.1.0.json").read_text("utf-8"))
    jsonschema.Draft7Validator(sarif).validate(json.loads(written("sarif")))


def test_json_comes_back_as_it_was() -> None:
    told, original = json.loads(written("json")), json.loads(SAMPLE.read_text("utf-8"))
    assert told["files"] == original["files"]
    assert told["findings"] == original["findings"]
    assert told["summary"]["options"] == original["summary"]["options"]


def test_junit_counts_what_it_holds() -> None:
    whole = ElementTree.fromstring(written("junit"))
    assert whole.tag == "testsuites"
    for element in (whole, *whole.iter("testsuite")):
        cases = [*element.iter("testcase")]
        assert int(element.attrib["tests"]) == len(cases) > 0
        for attribute, tag in (("failures", "failure"), ("skipped", "skipped")):
            assert int(element.attrib[attribute]) == len([*element.iter(tag)])
        assert element.attrib["errors"] == "0"
    assert len([*whole.iter("failure")]) == 5
    blockers = ElementTree.fromstring(written("junit", Severity.BLOCKER))
    assert [each.attrib["type"] for each in blockers.iter("failure")] == ["blocker"]
    assert [*ElementTree.fromstring(written("junit", None)).iter("failure")] == []


def test_gitlab_has_what_its_documentation_demands() -> None:
    """GitLab Docs, "Code Quality report format": the properties, no byte-order mark, one array."""
    issues: list[dict[str, Any]] = json.loads(written("gitlab"))
    assert len({each["fingerprint"] for each in issues}) == len(issues) == 7
    for each in issues:
        assert each["description"] and each["check_name"]
        assert each["severity"] in ("info", "minor", "major", "critical", "blocker")
        assert not each["location"]["path"].startswith(("./", "/"))
        assert each["location"]["lines"]["begin"] >= 1


def test_github_has_one_command_a_line() -> None:
    """Workflow commands: what is data has no line break and no bare percent sign or comma."""
    for line in written("github").splitlines():
        command, _, rest = line.removeprefix("::").partition(" ")
        assert command in ("error", "warning", "notice")
        properties, _, message = rest.partition("::")
        assert message
        names = [each.partition("=")[0] for each in properties.split(",")]
        assert set(names) <= {"file", "line", "col", "endLine", "endColumn", "title"}


def test_sarif_says_what_was_not_read() -> None:
    (run,) = json.loads(written("sarif"))["runs"]
    (invocation,) = run["invocations"]
    told = [each["message"]["text"] for each in invocation["toolExecutionNotifications"]]
    assert told == [
        "skipped: binary data in a text file",
        "read in part: broken Python in line 9: findings around it may be missing",
    ]
    indices = {each["ruleId"]: each["ruleIndex"] for each in run["results"]}
    rules = [each["id"] for each in run["tool"]["driver"]["rules"]]
    assert rules == sorted(indices)
    assert all(rules[index] == code for code, index in indices.items())


def test_sarif_has_what_reviewdog_reads() -> None:
    """reviewdog, parser/sarif.go: it stops at a result without a place, or a fix without a text,
    and takes a path for one below the folder that it runs in."""
    (run,) = json.loads(written("sarif"))["runs"]
    assert "originalUriBaseIds" not in run
    codes = {each["id"] for each in run["tool"]["driver"]["rules"]}
    fixes = [fix for each in run["results"] for fix in each.get("fixes", ())]
    changes = [change for fix in fixes for change in fix["artifactChanges"]]
    assert changes
    for each in run["results"]:
        assert each["message"]["text"] and each["ruleId"] in codes
        assert each["level"] in ("error", "warning", "note")
        (place,) = each["locations"]
        assert place["physicalLocation"]["region"]["startLine"] > 0
    places = [each["locations"][0]["physicalLocation"] for each in run["results"]]
    for uri in (each["artifactLocation"]["uri"] for each in (*places, *changes)):
        assert not uri.startswith(("/", ".")) and ":" not in uri
    for each in (replacement for change in changes for replacement in change["replacements"]):
        assert isinstance(each["insertedContent"]["text"], str) and each["deletedRegion"]


def test_the_page_holds_nothing_of_the_tree_unescaped() -> None:
    page = written("html")
    assert "<b>|&`" not in page and "<b>, a|b" not in page
    assert "src/odd name &lt;b&gt;|&amp;`.cu" in page
    # All that leads outside is where rules send their reader, and what documents a name.
    report, context = sample()
    links = [address for rule in context.rules.values() for address in rule.links]
    links += [address for each in report.findings for address in context.documentation(each)]
    assert re.findall(r"\w+=\"(https?://[^\"]*)", page) == links
