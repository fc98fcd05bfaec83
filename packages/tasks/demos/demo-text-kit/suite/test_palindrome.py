from textkit.palindrome import is_palindrome


def test_knows_a_palindrome():
    assert is_palindrome("Never odd or even") is True


def test_knows_what_is_none():
    assert is_palindrome("tea time") is False
