"""The tree on the left: files, bundles, targets, kernels; filled as nodes are opened."""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.message import Message
from textual.widgets import Tree
from textual.widgets.tree import TreeNode

from hipport.fatbin.binary import Binary
from hipport.tui.keys import TREE
from hipport.tui.opened_files import Library
from hipport.tui.scope import Scope, entry_name, file_name, middle, scope_of
from hipport.tui.view_settings import Settings

_MOST_KERNELS = 1000
_FEW = 4
_ROOM = {True: 17, False: 29}
"""Characters for a file's name in the two widths that the stylesheet gives the tree."""
NARROW = 110
"""Screens with fewer columns get a narrow tree."""


class FileTree(Tree[Scope | None]):
    """Each node's data is the item that it shows; None for a remark."""

    BINDINGS: ClassVar[list[BindingType]] = [*TREE]
    auto_expand = False
    HELP = """\
Files, their bundles, the targets in each bundle, and the kernels for each target. The tabs on the
right show what is selected here. A dimmed target has no code; a red file or bundle is damaged.
`/` searches, n and N go to the next and previous match. Enter opens, then goes to the tabs."""

    class Wanted(Message):
        """The kernels of a target are needed."""

        def __init__(self, scope: Scope) -> None:
            super().__init__()
            self.scope = scope

    class Left(Message):
        """Enter was pressed on the item that is open already."""

    def __init__(self, library: Library, settings: Settings) -> None:
        super().__init__("files", data=Scope(), id="tree")
        self.library, self.settings = library, settings
        self.show_root = False
        self.guide_depth = 2
        self.query_text = ""
        self._pending: list[TreeNode[Scope | None]] = []

    def add_binary(self, binary: Binary) -> None:
        broken = any(binary.all_faults())
        narrow = self.app.size.width < NARROW  # its own size is not known before the first layout
        name = middle(file_name(binary.path), _ROOM[narrow])
        label = Text(name, style="bold red" if broken else "")
        self.root.add(label, data=Scope(binary), allow_expand=bool(binary.bundles))
        self.root.expand()
        if len(self.root.children) == 2:
            self.show_root = True
        if self.show_root:
            self.root.set_label(f"{len(self.root.children)} files")

    def all_added(self) -> None:
        """Open a single file so that its targets are visible, and go to the top."""
        if len(self.root.children) == 1:
            node = self.root.children[0]
            self.fill(node)
            node.expand()
            if len(node.children) <= _FEW:
                for child in node.children:
                    self.fill(child)
                    child.expand()
        self.cursor_line = 0

    def fill(self, node: TreeNode[Scope | None]) -> None:
        """Add the children of a node, once."""
        scope = node.data
        if node.children or scope is None or scope.binary is None:
            return
        if scope.entry is not None:
            self._fill_kernels(node, scope)
        elif scope.bundle is not None:
            for entry in scope.bundle.entries:
                if entry.size or not entry.is_host:
                    label = Text(entry_name(entry), style="" if entry.size else "dim")
                    node.add(label, scope._replace(entry=entry), allow_expand=bool(entry.size))
        else:
            for bundle in scope.binary.bundles:
                inside = scope._replace(bundle=bundle)
                node.add(self._label(inside), inside, allow_expand=bool(bundle.entries))

    def _label(self, scope: Scope) -> Text:
        """A label for a bundle unlike its neighbours': its size and its first kernel."""
        assert scope.bundle is not None
        bundle = scope.bundle
        rows = self.library.rows(scope)
        name = self._bare(rows[0].name) if rows else bundle.format
        size = self.settings.short_size(bundle.size)
        return Text(f"{bundle.index} {size} {name}", style="red" if bundle.faults else "")

    def _bare(self, name: str) -> str:
        """A kernel's name without namespaces and template arguments, which rarely fit."""
        readable = self.settings.short_name(self.library, name)
        return readable.partition("<")[0].rpartition("::")[2] or readable

    def name_bundles(self) -> None:
        """Name the bundles whose kernels have been read meanwhile."""
        for node in (child for file in self.root.children for child in file.children):
            if node.data is not None and node.data.bundle is not None:
                label = self._label(node.data)
                if label != node.label:
                    node.set_label(label)

    def _fill_kernels(self, node: TreeNode[Scope | None], scope: Scope) -> None:
        if not self.library.is_loaded(scope):
            node.add_leaf(Text("reading…", style="dim"), None)
            self._pending.append(node)
            self.post_message(self.Wanted(scope))
            return
        rows = self.library.rows(scope)
        for row in rows[:_MOST_KERNELS]:
            name = self.settings.short_name(self.library, row.name)
            node.add_leaf(Text(name, style="red" if row.spills else ""), scope_of(row))
        left = len(rows) - _MOST_KERNELS
        if left > 0 or not rows:
            text = f"… {left} more in Kernels" if rows else "no kernels"
            node.add_leaf(Text(text, style="dim"), None)

    def fill_pending(self) -> None:
        """Fill the nodes whose kernels have been read meanwhile."""
        self.name_bundles()
        pending, self._pending = self._pending, []
        for node in pending:
            if node.data is not None and self.library.is_loaded(node.data):
                node.remove_children()
                self.fill(node)
            else:
                self._pending.append(node)

    def wanted(self) -> Scope | None:
        """A target that was opened and whose kernels are still to be read."""
        return self._pending[0].data if self._pending else None

    def give_up(self) -> None:
        """Reading was cancelled: opening the node again will start it again."""
        for node in self._pending:
            node.remove_children()
            node.collapse()
        self._pending = []

    def on_tree_node_expanded(self, event: Tree.NodeExpanded[Scope | None]) -> None:
        self.fill(event.node)

    def action_enter(self) -> None:
        node = self.cursor_node
        if node is None:
            return
        if node.allow_expand and not node.is_expanded:
            node.expand()
        else:
            self.post_message(self.Left())

    def action_open(self) -> None:
        node = self.cursor_node
        if node is not None and node.allow_expand and not node.is_expanded:
            node.expand()
        elif node is not None and node.children:
            self.move_cursor(node.children[0])

    def action_out(self) -> None:
        node = self.cursor_node
        if node is None:
            return
        if node.is_expanded and node.allow_expand:
            node.collapse()
        elif node.parent is not None and (self.show_root or node.parent is not self.root):
            self.move_cursor(node.parent)

    def reveal(self, scope: Scope) -> None:
        """Put the cursor on the item selected elsewhere, as far as the tree is filled."""
        node = self.root
        for part in (Scope(*scope[:1]), Scope(*scope[:2]), Scope(*scope[:3]), scope):
            found = next((child for child in node.children if child.data == part), None)
            if found is None:
                break
            node = found
        if node is not self.root:
            self.move_cursor(node)

    def search(self, query: str) -> None:
        self.query_text = query
        node = self.cursor_node
        if query and (node is None or query.lower() not in str(node.label).lower()):
            self.find(1)

    def find(self, step: int) -> bool:
        """Go to the next visible line that holds the text."""
        count, query = self.last_line + 1, self.query_text.lower()
        for distance in range(1, count + 1) if query else ():
            line = (self.cursor_line + step * distance) % count
            node = self.get_node_at_line(line)
            if node is not None and query in str(node.label).lower():
                self.cursor_line = line
                self.scroll_to_line(line, animate=False)
                return True
        return False

    def copy_text(self) -> str:
        node = self.cursor_node
        if node is None or node.data is None:
            return ""
        scope = node.data
        if scope.kernel is not None:
            return self.settings.full_name(self.library, scope.kernel.name)
        if scope.bundle is None and scope.binary is not None:
            return scope.binary.path
        return scope.entry.id if scope.entry is not None else str(node.label)
