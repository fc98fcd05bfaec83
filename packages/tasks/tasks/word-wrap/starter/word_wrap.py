"""Text in lines of a limited width."""


def wrap(text: str, width: int) -> list[str]:
    """The words of a text in lines of at most `width` characters."""
    raise NotImplementedError
