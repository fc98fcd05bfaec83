import pytest

from units import convert
from units.cli import main


@pytest.mark.parametrize("source, target", [("m", "mi"), ("ft", "km"), ("F", "K")])
def test_goes_there_and_back(source, target):
    assert convert(convert(37.5, source, target), target, source) == pytest.approx(37.5)


def test_knows_exact_values():
    assert convert(1, "ft", "m") == pytest.approx(0.3048)
    assert convert(-40, "F", "C") == pytest.approx(-40)
    assert convert(1, "mi", "ft") == pytest.approx(5280)


def test_refuses_unknown_units():
    with pytest.raises(ValueError):
        convert(1, "parsec", "parsec")


@pytest.mark.filterwarnings("ignore")
def test_says_what_is_wrong(capsys):
    assert [main([]), main(["x", "m", "km"]), main(["1", "m", "C"])] == [2, 2, 2]
    printed = capsys.readouterr()
    assert (printed.out, len(printed.err.splitlines())) == ("", 3)
