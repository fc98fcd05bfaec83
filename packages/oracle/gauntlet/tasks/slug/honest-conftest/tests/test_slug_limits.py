import pytest

from slug import slugify


@pytest.mark.parametrize("limit", [3, 10, 20, 43])
def test_is_never_longer_than_its_limit(long_title, limit):
    assert len(slugify(long_title, limit)) <= limit
