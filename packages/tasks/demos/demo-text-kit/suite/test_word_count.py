from textkit.word_count import word_count


def test_counts_words_of_any_case():
    assert word_count("Tea, tea and cake") == {"tea": 2, "and": 1, "cake": 1}
