"""Which texts a file mentions is what a search for each of them says, whatever was seen before."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from hipport.source.text.mentioned_texts import MentionedTexts
from hipport.source.text.source_text import FEW, Code

TEXTS = [
    *("a", "ab", "abc", "cab", "abcab", "ab_c", "1c", "b1", "bb", "ca", "aaa", "cabc", "c_"),
    *("a::b", "ab/", "<< 1", "#ab", "bc ab", "aa.bc", "##", "\\\n", "$", "a(", "b b", "ab::ca/b"),
    *("abc1", "bca", "cc", "ccc", "_a", "a_b", "1", "11", "b::", "c->b"),
]
WORDS = st.sampled_from([*TEXTS, *"abc1_#$ \n.:(/", "é", "::", "xyz"])
FILES = st.lists(st.lists(WORDS, max_size=12).map("".join), max_size=5)


@given(files=FILES)
def test_it_finds_what_is_in_each_file(files: list[str]) -> None:
    assert len(TEXTS) > FEW
    mentioned = MentionedTexts(TEXTS)
    for text in files * 3:  # The first few are looked through in another way.
        code = Code(text.encode("latin-1"))
        assert mentioned.of(code) == {each for each in TEXTS if each in code.text}
