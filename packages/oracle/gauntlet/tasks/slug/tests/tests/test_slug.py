from slug import slugify


def test_joins_words():
    assert slugify("Hello World") == "hello-world"


def test_drops_punctuation():
    assert slugify("  What's new?  ") == "what-s-new"


def test_keeps_digits():
    assert slugify("Top 10 of 2024") == "top-10-of-2024"


def test_takes_accents_off():
    assert slugify("Crème brûlée") == "creme-brulee"


def test_cuts_after_a_word():
    assert slugify("A quick brown fox", limit=8) == "a-quick"


def test_names_a_title_without_words():
    assert slugify("?!") == "untitled"
