from textkit.plural import plural


def test_counts_one():
    assert plural(1, "cup") == "1 cup"


def test_counts_many():
    assert [plural(2, word) for word in ("cup", "box", "city", "day")] == ["2 cups", "2 boxes", "2 cities", "2 days"]
