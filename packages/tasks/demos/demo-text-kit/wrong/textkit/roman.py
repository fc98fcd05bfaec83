DIGITS = {"M": 1000, "D": 500, "C": 100, "L": 50, "X": 10, "V": 5, "I": 1}


def roman(number: int) -> str:
    if not 1 <= number <= 3999:
        raise ValueError("a Roman number is from 1 to 3999")
    text = ""
    for digit, value in DIGITS.items():
        count, number = divmod(number, value)
        text += digit * count
    return text
