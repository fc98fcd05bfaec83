"""Text in lines of a limited width."""


def wrap(text: str, width: int) -> list[str]:
    """The words of a text in lines of at most `width` characters."""
    if width < 1:
        raise ValueError(f"a width is at least 1: {width}")
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= width:
            lines[-1] += f" {word}"
        else:
            lines.extend(word[start : start + width] for start in range(0, len(word), width))
    return lines
