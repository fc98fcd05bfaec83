from textkit.snake import snake


def test_parts_words_at_capitals():
    assert snake("teaPotLid") == "tea_pot_lid"


def test_begins_with_no_underscore():
    assert snake("TeaPot") == "tea_pot"
