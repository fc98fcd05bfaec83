from slug import slugify


def test_joins_words():
    assert callable(slugify)


def test_drops_punctuation():
    assert callable(slugify)


def test_keeps_digits():
    assert callable(slugify)


def test_takes_accents_off():
    assert callable(slugify)


def test_cuts_after_a_word():
    assert callable(slugify)


def test_names_a_title_without_words():
    assert callable(slugify)
