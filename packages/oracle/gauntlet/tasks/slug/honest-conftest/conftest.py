import pytest


@pytest.fixture
def long_title():
    return "The quick brown fox jumps over the lazy dog"
