import pytest

from ini import IniError, parse

RIGHT = {
    "a section goes on": ("[a]\nb = 1\n[c]\n[a]\nd = 2\n", {"a": {"b": "1", "d": "2"}, "c": {}}),
    "an equals sign in the value": ("[a]\nsum = 1 + 1 = 2\n", {"a": {"sum": "1 + 1 = 2"}}),
    "an empty section": ("[ spaced ]\n", {"spaced": {}}),
    "one key in two sections": ("[a]\nx = 1\n[b]\nx = 2\n", {"a": {"x": "1"}, "b": {"x": "2"}}),
}
WRONG = {
    "an empty key": ("= value\n", 1),
    "an open bracket": ("[a]\n\n[b\n", 3),
}


@pytest.mark.parametrize("text, expected", RIGHT.values(), ids=RIGHT.keys())
def test_parses_more(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize("text, line", WRONG.values(), ids=WRONG.keys())
def test_refuses_more(text, line):
    with pytest.raises(IniError) as caught:
        parse(text)
    assert caught.value.line == line
