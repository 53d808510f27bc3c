"""The findings of the HTML report: one card each, with the lines around it."""

from __future__ import annotations

from collections.abc import Iterable
from textwrap import dedent

from hipport.model import Finding
from hipport.report.context import Context, place_of
from hipport.report.html_words import plain, words

_MOST_EXCERPTS = 2000
_LONGEST_LINE = 160


def cards(shown: list[Finding], context: Context) -> str:
    """A card for each finding; those at the end of very many have no excerpt."""
    excerpts = _excerpts(shown[:_MOST_EXCERPTS], context)
    return "\n".join(_card(each, excerpts.get(id(each), ""), context) for each in shown)


def options(shown: Iterable[Finding], context: Context) -> str:
    """What the choice of codes offers."""
    examples = {each.code: each for each in shown}
    return "".join(
        f'<option value="{plain(code)}">{plain(f"{code} {context.title(examples[code])}")}</option>'
        for code in sorted(examples)
    )


def _card(finding: Finding, excerpt: str, context: Context) -> str:
    word = finding.severity.word
    advice = f"<p>{words(finding.suggestion)}</p>" if finding.suggestion else ""
    return (
        f'<article class="finding {word}" data-severity="{word}"'
        f' data-code="{plain(finding.code)}"><span class="where">{plain(place_of(finding))}</span>'
        f'<p><span class="word">{word}</span> <code>{plain(finding.code)}</code>'
        f" {plain(context.title(finding))}</p>"
        f"<p>{words(finding.message)}</p>{advice}{excerpt}</article>"
    )


def _excerpts(findings: Iterable[Finding], context: Context) -> dict[int, str]:
    """The lines around each finding, by its id(); files are read one after the other."""
    found = {}
    for each in sorted(findings, key=lambda each: (each.path, each.start)):
        around = context.lines.around(each.path, each.start.line)
        if around:
            # The indentation that all of them have says nothing, and a telephone has no room.
            lines = dedent("\n".join(line.expandtabs(4) for _, line in around)).split("\n")
            rows = (
                _row(number, line, number == each.start.line)
                for (number, _), line in zip(around, lines, strict=True)
            )
            found[id(each)] = f"<pre>{''.join(rows)}</pre>"
    return found


def _row(number: int, text: str, is_hit: bool) -> str:
    cut = text if len(text) <= _LONGEST_LINE else f"{text[:_LONGEST_LINE]}…"
    row = plain(f"{number:>5}  {cut}")
    return f'<span class="hit">{row}</span>\n' if is_hit else f"{row}\n"
