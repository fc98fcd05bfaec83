DIGITS = {
    "M": 1000, "CM": 900, "D": 500, "CD": 400, "C": 100, "XC": 90, "L": 50, "XL": 40, "X": 10, "IX": 9, "V": 5, "IV": 4, "I": 1,
}


def roman(number: int) -> str:
    if not 1 <= number <= 3999:
        raise ValueError("a Roman number is from 1 to 3999")
    text = ""
    for digits, value in DIGITS.items():
        count, number = divmod(number, value)
        text += digits * count
    return text
