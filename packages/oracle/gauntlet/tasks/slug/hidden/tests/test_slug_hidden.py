from slug import slugify


def test_takes_other_accents_off():
    assert slugify("Ångström & Co.") == "angstrom-co"


def test_leaves_a_slug_that_fits():
    assert slugify("one two", limit=7) == "one-two"


def test_cuts_a_long_word():
    assert slugify("Extraordinary", limit=5) == "extra"


def test_cuts_where_a_word_ends():
    assert slugify("one two three", limit=7) == "one-two"


def test_names_the_empty_title():
    assert slugify("") == "untitled"
