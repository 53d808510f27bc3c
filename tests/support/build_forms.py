"""Build files in other forms, which mean the same."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.support.settings_forms import SETTINGS, Form

_TOKENS = re.compile(
    r"(?P<note>#\[\[.*?\]\]|#[^\n]*)|(?P<word>\"(?:[^\"\\]|\\.)*\"|(?:[^\s()#\"\\]|\\.|\"[^\"]*\")+)"
    r"|(?P<blanks>\s+)|(?P<bracket>[()])",
    re.DOTALL,
)


def _cmake(
    text: str, name: Callable[[str], str], gap: str | None = None, around: bool = False
) -> str:
    """CMake with other command names, and what `gap` says between arguments at the outer level."""
    if re.search(r"(?<!#)\[\[", text):
        return text
    made: list[str] = []
    depth, tokens = 0, list(_TOKENS.finditer(text))
    for index, token in enumerate(tokens):
        new = token[0]
        following = tokens[index + 1][0] if index + 1 < len(tokens) else ""
        before = tokens[index - 1] if index else None
        if token["word"] and not depth and following.strip() == "(":
            new = name(new)
        elif token["blanks"] and depth and gap and before and not before["note"]:
            is_edge = following == ")" or before[0] == "("
            new = new if following[:1] == "#" else "" if is_edge else gap if depth == 1 else " "
        elif new == "(":
            depth += 1
            new = "(" + gap if gap and around and depth == 1 and following != ")" else new
        elif new == ")":
            depth -= 1
            is_end = gap and around and not depth and before and before[0] != "("
            new = "\n)" if is_end else new
        made.append(new)
    return "".join(made)


def upper_case_commands(text: str) -> str:
    return _cmake(text, str.upper)


def mixed_case_commands(text: str) -> str:
    return _cmake(text, str.title)


def arguments_on_lines(text: str) -> str:
    return _cmake(text, str, "\n    ", around=True)


def arguments_on_one_line(text: str) -> str:
    return text if re.search(r"\([^()\n]*#(?!\[\[)", text) else _cmake(text, str, " ")


def comments_between_arguments(text: str) -> str:
    return _cmake(text, str, " # note\n    ", around=True)


def blanks_before_parentheses(text: str) -> str:
    return _cmake(text, lambda name: f"{name} ")


def repeated_conditions(text: str) -> str:
    """`endif()` as `endif(CONDITION)`."""
    opened: list[str] = []

    def repeated(match: re.Match[str]) -> str:
        word, condition = match[1].lower(), match[2]
        if word == "if":
            opened.append(condition)
        elif opened and word == "else":
            return f"{match[1]}({opened[-1]})"
        elif opened:
            return f"{match[1]}({opened.pop()})"
        return match[0]

    return re.sub(r"\b(if|else|endif)\(((?:[^()]|\([^()]*\))*)\)", repeated, text, flags=re.I)


def in_braces(text: str) -> str:
    return re.sub(r"(?<!\$)\$\((\w+)\)", r"${\1}", text)


def immediate(text: str) -> str:
    return re.sub(r"^([ ]*[\w.]+)[ \t]*\??=[ \t]*", r"\1:=", text, flags=re.MULTILINE)


def exported(text: str) -> str:
    return re.sub(r"^(?=[A-Z_]+ *[:?+]?=)", "export ", text, flags=re.MULTILINE)


def indented(text: str) -> str:
    return re.sub(r"^(?=[A-Z_]+ *[:?+]?=)", "  ", text, flags=re.MULTILINE)


def _continued(line: str) -> str:
    words = re.findall(r"(?:[^\s\"'$]|\"[^\"]*\"|'[^']*'|\$\([^()]*\)|\$\{[^}]*\}|\$)+", line)
    return " \\\n        ".join(words)


def values_on_lines(text: str) -> str:
    """Of make: the words of a variable's value on lines of their own."""
    shape = r"^([\w.]+[ \t]*[:?+]?=[ \t]*)([^\s#][^#\n]*[^#\n\\])$"
    return re.sub(shape, lambda each: each[1] + _continued(each[2]), text, flags=re.MULTILINE)


_INSTRUCTION = re.compile(
    r"^(FROM|RUN|CMD|LABEL|EXPOSE|ENV|ADD|COPY|ENTRYPOINT|USER|WORKDIR|ARG)(?=[ \t])", re.MULTILINE
)


def lower_case_instructions(text: str) -> str:
    return _INSTRUCTION.sub(lambda each: each[1].lower(), text)


def wide_instructions(text: str) -> str:
    return _INSTRUCTION.sub(r"\1  ", text)


def commands_on_lines(text: str) -> str:
    return re.sub(r"^(RUN [^\n\\]*)$", lambda each: _apart(each[1]), text, flags=re.MULTILINE)


def _apart(line: str) -> str:
    return line.replace(" && ", " \\\n    && ")


def comments_between_lines(text: str) -> str:
    return text.replace("\\\n", "\\\n# note\n")


def run_in_words(text: str) -> str:
    return re.sub(
        r"^RUN (?!<<|--|\[)([^\n\\<>`]+)$",
        lambda each: f"RUN {_continued(each[1])}",
        text,
        flags=re.MULTILINE,
    )


def variables_without_sign(text: str) -> str:
    return re.sub(r"^ENV ([A-Z]\w*)=([^\s=]+)$", r"ENV \1 \2", text, flags=re.MULTILINE)


def words_on_lines(text: str) -> str:
    """Of a shell: each plain command continued behind each word."""
    made: list[str] = []
    is_open = False
    for line in text.split("\n"):
        opens = line.count('"') % 2 or line.count("'") % 2
        is_plain = re.match(r"\s*[\w./$-]", line) and not re.search(
            r"[\\#|<>`();{}\[\]]|^\s*(?:if|then|else|fi|for|while|do|case|elif|echo|printf|import"
            r"|print)\b|=\"",
            line,
        )
        if is_open or opens or not is_plain or (made and made[-1].endswith("\\")):
            made.append(line)
        else:
            made.append(line[: len(line) - len(line.lstrip())] + _continued(line))
        is_open ^= bool(opens)
    return "\n".join(made)


def set_by_csh(text: str) -> str:
    shape = r"^([ \t]*)export (\w+)=(\"[^\"\n]*\"|[^\s;&|\"']+)$"
    return re.sub(shape, r"\1setenv \2 \3", text, flags=re.MULTILINE)


def in_quotes(text: str) -> str:
    shape = r"^([ \t]*(?:export )?\w+=)([^\s;&|\"'()]+)$"
    return re.sub(shape, r'\1"\2"', text, flags=re.MULTILINE)


def in_a_function(text: str) -> str:
    if "<<" in text or re.search(r"^#\S", text, re.MULTILINE):
        return text
    return "main() {\n" + re.sub(r"^(?=.)", "    ", text, flags=re.MULTILINE) + "}\nmain\n"


def calls_on_lines(text: str) -> str:
    """Of Meson and Bazel: each argument and each item on a line of its own."""
    if re.search(r"#|'''|\"\"\"", text):
        return text
    return re.sub(r"(?<=[(\[,]) ?(?=[^\s)\]])", "\n    ", text)


def other_quotes(text: str) -> str:
    if '"' in text:
        return text if "'" in text else text.replace('"', "'")
    return text.replace("'", '"')


FORMS: dict[str, tuple[Form, ...]] = {
    "cmake": (
        upper_case_commands,
        mixed_case_commands,
        arguments_on_lines,
        arguments_on_one_line,
        comments_between_arguments,
        blanks_before_parentheses,
        repeated_conditions,
    ),
    "make": (in_braces, immediate, exported, indented, values_on_lines),
    "docker": (
        lower_case_instructions,
        wide_instructions,
        commands_on_lines,
        comments_between_lines,
        run_in_words,
        variables_without_sign,
    ),
    "shell": (words_on_lines, set_by_csh, in_quotes, in_a_function),
    **SETTINGS,
    "calls": (calls_on_lines, other_quotes),
}


def forms_of(name: str, kind: str) -> tuple[Form, ...]:
    """The forms that hold for a file, by its name and its kind."""
    ending = name.rpartition("/")[2].rpartition(".")[2]
    by_ending = {"json": "json", "toml": "toml", "yml": "yaml", "yaml": "yaml"}
    if ending in by_ending:
        return FORMS[by_ending[ending]]
    if kind in ("meson", "bazel") and not name.endswith("rc"):
        return FORMS["calls"]
    if kind == "requirements":
        return FORMS[kind] if ending in ("txt", "in", "pip") and "conan" not in name else ()
    if kind == "shell" and ending not in ("sh", "bash", "slurm", "pbs", "zsh"):
        return ()
    return FORMS.get(kind, ()) if kind in ("cmake", "make", "docker", "shell") else ()
