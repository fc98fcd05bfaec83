from word_wrap import wrap


def test_width_one_gives_a_character_a_line():
    assert wrap("ab c", 1) == ["a", "b", "c"]


def test_a_word_of_several_lines_without_rest():
    assert wrap("abcdef g", 3) == ["abc", "def", "g"]


def test_two_long_words_in_a_row():
    assert wrap("abcdefg hijklmn", 4) == ["abcd", "efg", "hijk", "lmn"]


def test_keeps_every_word_and_the_width():
    text = "to be or not to be that is the question whether tis nobler in the mind to suffer"
    for width in range(8, 40):
        lines = wrap(text, width)
        assert " ".join(lines) == text
        assert all(len(line) <= width for line in lines)
        for line, following in zip(lines, lines[1:]):
            assert len(line) + 1 + len(following.split()[0]) > width
