"""The browser's other tasks: open, watch, extract, compare, edit."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

from textual import on, work
from textual.app import SuspendNotSupported
from textual.widgets import Static

from hipport.errors import HipportError
from hipport.fatbin.writing.extraction import Extracted, Extractor
from hipport.fatbin.writing.safe_files import safe_name
from hipport.tui.content import compare
from hipport.tui.jobs import AllOpened, Ended, Job, Opened
from hipport.tui.kernelrows import part
from hipport.tui.keys import editor
from hipport.tui.ondisk import reason
from hipport.tui.opened_files import Library
from hipport.tui.scope import Scope, file_name
from hipport.tui.screens.base import Base
from hipport.tui.screens.compare import CompareScreen
from hipport.tui.screens.pick import Pick
from hipport.tui.screens.prompt import Prompt
from hipport.tui.spans import count
from hipport.tui.view_settings import Settings
from hipport.tui.widgets.disassembly import Disassembly
from hipport.tui.widgets.tableview import TableView

_WATCH = 1.0
FOLDER = "extracted"


class Tasks(Base):
    """`opening` is the job that opens the files; None once it is done."""

    def __init__(self, library: Library, settings: Settings) -> None:
        super().__init__(library, settings)
        self.scope = Scope()
        self.opening: Job | None = None

    def on_mount(self) -> None:
        super().on_mount()
        self.set_interval(_WATCH, self.watch_files)

    def select(self, scope: Scope) -> None:
        raise NotImplementedError

    # Opening and watching

    def open_files(self) -> None:
        self.opening = self.job = Job("opening")
        self._open(self.opening)

    @work(thread=True, exit_on_error=False)
    def _open(self, job: Job) -> None:
        try:
            for binary in self.library.open(job):
                self.post_message(Opened(job, binary))
        except Exception as error:
            self.library.problems.append(reason(error))
        self.post_message(AllOpened(job))

    def give_up_job(self) -> None:
        """Open the remaining files while the user looks at the first ones."""
        if self.job is not self.opening:
            super().give_up_job()

    def watch_files(self) -> None:
        """Warn if a file has changed since it was opened."""
        changed = self.library.changed()
        line = self.query_one("#changed", Static)
        line.display = bool(changed)
        if changed:
            path, what = next(iter(changed.items()))
            more = f" (and {len(changed) - 1} more)" if len(changed) > 1 else ""
            line.update(
                f"{file_name(path)} {what} since it was opened{more}; press r to read it again"
            )

    def action_reload(self) -> None:
        """Read everything again from the files."""
        for job in (self.job, self.opening):
            if job is not None:
                job.cancelled = True
        self.app.reopen()  # type: ignore[attr-defined]

    # Extracting

    def action_extract(self) -> None:
        scope = self._current_scope()
        if scope.entry is None:
            self.notify("choose a target or a kernel first; X takes everything", timeout=3)
            return
        self._ask_folder(scope, f"Extract {scope.target} of {self._file(scope)} to the folder")

    def action_extract_all(self) -> None:
        scope = self.scope._replace(entry=None, kernel=None)
        what = self._file(scope) if scope.binary is not None else "all files"
        if scope.bundle is not None:
            what = f"bundle {scope.bundle.index} of {what}"
        self._ask_folder(scope, f"Extract every code object of {what} to the folder")

    def _file(self, scope: Scope) -> str:
        return file_name(scope.binary.path) if scope.binary is not None else ""

    def _current_scope(self) -> Scope:
        """The kernel under the cursor of a table of kernels, else the selection."""
        view = self.view
        item = view.current() if isinstance(view, TableView) and view.has_focus else None
        entry = getattr(item, "entry", None)
        if item is None or entry is None:
            return self.scope
        return Scope(item.binary, entry.bundle, entry)

    def _ask_folder(self, scope: Scope, question: str) -> None:
        def answered(folder: str | None) -> None:
            if folder:
                self.notify("extracting…", timeout=2)
                self._extract(scope, Path(folder).expanduser(), Job("extracting"))

        self.app.push_screen(Prompt(question, FOLDER), answered)

    @work(thread=True, exit_on_error=False)
    def _extract(self, scope: Scope, folder: Path, job: Job) -> None:
        written: list[Extracted] = []
        try:
            extractor = Extractor(folder)
            for binary, bundle in self.library.bundles(scope):
                written += extractor.extract(
                    part(binary, bundle), lambda e: scope.entry is None or e is scope.entry
                )
            size = sum(item.size for item in written)
            text = f"wrote {count(len(written), 'file')}, {size} bytes, to {folder}"
            self.post_message(Ended(job, text, not written))
        except (HipportError, OSError) as error:
            self.post_message(
                Ended(job, f"stopped after {count(len(written), 'file')}: {error}", True)
            )

    @on(Ended)
    def _ended(self, message: Ended) -> None:
        if message.failed:
            self.notify(message.text, severity="error", timeout=10, markup=False)
        else:
            self.notify(message.text, timeout=6, markup=False)

    # Comparing

    def action_compare(self) -> None:
        """Compare with another target if one is selected, else with another file."""
        scope = self.scope._replace(kernel=None)
        if scope.entry is None:
            scope = Scope(scope.binary)
        choices = compare.candidates(self.library, scope) if scope.binary is not None else []
        if not choices:
            self.notify("choose a target, or open a second file to compare with", timeout=3)
            return

        def picked(index: int | None) -> None:
            if index is not None:
                screen = CompareScreen(self.library, self.settings, scope, choices[index])
                self.app.push_screen(screen)

        question = f"Compare {compare.title(scope)} with"
        self.app.push_screen(Pick(question, [compare.title(c) for c in choices]), picked)

    # Editing

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Editing needs a visible disassembly."""
        if action == "edit" and self.is_mounted:
            return isinstance(self.view, Disassembly) and bool(self.view.text)
        return super().check_action(action, parameters)

    def action_edit(self) -> None:
        """Open the disassembly in the user's editor, as a temporary file."""
        view, command = self.query_one(Disassembly), editor()
        kernel = self.scope.kernel
        if not command:
            self.notify("set EDITOR to your editor", severity="warning", timeout=4)
            return
        if kernel is None:
            return
        with tempfile.TemporaryDirectory(prefix="hipport-") as folder:
            path = Path(folder) / f"{safe_name(kernel.name)}.{safe_name(kernel.target)}.s"
            path.write_text(view.text + "\n", "utf-8")
            try:
                with self.app.suspend():
                    code = subprocess.run([*command, str(path)], check=False).returncode
                if code:
                    self.notify(f"{command[0]} ended with exit code {code}", severity="warning")
            except SuspendNotSupported:
                self.notify("this terminal cannot run an editor", severity="error")
            except OSError as error:
                self.notify(f"{command[0]}: {error.strerror}", severity="error", markup=False)
        self.app.refresh()
