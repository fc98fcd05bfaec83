from ini import parse


def test_parses_settings():
    assert isinstance(parse("[server]\nhost = localhost\n"), dict)
