"""The browser: tree, tabs, breadcrumb, and the selection."""

from __future__ import annotations

from collections.abc import Callable

from rich.cells import cell_len
from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widgets import ContentSwitcher, Footer, Static, Tab, Tabs, Tree

from hipport.tui.content.matrix import MatrixRow
from hipport.tui.content.strings import Text as FoundText
from hipport.tui.jobs import AllOpened, Finished, Opened, Prepared
from hipport.tui.kernelrows import KernelRow
from hipport.tui.opened_files import Library
from hipport.tui.scope import Scope, file_name, scope_of
from hipport.tui.screens.tasks import Tasks
from hipport.tui.view_settings import Settings
from hipport.tui.widgets.descriptor import Descriptor
from hipport.tui.widgets.disassembly import Disassembly
from hipport.tui.widgets.elf import ElfHeaders
from hipport.tui.widgets.hexview import HexView
from hipport.tui.widgets.kernels import Kernels
from hipport.tui.widgets.matrix import Matrix
from hipport.tui.widgets.metadata import Metadata
from hipport.tui.widgets.overview import Overview
from hipport.tui.widgets.strings import Strings
from hipport.tui.widgets.tableview import TableView
from hipport.tui.widgets.tree import NARROW, FileTree
from hipport.tui.widgets.view import View

VIEWS: tuple[Callable[[], View], ...] = (
    Overview,
    Kernels,
    Matrix,
    Disassembly,
    Metadata,
    Descriptor,
    ElfHeaders,
    HexView,
    Strings,
)


def _titles(views: list[View], *, is_short: bool = False) -> list[str]:
    """The titles of the tabs: the number is the key."""
    return [
        f"{number} {(is_short and view.SHORT_TITLE) or view.TITLE}"
        for number, view in enumerate(views, 1)
    ]


class BrowseScreen(Tasks):
    """`scope` is what is selected; `_history` is where Backspace goes."""

    def __init__(self, library: Library, settings: Settings) -> None:
        super().__init__(library, settings)
        self._history: list[tuple[Scope, str]] = []

    def compose(self) -> ComposeResult:
        views = [make() for make in VIEWS]
        yield Static(id="crumbs", markup=False)
        yield Static(id="changed", markup=False)
        yield Tabs(
            *(
                Tab(title, id=f"tab-{view.id}")
                for view, title in zip(views, _titles(views), strict=True)
            ),
            id="tabs",
        )
        with Horizontal():
            yield FileTree(self.library, self.settings)
            with ContentSwitcher(initial="overview", id="views"):
                yield from views
        yield from self.compose_bottom()
        yield Footer(show_command_palette=False, compact=True)

    def on_mount(self) -> None:
        super().on_mount()
        self.query_one(Tabs).can_focus = False
        self.tree_view.focus()
        self.open_files()

    @property
    def tree_view(self) -> FileTree:
        return self.query_one(FileTree)

    @property
    def view(self) -> View:
        current = self.query_one("#views", ContentSwitcher).current
        return self.query_one(f"#{current}", View)

    # Opening

    @on(Opened)
    def _opened(self, message: Opened) -> None:
        if message.job is self.opening:
            self.tree_view.add_binary(message.binary)

    @on(AllOpened)
    def _all_opened(self, message: AllOpened) -> None:
        if message.job is not self.opening:
            return
        if self.job is self.opening:
            self.job = None
        self.opening = None
        if self.scope == Scope():
            self.tree_view.all_added()
            only = self.library.binaries[0] if len(self.library.binaries) == 1 else None
            self.select(Scope(only))
        for problem in self.library.problems:
            self.notify(problem, severity="error", timeout=10, markup=False)

    # What is selected

    def select(self, scope: Scope) -> None:
        """Show another selection in the current tab."""
        self.scope = scope
        self.query_one("#crumbs", Static).update(self._crumbs())
        self.show_view()

    def _crumbs(self) -> str:
        """File, bundle, target and kernel, as far as they are selected."""
        binary, bundle, entry, kernel = self.scope
        parts = [file_name(binary.path) if binary is not None else "all files"]
        if bundle is not None:
            parts.append(f"bundle {bundle.index}")
        if entry is not None:
            parts.append(self.scope.target or entry.id)
        if kernel is not None:
            parts.append(self.settings.short_name(self.library, kernel.name))
        return " ▸ ".join(parts)

    def show_view(self) -> None:
        """Prepare the current tab for the selection, unless it is what it shows already."""
        view, scope = self.view, self.scope
        wanted = (scope, self.library.generation, self.settings.mangled, self.settings.human)
        if view.shown == wanted:
            self.refresh_note()
            return
        if not isinstance(view.shown, tuple) or view.shown[0] != scope:
            view.cursor = 0
            view.scroll_to(0, 0, animate=False, immediate=True)
        view.shown = None
        self.prepare(view, scope)

    @on(Prepared)
    def _prepared(self, message: Prepared) -> None:
        if message.job in (self.job, self.given_up):
            message.view.present(message.content)
            self.refresh_note()

    @on(Finished)
    def _finished(self, message: Finished) -> None:
        if not self.finish(message):
            return
        self.tree_view.fill_pending()
        self.query_one("#crumbs", Static).update(self._crumbs())
        if message.problem:
            self.tree_view.give_up()
        generation, settings = self.library.generation, self.settings
        message.view.shown = (message.job.scope, generation, settings.mangled, settings.human)
        if message.view is not self.view:  # it was read for the tree
            self.show_view()
        elif (wanted := self.tree_view.wanted()) is not None:
            self.prepare(self.query_one(Kernels), wanted)

    def cancelled(self) -> None:
        super().cancelled()
        self.tree_view.fill_pending()
        self.tree_view.give_up()

    @on(Tree.NodeHighlighted)
    def _highlighted(self, event: Tree.NodeHighlighted[Scope | None]) -> None:
        scope = event.node.data
        if self.tree_view.has_focus and scope is not None and scope != self.scope:
            self._history.clear()
            self.select(scope)

    @on(FileTree.Wanted)
    def _wanted(self, message: FileTree.Wanted) -> None:
        """Read the kernels of a target for the tree, and show them in their tab, too."""
        if self.view.id not in ("overview", "kernels", "matrix") or self.job is None:
            self.prepare(self.query_one(Kernels), message.scope)

    @on(FileTree.Left)
    def _left(self) -> None:
        self.view.focus()

    @on(TableView.Entered)
    def _entered(self, message: TableView.Entered) -> None:
        item = message.item
        if isinstance(item, KernelRow):
            self.enter(scope_of(item), "overview")
        elif isinstance(item, MatrixRow) and item.cells:
            by = message.view.table.sorted_by
            target = message.view.table.columns[by].title if by is not None else ""
            row = item.cells.get(target) or next(iter(item.cells.values()))
            self.enter(scope_of(row), "overview")
        elif isinstance(item, FoundText):
            self._history.append((self.scope, self.view.id or ""))
            view = self.query_one(HexView)
            view.start_at, view.shown = item.offset, None
            self.go_to_tab("hex")

    def enter(self, scope: Scope, tab: str) -> None:
        """Open an item; Backspace returns."""
        self._history.append((self.scope, self.view.id or ""))
        self.scope = scope
        self.go_to_tab(tab)
        self.select(scope)
        self.tree_view.reveal(scope)

    def action_back(self) -> None:
        """Go back to where the last Enter came from, else to the container of the selection."""
        if self._history:
            scope, tab = self._history.pop()
            self.scope = scope
            self.go_to_tab(tab)
            self.select(scope)
        elif self.focused is self.tree_view:
            self.tree_view.action_out()
            return
        elif self.scope.bundle is not None or len(self.library.binaries) > 1:
            self.select(self.scope.parent)
        self.tree_view.reveal(self.scope)

    # Tabs

    def go_to_tab(self, id: str) -> None:
        self.query_one(Tabs).active = f"tab-{id}"
        self._switch(id)

    @on(Tabs.TabActivated)
    def _tab_activated(self, event: Tabs.TabActivated) -> None:
        self._switch((event.tab.id or "").removeprefix("tab-"))

    def _switch(self, id: str) -> None:
        switcher = self.query_one("#views", ContentSwitcher)
        if switcher.current != id:
            in_view = self.focused is not None and self.focused is not self.tree_view
            switcher.current = id
            if in_view:
                self.view.focus()
            if self.opening is None or self.scope != Scope():
                self.show_view()
            self.refresh_bindings()

    def action_show_tab(self, number: int) -> None:
        tabs = list(self.query(Tab))
        if number <= len(tabs):
            self.go_to_tab((tabs[number - 1].id or "").removeprefix("tab-"))
            self.view.focus()

    def action_tab(self, step: int) -> None:
        ids = [(tab.id or "").removeprefix("tab-") for tab in self.query(Tab)]
        self.go_to_tab(ids[(ids.index(self.view.id or "") + step) % len(ids)])

    def action_tree(self) -> None:
        """Hide the tree to use the full width, or show it again."""
        tree = self.tree_view
        tree.display = not tree.display
        (tree if tree.display else self.view).focus()

    def on_resize(self) -> None:
        self.set_class(self.size.width < NARROW, "narrow")
        views = list(self.query(View))
        titles = _titles(views)
        if sum(cell_len(title) + 1 for title in titles) > self.size.width:
            titles = _titles(views, is_short=True)
        for tab, title in zip(self.query(Tab), titles, strict=True):
            tab.label = title

    # Switches

    def action_names(self, mangled: bool) -> None:
        self.settings.mangled = mangled
        self._switched()

    def action_sizes(self, human: bool) -> None:
        self.settings.human = human
        self._switched()

    def _switched(self) -> None:
        self.refresh_bindings()
        self.query_one("#crumbs", Static).update(self._crumbs())
        self.show_view()

    def note(self) -> str:
        """The full name of the kernel under the cursor, else the status of the view."""
        view = self.view
        item = view.current() if isinstance(view, TableView) else None
        name = getattr(item, "name", "")
        if not name:
            return view.note()
        return f"{view.note()} · {self.settings.full_name(self.library, name)}"
