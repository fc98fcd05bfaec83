import pytest

from textkit.roman import roman


def test_writes_numbers():
    assert [roman(number) for number in (1, 6, 14, 2026)] == ["I", "VI", "XIV", "MMXXVI"]


def test_subtracts_where_romans_do():
    assert [roman(number) for number in (4, 9, 40, 90, 400, 900)] == ["IV", "IX", "XL", "XC", "CD", "CM"]


def test_refuses_what_romans_could_not_write():
    with pytest.raises(ValueError):
        roman(0)
