def plural(count: int, word: str) -> str:
    return f"{count} {word}" if count == 1 else f"{count} {_many(word)}"


def _many(word: str) -> str:
    if word.endswith(("s", "x", "ch", "sh")):
        return word + "es"
    if word.endswith("y") and word[-2:-1] not in tuple("aeiou"):
        return word[:-1] + "ies"
    return word + "s"
