"""`hipport man`: the manual page, made from the commands themselves. Macros are those of man(7)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

import click

from hipport import __version__
from hipport.rulebook.edition import edition

EPILOG = """\b
Examples:
  hipport man | man -l -
  hipport man > ~/.local/share/man/man1/hipport.1
"""
_ENVIRONMENT = (
    ("NO_COLOR", "If it is set and not empty, nothing is coloured."),
    ("FORCE_COLOR", "If it is set and not empty, rich output is coloured without a terminal too."),
)
_FILES = (
    ("hipport.toml", "Configuration for the sources in its folder and below."),
    ("pyproject.toml", "The same, in its table [tool.hipport]."),
)
_STATUS = (
    ("0", "Done; no findings of --fail-on or worse."),
    ("1", "Findings of --fail-on or worse, or with --check, changes to make."),
    ("2", "Wrong use, a faulty configuration, or a file that could not be read or written."),
    ("130", "Interrupted."),
)


@click.command(epilog=EPILOG)
@click.pass_context
def command(ctx: click.Context) -> None:
    """Print the manual page, hipport(1)."""
    click.echo("\n".join(_page(ctx.find_root())))


def _page(root: click.Context) -> Iterator[str]:
    date, rocm = edition()
    summary = root.command.get_short_help_str(limit=200)
    yield f'.TH HIPPORT 1 "{date}" "hipport {__version__}" "User Commands"'
    yield from (".SH NAME", "hipport \\- " + "\n".join(_wrapped(summary)))
    yield from (".SH SYNOPSIS", ".B hipport", _escaped("COMMAND [OPTIONS] [ARGUMENTS]"))
    yield from (".SH DESCRIPTION", *_paragraphs(root.command.help or "", is_first=True))
    yield from (".PP", _escaped(f"The rules are of {date} and know ROCm up to {rocm}."))
    yield ".SH COMMANDS"
    for context in _leaves(root):
        yield from _section(context)
    for heading, entries in (
        ("EXIT STATUS", _STATUS),
        ("ENVIRONMENT", _ENVIRONMENT),
        ("FILES", _FILES),
    ):
        yield f".SH {heading}"
        yield from _entries(entries)


def _leaves(context: click.Context) -> Iterator[click.Context]:
    """Every command that does something, in the order of `--help`."""
    group = context.command
    if not isinstance(group, click.Group):
        yield context
        return
    for name in group.list_commands(context):
        child = group.get_command(context, name)
        if child and not child.hidden:
            settings = group.context_settings
            yield from _leaves(click.Context(child, context, info_name=name, **settings))


def _section(context: click.Context) -> Iterator[str]:
    usage = " ".join(context.command.collect_usage_pieces(context))
    yield f'.SS "{_escaped(f"{context.command_path} {usage}")}"'
    yield from _paragraphs(context.command.help or "", is_first=True)
    options = (each for each in context.command.get_params(context) if "--help" not in each.opts)
    records = (each.get_help_record(context) for each in options if isinstance(each, click.Option))
    yield from _entries(record for record in records if record)
    yield from _paragraphs(context.command.epilog or "")


def _entries(entries: Iterator[tuple[str, str]] | tuple[tuple[str, str], ...]) -> Iterator[str]:
    for term, text in entries:
        yield from (".TP", f".B {_escaped(term)}", *_wrapped(text))


def _paragraphs(text: str, *, is_first: bool = False) -> Iterator[str]:
    """A help text; its paragraphs that begin with backspace are set as they are."""
    for paragraph in re.split(r"\n\s*\n", text.strip()):
        lines = [line.strip() for line in paragraph.splitlines()]
        if not is_first:
            yield ".PP"
        is_first = False
        if lines[0] == "\b":
            heading, *rest = lines[1:]
            yield from (_escaped(heading), ".PP", ".nf", ".RS 4", *map(_escaped, rest))
            yield from (".RE", ".fi")
        else:
            yield from _wrapped(" ".join(lines))


def _wrapped(text: str) -> list[str]:
    """A paragraph as lines of a length that other tools take."""
    return [_escaped(line) for line in wrap(text, 70, break_on_hyphens=False)] or ["\\&"]


def _escaped(text: str) -> str:
    """Text in which nothing is a request or escape, on one line (groff_char(7), man(7))."""
    text = " ".join(text.split("\n")).replace("\\", "\\e").replace("-", "\\-").replace('"', "\\(dq")
    text = "".join(each if each.isascii() else f"\\[u{ord(each):04X}]" for each in text)
    return f"\\&{text}" if text.startswith((".", "'")) else text
