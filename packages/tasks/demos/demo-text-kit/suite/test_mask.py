from textkit.mask import mask


def test_shows_the_end_only():
    assert mask("123456789") == "*****6789"


def test_shows_nothing_where_nothing_may_be_seen():
    assert mask("secret", visible=0) == "******"
