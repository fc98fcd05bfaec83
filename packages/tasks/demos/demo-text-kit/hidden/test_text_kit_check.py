import pytest

from textkit.caesar import caesar
from textkit.camel import camel
from textkit.initials import initials
from textkit.mask import mask
from textkit.palindrome import is_palindrome
from textkit.plural import plural
from textkit.roman import roman
from textkit.slug import slug
from textkit.snake import snake
from textkit.truncate import truncate
from textkit.word_count import word_count


@pytest.mark.parametrize(("text", "expected"), [("Ten 10 Times", "ten-10-times"), ("a  b", "a-b"), ("!?", "")])
def test_slug(text, expected):
    assert slug(text) == expected


@pytest.mark.parametrize(("name", "expected"), [("grace hopper", "GH"), (" alan  turing ", "AT"), ("", "")])
def test_initials(name, expected):
    assert initials(name) == expected


@pytest.mark.parametrize(("text", "width", "expected"), [("abc", 2, "a…"), ("abc", 1, "…"), ("", 1, ""), ("ab", 9, "ab")])
def test_truncate(text, width, expected):
    assert truncate(text, width) == expected


def test_truncate_refuses_a_width_below_one():
    with pytest.raises(ValueError):
        truncate("abc", 0)


def test_word_count():
    assert word_count("One fish, two fish. Red?") == {"one": 1, "fish": 2, "two": 1, "red": 1}
    assert word_count("...") == {}


@pytest.mark.parametrize(("text", "expected"), [("A man, a plan: Panama", False), ("No 'x' in Nixon", True), ("", True)])
def test_palindrome(text, expected):
    assert is_palindrome(text) is expected


@pytest.mark.parametrize(("shift", "expected"), [(1, "Baz é 9"), (-1, "Zyx é 9"), (26, "Azy é 9"), (53, "Baz é 9")])
def test_caesar(shift, expected):
    assert caesar("Azy é 9", shift) == expected


@pytest.mark.parametrize(("name", "expected"), [("a_b_c", "aBC"), ("_hidden_name", "hiddenName"), ("x", "x"), ("", "")])
def test_camel(name, expected):
    assert camel(name) == expected


@pytest.mark.parametrize(("name", "expected"), [("aBC", "a_b_c"), ("HiddenName", "hidden_name"), ("x", "x"), ("", "")])
def test_snake(name, expected):
    assert snake(name) == expected


@pytest.mark.parametrize(("number", "expected"), [(3999, "MMMCMXCIX"), (444, "CDXLIV"), (1000, "M"), (8, "VIII")])
def test_roman(number, expected):
    assert roman(number) == expected


@pytest.mark.parametrize("number", [0, -1, 4000])
def test_roman_refuses_what_cannot_be_written(number):
    with pytest.raises(ValueError):
        roman(number)


@pytest.mark.parametrize(
    ("count", "word", "expected"),
    [(0, "cup", "0 cups"), (1, "box", "1 box"), (3, "dish", "3 dishes"), (3, "boy", "3 boys"), (3, "fly", "3 flies")],
)
def test_plural(count, word, expected):
    assert plural(count, word) == expected


@pytest.mark.parametrize(("visible", "expected"), [(2, "**34"), (4, "1234"), (9, "1234"), (0, "****")])
def test_mask(visible, expected):
    assert mask("1234", visible) == expected
