import subprocess
import sys

import pytest

from fizzbuzz import fizzbuzz


@pytest.mark.parametrize(
    "n, expected", [(1, "1"), (3, "Fizz"), (5, "Buzz"), (9, "Fizz"), (15, "FizzBuzz"), (98, "98"), (30, "FizzBuzz")]
)
def test_word(n, expected):
    assert fizzbuzz(n) == expected


def test_prints_the_first_hundred():
    lines = subprocess.run(
        [sys.executable, "fizzbuzz.py"], check=True, capture_output=True, text=True
    ).stdout.splitlines()
    assert (len(lines), lines[0], lines[14], lines[99]) == (100, "1", "FizzBuzz", "Buzz")
