def truncate(text: str, width: int) -> str:
    if width < 1:
        raise ValueError("the width is at least 1")
    return text if len(text) <= width else text[: width - 1] + "…"
