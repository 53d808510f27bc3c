"""Every key does what the footer says, over real files."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.binding import Binding

from hipport.tui.keys import EVERY
from hipport.tui.scope import Scope
from hipport.tui.screens.compare import CompareScreen
from hipport.tui.screens.help import Help
from hipport.tui.screens.pick import Pick
from hipport.tui.screens.prompt import Prompt
from hipport.tui.widgets.hexview import HexView
from hipport.tui.widgets.kernels import Kernels
from hipport.tui.widgets.lineview import LineView
from hipport.tui.widgets.tableview import TableView
from hipport.tui.widgets.tree import FileTree
from tests.support.browser_driving import PLAIN, ROW, Browser, drive


def test_every_binding_has_an_id_of_its_own_a_word_and_a_sentence() -> None:
    ids = [binding.id for binding in EVERY]
    assert len(set(ids)) == len(ids) and all(ids)
    for binding in EVERY:
        assert isinstance(binding, Binding)
        assert binding.description and binding.tooltip and binding.key


def test_arrows_and_letters_move_in_a_table() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2")
        view = browser.screen.view
        assert isinstance(view, Kernels)
        seen = []
        for key in ("down", "j", "up", "k", "G", "g", "end", "home", "pagedown", "pageup"):
            await browser.press(key)
            seen.append(view.cursor)
        assert seen == [1, 2, 1, 0, 5, 0, 5, 0, 5, 0]
        for key in ("ctrl+f", "ctrl+b", "ctrl+d", "ctrl+u"):
            await browser.press(key)
            seen.append(view.cursor)
        assert seen[10:] == [5, 0, 5, 0]

    drive(PLAIN, to=look)


def test_columns_scroll_sideways_and_the_name_stays() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2")
        assert "sspill" not in browser.text()
        await browser.press("l", "right", "l", "right", "l", "right")
        text = browser.text()
        assert "sspill" in text and "│scale" in text and "│kernel" in text
        for key in ("left",) * 6:
            await browser.press(key)
        assert browser.screen.view.scroll_offset.x == 0

    drive(PLAIN, to=look, size=(80, 24))


@pytest.mark.slow
def test_the_tree_opens_and_closes_with_hjkl_and_arrows() -> None:
    async def look(browser: Browser) -> None:
        tree = browser.screen.tree_view

        def label() -> str:
            assert tree.cursor_node is not None
            return str(tree.cursor_node.label)

        seen = [label()]
        for key in ("l", "j", "l", "l", "k", "down", "h", "left", "h", "left", "G", "g", "right"):
            await browser.press(key)
            seen.append(label())
        assert seen == [
            "libplain.so",
            "0 19.7K scale",
            "gfx1100",
            "gfx1100",
            "scale",
            "gfx1100",
            "scale",
            "gfx1100",
            "gfx1100",
            "0 19.7K scale",
            "0 19.7K scale",
            "0 19.7K scale",
            "libplain.so",
            "0 19.7K scale",
        ]

    drive(PLAIN, to=look)


def test_enter_goes_in_and_backspace_out_with_a_breadcrumb() -> None:
    async def look(browser: Browser) -> None:
        crumbs = []
        await browser.press("2", "down", "down", "enter")
        crumbs.append(browser.lines()[0])
        assert "void add<double>(double*, double const*, double const*)" in browser.text()
        await browser.press("backspace")
        crumbs.append(browser.lines()[0])
        assert browser.screen.view.id == "kernels" and browser.screen.view.cursor == 2
        assert [crumb.strip() for crumb in crumbs] == [
            "libplain.so ▸ bundle 0 ▸ gfx1100 ▸ add<double>",
            "libplain.so",
        ]

    drive(PLAIN, to=look)


def test_enter_in_the_tree_opens_it_then_goes_to_the_tabs() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("down", "down", "enter")
        node = browser.screen.tree_view.cursor_node
        assert node is not None and node.is_expanded
        assert [str(child.label) for child in node.children] == ["scale", "add<int>", "add<double>"]
        await browser.press("enter")
        assert browser.app.focused is browser.screen.view

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_kernels_are_read_for_the_tree_whatever_the_tab() -> None:
    async def look(browser: Browser) -> None:
        await browser.press(
            "8", "tab", "down", "down", "right", "down", "down", "down", "down", "right"
        )
        tree = browser.screen.tree_view
        assert [str(node.label) for node in tree.root.children[0].children[0].children] == [
            "gfx1100",
            "gfx90a",
        ]
        for node in tree.root.children[0].children[0].children:
            assert [str(child.label) for child in node.children] == [
                "scale",
                "add<int>",
                "add<double>",
            ]
        assert "gfx90a" in browser.lines()[0] and "00000000  7f 45 4c 46" in browser.text()

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_filter_as_you_type_keep_clear() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2", "slash")
        view = browser.screen.view
        assert isinstance(view, TableView)
        seen = []
        for character in "ADD gfx90a":
            await browser.type(character)
            seen.append(len(view.table))
        assert seen == [6, 4, 4, 4, 4, 4, 4, 2, 2, 2]
        assert "2 of 6 rows" in browser.text()
        assert "esc Clear" in browser.footer()
        await browser.press("enter")
        assert browser.app.focused is view and len(view.table) == 2
        cursors = []
        for key in ("n", "n", "N"):
            await browser.press(key)
            cursors.append(view.cursor)
        assert cursors == [1, 0, 1]
        await browser.press("escape")
        assert len(view.table) == 6 and "esc Clear" not in browser.footer()

    drive(PLAIN, to=look)


def test_escape_in_the_filter_line_clears_and_closes_it() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2", "slash", "x", "y", "z")
        view = browser.screen.view
        assert view.line_count() == 0
        await browser.press("escape")
        assert view.line_count() == 6 and browser.app.focused is view

    drive(PLAIN, to=look)


def test_a_filter_finds_mangled_and_demangled_names() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2", "slash")
        for query in ("int const*", "_z3addii"):
            await browser.type(query)
            assert browser.screen.view.line_count() == 2, query
            await browser.erase(len(query))

    drive(PLAIN, to=look)


def test_search_in_lines_lights_and_goes_round() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("7", "slash")
        await browser.type("dyn")
        await browser.press("enter")
        view = browser.screen.view
        places = [view.cursor]
        for key in ("n", "N", "N"):
            await browser.press(key)
            places.append(view.cursor)
        assert places[0] == places[2] and len(set(places)) >= 2
        assert view.matches(view.cursor)
        await browser.press("slash")
        await browser.erase(3)
        await browser.type("nowhere")
        await browser.press("enter", "n")
        assert "'nowhere' is nowhere here" in browser.notices()

    drive(PLAIN, to=look)


def test_search_in_the_tree() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("slash")
        await browser.type("90a")
        await browser.press("enter")
        tree = browser.screen.tree_view
        assert tree.cursor_node is not None and str(tree.cursor_node.label) == "gfx90a"
        assert browser.app.focused is tree

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_s_sorts_by_each_column_and_capital_s_turns_round() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2")
        view = browser.screen.view
        assert isinstance(view, TableView)
        titles = [column.title for column in view.table.columns]
        for title in titles:
            await browser.press("s")
            assert view.table.sorted_by == titles.index(title)
        await browser.press("s")
        assert view.table.sorted_by is None
        await browser.press("s", "s", "s")
        assert [view.table.item(row).vgpr for row in range(6)] == [7, 6, 5, 4, 2, 2]
        await browser.press("S")
        assert [view.table.item(row).vgpr for row in range(6)] == [2, 2, 4, 5, 6, 7]

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_a_click_on_a_heading_sorts() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2")
        view = browser.screen.view
        assert isinstance(view, TableView)
        await browser.pilot.click(view, offset=(1, 0))
        names = [view.table.item(row).name for row in range(6)]
        assert names == sorted(names, key=lambda name: ("scale" in name, "Id" not in name))
        await browser.pilot.click(view, offset=(3, 4))
        assert view.cursor == 3
        await browser.pilot.click(view, offset=(3, 4), times=2)
        await browser.settle()
        assert browser.screen.scope.kernel is not None

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_m_shows_mangled_names_and_its_word_follows() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2")
        assert "add<int>" in browser.text() and "m Mangled" in browser.footer()
        await browser.press("m")
        assert "_Z3addIiEvPT_PKS0_S3_" in browser.text() and "m Demangled" in browser.footer()
        await browser.press("m")
        assert "add<int>" in browser.text() and "m Mangled" in browser.footer()

    drive(PLAIN, to=look)


def test_h_switches_sizes_and_its_word_follows() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("tab")
        assert "28.0 KiB" in browser.text() and "h Bytes" in browser.footer()
        await browser.press("h")
        assert "28640" in browser.text() and "h KiB" in browser.footer()
        await browser.press("shift+tab", "H")
        assert "28.0 KiB" in browser.text()

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_y_copies_the_whole_name() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("2", "down", "y")
        assert browser.app.clipboard == "add<int>"
        await browser.press("m", "y")
        assert browser.app.clipboard == "_Z3addIiEvPT_PKS0_S3_"
        await browser.press("shift+tab", "down", "down", "y")
        assert browser.app.clipboard == "hipv4-amdgcn-amd-amdhsa--gfx1100"

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_numbers_and_brackets_change_the_tab() -> None:
    names = "overview kernels matrix disassembly metadata descriptor elf hex strings".split()

    async def look(browser: Browser) -> None:
        for number, name in enumerate(names, 1):
            await browser.press(str(number))
            assert browser.screen.view.id == name
        await browser.press("right_square_bracket")
        assert browser.screen.view.id == "overview"
        await browser.press("left_square_bracket")
        assert browser.screen.view.id == "strings"

    drive(PLAIN, to=look)


def test_t_hides_the_tree() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("t")
        assert not browser.screen.tree_view.display
        assert isinstance(browser.app.focused, LineView)
        await browser.press("t")
        assert isinstance(browser.app.focused, FileTree)

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_f1_and_question_mark_give_help_for_what_is_in_focus() -> None:
    async def look(browser: Browser) -> None:
        for key in ("f1", "question_mark"):
            await browser.press(key)
            assert isinstance(browser.app.screen, Help)
            assert "Files, their bundles, the targets" in browser.text()
            await browser.press("j", "k", "escape")
        await browser.press("8", "f1")
        assert "[hex.field]" in browser.text() and "bytes of the selected file" in browser.text()
        await browser.press("q")
        assert browser.app.screen is browser.screen

    drive(PLAIN, to=look, size=(100, 40))


def test_the_palette_opens() -> None:
    async def look(browser: Browser) -> None:
        await browser.pilot.press("ctrl+p")
        await browser.pilot.pause()
        assert "Theme" in browser.text()

    drive(PLAIN, to=look)


def test_q_leaves() -> None:
    async def look(browser: Browser) -> None:
        await browser.pilot.press("q")
        await browser.pilot.pause()
        assert browser.app._exit

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_the_hex_cursor_names_the_field_under_it() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("8")
        view = browser.screen.view
        assert isinstance(view, HexView)
        notes = [view.note()]
        for key in ("l", "right", "h", "left", "f", "f", "F", "j", "k", "G", "g"):
            await browser.press(key)
            notes.append(view.note())
        assert [note.split(" · ")[0] for note in notes] == (
            "0x0 0x1 0x2 0x1 0x0 0x4 0x5 0x4 0x14 0x4 0x6fdf 0x0".split()
        )
        assert "ELF header: magic = 4 bytes" in notes[0]
        assert "ELF header: class = 2" in notes[5]
        assert "ELF header: version = 1" in notes[8]

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_the_hex_view_finds_text_and_bytes() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("8", "slash")
        await browser.type("__hip")
        await browser.press("enter")
        view = browser.screen.view
        assert isinstance(view, HexView)
        found = view.byte
        assert PLAIN.read_bytes().find(b"__hip") == found
        await browser.press("n")
        assert view.byte == PLAIN.read_bytes().find(b"__hip", found + 1)
        await browser.press("N")
        assert view.byte == found
        await browser.press("slash")
        await browser.erase(5)
        await browser.type("5f5f434c")
        await browser.press("enter")
        assert view.byte == PLAIN.read_bytes().find(b"__CL", found)

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_enter_on_a_string_goes_to_its_bytes() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("9", "slash")
        await browser.type("__hipRegisterVar")
        await browser.press("enter", "enter")
        view = browser.screen.view
        assert isinstance(view, HexView)
        assert view.byte == PLAIN.read_bytes().find(b"__hipRegisterVar")
        await browser.press("backspace")
        assert browser.screen.view.id == "strings"

    drive(PLAIN, to=look)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("keys", "names"),
    [
        (["down", "down", "x"], ["libplain.so.0.gfx1100.co"]),
        (["2", "G", "x"], ["libplain.so.0.gfx90a.co"]),
        (["X"], ["libplain.so.0.gfx1100.co", "libplain.so.0.gfx90a.co"]),
    ],
)
def test_extraction_writes_the_code_objects(
    keys: list[str], names: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    async def look(browser: Browser) -> None:
        await browser.press(*keys)
        assert isinstance(browser.app.screen, Prompt)
        await browser.press("enter")
        (bundle,) = browser.screen.library.binaries[0].bundles
        expected = {
            f"libplain.so.0.{entry.target}.co": bytes(entry.source().view(0, entry.size))
            for entry in bundle.device_entries
        }
        written = {path.name: path.read_bytes() for path in Path("extracted").iterdir()}
        assert sorted(written) == names
        assert all(expected[name] == data for name, data in written.items())
        size = sum(map(len, written.values()))
        files = "1 file" if len(names) == 1 else "2 files"
        assert f"wrote {files}, {size} bytes, to extracted" in browser.notices()

    drive(PLAIN, to=look)


def test_extraction_can_be_left_and_its_folder_chosen(tmp_path: Path) -> None:
    async def look(browser: Browser) -> None:
        await browser.press("X", "escape")
        assert browser.app.screen is browser.screen
        await browser.press("x")
        assert "choose a target or a kernel first; X takes everything" in browser.notices()
        await browser.press("X")
        await browser.erase(9)
        blocked = tmp_path / "file"
        blocked.write_text("x")
        await browser.type(str(blocked))
        await browser.press("enter")
        assert any("after 0 files" in notice for notice in browser.notices())

    drive(PLAIN, to=look)


@pytest.mark.slow
def test_d_compares_targets_and_files() -> None:
    async def look(browser: Browser) -> None:
        await browser.press("d")
        assert isinstance(browser.app.screen, Pick)
        await browser.press("escape")
        await browser.press("d", "j", "k", "enter")
        screen = browser.app.screen
        assert isinstance(screen, CompareScreen)
        assert screen.left == Scope(browser.screen.library.binaries[0])
        assert "libplain.so  →  row.hipfb" in browser.text()
        assert "6 rows · " not in browser.text() and "only left" in browser.text()
        await browser.press("slash")
        await browser.type("only right")
        assert "esc Clear" in browser.footer()
        rows = screen.view.line_count()
        assert 0 < rows < len(screen.view.table.items)
        await browser.press("enter", "m", "h", "s", "y", "escape")
        assert screen.view.line_count() == len(screen.view.table.items)
        await browser.press("escape")
        assert browser.app.screen is browser.screen
        await browser.press("d", "enter", "backspace")
        assert browser.app.screen is browser.screen

    async def alone(browser: Browser) -> None:
        await browser.press("d")
        assert "choose a target, or open a second file to compare with" in browser.notices()

    drive(PLAIN, ROW, to=_on_first_file(look))
    drive(PLAIN, to=alone)


def _on_first_file(look):  # type: ignore[no-untyped-def]
    async def first(browser: Browser) -> None:
        await browser.press("down")
        await look(browser)

    return first


def test_r_reads_the_files_again() -> None:
    async def look(browser: Browser) -> None:
        before = browser.screen
        await browser.press("2", "r")
        assert browser.screen is not before and browser.screen.view.id == "overview"
        assert "libplain.so" in browser.text()

    drive(PLAIN, to=look)


def test_e_needs_a_disassembly_in_sight() -> None:
    async def look(browser: Browser) -> None:
        assert "e Edit" not in browser.footer()
        await browser.press("e")
        assert browser.notices() == []

    drive(PLAIN, to=look)
