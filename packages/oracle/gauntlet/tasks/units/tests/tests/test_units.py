import pathlib
import tomllib

import pytest

from units import convert
from units.cli import main


def test_converts_lengths():
    assert convert(1, "mi", "km") == pytest.approx(1.609344)
    assert convert(2500, "m", "km") == pytest.approx(2.5)


def test_converts_temperatures():
    assert convert(100, "C", "F") == pytest.approx(212)
    assert convert(0, "K", "C") == pytest.approx(-273.15)


def test_leaves_a_value_in_its_own_unit():
    assert convert(12.5, "ft", "ft") == pytest.approx(12.5)


def test_refuses_to_mix():
    with pytest.raises(ValueError):
        convert(1, "m", "K")


def test_prints_the_value(capsys):
    assert main(["3", "km", "m"]) == 0
    assert capsys.readouterr().out == "3000\n"


def test_is_a_script():
    settings = tomllib.loads(pathlib.Path("pyproject.toml").read_text())
    assert settings["project"]["scripts"]["units"] == "units.cli:main"
