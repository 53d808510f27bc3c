"""What CMake files pass to the compiler for each source: folders, macros, the standard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from hipport.lazy_regex import regex
from hipport.model import Span
from hipport.source.buildfiles.cmake.argument_words import words_of
from hipport.source.languages.cmake_syntax import Argument, Command
from hipport.verification.build_flags import CXX, EVERY, HIP, C, LeftOut, Words, plain
from hipport.verification.cmake_conditions import is_unknown
from hipport.verification.cmake_run import NAME, Folder, Frame, Run
from hipport.verification.compiler_facts import knowledge

_SCOPES = ("PUBLIC", "PRIVATE", "INTERFACE")
_WORDS = frozenset((*_SCOPES, "BEFORE", "AFTER", "SYSTEM"))
_STANDARD = regex(r"(?:CMAKE_)?(C|CXX|CUDA|HIP)_STANDARD")
_FEATURE = regex(r"(c|cxx|cuda|hip)_std_(\d\d)")
_LANGUAGES = regex(r"\$<COMPILE_LANG(?:UAGE|_AND_ID):([\w,]+)>")
_NO_DEFINITION = regex(r"(?:-D)?[^\w$-]")
_PREFIXES = {
    "include_directories": "-I",
    "add_definitions": "",
    "add_compile_definitions": "-D",
    "compile_definitions": "-D",
    "add_compile_options": "",
    "compile_options": "",
    "compile_features": "",
}


class _Settings(msgspec.Struct):
    """What is set for sources; `standards` has the number of each language's."""

    words: list[Words] = msgspec.field(default_factory=list)
    standards: dict[str, str] = msgspec.field(default_factory=dict)


class _Target(msgspec.Struct):
    """`public` also applies to targets that link it."""

    folder: Path
    sources: set[Path] = msgspec.field(default_factory=set)
    own: _Settings = msgspec.field(default_factory=_Settings)
    public: _Settings = msgspec.field(default_factory=_Settings)
    links: list[str] = msgspec.field(default_factory=list)


class CMakeTree:
    """The CMake files of a tree."""

    def __init__(self, files: Iterable[Path]) -> None:
        self.left: dict[LeftOut, None] = {}
        self._targets: dict[str, _Target] = {}
        self._of_folder: dict[Path, _Settings] = {}
        self._run = Run(files, self._see, self._targets.__contains__)
        self._run.follow()
        for folder in self._run.folders.values():
            self._read_variables(folder)

    def words(self, source: Path, language: str) -> list[Words] | None:
        """What is set for a source: by its targets, by what they link, and by its folder and those
        above; of one that no target names, the folders of the targets beside it.

        None for a source with no CMake file in its folder or above.
        """
        folders = self._run.folders
        folder = next((folders[each] for each in source.parents if each in folders), None)
        if folder is None:
            return None
        targets = [each for each in self._targets.values() if source in each.sources]
        settings = [each.own for each in targets]
        settings += [each.public for target in targets for each in self._linked(target)]
        if not targets:
            beside = (each for each in self._targets.values() if each.folder == folder.path)
            settings = [_folders_only(each.own) for each in beside]
        home: Folder | None = folders[targets[0].folder] if targets else folder
        while home:
            settings.append(self._of_folder.get(home.path, _Settings()))
            home = home.above
        found = [words for each in settings for words in each.words if language in words.languages]
        keys = (HIP, CXX) if language == HIP else (language,)
        standards = [
            each.standards[key] for key in keys for each in settings if key in each.standards
        ]
        if standards:
            flag = f"-std={'gnu' if language == C else 'gnu++'}{standards[0]}"
            found.append(Words((flag,), folder.path))
        return found

    def _linked(self, target: _Target) -> Iterator[_Target]:
        """The targets that one links, and those that they link."""
        seen, pending = {id(target)}, list(target.links)
        while pending:
            each = self._targets.get(pending.pop(0).rpartition("::")[2])
            if each and id(each) not in seen:
                seen.add(id(each))
                pending += each.links
                yield each

    def _read_variables(self, folder: Folder) -> None:
        """The variables that CMake makes flags of."""
        settings = self._of_folder.setdefault(folder.path, _Settings())
        frame = Frame(folder, folder.path / NAME, "")
        for name, value in folder.variables.items():
            languages = knowledge()["cmake_flags"].get(name)
            if languages:
                self._set(settings, value.split(), "", frame, 0, frozenset(languages))
            match = _STANDARD.fullmatch(name)
            if match and name.startswith("CMAKE_") and value.isdigit():
                settings.standards[_language(match[1])] = value

    def _see(self, name: str, texts: list[str], command: Command, frame: Frame) -> None:
        """Record what a command sets for targets or folders."""
        folder, at = frame.folder.path, command.span.start
        target = self._targets.get(texts[0])
        if name in knowledge()["cmake_targets"]:
            target = self._targets.setdefault(texts[0], _Target(folder))
        if name in _PREFIXES:
            settings = self._of_folder.setdefault(folder, _Settings())
            self._set(settings, texts, _PREFIXES[name], frame, at)
        elif name in ("set_target_properties", "set_property"):
            self._properties(texts)
        elif target is None:
            return
        elif name == "target_link_libraries":
            target.links += [each for each in texts[1:] if each not in _WORDS]
        elif name.removeprefix("target_") in _PREFIXES:
            self._of_target(target, name.removeprefix("target_"), texts[1:], frame, at)
        else:
            target.sources |= {plain(folder / each) for each in texts[1:]} & self._run.files

    def _of_target(
        self, target: _Target, name: str, texts: list[str], frame: Frame, at: int
    ) -> None:
        scope = _SCOPES[1]
        for text in texts:
            scope = text if text in _SCOPES else scope
            for settings in (target.own, target.public):
                if scope != _SCOPES[2 if settings is target.own else 1]:
                    feature = _FEATURE.fullmatch(text)
                    if feature and name == "compile_features":
                        # An older standard asks for no more than the compiler's default.
                        if f"gnu++{feature[2]}" > knowledge()["standard"] and feature[2] < "90":
                            settings.standards[_language(feature[1].upper())] = feature[2]
                    elif name != "compile_features":
                        self._set(settings, [text], _PREFIXES[name], frame, at)

    def _properties(self, texts: list[str]) -> None:
        """Standards among the properties of targets."""
        at = next((n for n, text in enumerate(texts) if text in ("PROPERTY", "PROPERTIES")), 0)
        for key, value in zip(texts[at + 1 :: 2], texts[at + 2 :: 2], strict=False):
            match = _STANDARD.fullmatch(key)
            for name in texts[:at]:
                if match and value.isdigit() and name in self._targets:
                    self._targets[name].own.standards[_language(match[1])] = value

    def _set(
        self,
        settings: _Settings,
        texts: Iterable[str],
        prefix: str,
        frame: Frame,
        at: int,
        languages: frozenset[str] = EVERY,
    ) -> None:
        """Add words; what they refer to must be known, and that they count. A folder does no harm
        where it does not count."""
        for text in texts:
            if text in _WORDS:
                continue
            whole = Argument(text, Span(0, len(text)), Span(0, len(text)), "")
            parsed = words_of(text, [(0, whole)])
            # Blanks and lists in a definition's value look like several words here.
            is_split = prefix == "-D" and (
                text.count("$<") != text.count(">")
                or any(_NO_DEFINITION.match(each.text) for each in parsed.words)
            )
            for word in parsed.words:
                meant = [_meant(each) for each in parsed.conditions(word.scope)]
                plain_ = word.text if word.text.startswith(prefix) else prefix + word.text
                is_known = not (is_split or is_unknown(word.text) or "$<" in word.text)
                is_sure = frame.is_sure and None not in meant
                if is_known and (is_sure or plain_.startswith("-I")):
                    of = languages.intersection(*(each for each in meant if each is not None))
                    settings.words.append(Words((plain_,), frame.folder.path, of))
                elif frozenset() not in meant and _matters(plain_):
                    line = frame.text.count("\n", 0, at) + 1
                    self.left[LeftOut(frame.file, line, plain_)] = None


def _matters(word: str) -> bool:
    return is_unknown(word) or word.startswith(tuple(knowledge()["flags"]))


def _meant(condition: str) -> frozenset[str] | None:
    """The languages for which a generator expression's condition holds; None if it is not known."""
    if condition in ("BUILD_INTERFACE", "1"):
        return EVERY
    if condition in ("INSTALL_INTERFACE", "0"):
        return frozenset()
    match = _LANGUAGES.fullmatch(condition)
    return frozenset(map(_language, match[1].split(","))) if match else None


def _language(name: str) -> str:
    """A conversion turns the language CUDA into HIP."""
    return HIP if name == "CUDA" else name


def _folders_only(settings: _Settings) -> _Settings:
    return _Settings([each for each in settings.words if each.words[0].startswith("-I")])
