def convert(value, source, target):
    return value
