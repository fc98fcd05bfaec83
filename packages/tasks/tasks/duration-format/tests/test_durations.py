import pytest

from durations import format_duration, parse_duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0s"), (59, "59s"), (60, "1m"), (3725, "1h 2m 5s"), (86_400, "1d"), (90_061, "1d 1h 1m 1s")],
)
def test_formats(seconds, text):
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("0s", 0), ("59s", 59), ("1m", 60), ("1h 2m 5s", 3725), ("90m", 5400)],
)
def test_parses(text, seconds):
    assert parse_duration(text) == seconds


def test_refuses_a_negative_duration():
    with pytest.raises(ValueError):
        format_duration(-1)


@pytest.mark.parametrize("text", ["", "5", "5x", "1h2m", "5s 1m", "1m 1m"])
def test_refuses_text_that_is_no_duration(text):
    with pytest.raises(ValueError):
        parse_duration(text)
