import pytest

from word_wrap import wrap


def test_fills_each_line_as_far_as_it_goes():
    assert wrap("the quick brown fox jumps", 10) == ["the quick", "brown fox", "jumps"]


def test_a_word_may_fill_the_line():
    assert wrap("abcde fghij", 5) == ["abcde", "fghij"]


@pytest.mark.parametrize("text", ["", "   ", "\n\t "])
def test_a_text_without_words_has_no_lines(text):
    assert wrap(text, 10) == []


def test_any_white_space_separates_words():
    assert wrap("one\n two\t\tthree", 20) == ["one two three"]


@pytest.mark.parametrize("width", [0, -3])
def test_refuses_a_width_below_one(width):
    with pytest.raises(ValueError):
        wrap("word", width)


def test_cuts_a_word_that_is_longer_than_a_line():
    assert wrap("a incomprehensible b", 6) == ["a", "incomp", "rehens", "ible b"]
