import pytest

from ini import IniError, parse

RIGHT = {
    "nothing at all": ("", {}),
    "one section": ("[server]\nhost = localhost\nport=80\n", {"server": {"host": "localhost", "port": "80"}}),
    "keys before a section": ("name = x\n[a]\nb = c", {"": {"name": "x"}, "a": {"b": "c"}}),
    "comments - both kinds": ("# one\n; two\n\n[a]\nb = c # d\n", {"a": {"b": "c # d"}}),
    "quotes [keep spaces]": ('[a]\nb = "  c  "\n', {"a": {"b": "  c  "}}),
}
WRONG = {
    "no equals sign": ("[a]\nb = c\nnonsense\n", 3),
    "a key twice": ("[a]\nb = c\nb = d\n", 3),
}


@pytest.mark.parametrize("text, expected", RIGHT.values(), ids=RIGHT.keys())
def test_parses(text, expected):
    assert parse(text) == expected


@pytest.mark.parametrize("text, line", WRONG.values(), ids=WRONG.keys())
def test_refuses(text, line):
    with pytest.raises(IniError) as caught:
        parse(text)
    assert caught.value.line == line
