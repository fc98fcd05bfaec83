from textkit.camel import camel


def test_joins_parts_with_capitals():
    assert camel("tea_pot_lid") == "teaPotLid"


def test_leaves_one_word():
    assert camel("tea") == "tea"
