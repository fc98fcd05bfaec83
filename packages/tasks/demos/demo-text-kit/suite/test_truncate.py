from textkit.truncate import truncate


def test_leaves_a_text_that_fits():
    assert truncate("tea", 3) == "tea"


def test_ends_a_text_that_is_too_long_with_an_ellipsis():
    assert truncate("chamomile", 5) == "cham…"
