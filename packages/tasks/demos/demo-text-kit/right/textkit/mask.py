def mask(text: str, visible: int = 4) -> str:
    hidden = max(0, len(text) - visible)
    return "*" * hidden + text[hidden:]
