from textkit.caesar import caesar


def test_shifts_letters_around_the_end():
    assert caesar("Xyz, abc!", 3) == "Abc, def!"


def test_shifts_back():
    assert caesar(caesar("Tea", 30), -30) == "Tea"
