import pytest

from durations import format_duration, parse_duration


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(1, "1s"), (3600, "1h"), (3601, "1h 1s"), (172_800, "2d"), (8_640_000, "100d"), (86_460, "1d 1m")],
)
def test_formats_other_durations(seconds, text):
    assert format_duration(seconds) == text


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("36h", 129_600), ("1d 120s", 86_520), ("0m", 0), ("2d 0h 3m", 172_980)],
)
def test_parses_parts_of_any_size(text, seconds):
    assert parse_duration(text) == seconds


def test_parse_undoes_format():
    for seconds in range(0, 200_000, 997):
        assert parse_duration(format_duration(seconds)) == seconds


@pytest.mark.parametrize("text", ["-5s", "1.5h", "1m  5s", " 5s", "5s ", "1H", "s", "5s\n"])
def test_refuses_other_text(text):
    with pytest.raises(ValueError):
        parse_duration(text)
