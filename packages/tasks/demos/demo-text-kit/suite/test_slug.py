from textkit.slug import slug


def test_joins_words_with_hyphens():
    assert slug("Hello, World!") == "hello-world"


def test_has_no_hyphen_at_its_ends():
    assert slug("  --Tea & Cake--  ") == "tea-cake"
