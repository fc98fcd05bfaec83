def caesar(text: str, shift: int) -> str:
    return "".join(_shifted(letter, shift) for letter in text)


def _shifted(letter: str, shift: int) -> str:
    if not (letter.isascii() and letter.isalpha()):
        return letter
    first = ord("a" if letter.islower() else "A")
    return chr(first + (ord(letter) - first + shift) % 26)
