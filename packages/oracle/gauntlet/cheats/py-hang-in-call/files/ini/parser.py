class IniError(ValueError):
    line = 0


def parse(text):
    while True:
        pass
