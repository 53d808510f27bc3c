"""What the views show, worked out without a terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from hipport.fatbin.byte_source import MemorySource
from hipport.fatbin.limits import Limits
from hipport.runs.trace import Sources, read_sources
from hipport.tui.byte_counts import short_size, size
from hipport.tui.content.compare import pair
from hipport.tui.content.descriptor import descriptor_lines
from hipport.tui.content.hexfields import Bytes, Known, field_at, value_of, without_overlaps
from hipport.tui.content.kernel import kernel_lines
from hipport.tui.content.kernels import kernel_table
from hipport.tui.content.listing import listing
from hipport.tui.content.matrix import matrix, targets
from hipport.tui.content.overview import describe
from hipport.tui.content.strings import Text, strings
from hipport.tui.facts import descriptor_bits, elf_names, instructions, layouts
from hipport.tui.jobs import Job
from hipport.tui.kernelrows import KernelRow
from hipport.tui.names import shorten
from hipport.tui.opened_files import Library
from hipport.tui.scope import Scope, middle
from hipport.tui.spans import Span, bar, line, plain
from hipport.tui.table import Column, Table
from hipport.tui.view_settings import Settings
from tests.support.browser_driving import PLAIN
from tests.support.folders import FIXTURES
from tests.support.tracing import built


def opened(*paths: object, sources: Sources | None = None) -> Library:
    library = Library(tuple(map(str, paths)), Limits(), sources)
    list(library.open(Job("opening")))
    for _ in library.load(Scope(), Job("reading")):
        pass
    return library


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("scale", "scale"),
        ("void add<int>(int*, int const*)", "add<int>"),
        ("jax::hip::(anonymous namespace)::ThreeFry(int const*, int)", "jax::hip::ThreeFry"),
        ("(anonymous namespace)::copy(int const*, int)", "copy"),
        ("void a::b::c<std::complex<double> >(long)", "a::b::c<std::complex<double> >"),
        (
            "void rocprim::detail::kernel<rocprim::config<256, 4, 16, 2>, int>(int*)",
            "rocprim::…::kernel<rocprim::config<…>, int>",
        ),
        ("Foo::operator()(int)", "Foo::operator()"),
        ("void foo() [clone .kd]", "foo"),
        ("void ns::g<(ns::E)3>(int) const", "ns::g<(ns::E)3>"),
        ("unbalanced<(", "unbalanced<("),
        ("", ""),
        ("a<b->c>()", "a<b->c>"),
    ],
)
def test_short_names(name: str, short: str) -> None:
    assert shorten(name) == short


def test_a_monstrous_name_is_cut() -> None:
    assert len(shorten("x" * 100_000)) == (1 << 14) + 1


@pytest.mark.parametrize(
    ("count", "long", "short"),
    [
        (0, "0", "0"),
        (1023, "1023", "1023"),
        (1536, "1.5 KiB", "1.5K"),
        (1 << 40, "1024 GiB", "1024G"),
    ],
)
def test_sizes(count: int, long: str, short: str) -> None:
    assert (size(count, True), short_size(count, True)) == (long, short)
    assert size(count, False) == str(count)


def test_lines_escape_control_characters() -> None:
    assert plain(line("a\x1b[31m", ("b\n", "bad"))) == "a\\x1b[31mb\\n"


@pytest.mark.parametrize(("part", "text"), [(0, "░░░░"), (0.5, "██░░"), (1, "████"), (7, "████")])
def test_bars(part: float, text: str) -> None:
    assert bar(part, 4) == text


def test_the_middle_of_a_name_is_left_out() -> None:
    assert middle("libbitsandbytes_rocm72.so", 13) == "libbit…m72.so"
    assert middle("short", 13) == "short"


def number_table() -> Table[int]:
    columns: list[Column[int]] = [
        Column("text", 4, lambda n: Span(f"{n:03}"), lambda n: f"{n:03}", False, False),
        Column("number", 4, lambda n: Span(str(n)), lambda n: n),
    ]
    items = [5, 1, 300, 42, 305]
    return Table(columns, items, [f"n{n:03}" for n in items])


def test_a_table_sorts_numbers_from_the_largest_and_text_from_a() -> None:
    table = number_table()
    table.sort(1)
    assert [table.item(row) for row in range(5)] == [305, 300, 42, 5, 1]
    table.sort(1, reverse=True)
    assert [table.item(row) for row in range(5)] == [1, 5, 42, 300, 305]
    table.sort(0)
    assert [table.item(row) for row in range(5)] == [1, 5, 42, 300, 305]
    table.sort(None, reverse=True)
    assert [table.item(row) for row in range(5)] == [305, 42, 300, 1, 5]


def test_a_filter_wants_every_word_and_keeps_the_order() -> None:
    table = number_table()
    table.sort(1)
    for query, items in (
        ("n30", [305, 300]),
        ("n30 5", [305]),
        ("5", [305, 5]),
        ("", [305, 300, 42, 5, 1]),
        ("N04", [42]),
        ("x", []),
    ):
        table.filter(query)
        assert [table.item(row) for row in range(len(table))] == items, query
    table.filter("5")
    table.sort(1, reverse=True)
    assert [table.item(row) for row in range(len(table))] == [5, 305]
    assert table.row_of(305) == 1 and table.row_of(42) is None


def test_sorting_goes_through_the_columns_and_back_to_the_file() -> None:
    table = number_table()
    seen = []
    for _ in range(3):
        table.sort_next()
        seen.append(table.sorted_by)
    assert seen == [0, 1, None]


def test_the_matrix_has_every_kernel_and_what_is_registered_only() -> None:
    library = opened(PLAIN)
    (binary,) = library.binaries
    rows = matrix(library, Scope())
    assert list(targets(library, Scope())) == ["gfx1100", "gfx90a"]
    assert [(row.name, {t: k.vgpr for t, k in row.cells.items()}) for row in rows] == [
        ("scale", {"gfx1100": 2, "gfx90a": 2}),
        ("_Z3addIiEvPT_PKS0_S3_", {"gfx1100": 4, "gfx90a": 5}),
        ("_Z3addIdEvPT_PKS0_S3_", {"gfx1100": 6, "gfx90a": 7}),
    ]
    library._rows[binary.bundles[0]] = []
    assert [(row.name, row.cells) for row in matrix(library, Scope())] == [
        (name, {}) for name in sorted(row.name for row in rows)
    ]


def row(name: str, vgpr: int = 1, **values: int) -> KernelRow:
    library = opened(PLAIN)
    like = library.rows(Scope())[0]
    return like._replace(name=name, vgpr=vgpr, **values)


def test_pairs_tell_what_happened_changes_first() -> None:
    same, before, after = row("same"), row("more", 4), row("more", 8)
    pairs = pair([same, before, row("old")], [same, after, row("new")], by_target=False)
    assert [(each.name, each.what) for each in pairs] == [
        ("new", "only right"),
        ("old", "only left"),
        ("more", "changed"),
        ("same", "same"),
    ]


SAMPLE = """\
\ts_load_dword s3, s[4:5], 0x20                              // 000000046C04: F40000C2 FA000020
\ts_waitcnt lgkmcnt(0)                                       // 000000046C20: BF8CC07F
\tv_mfma_f32_32x32x8f16 a[0:15], v[0:1], v[2:3], 0           // 000000046C24: D3CD0000
\tscratch_store_dword off, v1, s32                           // 000000046C2C: DC714000
\tv_writelane_b32 v40, s30, 0                                // 000000046C34: D28A0028
\tbuffer_store_dword v1, off, s[0:3], 0 offset:4             // 000000046C3C: E0700004
\ts_cbranch_execnz 65517                                     // 000000046CB0: BF88FFED
\tglobal_load_dword v6, v[1:2], off                          // 000000046C68: DC488000
\tds_read_b32 v1, v2                                         // 000000046C70: D86C0000
\tmystery_op                                                 // 000000046C78: 00000000
"""


def test_the_listing_marks_spills_scratch_waits_and_matrix_instructions() -> None:
    lines = listing(SAMPLE, "a disassembler", row("k", scratch=16, sspill=2))
    start = next(i for i, each in enumerate(lines) if not each) + 1
    marked = [
        (plain(each)[:2].strip(), each[2].text.strip(), each[2].kind) for each in lines[start:]
    ]
    assert marked == [
        ("", "s_load_dword", "good"),
        ("~", "s_waitcnt", "warn"),
        ("*", "v_mfma_f32_32x32x8f16", "accent"),
        ("!", "scratch_store_dword", "bad"),
        ("!", "v_writelane_b32", "bad"),
        ("!", "buffer_store_dword", "bad"),
        ("", "s_cbranch_execnz", "label"),
        ("", "global_load_dword", "good"),
        ("", "ds_read_b32", "good"),
        ("", "mystery_op", "dim"),
    ]
    assert plain(lines[start + 6]).endswith("65517  → 46c68")
    assert plain(lines[0]) == "10 instructions, read by a disassembler"
    assert f"{'  scratch':<24} █████{'░' * 19}      2  20 %" in map(plain, lines)


def test_without_spills_lane_writes_and_buffers_are_no_spills() -> None:
    lines = listing(SAMPLE, "a disassembler", row("k", scratch=0, sspill=0))
    kinds = {each[2].text.strip(): each[2].kind for each in lines if len(each) > 3}
    assert kinds["v_writelane_b32"] == "" and kinds["buffer_store_dword"] == "good"


def test_descriptor_bits_in_words() -> None:
    data = bytearray(64)
    data[48:52] = (2 | 3 << 12 | 3 << 18 | 1 << 29).to_bytes(4, "little")
    data[52:56] = (1 | 6 << 1 | 1 << 7 | 2 << 11).to_bytes(4, "little")
    text = "\n".join(map(plain, descriptor_lines(bytes(data), "gfx1030")))
    for expected in (
        "      2  granulated_workitem_vgpr_count  blocks of VGPRs, minus one",
        "      3  float_round_mode_32  towards zero",
        "      3  float_denorm_mode_16_64  keep denormals",
        "      1  wgp_mode  a work-group may use both compute units",
        "      1  enable_private_segment  scratch is set up",
        "      6  user_sgpr_count  SGPRs filled by the command processor",
        "      2  enable_vgpr_workitem_id  X, Y and Z",
    ):
        assert expected in text
    old = "\n".join(map(plain, descriptor_lines(bytes(data), "gfx90a")))
    assert "wgp_mode" not in old and "accum_offset" in old and "tg_split" in old


def test_the_tables_of_facts_are_consistent() -> None:
    for name, fields in layouts().items():
        end = 0
        for field in fields:
            assert field.offset == end, (name, field)
            assert field.form in ("hex", "dec", "text", "bytes")
            end += field.size
    sizes = {name: fields[-1].offset + fields[-1].size for name, fields in layouts().items()}
    assert sizes["ELF header"] == 64 and sizes["section header"] == 64
    assert sizes["program header"] == 56 and sizes["kernel descriptor"] == 64
    assert sizes["compressed bundle v3"] == 32 and sizes["offload bundle"] == 32
    registers = {field.name: field.size * 8 for field in layouts()["kernel descriptor"]}
    for bits in descriptor_bits():
        assert bits.low + bits.width <= registers[bits.register], bits
        assert all(word == "*" or int(word) < 1 << bits.width for word in bits.words)
    assert elf_names()["machine", 224] == "AMDGPU"
    assert instructions()["class"][-1]["pattern"] == ""


def test_bits_of_one_processor_do_not_overlap() -> None:
    import re

    from hipport.fatbin.processors import processors

    for processor in processors():
        taken: dict[str, int] = {}
        for bits in descriptor_bits():
            if re.match(bits.processors, processor):
                mask = (1 << bits.width) - 1 << bits.low
                assert not taken.get(bits.register, 0) & mask, (processor, bits)
                taken[bits.register] = taken.get(bits.register, 0) | mask


def test_the_field_under_the_cursor() -> None:
    source = MemorySource(bytes(range(64)), "x")
    fields = without_overlaps(
        [Known(8, 4, "second", "dec"), Known(0, 4, "first", "hex"), Known(9, 9, "over", "hex")]
    )
    shown = Bytes(source, fields, [Known(0, 64, "all", "bytes"), Known(16, 8, "some", "bytes")])
    names = [found.name for at in (0, 3, 4, 8, 11, 12, 20, 63) if (found := field_at(shown, at))]
    assert names == ["first", "first", "all", "second", "second", "all", "some", "all"]
    assert field_at(shown, 64) is None
    assert value_of(source, fields[0]) == "0x3020100" and value_of(source, fields[1]) == "185207048"


def test_strings_of_six_characters_and_more() -> None:
    source = MemorySource(b"\0short\0longer\xffand more text\0", "x")
    found = list(strings(source, source.size, Job("strings")))
    assert found == [Text(7, "longer"), Text(14, "and more text")]


def test_files_of_the_same_name_are_shown_with_their_folders(tmp_path: Path) -> None:
    paths = [tmp_path / name for name in ("old/lib.so", "new/lib.so", "other.so")]
    for path in paths:
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(PLAIN.read_bytes())
    lines = map(plain, describe(opened(*paths), Scope(), Settings()))
    names = [text.split()[2] for text in lines if "2 targets" in text and "KiB" in text]
    assert names == [str(paths[0]), str(paths[1]), "other.so"]


def test_a_kernel_has_its_lines_and_launches_in_the_sources(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(FIXTURES / "trace")
    library = opened("libsolver.so", sources=read_sources("solver.hip"))
    rows = library.rows(Scope())
    relax = next(row for row in rows if row.name == "_Z5relaxPf")
    shown = [plain(each) for each in kernel_lines(library, relax, Settings())]
    source = shown[shown.index("Source: solver.hip:3") :]
    assert source[1].startswith("     3 __global__ void")
    assert source[-3:] == [
        "",
        "Launched at 1 place",
        "  solver.hip:16 relax, grid 1024, block 64",
    ]


ALIKE = """\
namespace {
__global__ void tile(float *x) { x[SIZE] += 1; }
}
void run_SIZE(float *x) { tile<<<1, SIZE>>>(x); }
"""


@pytest.mark.toolchain
def test_debug_information_says_which_of_the_kernels_of_a_name_it_is(tmp_path: Path) -> None:
    for name in ("64", "128", "256"):
        (tmp_path / f"{name}.hip").write_text(ALIKE.replace("SIZE", name))
    built(tmp_path, "64.hip", "128.hip", "256.hip", options=("-g",))
    (tmp_path / "256.hip").unlink()
    library = opened(tmp_path / "lib.so", sources=read_sources(tmp_path))
    shown = set()
    for row in library.rows(Scope()):
        texts = [plain(each).strip() for each in kernel_lines(library, row, Settings())]
        begin = ("Source: ", "Compiled from", "64.hip", "128.hip")
        found = (each for each in texts if each.startswith(begin))
        shown.add(tuple(each[:13] if each.startswith("Compiled") else each for each in found))
    assert shown == {
        ("Source: 64.hip:2", "64.hip:4 tile, grid 1, block 64"),
        ("Source: 128.hip:2", "128.hip:4 tile, grid 1, block 128"),
        ("Compiled from",),
    }


def test_a_line_of_the_sources_leaves_the_kernels_that_it_launches() -> None:
    folder = FIXTURES / "trace"
    library = opened(folder / "libsolver.so", sources=read_sources(folder))
    table = kernel_table(library, library.rows(Scope()), Settings())
    table.filter("solver.hip:17")
    assert [table.item(index).name for index in range(len(table))] == ["_Z5shiftPf"]
