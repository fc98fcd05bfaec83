def to_kelvin(value, unit):
    return {"C": value + 273.15, "F": (value + 459.67) / 1.8, "K": value}[unit]


def from_kelvin(value, unit):
    return {"C": value - 273.15, "F": value * 1.8 - 459.67, "K": value}[unit]
