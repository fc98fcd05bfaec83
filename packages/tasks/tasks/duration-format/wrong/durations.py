"""Durations as short texts, such as "1h 2m 5s"."""

UNITS = {"d": 86_400, "h": 3600, "m": 60, "s": 1}


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


def parse(text: str) -> int:
    """The seconds of a text that format_duration made."""
    total = 0
    for part in text.split(" "):
        total += int(part[:-1]) * UNITS[part[-1]]
    return total
