"""Durations as short texts, such as "1h 2m 5s"."""

import re

UNITS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}
DURATION = re.compile(" ?".join(f"(?:(?P<{unit}>[0-9]+){unit})?" for unit in UNITS))


def format_duration(seconds: int) -> str:
    """The text of a whole number of seconds."""
    if seconds < 0:
        raise ValueError(f"a duration is not negative: {seconds}")
    parts = []
    for unit, size in UNITS.items():
        count, seconds = divmod(seconds, size)
        if count:
            parts.append(f"{count}{unit}")
    return " ".join(parts) or "0s"


def parse_duration(text: str) -> int:
    """The seconds of a text such as "1h 2m 5s"."""
    match = DURATION.fullmatch(text)
    counts = {unit: count for unit, count in match.groupdict().items() if count} if match else {}
    if not counts or text != " ".join(f"{count}{unit}" for unit, count in counts.items()):
        raise ValueError(f"not a duration: {text!r}")
    return sum(int(count) * UNITS[unit] for unit, count in counts.items())
