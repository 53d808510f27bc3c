"""The figures of the samples, as Markdown: one table for all, and those of each sample alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.precision.unseen_trees import (
    CONVERTED,
    Judged,
    Ported,
    Round,
    is_code,
    read_findings,
    read_places,
    read_ported,
)

RECENT = 5
"""So many samples are summed up: from one to the next, figures move by several points."""


def summary(rounds: Sequence[Round]) -> Iterator[str]:
    """One row for each sample: findings in own code, places, and code for HIP, as first met."""
    yield (
        "| sample | trees | findings | not wrong | useful | places | reported "
        "| and by `convert` | false in 100,000 lines for HIP |"
    )
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for of in rounds:
        yield _summed(str(of.number), [of])
    recent = rounds[-RECENT:]
    yield _summed(f"{recent[0].number} to {recent[-1].number}", recent)


def _summed(title: str, rounds: Sequence[Round]) -> str:
    own = [each for of in rounds for each in read_findings(of) if each.part == "own"]
    places = [each for of in rounds for each in read_places(of)]
    reported = sum(is_code(each.before) for each in places)
    converted = sum(each.before == CONVERTED for each in places)
    cells = (
        title,
        len({each.tree for each in (*own, *places)}),
        len(own),
        _percent(sum(each.label == "true" for each in own), own),
        _percent(sum(each.useful == "yes" for each in own), own),
        len(places),
        _percent(reported, places),
        _percent(reported + converted, places),
        _false_share(rounds),
    )
    return "| " + " | ".join(map(str, cells)) + " |"


def figures(of: Round) -> Iterator[str]:
    """The shares of findings and places, as Markdown."""
    sample = read_findings(of)
    yield "| part of the tree | findings | not wrong | useful |"
    yield "| --- | --- | --- | --- |"
    for part, title in (("own", "own code"), ("tests", "tests"), ("vendored", "copies of others")):
        yield _row(title, [each for each in sample if each.part == part])
    yield _row("all", sample)
    own = [each for each in sample if each.part == "own"]
    if of.for_both:
        both = [each for each in own if each.tree in of.for_both]
        yield _row("own code, trees that build for AMD too", both)
        yield _row("own code, other trees", [each for each in own if each not in both])
    if any(each.decision for each in sample):
        yield _once(own)
    places = read_places(of)
    yield ""
    yield f"| {len(places)} places | reported | done by `convert` without a finding | missed |"
    yield "| --- | --- | --- | --- |"
    yield _shares("when chosen", [each.before for each in places])
    for by, title in (("person", "a person has to do it"), ("convert", "conversion should do it")):
        if chosen := [each.before for each in places if each.by == by]:
            yield _shares(f"{len(chosen)}: {title}", chosen)
    yield _shares("after mending", [each.after for each in places])
    ported = read_ported(of)
    if not ported:
        return
    yield ""
    yield "| written for HIP | lines | manual | false | false in 100,000 lines | after mending |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for tree, lines in of.lines.items():
        yield _ported(tree, lines, [each for each in ported if each.tree == tree.split()[0]])
    yield _ported("all", sum(of.lines.values()), ported)


def _row(title: str, sample: Sequence[Judged]) -> str:
    true = sum(each.label == "true" for each in sample)
    useful = sum(each.useful == "yes" for each in sample)
    return f"| {title} | {len(sample)} | {_share(true, sample)} | {_share(useful, sample)} |"


def _ported(title: str, lines: int, found: Sequence[Ported]) -> str:
    wrong = [each for each in found if each.label == "false"]
    false = sum(each.alike for each in wrong)
    left = sum(each.alike for each in wrong if each.after != "")
    shares = " | ".join(f"{100_000 * number / lines:.1f}" for number in (false, left))
    return f"| {title} | {lines:,} | {sum(each.alike for each in found)} | {false} | {shares} |"


def _once(sample: Sequence[Judged]) -> str:
    """The row of a sample in which findings that are the same decision count once."""
    same: dict[str, list[Judged]] = {}
    for each in sample:
        same.setdefault(each.decision, []).append(each)
    true = sum(all(each.label == "true" for each in group) for group in same.values())
    useful = sum(any(each.useful == "yes" for each in group) for group in same.values())
    shares = f"{_share(true, list(same))} | {_share(useful, list(same))}"
    return f"| own code, a decision once | {len(same)} | {shares} |"


def _shares(title: str, codes: Sequence[str]) -> str:
    counts = [sum(map(test, codes)) for test in (is_code, CONVERTED.__eq__, "".__eq__)]
    return f"| {title} | " + " | ".join(_share(each, codes) for each in counts) + " |"


def _share(count: int, whole: Sequence[object]) -> str:
    return f"{count} ({_percent(count, whole)})"


def _percent(count: int, whole: Sequence[object]) -> str:
    return f"{100 * count / len(whole):.1f} %"


def _false_share(rounds: Sequence[Round]) -> str:
    found = [each for of in rounds for each in read_ported(of)]
    false = sum(each.alike for each in found if each.label == "false")
    lines = sum(sum(of.lines.values()) for of in rounds)
    return f"{100_000 * false / lines:.1f}" if lines else ""
