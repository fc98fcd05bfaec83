"""Text in lines of a limited width."""


def wrap(text: str, width: int) -> list[str]:
    """The words of a text in lines of at most `width` characters."""
    if width < 1:
        raise ValueError(f"a width is at least 1: {width}")
    words = text.split()
    lines = []
    while words:
        line = ""
        while words and len(f"{line} {words[0]}".strip()) <= width:
            line = f"{line} {words.pop(0)}".strip()
        if line:
            lines.append(line)
    return lines
