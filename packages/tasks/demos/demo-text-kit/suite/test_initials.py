from textkit.initials import initials


def test_takes_the_first_letter_of_each_part():
    assert initials("ada king  lovelace") == "AKL"
